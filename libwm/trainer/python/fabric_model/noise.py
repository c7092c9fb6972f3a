"""Role: the gradient noise of a training, from what its members have computed anyway: how much
the gradients of their shares scatter around that of the whole step.

  grad_sqr   |G|²: square of the true gradient, estimated without bias
  grad_var   tr(Σ): sum of the variances of one sample's gradient
  scale      tr(Σ) / |G|², in samples: below this, a larger global batch saves steps

With b_i samples on rank i, B in all: E|g_i|² = |G|² + tr(Σ) / b_i and E|g|² = |G|² + tr(Σ) / B. The
mean of the first over the ranks and the second give both unknowns.
@source S. McCandlish et al., An Empirical Model of Large-Batch Training, 2018, appendix A.1;
  averaged over steps with bias correction as A. Qiao et al., Pollux, OSDI 2021, section 3
Invariant: every member computes the same numbers from the same sums, in the same steps.
"""

import math

SHARES = 3  # numbers that a member adds to the all-reduce
_ELEMENTS_A_STEP = 100_000  # a larger model is looked at in every second, third … step only
_SMOOTHING = 0.99  # of a measured step; about the last hundred count
_MOST = 1e9  # samples; of a gradient that cannot be told from noise


class Noise:
    """@thread the training thread"""

    def __init__(self, elements):
        self._every = 1 + elements // _ELEMENTS_A_STEP
        self._share = False
        self._weight = self._sqr = self._var = 0.0

    def share(self, step, flat, size, unit=1):
        """This member's part of what is summed. `flat`: its gradients, `size` samples' worth, divided by `unit`.
        @shape SHARES numbers"""
        self._share = step % self._every == 0
        if not self._share or not size:
            return [0.0] * SHARES
        return [flat.square() * (unit / size) ** 2, 1.0 / size, 1.0]

    def take(self, sums, flat, samples, unit=1):
        """Takes one step in, once all is summed; `flat` was divided by `unit`."""
        squares, inverses, members = sums
        if not self._share or members < 1.5:
            return
        small, big = squares / members, flat.square() * (unit / samples) ** 2
        var = (small - big) / (inverses / members - 1.0 / samples)
        if not math.isfinite(var):
            return  # a gradient that has overflowed
        self._weight = _SMOOTHING * self._weight + 1 - _SMOOTHING
        self._var = _SMOOTHING * self._var + (1 - _SMOOTHING) * var
        self._sqr = _SMOOTHING * self._sqr + (1 - _SMOOTHING) * (big - var / samples)

    @property
    def grad_sqr(self):
        """Single estimates may be negative, and so may their mean be."""
        return self._sqr / self._weight if self._weight else 0.0

    @property
    def grad_var(self):
        return self._var / self._weight if self._weight else 0.0

    def scale(self):
        """The noise scale. @units samples; -1: not known, since one member alone cannot tell"""
        if not self._weight:
            return -1.0
        var = max(self.grad_var, 0.0)
        return min(var / self.grad_sqr, _MOST) if self.grad_sqr > 0 else _MOST if var else 0.0
