"""Role: libwmtrainer.so (libwm/trainer/wmtrainer.h) seen from Python: the link to this
host's agent, the step records, the ledger. Converts values, decides nothing.

The library is $WM_TRAINER_LIB, or lies one folder above these packages, or where a wheel has it. Outside WM a job
also runs without it: then nothing is recorded and the order of samples is this package's own.
"""

import contextlib
import ctypes as c
import os
import random
import sys
import threading

NONE, PLAN, WITHDRAWN, BROKEN, LEAVE, STAND, CHECKPOINT, CLOSED = range(8)


class _Event(c.Structure):
    _fields_ = [('kind', c.c_int32), ('epoch', c.c_uint32), ('lead', c.c_uint32),
                ('survivors', c.c_uint32), ('emergency', c.c_int32), ('flag', c.c_int32),
                ('member_count', c.c_uint32), ('members', c.POINTER(c.c_uint32)),
                ('rendezvous', c.c_char_p), ('reason', c.c_char_p)]


class _Progress(c.Structure):
    _fields_ = [('epoch', c.c_uint32), ('data_epoch', c.c_uint32), ('step', c.c_uint64),
                ('samples', c.c_uint64), ('loss', c.c_double), ('accuracy', c.c_double),
                ('step_time_s', c.c_double), ('samples_per_s', c.c_double), ('noise', c.c_double)]


class Step(c.Structure):
    """One applied step: wm_step."""
    _fields_ = [('step', c.c_uint64), ('epoch', c.c_uint32), ('world', c.c_uint32),
                ('samples', c.c_uint64), ('t_begin_ns', c.c_int64), ('t_end_ns', c.c_int64),
                ('data_epoch', c.c_uint32), ('begin', c.c_uint64), ('end', c.c_uint64),
                ('offset', c.c_uint64), ('size', c.c_uint64)]


class _Ledger(c.Structure):
    _fields_ = [('samples', c.c_uint64), ('seed', c.c_uint64), ('shuffle', c.c_int32)]


class Event:
    """What the agent wants: a wm_event, copied."""

    def __init__(self, raw):
        self.kind, self.epoch, self.lead = raw.kind, raw.epoch, raw.lead
        self.survivors, self.emergency = raw.survivors, bool(raw.emergency)
        self.flag = bool(raw.flag)
        self.members = raw.members[:raw.member_count]
        self.rendezvous = (raw.rendezvous or b'').decode()
        self.reason = (raw.reason or b'').decode(errors='replace')


def _find():
    here = os.path.dirname(os.path.abspath(__file__))
    beside = [os.path.join(here, '..', '..', 'libwmtrainer.so'),
              os.path.join(here, '..', 'wm_elastic_libs', 'libwmtrainer.so'),
              os.path.join(os.environ.get('FABRIC_HOME', here), '..', 'lib', 'libwmtrainer.so')]
    for path in [os.environ.get('WM_TRAINER_LIB')] + beside:
        if path and os.path.exists(path):
            return path
    return None


def load():
    """The library, or None where there is none. @errors OSError: it cannot be loaded"""
    path = _find()
    if path is None:
        if os.environ.get('WM_ELASTIC_SOCKET'):
            raise OSError('libwmtrainer.so not found: set WM_TRAINER_LIB to its path')
        return None
    lib = c.CDLL(path)
    lib.wm_trainer_error.restype = c.c_char_p
    lib.wm_trainer_in_collective.restype = None
    for name in ('wm_trainer_close', 'wm_trainer_stop', 'wm_records_close'):
        getattr(lib, name).restype = None
        getattr(lib, name).argtypes = [c.c_void_p]
    lib.wm_trainer_in_collective.argtypes = [c.c_void_p, c.c_int32]
    lib.wm_trainer_switched.argtypes = [c.c_void_p, c.c_uint32, c.c_uint64, c.c_int64]
    lib.wm_trainer_faulted.argtypes = [c.c_void_p, c.c_uint32, c.c_uint64, c.c_char_p]
    lib.wm_trainer_connect_failed.argtypes = [c.c_void_p, c.c_uint32, c.c_char_p]
    lib.wm_trainer_key.argtypes = [c.c_void_p, c.c_int32, c.c_char_p]
    lib.wm_trainer_exchange.argtypes = [c.c_void_p, c.c_double]
    lib.wm_trainer_batch_range.argtypes = [c.c_void_p, c.c_uint64, c.c_uint64, c.c_uint64]
    lib.wm_trainer_done.argtypes = [c.c_void_p, c.c_uint64]
    lib.wm_records_step.argtypes = [c.c_void_p, c.POINTER(Step), c.POINTER(c.c_int64)]
    lib.wm_ledger_samples.argtypes = [c.POINTER(_Ledger), c.c_uint64, c.c_uint64, c.c_uint64,
                                      c.c_void_p, c.c_void_p]
    return lib


def _check(lib, status):
    if status != 0:
        raise OSError(lib.wm_trainer_error().decode(errors='replace'))


