"""Role: the buffers of a model (running statistics, counters, masks) in a round's all-reduce: what
a member's forward passes made of them is brought together.

  room:  [ numbers of each buffer | changed? of each buffer ]

Buffers of real and complex numbers become the mean over the samples of all members; all others
are taken from the member that has the first sample, byte by byte, which any float holds exactly.
Invariants: a buffer that no member changed is not written; a member without samples adds zeros.
"""

import math

import torch


def _is_mean(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


def _numbers(tensor):
    """What is summed of a tensor. @shape [n] real numbers, or its bytes"""
    if tensor.is_complex():
        return torch.view_as_real(tensor.resolve_conj()).reshape(-1)
    flat = tensor.contiguous().reshape(-1)
    return flat if _is_mean(tensor) else flat.view(torch.uint8)


class _Buffer:
    """One buffer. It is looked up at every use: forward may assign another tensor to it."""

    def __init__(self, owner, name, first):
        self._owner, self._name = owner, name
        self._shape, self._dtype = first.shape, first.dtype
        self._saved = None
        self.is_mean, self.size = _is_mean(first), _numbers(first).numel()

    def now(self):
        """Its tensor; None while it has another shape than at first: it is the member's own."""
        found = getattr(self._owner, self._name, None)
        fits = torch.is_tensor(found) and (found.shape, found.dtype) == (self._shape, self._dtype)
        return found.detach() if fits else None

    def save(self):
        now = self.now()
        self._saved = None if now is None else now.clone()

    def undo(self):
        now = self.now()
        if now is not None and self._saved is not None:
            now.copy_(self._saved)

    def write(self, room, weight, first):
        """Fills `room`. Returns whether it changed, as a number; minus infinity: not to be
        written on any member."""
        now = self.now()
        if now is None or self._saved is None:
            room.zero_()
            return torch.full((), -math.inf, dtype=room.dtype, device=room.device)
        share = weight if self.is_mean else int(first)
        if share:
            torch.mul(_numbers(now).to(room), share, out=room)
        else:
            room.zero_()
        return (now != self._saved).any().to(room)

    def read(self, room, samples):
        """Takes the sum in `room` over."""
        now = self.now()
        if now is None:
            return
        if now.is_complex():
            torch.view_as_real(now).copy_((room / samples).view(*self._shape, 2))
        elif self.is_mean:
            now.copy_((room / samples).view(self._shape))
        else:
            now.copy_(room.round().to(torch.uint8).view(self._dtype).view(self._shape))


class Buffers:
    """All of one model. @thread the training thread"""

    def __init__(self, model):
        self._all, seen = [], set()
        for owner in model.modules():
            for name, tensor in owner.named_buffers(recurse=False):
                if tensor.numel() and id(tensor) not in seen:
                    self._all.append(_Buffer(owner, name, tensor))
                seen.add(id(tensor))
        self._wide = any(t.dtype in (torch.float64, torch.complex128) for t in model.buffers())
        self._live = False  # between begin() and the step's end

    @property
    def room(self):
        """Numbers that are summed."""
        return sum(b.size for b in self._all) + len(self._all)

    @property
    def are_wide(self):
        """Whether the room has to be of float64."""
        return self._wide

    def begin(self):
        """Before a step: they are remembered."""
        self._live = True
        for buffer in self._all:
            buffer.save()

    def undo(self):
        """The step was not applied: as they were before it."""
        if self._live:
            for buffer in self._all:
                buffer.undo()
        self._live = False

    def write(self, room, weight, first):
        """After the passes over `weight` samples: fills `room`. `first`: the first of the step's
        samples is among them."""
        if not self._all:
            return
        at, changed = 0, []
        for buffer in self._all:
            changed.append(buffer.write(room[at:at + buffer.size], weight, first))
            at += buffer.size
        room[at:] = torch.stack(changed)

    def read(self, room, samples, more=False):
        """Takes the sum over a step of `samples` over. `more`: the step has another sum, it may still be undone."""
        self._live = more
        if not self._all:
            return
        at, changed = 0, room[-len(self._all):].tolist()
        for buffer, count in zip(self._all, changed):
            if count > 0:
                buffer.read(room[at:at + buffer.size], samples)
            at += buffer.size

    def keep(self):
        """A step of this member alone: they are right as they stand."""
        self._live = False
