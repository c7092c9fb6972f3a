"""Role: what one round's all-reduce carries, in flat buffers: the gradients (as views, so that
backward writes right into the buffer), the buffers of the model (buffers.py), and a tail of plain
numbers.

  main buffer:   [ gradients | model buffers | has gradient? of each parameter | tail (tail.py) ]
  other buffers: [ gradients of the other dtype ]

Invariants: a buffer is reduced whole before anything of it is used. A parameter that no
member has a gradient of has none afterwards: AdamW would let it decay.
"""

import math

import torch

from .buffers import Buffers
from .tail import FIXED, Numbers, Tail, all_agree, flags  # noqa: F401

def _wide(dtype):
    """The dtype that a gradient is summed in: gloo sums no bfloat16."""
    return torch.float64 if dtype == torch.float64 else torch.float32


class _Bucket:
    """The gradients of one dtype, side by side, and room behind them."""

    def __init__(self, params, dtype, device, room):
        self.params = params
        self.size = sum(p.numel() for p in params)
        self.flat = torch.zeros(self.size + room, dtype=dtype, device=device)
        self.gradients = self.flat[:self.size]
        self.room = self.flat[self.size:]
        self.views, at = [], 0
        for p in params:
            self.views.append(self.flat[at:at + p.numel()].view_as(p))
            at += p.numel()

        self.has_gradient = [False] * len(params)  # since begin()
        self._hooks = [p.register_hook(self._noting(at)) for at, p in enumerate(params)]

    def _noting(self, at):
        def note(_gradient):
            self.has_gradient[at] = True
        note.__torch_unserializable__ = True  # torch.save(model) of a script: nothing is lost
        return note

    def begin(self):
        """Before a step."""
        self.has_gradient = [False] * len(self.params)
        self.attach()

    def close(self):
        for hook in self._hooks:
            hook.remove()

    def attach(self):
        """Makes every .grad a view, cleared; of another dtype: none."""
        self.gradients.zero_()
        for p, view in zip(self.params, self.views):
            p.grad = view if p.dtype == view.dtype else None

    def gather(self):
        """Brings in gradients that are not views. Those of another dtype are added to what was
        brought in before, and gone from .grad; others, which user code replaced, are views again."""
        for at, (p, view) in enumerate(zip(self.params, self.views)):
            if p.grad is view:
                continue
            self.has_gradient[at] |= p.grad is not None
            dense = p.grad.to_dense() if p.grad is not None and p.grad.is_sparse else p.grad
            if p.dtype != view.dtype:
                if dense is not None:
                    view.add_(dense)
                p.grad = None
                continue
            if dense is None:
                view.zero_()
            else:
                view.copy_(dense)
            p.grad = view

    def scatter(self, has_gradient):
        """Gives gradients that are not views back; who has none has none."""
        for p, view, has in zip(self.params, self.views, has_gradient):
            if not has:
                p.grad = None
            elif p.dtype == view.dtype:
                p.grad = view
            else:
                p.grad = view.to(p.dtype)


