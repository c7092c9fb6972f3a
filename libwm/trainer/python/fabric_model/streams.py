"""Role: a data set that can only be read from front to end, dealt by position. Every worker reads the same stream, with the
generators seeded by (job, pass), and keeps no more of it than the samples of the step under way; of these it works on its
own. So a sample is used exactly once, memory stays flat, and a newcomer or a resumed job skips to where the training is.

Invariant: positions only rise but for a step that is done again, whose samples are still there.
Each worker tells what its stream begins with: one that gives other samples elsewhere, as one that divides itself by RANK,
is refused by name, since its positions mean other samples on each worker.
"""

import random
import sys
import zlib

import torch

from .data import BadSample
from .loaders import seeded
from .progress import ENDLESS
from .shapes import tensors

_PROVED = 8  # first samples that are compared


class _Generators:
    """Those that the stream draws from, apart from the script's."""

    def __init__(self, seed):
        self._states = seeded(seed, self._now)

    @staticmethod
    def _now():
        numpy = sys.modules.get('numpy')
        return torch.get_rng_state(), random.getstate(), numpy and numpy.random.get_state()

    @staticmethod
    def _set(states):
        torch.set_rng_state(states[0])
        random.setstate(states[1])
        if states[2]:
            sys.modules['numpy'].random.set_state(states[2])

    def __enter__(self):
        self._kept = self._now()
        self._set(self._states)

    def __exit__(self, *_):
        self._states = self._now()
        self._set(self._kept)


class Stream:
    """@thread the training thread"""

    def __init__(self, dataset):
        self._dataset = dataset
        self._seed, self._pass, self._source = None, None, None
        self._kept, self._first, self._ended = [], 0, False

    def begins_with(self):
        """A number that follows from the first samples; 0: there is none."""
        samples = []
        source = iter(self._dataset)
        with _Generators(0):
            for sample in source:
                samples.append(sample)
                if len(samples) == _PROVED:
                    break
        total = 0
        for sample in samples:
            for tensor in tensors(sample):
                total = zlib.crc32(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy(), total)
            if not torch.is_tensor(sample):
                plain = sample if isinstance(sample, (list, tuple)) else [sample]
                total = zlib.crc32(repr([one for one in plain if isinstance(one, (int, float, str, bytes))]).encode(), total)
        return (total or 1) if samples else 0

    def window(self, seed, number, begin, end):
        """Has the samples [begin, end) of pass `number` there. Returns (end, whether the pass ends there): a shorter end where
        the stream has. @cost that of reading up to `end`; of the whole way from the front after a change of passes
        @errors BadSample: the stream's own failure"""
        if (seed, number) != (self._seed, self._pass) or begin < self._first:
            self._restart(seed, number)
        with self._generators:
            while not self._ended and self._first + len(self._kept) < end + 1:  # one more, to know whether it ends there
                try:
                    self._kept.append(next(self._source))
                except StopIteration:
                    self._ended = True
                except Exception as error:  # user code
                    raise BadSample(f'data set, a stream: sample {self._first + len(self._kept)}: {type(error).__name__}: {error}') from error
                self._drop(begin)
        self._drop(begin)
        last = self._first + len(self._kept)
        return min(end, last), self._ended and end >= last

    def _drop(self, begin):
        """What lies before that is not wanted any more."""
        count = min(begin - self._first, len(self._kept))
        del self._kept[:count]
        self._first += count

    def _restart(self, seed, number):
        self._seed, self._pass = seed, number
        self._generators = _Generators(seed * 1000003 + number)
        self._kept, self._first, self._ended = [], 0, False
        if hasattr(self._dataset, 'set_epoch'):
            self._dataset.set_epoch(number)
        with self._generators:
            self._source = iter(self._dataset)

    def __getitem__(self, position):
        """A sample of the window. @errors IndexError"""
        if not 0 <= position - self._first < len(self._kept):
            raise IndexError(f'sample {position} of a stream whose window is [{self._first}, {self._first + len(self._kept)})')
        return self._kept[position - self._first]

    def __len__(self):
        return ENDLESS
