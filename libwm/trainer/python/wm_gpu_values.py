"""Role: what a %%gpu cell and its notebook hand each other (wm_gpu_cell): values as bytes. Names that have an object in common (a model, the
optimizer of its parameters) go together, so that it is one object on the other side, too; the others each for itself.

A tensor on a GPU is on the CPU in the notebook, whose kernel has no GPU. It is remembered as one that was there, and is on the job's GPU
again in the next cell that reads it; what the notebook itself makes of it stays on the CPU.

    {'modules': {name: module}, 'parts': [([names], bytes)]}       of several names: of a list

Invariants: a value that cannot be packed, or not be unpacked there, is named and costs none but those that share with it. Both ends
have this file.
"""

import io
import pickle
import sys
import types
import weakref

try:  # functions and classes of the notebook itself travel by value only with it
    import cloudpickle
    PICKLER = cloudpickle.Pickler
except ImportError:
    PICKLER = pickle.Pickler

_away = {}  # id of a tensor of this process that was on a GPU: (weak reference, number of the device)


def _remember(tensor, device):
    key = id(tensor)
    _away[key] = (weakref.ref(tensor, lambda _: _away.pop(key, None)), device)
    return tensor


def _device_of(tensor):
    """Number of the GPU that it is on, or was on in the last cell; None: of the CPU."""
    if tensor.is_cuda:
        return tensor.device.index or 0
    known = _away.get(id(tensor))
    return known[1] if known and known[0]() is tensor else None


def placed(tensor, device, kind, requires_grad, state):
    """A tensor of another process: on that GPU where there is one, else here, and remembered. `kind`: its class"""
    import torch
    here = torch.cuda.is_available()
    if here:
        tensor = tensor.to(f'cuda:{min(device, torch.cuda.device_count() - 1)}')
    if kind is not torch.Tensor:
        tensor = kind(tensor, requires_grad=requires_grad)
    else:
        tensor.requires_grad_(requires_grad)
    tensor.__dict__.update(state)
    return tensor if here else _remember(tensor, device)


class Packer(PICKLER):
    """A pickler for which tensors on a GPU are tensors; what else lives there is refused with its type."""

    def reducer_override(self, obj):
        torch = sys.modules.get('torch')
        if torch and isinstance(obj, torch.Tensor) and type(obj) in (torch.Tensor, torch.nn.Parameter):
            device = _device_of(obj) if obj.layout is torch.strided else None
            if device is not None:
                state = dict(obj.__dict__) if obj.__dict__ else {}
                return placed, (obj.detach().cpu(), device, type(obj), obj.requires_grad, state)
        if torch and not isinstance(obj, type) and _is_bound_to_a_gpu(torch, obj):
            raise pickle.PicklingError(f'a {type(obj).__module__}.{type(obj).__qualname__} lives on the GPU')
        inherited = getattr(super(), 'reducer_override', None)
        return inherited(obj) if inherited else NotImplemented


def _is_bound_to_a_gpu(torch, obj):
    """Streams, events, graphs, generators and bare storages of a GPU: nothing of them is left without it."""
    if isinstance(obj, (types.FunctionType, types.BuiltinFunctionType, types.ModuleType)):
        return False
    if type(obj).__module__.startswith('torch.cuda'):
        return True
    if isinstance(obj, torch.Generator):
        return obj.device.type == 'cuda'
    if type(obj).__name__ == 'TypedStorage':
        obj = getattr(obj, '_untyped_storage', None) or getattr(obj, '_storage', obj)  # its own word warns, or is older
    return type(obj).__name__ == 'UntypedStorage' and obj.device.type == 'cuda'


def _dumped(value):
    """(bytes, ids of what in it has an identity of its own, what keeps these ids alive)."""
    stream = io.BytesIO()
    packer = Packer(stream, protocol=pickle.HIGHEST_PROTOCOL)
    packer.dump(value)
    seen = [obj for _, obj in packer.memo.copy().values() if _is_changeable(obj)]
    return stream.getvalue(), {id(obj) for obj in seen}, packer


def _is_changeable(obj):
    """Whether it matters that two names have the same, not two that are alike."""
    if isinstance(obj, (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)):
        return False
    return isinstance(obj, (list, dict, set, bytearray)) or hasattr(obj, '__dict__') or type(obj).__name__ == 'ndarray'


def _together(ids):
    """Names that have something in common, directly or by others: [names]. `ids`: {name: ids}"""
    groups = []
    for name, own in ids.items():
        joined = [group for group in groups if group[1] & own]
        groups = [group for group in groups if group not in joined]
        groups.append((sorted([name, *(n for group in joined for n in group[0])]), own.union(*(group[1] for group in joined))))
    return [names for names, _ in groups]


def packed_what_can(values, names):
    """Of those names that are there, and {name: why} of what was left out."""
    modules, alone, left = {}, {}, {}
    for name in sorted(set(names) & set(values)):
        if isinstance(values[name], types.ModuleType):
            modules[name] = values[name].__name__
            continue
        try:
            alone[name] = _dumped(values[name])
        except Exception as error:  # pylint: disable=broad-except
            left[name] = str(error).splitlines()[0] if str(error) else type(error).__name__
    parts = []
    for group in _together({name: ids for name, (_, ids, _) in alone.items()}):
        one = alone[group[0]][0] if len(group) == 1 else _dumped([values[name] for name in group])[0]
        parts.append((group, one))
    return {'modules': modules, 'parts': parts}, left


def packed(values, names):
    """The same, of all of them. @raises TypeError: one that cannot be packed"""
    found, left = packed_what_can(values, names)
    for name, why in left.items():
        raise TypeError(f'%%gpu: {name} cannot be sent to a job: {why}')
    return found


def unpacked(found):
    """(values, {name: why} of what does not exist here)."""
    values, left = {}, {}
    for name, module in found['modules'].items():
        try:
            values[name] = __import__(module, fromlist=['x'])
        except ImportError as error:
            left[name] = str(error)
    for names, part in found['parts']:
        try:
            got = pickle.loads(part)
        except Exception as error:  # pylint: disable=broad-except
            why = f'{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ""}'
            left.update((name, why) for name in names)
            continue
        values.update(zip(names, [got] if len(names) == 1 else got))
    return values, left
