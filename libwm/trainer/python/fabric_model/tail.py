"""Role: the plain numbers that every round's all-reduce carries beside what is trained, and a round that carries nothing else.

  weight c t t² checkpoint noise³ batch² suspects³ loss metrics…

`weight` is the number of samples behind a contribution; c, t, t² are rule W-5 of libwm/elastic/PROTOCOL.md.
"""

import numpy

from .finite import SUSPECTS, suspects
from .noise import SHARES

_FLAGS = 5  # weight, the three of W-5, checkpoint
_BATCH = _FLAGS + SHARES
_SUSPECTS = _BATCH + 2
FIXED = _SUSPECTS + SUSPECTS  # numbers of the tail before the loss
_EPOCHS = 64  # W-5: t = 1 + epoch mod 64


def flags(ready_epoch):
    """The three numbers by which members agree on a switch."""
    if not ready_epoch:
        return [0.0, 0.0, 0.0]
    t = float(1 + ready_epoch % _EPOCHS)
    return [1.0, t, t * t]


def all_agree(sums, world):
    """Whether every member stands ready for one and the same plan.
    @shape sums: c, t, t² over all members"""
    c, t, square = (round(s) for s in sums)
    return c == world and world * square == t * t


class Tail:
    """The plain numbers of a round, read after the sum."""

    def __init__(self, numbers, world):
        self.weight, self.exact_weight = round(numbers[0]), numbers[0]
        self.switch = all_agree(numbers[1:4], world)
        self.checkpoint = numbers[4] > 0.5
        self.noise = numbers[_FLAGS:_BATCH]
        self.batch = round(numbers[_BATCH])  # samples of the next step; 0: as it is
        self.gain = numbers[_BATCH + 1]      # of the learning rate in this one; 0: none
        self.suspects = suspects(numbers[_SUSPECTS:FIXED])  # ranks whose share was not finite
        self.sums = numbers[FIXED:]

    def forget_sums(self):
        """Loss and metrics of a step that is not applied count nowhere."""
        self.weight, self.sums = 0, [0.0] * len(self.sums)


class Numbers:
    """A round without gradients: the tail alone."""

    def __init__(self, metrics):
        self._flat = numpy.zeros(FIXED + 1 + metrics)

    def sum(self, group, weight, tail):
        """Sums the tail over the members. @errors GroupBroken"""
        self._flat[:] = [float(weight)] + tail
        group.sum(self._flat)
        return Tail(self._flat.tolist(), group.world)