class Agent:
    """The link to this host's agent. Without a library or a socket it says nothing to nobody.
    `task` 0: a reporter, whose progress alone is heard. `trainings`: that went before, each with a link of its own.
    @thread wait: one at a time; the others: any"""

    def __init__(self, lib, max_tasks, task=None, trainings=0):
        self._lib, self._excuses = lib, 0
        self._handle = c.c_void_p()
        path = os.environ.get('WM_ELASTIC_SOCKET', '')
        self.present = bool(lib and path)
        self.task = int(os.environ.get('WM_TASK', '0') or 0) if task is None else task
        if self.present:
            _check(lib, lib.wm_trainer_open_again(path.encode(), self.task, max_tasks or 0, trainings,
                                                  c.byref(self._handle)))

    def wait(self, timeout_ms=-1):
        """The next event; blocks without holding the interpreter."""
        raw = _Event()
        _check(self._lib, self._lib.wm_trainer_wait(self._handle, timeout_ms, c.byref(raw)))
        return Event(raw)

    def key(self, timeout_ms):
        """What the workers of this job prove themselves by (proof.py); None: not told within the time."""
        key = c.create_string_buffer(32)
        if not self.present or self._lib.wm_trainer_key(self._handle, timeout_ms, key) != 0:
            return None
        return key.raw

    def ready(self, rendezvous):
        self._say('ready', rendezvous.encode())

    def connected(self, epoch):
        self._say('connected', epoch)

    def connect_failed(self, epoch, text):
        self._say('connect_failed', epoch, text.encode()[:500])

    def switched(self, epoch, step, pause_ns=-1):
        self._say('switched', epoch, step, pause_ns)

    def faulted(self, epoch, step, text):
        self._say('faulted', epoch, step, text.encode()[:500])

    def left(self, epoch):
        self._say('left', epoch)

    def done(self, step):
        self._say('done', step)

    def progress(self, **values):
        """Values for the report of once a second, by their names in wm_progress."""
        self._say('progress', c.byref(_Progress(**values)))

    def exchange(self, seconds):
        """What exchanging gradients adds to a step; negative: not measured."""
        self._say('exchange', seconds)

    def batch_range(self, limits):
        """This training chooses the samples of its steps."""
        self._say('batch_range', limits.initial, limits.most, limits.at_once)

    def in_collective(self, inside):
        if self.present:
            self._lib.wm_trainer_in_collective(self._handle, 1 if self._excuses else inside)

    @contextlib.contextmanager
    def excused(self, limit_s=None):
        """While the user's code or the disk may take as long as it likes, or `limit_s`: others that wait for
        this worker do not take it for one that hangs. (W-11)"""
        excuse = [1]

        def end():
            try:
                excuse.pop()  # once: by time, or when it is over
            except IndexError:
                return
            self._excuses -= 1
            self.in_collective(0)

        self._excuses += 1
        self.in_collective(1)
        timer = threading.Timer(limit_s, end) if limit_s and self.present else None
        if timer:
            timer.daemon = True
            timer.start()
        try:
            yield
        finally:
            if timer:
                timer.cancel()
            end()

    def stop(self):
        if self.present:
            self._lib.wm_trainer_stop(self._handle)

    def close(self):
        """Says the last words, then ends the link."""
        if self.present:
            self._lib.wm_trainer_close(self._handle)
            self.present = False

    def _say(self, what, *values):
        if self.present:
            getattr(self._lib, 'wm_trainer_' + what)(self._handle, *values)


class Records:
    """steps.csv and ledger.csv of this task, kept in `log_dir` if it is a folder. One that cannot be written ends no training: that
    is said once, and nothing more is recorded, so that what is there stays without gaps."""

    def __init__(self, lib, log_dir):
        self._lib = lib
        self._handle = c.c_void_p()
        if lib:
            try:
                self._open(log_dir.encode() if log_dir and os.path.isdir(log_dir) else None)
            except OSError as error:
                self._go_without(error)

    def _open(self, path):
        _check(self._lib, self._lib.wm_records_open(path, c.byref(self._handle)))

    def _go_without(self, error):
        print(f'{error}: from here on no steps of this worker are recorded; the training goes on', file=sys.stderr, flush=True)
        self.close()
        self._open(None)

    def step(self, step):
        """Writes one applied step. Returns the pause in ns at the first step of an epoch, else -1."""
        pause = c.c_int64(-1)
        if self._lib:
            try:
                _check(self._lib, self._lib.wm_records_step(self._handle, c.byref(step), c.byref(pause)))
            except OSError as error:  # disk full or gone
                self._go_without(error)
        return pause.value

    def close(self):
        if self._lib:
            self._lib.wm_records_close(self._handle)
            self._handle = c.c_void_p()


class Ledger:
    """Order of the samples: which sample stands at which position of a pass."""

    def __init__(self, lib, samples, seed):
        self._lib = lib
        self._ledger = _Ledger(samples, seed, 1)
        self._pass = (None, None)

    def samples(self, data_epoch, begin, count):
        """Sample numbers at positions [begin, begin + count) and their augmentation seeds.
        @shape two lists of `count`"""
        if self._lib is None:
            return self._own_samples(data_epoch, begin, count)
        out, seeds = (c.c_uint64 * count)(), (c.c_uint64 * count)()
        _check(self._lib, self._lib.wm_ledger_samples(c.byref(self._ledger), data_epoch, begin,
                                                      count, out, seeds))
        return list(out), list(seeds)

    def _own_samples(self, data_epoch, begin, count):
        if self._pass[0] != data_epoch:
            seed = (self._ledger.seed * 1000003 + data_epoch) & 0xffffffffffffffff
            self._pass = (data_epoch, _shuffled(self._ledger.samples, seed))
        numbers = self._pass[1][begin:begin + count]
        base = (self._ledger.seed * 31 + data_epoch) << 32
        return numbers, [(base + n) & 0xffffffffffffffff for n in numbers]


def _shuffled(count, seed):
    """As torch does, where it is loaded."""
    torch = sys.modules.get('torch')
    if torch is None:
        numbers = list(range(count))
        random.Random(seed).shuffle(numbers)
        return numbers
    return torch.randperm(count, generator=torch.Generator().manual_seed(seed)).tolist()


def part(whole, parts, index):
    """Part `index` of `whole` over `parts`: (first, count); as libwm/elastic/batch.h."""
    size, rest = divmod(whole, parts)
    return index * size + min(index, rest), size + (index < rest)