class FlatModel:
    """The buffers of one model. @thread the training thread"""

    def __init__(self, model, metrics, more=(), in_order=False):
        """`metrics`: numbers of a step behind the loss; `more`: parameters that are trained beside the model's; `in_order`:
        gradients and buffers are summed elsewhere (virtual.py)."""
        params = [p for p in [*model.parameters(), *more] if p.requires_grad]
        self._frozen = [(n, p) for n, p in model.named_parameters() if not p.requires_grad]
        self._buffers, self._in_order = Buffers(torch.nn.Module() if in_order else model), in_order
        dtypes = {_wide(p.dtype) for p in params} or {torch.float32}
        if self._buffers.are_wide:
            dtypes.add(torch.float64)
        dtypes = sorted(dtypes, key=str, reverse=True)  # the widest has the room
        device = params[0].device if params else torch.device('cpu')
        self._tail_size = FIXED + 1 + metrics
        room = self._tail_size + len(params) + self._buffers.room
        self._buckets = []
        for dtype in dtypes:
            mine = [p for p in params if _wide(p.dtype) == dtype]
            self._buckets.append(_Bucket(mine, dtype, device, 0 if self._buckets else room))
        whole = self._buckets[0].room
        self._room = whole[:self._buffers.room]
        self._marks = whole[self._buffers.room:len(whole) - self._tail_size]
        self._tail = whole[len(whole) - self._tail_size:]
        self._alone, self._marked = False, []  # of the newest sum: no other member; which parameters any has a gradient of

    def begin(self):
        """Before a step: gradients zero; the model's buffers remembered for undo().
        @errors ValueError: a parameter is trained now that was frozen: members would differ"""
        for name, parameter in self._frozen:
            if parameter.requires_grad:
                raise ValueError(f"parameter '{name}' was frozen when train() began and requires a "
                                 'gradient now: end train() and call it again for that')
        for bucket in self._buckets:
            bucket.begin()
        self._buffers.begin()

    @property
    def on_cpu(self):
        """Whether a sum's time is that of the sum alone."""
        return self._tail.device.type == 'cpu'

    def gradients(self):
        """All of them, a flat tensor for each dtype."""
        for bucket in self._buckets:
            bucket.gather()
        return [bucket.gradients for bucket in self._buckets]

    @property
    def elements(self):
        """How many gradients there are."""
        return sum(bucket.size for bucket in self._buckets)

    def square(self):
        """Square of the length of the gradients as they stand. @cost one read of them"""
        for bucket in self._buckets:
            bucket.gather()
        return sum(torch.dot(b.gradients, b.gradients).item() for b in self._buckets)

    def total(self):
        """The sum of all gradients as they stand, not read: finite only where all are. @shape tensor of one number"""
        for bucket in self._buckets:
            bucket.gather()
        return torch.stack([b.gradients.sum().double() for b in self._buckets]).sum()

    def is_finite(self):
        """Whether all gradients are numbers, as they stand. @cost one read of them"""
        # A sum is finite where all parts are; where it is not, it may have been too large by itself.
        return math.isfinite(self.total().item()) or all(bool(torch.isfinite(b.gradients).all()) for b in self._buckets)

    def undo(self):
        """The step was not applied: the model's buffers as they were before it."""
        self._buffers.undo()

    def keep(self):
        """The step counts without a sum over the members: the model's buffers are right as they stand."""
        self._buffers.keep()

    def detach(self):
        """Sets the gradients so far aside: returns copies for add(), None while they are zero."""
        for bucket in self._buckets:
            bucket.gather()
        if all(not bucket.gradients.any() for bucket in self._buckets):
            return None
        copies = [bucket.gradients.clone() for bucket in self._buckets]
        for bucket in self._buckets:
            bucket.attach()
        return copies

    def add(self, before):
        """Adds gradients that detach() copied."""
        for bucket, copied in zip(self._buckets, before or []):
            bucket.gradients.add_(copied)

    def scale(self, factor):
        """Multiplies the gradients as they stand."""
        for bucket in self._buckets:
            bucket.gather()
            if factor != 1:
                bucket.gradients.mul_(factor)

    @property
    def parameters(self):
        """In the order of gradients()."""
        return [p for bucket in self._buckets for p in bucket.params]

    @property
    def kinds(self):
        """The dtype that the gradient of each is summed in."""
        return [bucket.flat.dtype for bucket in self._buckets for _ in bucket.params]

    def without_gradient(self):
        """After the sum: numbers of the parameters that no member has a gradient of."""
        return [at for at, mark in enumerate(self._marked) if not mark]

    def missing(self):
        """Numbers of the parameters that this member has no gradient of."""
        self.gradients()
        return [at for at, has in enumerate(has for bucket in self._buckets for has in bucket.has_gradient) if not has]

    def sum(self, group, weight, first, tail, gradients=True):
        """One all-reduce of everything, or of all but the `gradients`. `first`: this member has the first of the samples,
        its counters count. Returns the Tail. @errors GroupBroken"""
        for bucket in self._buckets:
            bucket.gather()
        self._alone = group.world == 1
        marks = [has for bucket in self._buckets for has in bucket.has_gradient]
        if self._alone:  # what the host knows is not sent to the device and back: each of that waits for all that was begun there
            self._marked = marks
            return Tail([float(weight)] + tail, 1)
        self._buffers.write(self._room, weight, first)
        self._marks.copy_(torch.tensor(marks, dtype=self._tail.dtype))
        self._tail.copy_(torch.tensor([float(weight)] + tail, dtype=self._tail.dtype))
        for bucket in self._buckets:
            if gradients and not self._in_order:
                group.sum(bucket.flat)
            elif bucket.room.numel():
                group.sum(bucket.room)
        behind = torch.cat([self._marks, self._tail]).tolist()  # one read
        self._marked = [mark > 0.5 for mark in behind[:len(marks)]]
        return Tail(behind[len(marks):], group.world)

    def take(self, weight, gradients=True):
        """After the sum: gradients and model buffers of the whole step, divided by `weight`
        (1 where losses are sums); buffers always by the number of samples. Without `gradients`: buffers alone.
        @shape weight: (divisor of gradients, number of samples)"""
        divisor, samples = weight
        marks = iter(self._marked)
        for bucket in self._buckets if gradients else ():
            if divisor != 1:
                bucket.gradients.div_(divisor)
            bucket.scatter([mark for _, mark in zip(bucket.params, marks)])
        if self._alone:
            self._buffers.keep()
        else:
            self._buffers.read(self._room, samples)

    def clip(self, longest):
        """After take(): shortens the gradient of the whole step to `longest`, alike on all members."""
        torch.nn.utils.clip_grad_norm_([p for bucket in self._buckets for p in bucket.params], longest)

    def close(self):
        """The model is its script's again."""
        for bucket in self._buckets:
            bucket.close()
