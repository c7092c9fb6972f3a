"""Role: everything that a newcomer or a member left behind must be given, and a checkpoint must
hold: progress, model, optimizer, learning-rate scheduler, callbacks' state, registered extras.

A state travels as: one length; a pickle whose tensors are numbers; the small tensors as one
block of bytes; the large ones each by itself, not copied.
Invariant: a receiver holds all of it before it takes any of it over.
"""

import io
import pickle
import threading

import torch

from .group import GroupBroken
from .progress import Progress

FORMAT = 1
_SMALL = 1 << 16  # bytes; smaller tensors share a block


class _Pickler(pickle.Pickler):
    """Leaves tensors out, numbered."""

    def __init__(self, file, tensors):
        super().__init__(file, protocol=4)
        self._tensors = tensors

    def persistent_id(self, value):
        if not torch.is_tensor(value):
            return None
        self._tensors.append(value.detach())
        return len(self._tensors) - 1


class _Unpickler(pickle.Unpickler):
    def __init__(self, file, tensors):
        super().__init__(file)
        self._tensors = tensors

    def persistent_load(self, number):
        return self._tensors[number]


def _bytes_of(tensor):
    """The tensor's memory. @shape [bytes] uint8"""
    return tensor.contiguous().reshape(-1).view(torch.uint8)


def _typed(flat, shape, dtype):
    return flat.view(dtype).view(shape)


class Script:
    """What the user gave FabricModel, as far as the engine needs it."""

    def __init__(self, **parts):
        self.__dict__.update(parts)

    def _holders(self):
        """(name, object with state_dict) of everything that has a state."""
        named = {'model': self.model, 'optimizer': self.optimizer, 'scheduler': self.lr_scheduler}
        named.update({f'extra {name}': value for name, value in self.extras.items()})
        loggers = [self.driver_logger, self.worker_logger]
        for at, callback in enumerate(self.callbacks + loggers):
            named[f'callback {at}'] = callback
        return {name: holder for name, holder in named.items()
                if hasattr(holder, 'state_dict') and hasattr(holder, 'load_state_dict')}

    def state(self, progress):
        """The whole state. Parameters and the optimizer's tensors are the live ones: they
        change only when an optimizer step is applied; all else is copied."""
        parts = {name: holder.state_dict() if name == 'optimizer'
                 else copy_tensors(holder.state_dict()) for name, holder in self._holders().items()
                 if name != 'model'}
        weights, live = self.model.state_dict(), dict(self.model.named_parameters())
        parts['model'] = {name: value if name in live else copy_tensors(value)
                          for name, value in weights.items()}
        return {'format': FORMAT, 'progress': progress.pack(), 'parts': parts}

    def show(self, state):
        """Makes the model alone that of `state`, for hooks that look at it; take_over() follows."""
        self.model.load_state_dict(state['parts']['model'])

    def take_over(self, state):
        """Makes `state` this worker's. Returns its progress.
        @errors ValueError: of another format"""
        if state.get('format') != FORMAT:
            raise ValueError(f"state of format {state.get('format')}, this program reads {FORMAT}")
        holders = self._holders()
        for name, values in state['parts'].items():
            if name in holders:
                holders[name].load_state_dict(values)
        return Progress.unpack(state['progress'])


def copy_tensors(value):
    """The same tree with its tensors cloned, so that training may go on meanwhile."""
    if torch.is_tensor(value):
        return value.detach().clone()
    if isinstance(value, dict):
        return type(value)((k, copy_tensors(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return type(value)(copy_tensors(v) for v in value)
    return value


class Parcel:
    """A state ready to be sent to any number of members."""

    def __init__(self, state):
        tensors, text = [], io.BytesIO()
        _Pickler(text, tensors).dump(state)
        tensors = [t.cpu() for t in tensors]
        shapes = [(tuple(t.shape), t.dtype) for t in tensors]
        flat = [_bytes_of(t) for t in tensors]
        small = [f for f in flat if f.numel() < _SMALL]
        head = pickle.dumps((text.getvalue(), shapes))
        self._head = torch.frombuffer(bytearray(head), dtype=torch.uint8)
        self._blocks = ([torch.cat(small)] if small else []) + \
            [f for f in flat if f.numel() >= _SMALL]

    def send(self, group, rank):
        """@errors GroupBroken"""
        group.send(torch.tensor([self._head.numel()]), rank)
        for block in [self._head] + self._blocks:
            if block.numel():
                group.send(block, rank)


class Delivery:
    """Sends a parcel to members in a thread while training goes on: the parameters in it do
    not change before the receivers have them, because no step is applied without them.
    @thread the training thread"""

    def __init__(self, parcel, group, ranks):
        self._parcel, self._group, self._ranks = parcel, group, ranks
        self._thread = threading.Thread(target=self._run, name='wm-delivery', daemon=True)
        self._thread.start()

    def _run(self):
        try:
            for rank in self._ranks:
                self._parcel.send(self._group, rank)
        except GroupBroken:
            self._group.abort()  # the training thread finds it dead

    def finish(self):
        """Before a step is applied: everything is out."""
        self._thread.join()


def receive(group, rank):
    """The state that `rank` sends as a Parcel. @errors GroupBroken"""
    size = torch.zeros(1, dtype=torch.int64)
    group.receive(size, rank)
    head = _receive_block(group, rank, int(size))
    text, shapes = pickle.loads(head.numpy().tobytes())
    sizes = [torch.Size(shape).numel() * torch.empty(0, dtype=dtype).element_size()
             for shape, dtype in shapes]
    small = _receive_block(group, rank, sum(s for s in sizes if s < _SMALL))
    tensors, at = [], 0
    for (shape, dtype), count in zip(shapes, sizes):
        if count < _SMALL:
            flat, at = small[at:at + count].clone(), at + count
        else:
            flat = _receive_block(group, rank, count)
        tensors.append(_typed(flat, shape, dtype))
    return _Unpickler(io.BytesIO(text), tensors).load()


def _receive_block(group, rank, count):
    block = torch.empty(count, dtype=torch.uint8)
    if count:
        group.receive(block, rank)
    return block
