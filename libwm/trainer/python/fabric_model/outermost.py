"""Role: where a backward ends. A sum over the workers has to be done when the script's backward() returns: before it
clips, unscales or steps. Reentrant checkpoints call backward within backward, so it is the end of the outermost one.

Invariant: while nobody watches, torch.autograd.backward is torch's own.
"""

import torch

_real = torch.autograd.backward  # Tensor.backward and reentrant checkpoints look it up there


class Watch:
    """Calls `begin()` before the outermost backward of this process, `end()` behind it, and multiplies what is
    differentiated by what begin() returns. @thread the training thread"""

    def __init__(self, begin, end):
        self._begin, self._end, self._depth = begin, end, 0

    def open(self):
        torch.autograd.backward = self._backward

    def close(self):
        torch.autograd.backward = _real

    def _backward(self, tensors, grad_tensors=None, *arguments, **options):
        if self._depth:
            return _real(tensors, grad_tensors, *arguments, **options)
        factor = self._begin()
        self._depth += 1
        try:
            if factor is not None and factor != 1:
                tensors, grad_tensors = _scaled(tensors, grad_tensors, factor)
            _real(tensors, grad_tensors, *arguments, **options)
        finally:
            self._depth -= 1
        if factor is not None:
            self._end()


def _scaled(tensors, gradients, factor):
    """The same roots, with gradients that have the factor in them."""
    roots = (tensors,) if torch.is_tensor(tensors) else tuple(tensors)
    given = (gradients,) if gradients is None or torch.is_tensor(gradients) else tuple(gradients)
    if len(given) != len(roots):
        given = given * len(roots) if given == (None,) else given
    out = [torch.full_like(root, factor) if one is None and root.numel() == 1 else one if one is None else one * factor
           for root, one in zip(roots, given)]
    return roots, out
