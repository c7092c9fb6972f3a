"""Role: which sample stands at which position of a pass, for what is no set of samples that are dealt by chance: the order
of a script's sampler (loaders.py), or a stream (streams.py). In place of native.Ledger, with the same samples().
"""

from .loaders import Taken
from .streams import Stream


class Deals:
    """How a training set is dealt, where it is not by chance."""

    def __init__(self, given):
        self._given, self.is_stream = given, isinstance(given, Stream)
        self.mark = given.begins_with() if self.is_stream else 0

    @classmethod
    def of(cls, given):
        """None: samples are dealt by chance."""
        return cls(given) if isinstance(given, (Stream, Taken)) else None

    def ledger(self, seed):
        """The order of a job with that seed."""
        return OfStream(self._given, seed) if self.is_stream else InOrder(self._given, len(self._given), seed)


def _seeds(seed, number, begin, count):
    base = (seed * 31 + number) * 1000003
    return [(base + at) & 0xffffffffffffffff for at in range(begin, begin + count)]


class InOrder:
    """The order that a sampler gives. @thread the training thread"""

    def __init__(self, taken, samples, seed):
        self._taken, self._samples, self._seed = taken, samples, seed
        self._pass, self._order, self._ends = None, [], None

    def _draw(self, number):
        if self._pass != number:
            self._pass, (self._order, self._ends) = number, self._taken.order(self._seed, number)
            if len(self._order) != self._samples:
                raise ValueError(f'train: the sampler gives {len(self._order)} samples in pass {number} and {self._samples} in the first')

    def samples(self, number, begin, count):
        """(sample numbers at positions [begin, begin + count) of a pass, their seeds)"""
        self._draw(number)
        return self._order[begin:begin + count], _seeds(self._seed, number, begin, count)

    def step(self, number, begin, end):
        """(end of the step that begins there, whether the pass ends there)"""
        self._draw(number)
        if self._ends is not None:
            end = next(e for e in self._ends if e > begin)
        return end, end == self._samples


class OfStream:
    """The positions of a stream. @thread the training thread"""

    def __init__(self, stream, seed):
        self._stream, self._seed = stream, seed

    def samples(self, number, begin, count):
        """As InOrder's."""
        return list(range(begin, begin + count)), _seeds(self._seed, number, begin, count)

    def step(self, number, begin, end):
        """As InOrder's. Reads the stream up to there."""
        return self._stream.window(self._seed, number, begin, end)
