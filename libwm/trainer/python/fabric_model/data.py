"""Role: brings the samples of a bite together as a batch, in this process or in forked loaders
(num_dataloader_threads > 0), which work ahead on what will be needed if nothing changes.

Randomness of a sample's augmentation is seeded by (job, pass, sample), so it does not depend on
which member works on the sample, nor on resizes.

Invariant: loaders are forked before this worker has any connection to others: a forked child
would keep them open after its parent's death, and the peers would not notice it.
Loaders end with their worker, never by a signal that asks it to write a checkpoint and end.
"""

import atexit
import random
import signal
import sys
from multiprocessing.connection import wait

import torch

_PROBES = 16     # first samples that are watched for use of randomness
_PROBE_EACH = 64  # and every so many later


class _TorchRandom:
    """torch's generator as dataset code sees it."""
    save = staticmethod(torch.default_generator.get_state)
    restore = staticmethod(torch.default_generator.set_state)
    seed = staticmethod(torch.default_generator.manual_seed)

    @staticmethod
    def mark():
        return torch.default_generator.get_state().numpy().tobytes()


class _PythonRandom:
    save = mark = staticmethod(random.getstate)
    restore = staticmethod(random.setstate)
    seed = staticmethod(random.seed)


class _NumpyRandom:
    @staticmethod
    def _numpy():
        return sys.modules['numpy'].random

    save = classmethod(lambda cls: cls._numpy().get_state())
    restore = classmethod(lambda cls, state: cls._numpy().set_state(state))
    seed = classmethod(lambda cls, seed: cls._numpy().seed(seed & 0xffffffff))

    @classmethod
    def mark(cls):
        _, keys, position, *rest = cls.save()
        return keys.tobytes(), position, rest


class SampleRandom:
    """Seeds the generators before each sample, those only that the data set uses: seeding
    all three costs 9 us a sample, which a cheap data set would feel."""

    def __init__(self):
        sources = [_TorchRandom, _PythonRandom] + ([_NumpyRandom] if 'numpy' in sys.modules else [])
        self._unused, self._used, self._seen = sources, [], 0

    def fetch(self, dataset, numbers, seeds):
        """The samples `numbers`; the generators are left as they were."""
        states = [(s, s.save()) for s in self._used + self._unused] if self._active(numbers) else []
        out = [self._one(dataset, n, seed) for n, seed in zip(numbers, seeds)]
        for source, state in states:
            source.restore(state)
        return out

    def _active(self, numbers):
        return bool(self._used) or self._seen < _PROBES or \
            self._seen // _PROBE_EACH != (self._seen + len(numbers)) // _PROBE_EACH

    def _one(self, dataset, number, seed):
        probing = self._unused and (self._seen < _PROBES or self._seen % _PROBE_EACH == 0)
        self._seen += 1
        for source in self._used:
            source.seed(seed)
        if not probing:
            return dataset[number]
        marks = []
        for source in self._unused:
            source.seed(seed)
            marks.append(source.mark())
        sample = dataset[number]
        drawn = [s for s, mark in zip(self._unused, marks) if s.mark() != mark]
        self._used += drawn
        self._unused = [s for s in self._unused if s not in drawn]
        return sample


def default_collate(samples):
    """Samples to a batch of tensors, as torch does."""
    from torch.utils.data import default_collate as collate
    return collate(samples)


def _load_for_ever(dataset, collate, requests, replies):
    """Body of a loader process."""
    import ctypes
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: never outlive the worker
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR2):  # sent to the whole group
        signal.signal(number, signal.SIG_IGN)
    torch.set_num_threads(1)
    source = SampleRandom()
    while True:
        numbers, seeds = requests.recv()
        try:
            replies.send((True, collate(source.fetch(dataset, numbers, seeds))))
        except Exception as error:  # user code: the training process raises it
            replies.send((False, f'{type(error).__name__}: {error}'))


class _Loader:
    """One forked process. Requests are answered in order."""

    def __init__(self, context, dataset, collate):
        asked, self._requests = context.Pipe(duplex=False)
        self._replies, answered = context.Pipe(duplex=False)
        self._process = context.Process(target=_load_for_ever, daemon=True,
                                        args=(dataset, collate, asked, answered))
        self._process.start()
        asked.close(), answered.close()  # so that its death ends both pipes
        atexit.register(self._process.kill)  # multiprocessing would wait for it after a SIGTERM
        self.pending = []  # numbers of the requests not answered yet, oldest first

    def ask(self, numbers, seeds):
        """@errors RuntimeError: it has ended"""
        try:
            self._requests.send((numbers, seeds))
        except OSError:
            raise self._ended() from None
        self.pending.append(numbers)

    def answer(self):
        """The oldest answer. @errors RuntimeError: the data set's own failure, or it has ended"""
        good, batch = self._receive()
        self.pending.pop(0)
        if not good:
            raise RuntimeError('data set: ' + batch)
        return batch

    def _receive(self):
        try:
            if self._replies in wait([self._replies, self._process.sentinel]):
                return self._replies.recv()
        except (EOFError, OSError):
            pass  # it ended within its answer
        raise self._ended()

    def _ended(self):
        self._process.join(1)
        code = self._process.exitcode
        how = f'by signal {-code}' if code and code < 0 else f'with status {code}'
        return RuntimeError(f'loader process {self._process.pid} ended {how}')

    def close(self):
        atexit.unregister(self._process.kill)
        self._process.kill()


class Batches:
    """Batches of one data set. `loaders`: number of processes, 0 = in this one.
    @thread the training thread"""

    def __init__(self, dataset, collate, loaders=0):
        self._dataset, self._collate = dataset, collate or default_collate
        self._random = SampleRandom()
        self._loaders, self._turn = [], 0
        if loaders:
            context = torch.multiprocessing.get_context('fork')
            self._loaders = [_Loader(context, dataset, self._collate) for _ in range(loaders)]

    def __len__(self):
        return len(self._dataset)

    @property
    def ahead(self):
        """How many bites loaders can work ahead on."""
        return len(self._loaders)

    def get(self, numbers, seeds):
        """The batch of these samples. @errors RuntimeError: the data set's own failure"""
        if not self._loaders:
            return self._collate(self._random.fetch(self._dataset, numbers, seeds))
        for loader in self._loaders:
            while numbers in loader.pending:
                first, batch = loader.pending[0], loader.answer()
                if first == numbers:
                    return batch
        self.prepare(numbers, seeds)
        return self.get(numbers, seeds)

    def prepare(self, numbers, seeds):
        """Lets a loader begin with a bite that will be needed."""
        if not self._loaders or any(numbers in l.pending for l in self._loaders):
            return
        loader = self._loaders[self._turn % len(self._loaders)]
        self._turn += 1
        while len(loader.pending) > 2:  # left over from before a resize
            loader.answer()
        loader.ask(numbers, seeds)

    def close(self):
        for loader in self._loaders:
            loader.close()
        self._loaders = []
