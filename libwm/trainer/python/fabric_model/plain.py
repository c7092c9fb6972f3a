"""Role: states as bytes that cannot do anything when they are read: a JSON text, whose tensors and
arrays are numbers, and behind it the memory of each. No reader runs code that a sender or a file names.

  head = {"tree": …, "blocks": [[kind, type, shape], …]}     a block: memory, row by row, as it lies

A tree holds None, bool, int, float, complex, str, bytes, list, tuple, set, frozenset, dict, OrderedDict,
Counter, deque, torch.Size, torch's dtypes and devices, dense tensors, numpy arrays and numbers. Numbers of
other kinds (enumerations, numpy's) arrive as plain ones, a defaultdict as a dict; what else there is
is refused by its name and place.
Invariant: unpack() takes memory only for what was announced, and calls nothing but the types above.
"""

import base64
import json
import math
import sys
from collections import Counter, OrderedDict, defaultdict, deque

from .copies import is_tensor

_ARRAY_KINDS = 'biufc'  # numpy's kinds of numbers; never objects


def _torch():
    """torch, where it is loaded: states of other frameworks have none of it."""
    return sys.modules.get('torch')


class NotPlain(TypeError):
    """Something in a state that cannot travel; the text says what and where."""


class Damaged(ValueError):
    """Bytes that pack() did not write."""


def _numpy_types(value):
    """(array type, scalar type) of the numpy that `value` is of, else ()."""
    if type(value).__module__.partition('.')[0] != 'numpy':
        return ()
    import numpy
    return numpy.ndarray, numpy.generic


class _Packer:
    """Turns a tree into JSON values; tensors and arrays are numbered."""

    def __init__(self):
        self.tensors, self.blocks = [], []

    def value(self, value, where):
        """@errors NotPlain"""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if type(value) is list:
            return self._items(value, where)
        if is_tensor(value):
            return {'tensor': self._tensor(value, where)}
        found = self._container(value, where) or self._special(value, where)
        if found is not None:
            return found
        for kind in (int, float, str):
            if isinstance(value, kind):
                return kind(value)
        raise NotPlain(f'{where} is a {type(value).__module__}.{type(value).__qualname__}: a state may hold '
                       'numbers, texts, bytes, lists, tuples, sets, dicts, tensors and arrays of numbers only')

    def _items(self, values, where):
        return [self.value(v, f'{where}[{at}]') for at, v in enumerate(values)]

    def _pairs(self, values, where):
        return [[self.value(k, f'a key of {where}'), self.value(v, f'{where}[{k!r}]')] for k, v in values.items()]

    def _container(self, value, where):
        kind, torch = type(value), _torch()
        if torch and kind is torch.Size:
            return {'size': self._items(value, where)}
        if kind in _PAIRS_NAMES:
            return {_PAIRS_NAMES[kind]: self._pairs(value, where)}
        if kind is deque:
            return {'deque': [value.maxlen, self._items(value, where)]}
        if kind in _ITEMS_NAMES:
            return {_ITEMS_NAMES[kind]: self._items(value, where)}
        return None

    def _special(self, value, where):
        if isinstance(value, (bytes, bytearray)):
            return {'bytes': base64.b64encode(value).decode('ascii')}
        if type(value) is complex:
            return {'complex': [value.real, value.imag]}
        torch = _torch()
        if torch and isinstance(value, torch.dtype):
            return {'dtype': str(value).partition('.')[2]}
        if torch and isinstance(value, torch.device):
            return {'device': str(value)}
        return self._numpy(value, where)

    def _numpy(self, value, where):
        types = _numpy_types(value)
        if not types or value.dtype.kind not in _ARRAY_KINDS:
            return None
        if isinstance(value, types[1]):
            return self.value(value.item(), where)
        self.tensors.append(value.copy(order='C'))
        self.blocks.append(['array', value.dtype.str, list(value.shape)])
        return {'array': len(self.blocks) - 1}

    def _tensor(self, tensor, where):
        if tensor.layout != _torch().strided or tensor.is_quantized:
            raise NotPlain(f'{where} is a tensor of {tensor.layout}, {tensor.dtype}: a state may hold dense ones only')
        self.tensors.append(tensor.detach())
        self.blocks.append(['tensor', str(tensor.dtype).partition('.')[2], list(tensor.shape)])
        return len(self.blocks) - 1


