"""Role: how many samples a step takes in a training with batch_size='auto', and what the learning
rate is multiplied by for it. Rank 0 chooses from what it has measured in its group; all members
hear of it in the all-reduce of the step before, so they never differ.

  goodput(B) = B / T(B / members) x (φ + B₀) / (φ + B)     B₀ ≤ B ≤ members x at_once, B ≤ most

T, the time of a step, is a line through what was measured in this group: what does not depend on
the batch, above all the exchange of gradients, and what each sample adds. φ is the gradient noise
scale (noise.py), B₀ the batch that the learning rate was made for. A change has to gain something.
@source goodput and its batch: A. Qiao et al., Pollux, OSDI 2021, sections 3 and 4.1; gain of SGD:
  T. Johnson et al., AdaScale SGD, ICML 2020; of adaptive optimizers, the square root:
  S. Malladi et al., On the SDEs and Scaling Rules for Adaptive Gradient Algorithms, NeurIPS 2022
"""

from collections import deque
from dataclasses import dataclass
from statistics import median

import torch

_INITIAL = 32        # samples of a step where the script names none
_TIMES_INITIAL = 32  # most of a step, as a multiple of it
_STEPS_A_PASS = 10   # a pass keeps so many
_MEASURED = 20       # steps of a batch before its time counts
_GAIN = 1.05         # that a change must promise
_APART = 2 ** 0.5    # batches that are compared


@dataclass(frozen=True)
class Range:
    """Samples: of a step at first, of a step at most, that a member computes at once."""
    initial: int
    most: int
    at_once: int

    @classmethod
    def of(cls, initial, train_samples):
        """For a pass of `train_samples`; `initial` None or 0: 32."""
        first = min(int(initial or _INITIAL), train_samples)
        most = min(_TIMES_INITIAL * first, train_samples // _STEPS_A_PASS)
        return cls(first, max(first, most), first)


class Chooser:
    """Measures and chooses. @thread the training thread"""

    def __init__(self, limits, optimizer):
        self.limits = limits
        self._adaptive = not isinstance(optimizer, torch.optim.SGD)
        self._times = {}  # samples a member: seconds of its newest steps

    def enter(self):
        """Another group: what was measured says nothing of it."""
        self._times.clear()

    def took(self, local, seconds):
        """A step in which each member computed `local` samples."""
        self._times.setdefault(local, deque(maxlen=_MEASURED)).append(seconds)

    def next(self, batch, world, noise):
        """The batch of the coming step, after one of `batch`. `noise`: scale in samples; negative: not known."""
        limits = self.limits
        most = max(limits.initial, min(limits.most, world * limits.at_once))
        if batch > most:
            return most
        if noise < 0 or len(self._times.get(batch / world, ())) < _MEASURED:
            return batch
        fixed, each = self._line()

        def goodput(size):
            speed = size / (fixed + each * size / world)
            return speed * (noise + limits.initial) / (noise + size)

        best = max(self._candidates(most), key=goodput)
        return best if goodput(best) > _GAIN * goodput(batch) else batch

    def _candidates(self, most):
        size = float(self.limits.initial)
        while size < most:
            yield round(size)
            size *= _APART
        yield most

    def _line(self):
        """Seconds of a step: whatever its batch, and for each sample of a member."""
        points = [(x, median(times)) for x, times in self._times.items()]
        if len(points) == 1:  # half is a guess that makes it try
            x, t = points[0]
            return t / 2, t / 2 / x
        x_mean = sum(x for x, _ in points) / len(points)
        t_mean = sum(t for _, t in points) / len(points)
        slope = sum((x - x_mean) * (t - t_mean) for x, t in points) / \
            sum((x - x_mean) ** 2 for x, _ in points)
        each = min(max(slope, 1e-9), t_mean / x_mean)
        return t_mean - each * x_mean, each

    def gain(self, batch, noise):
        """What the learning rate is multiplied by in a step of `batch` samples."""
        times = batch / self.limits.initial
        if self._adaptive:
            return times ** 0.5
        if noise < 0:
            return 1.0
        return (noise / self.limits.initial + 1) / (noise / batch + 1)


def step(optimizer, gain):
    """One step at `gain` times the learning rate, which is as it was afterwards."""
    groups = optimizer.param_groups
    rates = [group['lr'] for group in groups]
    for group in groups:
        group['lr'] = group['lr'] * gain
    optimizer.step()
    for group, rate in zip(groups, rates):
        group['lr'] = rate
