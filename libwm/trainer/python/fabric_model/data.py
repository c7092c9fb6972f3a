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
import time
import traceback
from multiprocessing.connection import wait

import torch

_PROBES = 16     # first samples that are watched for use of randomness
_PROBE_EACH = 64  # and every so many later
_AHEAD = 2       # bites a loader
_SLOW_S = 30.0   # for one answer of a loader; then it is said what it is at


class BadSample(RuntimeError):
    """The script's data set, or its collate function, has failed. The text says whose, at which samples and how."""


def _named(error, what, dataset):
    """What is said of a failure."""
    said = f'{what}: {type(error).__name__}: {error}'
    if isinstance(error, IndexError) and hasattr(dataset, '__len__'):
        said += f' (the data set says that it has {len(dataset)} samples)'
    return said


def brought(source, dataset, collate, numbers, seeds):
    """The batch of these samples. @errors BadSample"""
    samples = source.fetch(dataset, numbers, seeds)
    try:
        return collate(samples)
    except Exception as error:
        raise BadSample(_named(error, f'collate function, samples {_listed(numbers)}', None)) from error


def _listed(numbers):
    return ', '.join(map(str, numbers[:4])) + (f' … {numbers[-1]}' if len(numbers) > 4 else '')


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
        next_probe = -(-self._seen // _PROBE_EACH) * _PROBE_EACH
        return bool(self._used) or self._seen < _PROBES or next_probe < self._seen + len(numbers)

    def _one(self, dataset, number, seed):
        probing = self._unused and (self._seen < _PROBES or self._seen % _PROBE_EACH == 0)
        self._seen += 1
        for source in self._used:
            source.seed(seed)
        if not probing:
            return self._sample(dataset, number)
        marks = []
        for source in self._unused:
            source.seed(seed)
            marks.append(source.mark())
        sample = self._sample(dataset, number)
        drawn = [s for s, mark in zip(self._unused, marks) if s.mark() != mark]
        self._used += drawn
        self._unused = [s for s in self._unused if s not in drawn]
        return sample

    @staticmethod
    def _sample(dataset, number):
        """@errors BadSample"""
        try:
            return dataset[number]
        except Exception as error:  # user code
            raise BadSample(_named(error, f'sample {number}', dataset)) from error


def default_collate(samples):
    """Samples to a batch of tensors, as torch does."""
    from torch.utils.data import default_collate as collate
    return collate(samples)


def _load_for_ever(dataset, collate, requests, replies):
    """Body of a loader process."""
    import ctypes
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: never outlive the worker
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)  # sent to the whole group
    torch.set_num_threads(1)
    source = SampleRandom()
    while True:
        numbers, seeds = requests.recv()
        try:
            replies.send((True, brought(source, dataset, collate, numbers, seeds)))
        except Exception as error:  # user code, or a batch that cannot be sent: the training process raises it
            trace = ''.join(traceback.format_exception(type(error), error, error.__traceback__))
            replies.send((False, (str(error) if isinstance(error, BadSample) else f'{type(error).__name__}: {error}', trace)))


def _key(numbers, seeds):
    """A bite as it can be looked up."""
    return tuple(numbers), tuple(seeds)


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
        self.pending = []  # bites not answered yet, oldest first

    def ask(self, bite):
        """@errors RuntimeError: it has ended"""
        try:
            self._requests.send(bite)
        except OSError:
            raise self._ended() from None
        self.pending.append(bite)

    def answer(self):
        """The oldest: (bite, whether it is good, batch or the data set's own failure).
        @errors RuntimeError: it has ended"""
        good, batch = self._receive()
        return self.pending.pop(0), good, batch

    def _receive(self):
        try:
            if self._replies in self._patiently():
                return self._replies.recv()
        except (EOFError, OSError):
            pass  # it ended within its answer
        raise self._ended()

    def _patiently(self):
        """What is there: an answer, or the end. One that takes long is told of: who waits for it looks as if it hung."""
        began = time.monotonic()
        found = wait([self._replies, self._process.sentinel], _SLOW_S)
        if not found:
            numbers = list(self.pending[0][0]) if self.pending else []
            print(f'loader process {self._process.pid} has been at samples {_listed(numbers)} for {time.monotonic() - began:.0f} s',
                  file=sys.stderr, flush=True)
        return found or wait([self._replies, self._process.sentinel])

    def _ended(self):
        self._process.join(1)
        code = self._process.exitcode
        how = f'by signal {-code}' if code and code < 0 else f'with status {code}'
        return RuntimeError(f'loader process {self._process.pid} ended {how}')

    def close(self):
        atexit.unregister(self._process.kill)
        self._process.kill()
        self._process.join(1)  # else it is counted among the children for a while


class Batches:
    """Batches of one data set. `loaders`: number of processes, 0 = in this one.
    @thread the training thread"""

    def __init__(self, dataset, collate, loaders=0):
        self._dataset, self._collate = dataset, collate or default_collate
        self._random = SampleRandom()
        self.whose = ''  # said of a failure: the rank, once there is one
        self._loaders, self._coming, self._answers = [], [], {}
        if loaders:
            context = torch.multiprocessing.get_context('fork')
            self._loaders = [_Loader(context, dataset, self._collate) for _ in range(loaders)]

    def __len__(self):
        return len(self._dataset)

    @property
    def ahead(self):
        """How many bites loaders can work ahead on."""
        return _AHEAD * len(self._loaders)

    def expect(self, bites):
        """The bites (numbers, seeds) that come, in their order, if nothing changes: loaders work
        ahead on them. What they have of others is dropped.
        @errors RuntimeError: a loader has ended"""
        if self._loaders:
            self._coming = [_key(*bite) for bite in bites]
            self._answers = {k: v for k, v in self._answers.items() if k in self._coming}
            self._refill()

    def get(self, numbers, seeds):
        """The batch of these samples. @errors BadSample: the data set's own failure"""
        if not self._loaders:
            try:
                return brought(self._random, self._dataset, self._collate, numbers, seeds)
            except BadSample as error:
                raise BadSample(f'data set{self.whose}: {error}') from error.__cause__
        good, batch = self._answer(_key(numbers, seeds))
        if not good:
            said, trace = batch
            print(trace, file=sys.stderr, end='', flush=True)
            raise BadSample(f'data set{self.whose}: {said}')
        return batch

    def _answer(self, wanted):
        self._coming = [bite for bite in self._coming if bite != wanted]
        if wanted not in self._answers and wanted not in self._asked():
            self._ask(wanted)
        for loader in self._loaders:
            while wanted in loader.pending:
                bite, *answer = loader.answer()
                if bite == wanted or bite in self._coming:
                    self._answers[bite] = answer
        self._refill()
        return self._answers.pop(wanted)

    def _asked(self):
        return [bite for loader in self._loaders for bite in loader.pending]

    def _ask(self, bite):
        min(self._loaders, key=lambda loader: len(loader.pending)).ask(bite)

    def _refill(self):
        asked = self._asked()
        for bite in self._coming[:self.ahead]:
            if bite not in self._answers and bite not in asked:
                self._ask(bite)

    def close(self):
        for loader in self._loaders:
            loader.close()
        self._loaders = []
