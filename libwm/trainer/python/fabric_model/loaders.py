"""Role: a script's DataLoader, taken apart: data set, collate function, loader processes, and the order that its sampler
gives. A pass's order is drawn by every worker with the generators seeded by (job, pass), so it is the same everywhere,
at any number of workers and after a resume; the workers deal positions of it among themselves.

What cannot be dealt is refused by name: samplers without an end, loaders without batches, streams.
"""

import random
import sys

import torch
from torch.utils import data as torch_data

_NO_ORDER = 'its samples cannot be dealt among workers'


def _unwrapped(sampler, dataset):
    """A DistributedSampler deals already: two dealers would train a part of the data."""
    if isinstance(sampler, torch_data.distributed.DistributedSampler):
        return torch_data.RandomSampler(dataset) if sampler.shuffle else torch_data.SequentialSampler(dataset)
    return sampler


def seeded(seed, work):
    """What `work()` gives with all generators seeded; they are left as they were."""
    kept = torch.get_rng_state(), random.getstate()
    numpy = sys.modules.get('numpy')
    kept_numpy = numpy and numpy.random.get_state()
    torch.manual_seed(seed & 0x7fffffffffffffff)
    random.seed(seed)
    if numpy:
        numpy.random.seed(seed & 0xffffffff)
    try:
        return work()
    finally:
        torch.set_rng_state(kept[0])
        random.setstate(kept[1])
        if numpy:
            numpy.random.set_state(kept_numpy)


class Taken:
    """What a DataLoader is made of."""

    def __init__(self, loader, name='loader'):
        """@errors TypeError, ValueError: it cannot be dealt"""
        if not isinstance(loader, torch_data.DataLoader):
            raise TypeError(f'{name} is a {type(loader).__name__}; it has to be a torch.utils.data.DataLoader')
        self.dataset = loader.dataset
        if isinstance(self.dataset, torch_data.IterableDataset):
            raise TypeError(f'{name}: its data set is a stream, {type(self.dataset).__name__}: {_NO_ORDER} by a loader; '
                            'give FabricModel the stream itself')
        if loader.batch_sampler is None:
            raise ValueError(f'{name}: batch_size is None: there are no batches to be dealt')
        self.collate, self.processes = loader.collate_fn, loader.num_workers
        self._generator = loader.generator
        plain = type(loader.batch_sampler) is torch_data.BatchSampler
        # A loader that was given its batch_sampler knows nothing itself: its sampler is another one, its batch_size None.
        self._sampler = _unwrapped(loader.batch_sampler.sampler if plain else loader.sampler, self.dataset)
        self._batches = None if plain else loader.batch_sampler  # one of the script's own: its batches stay together
        self.batch_size = loader.batch_sampler.batch_size if plain else loader.batch_size or 0
        self.drops = bool(loader.batch_sampler.drop_last if plain else loader.drop_last)
        source = self._batches if self._batches is not None else self._sampler
        try:
            self._count = len(source)
        except (TypeError, NotImplementedError):
            raise ValueError(f'{name}: its sampler, {type(source).__name__}, has no end: {_NO_ORDER}. Give one that has a length') from None

    def __len__(self):
        """Samples of a pass, as far as can be told before one is drawn; of a batch_sampler: of the first pass."""
        return self._count if not self.keeps_batches else len(self.order(0, 0)[0])

    def steps(self, batch):
        """Steps of `batch` samples in a pass."""
        if self.keeps_batches:
            return self._count
        return self._count // batch if self.drops else -(-self._count // batch)

    @property
    def keeps_batches(self):
        """Whether the sampler makes whole batches, which are the steps."""
        return self._batches is not None

    def order(self, seed, number):
        """(numbers of the samples of pass `number`, where its steps end or None: anywhere)"""
        return seeded(seed * 1000003 + number, lambda: self._draw(number))

    def _draw(self, number):
        source = self._batches if self.keeps_batches else self._sampler
        for one in (source, getattr(source, 'sampler', None)):
            if hasattr(one, 'set_epoch'):
                one.set_epoch(number)
        kept = self._generator and self._generator.get_state()
        if self._generator is not None:  # else its second pass would depend on who drew the first
            self._generator.manual_seed(torch.initial_seed())
        try:
            drawn = list(source)
        finally:
            if kept is not None:
                self._generator.set_state(kept)
        if not self.keeps_batches:
            return drawn, None
        numbers, ends = [], []
        for batch in drawn:
            numbers += list(batch)
            ends.append(len(numbers))
        return numbers, ends
