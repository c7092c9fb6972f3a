"""Role: lets a program that WM starts again at each size (torchrun, accelerate, deepspeed, mpirun) say how
fast its steps are, so that a queue or plan with elastic = goodput can size its job by that.

    import wm_steps
    wm_steps.watch(optimizer, samples=batch_size)     # once: the optimizer's steps are timed
    wm_steps.report(samples)                          # or after each step of a loop of one's own

Rank 0 alone speaks, at most once a second; other ranks and programs outside WM do nothing. Scripts of
FabricModel report by themselves. Rule W-13 of libwm/elastic/PROTOCOL.md.
"""

import collections
import functools
import os
import statistics
import time
import types

_RANKS = ('RANK', 'OMPI_COMM_WORLD_RANK', 'PMIX_RANK')
_WORLDS = ('WORLD_SIZE', 'OMPI_COMM_WORLD_SIZE')
_LATELY = 32        # steps of which the median is told
_BETWEEN = 0.2      # seconds at least between two values for the next report
_ENOUGH = 3, 1.0    # steps, or seconds, before the first report


def _number(names, default):
    for name in names:
        if os.environ.get(name, '').isdigit():
            return int(os.environ[name])
    return default


class Reporter:
    """Times steps and tells the agent; `agent` is a fabric_model.native.Agent, `start` the number of this
    start. @thread one"""

    def __init__(self, agent, start, clock=time.perf_counter):
        self._agent, self._start, self._clock = agent, start, clock
        self._times = collections.deque(maxlen=_LATELY)
        self._last, self._told = None, None
        self._steps = self._samples = 0

    def step(self, samples, loss):
        """One step of the whole job has been applied. @units samples: of all ranks"""
        if samples <= 0:
            raise ValueError(f'wm_steps: a step of {samples} samples; it must have more than 0')
        now = self._clock()
        if self._last is not None:
            self._times.append(now - self._last)
        self._last = now
        self._steps += 1
        self._samples += samples
        few = len(self._times) < _ENOUGH[0] and sum(self._times) < _ENOUGH[1]
        if few or (self._told is not None and now - self._told < _BETWEEN):
            return
        self._told = now
        usual = max(statistics.median(self._times), 1e-6)
        self._agent.progress(epoch=self._start, data_epoch=0, step=self._steps, samples=int(self._samples),
                             loss=float(loss), accuracy=-1.0, step_time_s=usual,
                             samples_per_s=samples / usual, noise=-1.0)


@functools.lru_cache(maxsize=1)
def _reporter():
    start = _number(('WM_START',), 0)
    if start == 0 or not os.environ.get('WM_ELASTIC_SOCKET') or _number(_RANKS, 0) != 0:
        return None
    from fabric_model import native
    return Reporter(native.Agent(native.load(), 0, task=0), start)


def report(samples, loss=0.0):
    """One optimizer step has been applied. @units samples: of all ranks together, in this step
    @errors ValueError: no samples; OSError: libwmtrainer.so cannot be loaded"""
    reporter = _reporter()
    if reporter is not None:
        reporter.step(samples, loss)


def watch(optimizer, samples):
    """Reports every step of `optimizer` from now on. @units samples: of this rank, in a step"""
    step = optimizer.step
    every = samples * _number(_WORLDS, 1)

    @functools.wraps(step)
    def counted(_, *args, **kwargs):
        result = step(*args, **kwargs)
        report(every)
        return result

    optimizer.step = types.MethodType(counted, optimizer)
    return optimizer