_PAIRS = {'dict': dict, 'ordered': OrderedDict, 'counter': Counter}
_PAIRS_NAMES = {kind: name for name, kind in _PAIRS.items()} | {defaultdict: 'dict'}
_ITEMS = {'tuple': tuple, 'set': set, 'frozenset': frozenset}
_ITEMS_NAMES = {kind: name for name, kind in _ITEMS.items()}


def memory(tensor):
    """The tensor's numbers as they lie, on the CPU, as a tensor. @shape [bytes] uint8   @cost no copy where it can"""
    torch = _torch()
    if not torch.is_tensor(tensor):
        return torch.from_numpy(raw(tensor))
    return tensor.cpu().resolve_conj().resolve_neg().contiguous().reshape(-1).view(torch.uint8)


def raw(values):
    """As memory(), of a tensor or an array, as an array. @shape [bytes] uint8"""
    return memory(values).numpy() if is_tensor(values) else values.reshape(-1).view('u1')


def pack(tree, name='state'):
    """(head, tensors): bytes, and the tensors and arrays whose memory() belongs behind them, in order. The tensors are
    the tree's own. `name`: what a refusal calls the tree.
    @errors NotPlain   @cost that of the tree, less its tensors' memory"""
    packer = _Packer()
    try:
        text = json.dumps({'tree': packer.value(tree, name), 'blocks': packer.blocks})
    except RecursionError:
        raise NotPlain(f'{name} is nested too deeply, or holds itself') from None
    return text.encode('ascii'), packer.tensors


class Head:
    """What pack() wrote, read so far that its blocks can be received."""

    def __init__(self, head):
        """@errors Damaged"""
        try:
            read = json.loads(head)
            self._tree, blocks = read['tree'], read['blocks']
            self._blocks = [self._typed(*block) for block in blocks]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise Damaged(f'head of a state: {error}') from None

    @staticmethod
    def _typed(kind, name, shape):
        """(type, shape, bytes) of one block; a torch dtype for a tensor, numpy's for an array."""
        if not all(type(n) is int and n >= 0 for n in shape):
            raise Damaged(f'shape {shape}')
        if kind == 'tensor':
            torch = _torch()
            dtype = getattr(torch, name, None)
            if torch is None or not isinstance(dtype, torch.dtype):
                raise Damaged(f"tensor of '{name}'")
            return dtype, shape, math.prod(shape) * torch.empty(0, dtype=dtype).element_size()
        import numpy
        dtype = numpy.dtype(str(name))
        if kind != 'array' or dtype.kind not in _ARRAY_KINDS:
            raise Damaged(f"{kind} of '{name}'")
        return dtype, shape, math.prod(shape) * dtype.itemsize

    @property
    def sizes(self):
        """Bytes of each block."""
        return [size for _, _, size in self._blocks]

    def tree(self, blocks):
        """The tree, with the memory of its blocks. @shape blocks: uint8 arrays, or tensors, of `sizes`, which the tree
        takes over   @errors Damaged"""
        values = [self._value_of(*about, block) for about, block in zip(self._blocks, blocks)]
        try:
            return self._read(self._tree, values)
        except (ValueError, TypeError, LookupError, AttributeError, RuntimeError) as error:
            raise Damaged(f'tree of a state: {error}') from None

    @staticmethod
    def _value_of(dtype, shape, _size, block):
        torch = _torch()
        if torch and isinstance(dtype, torch.dtype):
            block = block if torch.is_tensor(block) else torch.from_numpy(block)
            return block.view(dtype).view(shape) if block.numel() else torch.empty(shape, dtype=dtype)
        return (block.numpy() if is_tensor(block) else block).view(dtype).reshape(shape)

    def _read(self, value, values):
        if isinstance(value, list):
            return [self._read(v, values) for v in value]
        if not isinstance(value, dict):
            return value
        (name, what), = value.items()
        if name in ('tensor', 'array'):
            return values[what]
        if name in _PAIRS:
            return _PAIRS[name]({self._read(k, values): self._read(v, values) for k, v in what})
        if name == 'deque':
            return deque(self._read(what[1], values), maxlen=what[0])
        if name in _ITEMS:
            return _ITEMS[name](self._read(what, values))
        if name == 'size':
            return _torch().Size(self._read(what, values))
        return _SPECIAL[name](what)


def _dtype(name):
    found = getattr(_torch(), name)
    if not isinstance(found, _torch().dtype):
        raise Damaged(f"dtype '{name}'")
    return found


_SPECIAL = {'bytes': base64.b64decode, 'complex': lambda parts: complex(*parts), 'dtype': _dtype,
            'device': lambda name: _torch().device(name)}
