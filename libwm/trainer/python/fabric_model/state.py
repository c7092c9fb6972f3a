"""Role: everything that a newcomer or a member left behind must be given, and a checkpoint must
hold: progress, model, optimizer, learning-rate scheduler, callbacks' state, registered extras.

A state travels as: the length of its head; the head (plain.py); the small blocks of memory as one; the
large ones each by itself, not copied.
Invariants: a receiver holds all of it before it takes any of it over; nothing that is received
is run.
"""

import threading

import torch

from . import plain
from .group import GroupBroken
from .progress import Progress

FORMAT = 1
_SMALL = 1 << 16  # bytes; smaller ones travel together
_LONGEST = 1 << 32  # bytes of a head
_WORDS = 400  # characters of what a framework says


def beside(script):
    """Parameters that the optimizer steps and the model has not: those of a loss, or none's."""
    own = {id(p) for p in script.model.parameters()}
    given = [p for group in script.optimizer.param_groups for p in group['params']]
    return [p for p in given if id(p) not in own]


def others_of(script):
    """Of beside(): those that are no loss's either, so that nobody's state_dict has them."""
    loss = getattr(script, 'loss', None)
    known = {id(p) for p in loss.parameters()} if isinstance(loss, torch.nn.Module) else set()
    return [p for p in beside(script) if id(p) not in known]


class _Loose:
    """Parameters that stand in no module, in the optimizer's order."""

    def __init__(self, parameters):
        self._parameters = parameters

    def state_dict(self):
        return {str(at): p.detach() for at, p in enumerate(self._parameters)}

    def load_state_dict(self, values):
        with torch.no_grad():
            for at, p in enumerate(self._parameters):
                p.copy_(values[str(at)])


class Script:
    """What the user gave FabricModel, as far as the engine needs it."""

    def __init__(self, **parts):
        self.__dict__.update(parts)

    def _holders(self):
        """(name, object with state_dict) of everything that has a state."""
        named = {'model': self.model, 'optimizer': self.optimizer, 'scheduler': self.lr_scheduler, **self._beside()}
        named.update({f'extra {name}': value for name, value in self.extras.items()})
        loggers = [self.driver_logger, self.worker_logger]
        for at, callback in enumerate(self.callbacks + loggers):
            named[f'callback {at}'] = callback
        return {name: holder for name, holder in named.items()
                if hasattr(holder, 'state_dict') and hasattr(holder, 'load_state_dict')}

    def _beside(self):
        """What is trained, or counts, beside the model."""
        loss, beside = getattr(self, 'loss', None), {}
        if getattr(self, 'scaler', None):
            beside['scaler'] = self.scaler
        if getattr(self, 'virtual', None):
            beside['virtual'] = self.virtual
        beside.update({f'scaler {at}': scaler for at, scaler in enumerate(getattr(self, 'joined', ()))})
        if isinstance(loss, torch.nn.Module) and any(True for _ in loss.parameters()):
            beside['loss'] = loss
        others = others_of(self)
        if others:
            beside['others'] = _Loose(others)
        return beside

    def state(self, progress):
        """The whole state. Parameters and the optimizer's tensors are the live ones: they
        change only when an optimizer step is applied; all else is copied."""
        parts = {name: self._part(name, holder) for name, holder in self._holders().items()
                 if name != 'model'}
        weights, live = self.model.state_dict(), dict(self.model.named_parameters())
        parts['model'] = {name: value if name in live else copy_tensors(value)
                          for name, value in weights.items()}
        frozen = [name for name, p in self.model.named_parameters() if not p.requires_grad]
        return {'format': FORMAT, 'progress': progress.pack(), 'parts': parts, 'frozen': frozen}

    @staticmethod
    def _part(name, holder):
        values = holder.state_dict()
        if name == 'optimizer':
            return values
        # torch's schedulers put their own methods among their values: every worker has its own.
        return copy_tensors(without_functions(values) if name == 'scheduler' else values)

    def check(self):
        """Whether what has a state by now can travel, before a training relies on it.
        @errors plain.NotPlain: naming what cannot"""
        for name, holder in self._holders().items():
            plain.pack(self._part(name, holder) if name != 'model' else holder.state_dict(), f'state of {name}')

    def show(self, state):
        """Makes the model alone that of `state`, for hooks that look at it; take_over() follows."""
        self.model.load_state_dict(state['parts']['model'])

    def take_over(self, state):
        """Makes `state` this worker's. Returns its progress.
        @errors ValueError: of another format, or of another model, optimizer …, by its name"""
        if state.get('format') != FORMAT:
            raise ValueError(f"state of format {state.get('format')}, this program reads {FORMAT}")
        holders = self._holders()
        for name, values in sorted(state['parts'].items(), key=lambda part: part[0] != 'model'):  # its words say most
            if name not in holders:
                continue
            try:
                holders[name].load_state_dict(values)
            except (RuntimeError, ValueError, KeyError) as error:
                raise ValueError(f'the state of the {name} does not fit: {_one_line(error)}') from error
        for name, parameter in self.model.named_parameters():
            if name in state.get('frozen', ()):  # a callback may have frozen it in a pass before
                parameter.requires_grad_(False)
        return Progress.unpack(state['progress'])


def _one_line(error):
    text = ' '.join(str(error).split())
    return text if len(text) <= _WORDS else text[:_WORDS] + ' …'


def without_functions(value):
    """The same tree without the functions and methods in its dicts."""
    if isinstance(value, list):
        return [without_functions(v) for v in value]
    if not isinstance(value, dict):
        return value
    out = value.copy()
    for key, inner in value.items():
        if callable(inner):
            del out[key]
        else:
            out[key] = without_functions(inner)
    return out


def copy_tensors(value):
    """The same tree with its tensors, arrays and containers copied, so that training may go on meanwhile."""
    if torch.is_tensor(value):
        return value.detach().clone()
    if isinstance(value, dict):
        out = value.copy()  # of its own kind: a Counter counts what it is made of
        for key, inner in value.items():
            out[key] = copy_tensors(inner)
        return out
    if type(value) in (list, tuple):
        return type(value)(copy_tensors(v) for v in value)
    return value.copy() if hasattr(value, 'copy') else value


class Parcel:
    """A state ready to be sent to any number of members."""

    def __init__(self, state):
        """@errors plain.NotPlain"""
        head, tensors = plain.pack(state)
        flat = [plain.memory(t) for t in tensors]
        small = [f for f in flat if f.numel() < _SMALL]
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
    """The state that `rank` sends as a Parcel. @errors GroupBroken; plain.Damaged"""
    size = torch.zeros(1, dtype=torch.int64)
    group.receive(size, rank)
    if not 0 < int(size) <= _LONGEST:
        raise plain.Damaged(f'a state with a head of {int(size)} bytes, at most {_LONGEST}')
    head = plain.Head(_receive_block(group, rank, int(size)).numpy().tobytes())
    small = _receive_block(group, rank, sum(s for s in head.sizes if s < _SMALL))
    blocks, at = [], 0
    for count in head.sizes:
        if count < _SMALL:
            block, at = small[at:at + count].clone(), at + count
        else:
            block = _receive_block(group, rank, count)
        blocks.append(block)
    return head.tree(blocks)


def _receive_block(group, rank, count):
    block = torch.empty(count, dtype=torch.uint8)
    if count:
        group.receive(block, rank)
    return block
