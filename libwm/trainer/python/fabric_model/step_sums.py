"""Role: what a plain loop's backward sums over the workers: gradients, buffers of the models, and the tail of flat.py.
Gradients of one dtype lie side by side; one that this worker has none of is zeros, and has none afterwards only if nobody has.

Invariant: gradients that were there before the backward are kept and added again: they are sums already.
"""

import math

import torch

from .buffers import Buffers
from .flat import FIXED, Tail


def _wide(dtype):
    return torch.float64 if dtype == torch.float64 else torch.float32


class StepSums:
    """@thread the training thread"""

    def __init__(self, model, parameters):
        self._all = [p for p in parameters if p.requires_grad]
        self._buffers = Buffers(model)
        dtypes = {_wide(p.dtype) for p in self._all} or {torch.float32}
        if self._buffers.are_wide:
            dtypes.add(torch.float64)
        self._dtypes = sorted(dtypes, key=str, reverse=True)  # the widest has the room
        device = self._all[0].device if self._all else torch.device('cpu')
        self._mine = {d: [p for p in self._all if _wide(p.dtype) == d] for d in self._dtypes}
        room = self._buffers.room + len(self._all) + FIXED
        self._flats = {}
        for d in self._dtypes:
            size = sum(p.numel() for p in self._mine[d])
            self._flats[d] = torch.zeros(size + (0 if self._flats else room), dtype=d, device=device)
        whole = self._flats[self._dtypes[0]][-room:]
        self._room = whole[:self._buffers.room]
        self._marks = whole[self._buffers.room:self._buffers.room + len(self._all)]
        self._tail = whole[self._buffers.room + len(self._all):]
        self._order = [p for d in self._dtypes for p in self._mine[d]]
        self._before = None

    def begin_step(self):
        """The models' buffers are remembered."""
        self._buffers.begin()

    def undo(self):
        """They are as they were."""
        self._buffers.undo()

    def begin(self):
        """Before a backward: what is there already is set aside."""
        self._before = [p.grad for p in self._order]
        for p in self._order:
            p.grad = None

    def is_finite(self):
        """Of this worker's gradients, as the backward left them. @cost one read of the device"""
        found = [_dense(p.grad) for p in self._order if p.grad is not None]
        if not found or math.isfinite(torch.stack([g.sum(dtype=_wide(g.dtype)).double() for g in found]).sum().item()):
            return True
        # A sum may have been too large by itself.
        return bool(torch.stack([torch.isfinite(g).all() for g in found]).all())

    def sum(self, group, weight, first, flags, divides=False):
        """One all-reduce of everything, into .grad. `divides`: by the sum of the weights, which nobody knows before. Returns
        the Tail. @errors GroupBroken: gradients are this worker's own, and of no use"""
        if group.world > 1:
            tail = self._sum_over(group, weight, first, flags, divides)
        else:  # what the host knows is not sent to the device and back
            tail = Tail([float(weight)] + flags, 1)
            if divides:
                self._divide(tail.exact_weight or 1.0)
        for p, before in zip(self._order, self._before):
            if before is not None:
                p.grad = before if p.grad is None else p.grad.add_(before)
        return tail

    def _sum_over(self, group, weight, first, flags, divides):
        self._fill()
        self._buffers.write(self._room, weight, first)
        self._marks.copy_(torch.tensor([float(p.grad is not None) for p in self._order]))
        self._tail.copy_(torch.tensor([float(weight)] + flags, dtype=self._tail.dtype))
        for flat in self._flats.values():
            group.sum(flat)
        behind = torch.cat([self._marks, self._tail]).tolist()  # one read
        tail = Tail(behind[len(self._order):], group.world)
        self._spread((tail.exact_weight or 1.0) if divides else 1, [mark > 0.5 for mark in behind[:len(self._order)]])
        self._buffers.read(self._room, tail.exact_weight, more=True)
        return tail

    def _fill(self):
        for d in self._dtypes:
            at = 0
            for p in self._mine[d]:
                room = self._flats[d][at:at + p.numel()]
                at += p.numel()
                if p.grad is None:
                    room.zero_()
                else:
                    room.copy_(_dense(p.grad).reshape(-1))

    def _divide(self, by):
        for p in self._order:
            if p.grad is not None:
                p.grad.div_(by)

    def _spread(self, divisor, marked):
        marks = iter(marked)
        for d in self._dtypes:
            at = 0
            for p in self._mine[d]:
                found = self._flats[d][at:at + p.numel()].view_as(p)
                at += p.numel()
                if divisor != 1:
                    found.div_(divisor)
                p.grad = found.to(p.dtype, copy=True) if next(marks) else None


def _dense(gradient):
    return gradient.to_dense() if gradient.is_sparse else gradient
