"""Role: what a member's model draws. Scripts begin with torch.manual_seed(), so that all workers would drop the same units:
members other than rank 0 draw from generators of their own while they compute. Rank 0 goes on with the script's, so that
a training of one worker draws what plain PyTorch draws.

Invariant: outside drawing() the generators are where the script left them: user code between steps draws alike everywhere.
"""

import contextlib

import torch

_MIX = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: neighbours are far apart


def _mixed(*numbers):
    """A seed that follows from these numbers."""
    value = 0
    for number in numbers:
        value = ((value ^ number) * _MIX + 1) & 0xffffffffffffffff
        value ^= value >> 29
    return value & 0x7fffffffffffffff


class Chance:
    """@thread the training thread"""

    def __init__(self, device):
        """`device`: of the model."""
        self._sources = [torch.default_generator]
        if device.type == 'cuda':
            torch.cuda.init()
            self._sources.append(torch.cuda.default_generators[device.index or 0])
        self._own = None

    def enter(self, seed, epoch, rank):
        """A group begins, of which this member is `rank`."""
        if rank == 0:
            self._own = None
            return
        self._own = []
        for source in self._sources:
            drawn = torch.Generator(device=source.device)
            drawn.manual_seed(_mixed(seed, epoch, rank))
            self._own.append(drawn.get_state())

    @contextlib.contextmanager
    def drawing(self):
        """While this member's share is computed. @cost two copies of 5 KB each way, none on rank 0"""
        if self._own is None:
            yield
            return
        kept = [source.get_state() for source in self._sources]
        for source, state in zip(self._sources, self._own):
            source.set_state(state)
        try:
            yield
        finally:
            self._own = [source.get_state() for source in self._sources]
            for source, state in zip(self._sources, kept):
                source.set_state(state)
