"""Role: elastic training of a loop that the script runs itself (wm_elastic). The boundary between two steps is the
loader's next batch: there members change, states are handed over, checkpoints are written.

  next(loader): the step before is counted ─► members change, if all agreed ─► this worker's share of the next batch
  backward():   gradients times own/all samples, summed over the workers when the outermost backward ends
  step():       as the script calls it; nothing in an iteration whose sum failed: that batch is dealt again

Invariants: every member runs the same code equally often, also one that has no sample of a small batch: it gets one whose
weight is 0. A step is applied only of a sum that succeeded. What another optimizer has stepped already in an iteration
that fails is put back. Between two passes all members meet once, so that nobody is behind when the script goes on.
"""

import contextlib
import functools
import time
import types
from types import SimpleNamespace

import torch

from . import amp
from .engine import Engine
from .communicator import GroupBroken
from .native import Step, part
from .outermost import Watch
from .progress import END, FINISH, TRAIN, Progress
from .shapes import tensors
from .state import copy_tensors
from .step_sums import StepSums


class _NoHooks:
    """In a plain loop the script does itself what hooks would."""

    def join(self, progress):
        """Nothing is told."""


class Answers:
    """What was agreed on outside of steps last, for a member that was behind. Travels."""

    def __init__(self):
        self.count, self.last = 0, None

    def state_dict(self):
        return {'count': self.count, 'last': self.last}

    def load_state_dict(self, values):
        self.count, self.last = values['count'], values['last']


class Loop(Engine):
    """@thread the training thread"""

    def __init__(self, course, script, parts, options):
        """`options`: accumulate, weight, optimizers, scalers; of_window: a function that says what this worker's whole part of
        the step under way counts by, or None for its samples"""
        super().__init__(course, script, parts)
        self._hooks_none = _NoHooks()
        self.hooks = self._hooks_none
        self._options, self._source = options, parts.source
        self._sums = StepSums(script.model, parts.parameters)
        self._watch = Watch(self._before_backward, self._after_backward)
        self._pass, self._open, self._failed, self._muted = -1, False, False, False
        self._answers = script.extras.setdefault('wm answers', Answers())
        # Whether a step is followed by another sum; before the first iteration has shown it, it may be.
        self._copy, self._many, self._ended = None, True, False
        self._drawing, self._shapes = contextlib.ExitStack(), set()
        self._window, self._micro, self._orders = None, 0, {}
        self._batch_weight = None
        self._scales, self.joining = [], False
        self._met = -1  # the passes that were done when this worker met the others last

    # ---- what the script calls -----------------------------------------------------------

    @property
    def steps_a_pass(self):
        return self._steps(self._order(max(self._pass, 0)))

    def start(self):
        """This worker is a member, and has the state, when it returns. @errors Left"""
        self._recovering(self._keep_group)

    def begin_pass(self):
        """The loader is iterated once more. Returns whether there is something to do in this pass."""
        self._pass += 1
        return self._pass >= self.progress.passes_done

    def stands_before(self, number):
        """The script is about to begin this pass."""
        self._pass = number - 1

    @property
    def counts(self):
        """Whether what the script does now counts; else it is done again, or was done by whom the state is of."""
        return not (self._failed and self._open) and not self._muted

    @property
    def is_over(self):
        """Whether the members have agreed that no step follows."""
        return self.progress.phase != TRAIN

    @property
    def ended(self):
        """Whether finish() was called."""
        return self._ended

    @property
    def ends_pass(self):
        """Whether the step under way is the last of its pass, or others have applied that one, so that the next batch asked for ends it."""
        if self._open:
            return self._window.end >= self._window.last
        return self.progress.passes_done > self._pass and self.progress.met < self.progress.passes_done

    @property
    def shares(self):
        """Samples of this worker in each batch of the step that it was handed; those of 0 count nothing."""
        return list(self._window.shares) if self._open else []

    @property
    def can_end(self):
        """Whether the script may end here without being missed: between passes, or behind a step."""
        return self.group is not None and (not self._open or self._window.stepped) and not self._ended

    def coming(self, count):
        """The bites that loader processes can work ahead on, if nothing changes."""
        w, found, size = self._window, [], self.course.effective_batch_size
        if not count:
            return found
        begin = w.end
        while len(found) < count and begin < w.last and self._options.accumulate == 1:
            end = min(begin + size, w.last)
            offset, mine = part(end - begin, self.group.world, self.group.rank)
            if mine:
                found.append(self._numbered(w.numbers, begin + offset, mine))
            begin = end
        return found

    def _numbered(self, numbers, at, size):
        seed = self.progress.seed * 31 + self.progress.data_epoch
        return numbers[at:at + size], [(seed * 1000003 + n) & 0xffffffffffffffff for n in range(at, at + size)]

    def next_bite(self):
        """(numbers, seeds) of this worker's next batch; None: the pass has ended. @errors Left"""
        if self._window is not None and self._micro + 1 < self._options.accumulate:
            self._micro += 1
            return self._bite()
        return self._recovering(self._boundary)

    def total(self, numbers):
        """The sum over all members of numbers that each has, outside of steps. @errors Left"""
        target = self._answers.count + 1
        tensor = torch.tensor(numbers, dtype=torch.float64)

        def agree():
            self._keep_group()
            if self._answers.count < target:
                found = tensor.clone()
                self.group.sum(found)
                self._answers.count, self._answers.last = target, found.tolist()
                self.progress.round += 1
            return list(self._answers.last)
        with self._outside():
            return self._recovering(agree)

    def finish(self):
        """The last pass is over: nobody is waited for any more."""
        if self._ended:
            return
        self._recovering(self._close_step)
        self._ended, self.progress.phase = True, FINISH  # who is behind learns by the state that no step follows
        self._watch.close()
        self.total([0.0])
        if self.group.rank == 0:
            self.checkpoints.finish()
        self.progress.phase = END
        self.agent.done(self.progress.step)

    def again(self):
        """Leaves an iteration whose sum failed. Returns whether its batches are to be asked for again; else others have applied
        that step: this worker has their state, and until the next batch what it does counts no more. @errors Left"""
        before = self.progress.step

        def leave():
            if self._open:
                raise GroupBroken('a sum of the step failed')
            self._keep_group()
        self._recovering(leave)
        self._muted = self.progress.step > before
        if self._muted:
            self._scales = self._scalers()
        return not self._muted

    def _scalers(self):
        return [copy_tensors(s.state_dict()) for s in self._options.scalers]

    def _set_scalers(self, values):
        for scaler, before in zip(self._options.scalers, values):
            if before:
                scaler.load_state_dict(before)

    def _close_step(self):
        """A loop that was left behind a step: that one counts."""
        if self._open and (self._window.stepped or self._options.scalers and self._window.sums):
            self._end_iteration()

    def _recovering(self, work):
        """Does it until no group breaks meanwhile."""
        while True:
            try:
                return work()
            except GroupBroken as error:
                self._close_broken(str(error))

    @contextlib.contextmanager
    def _outside(self):
        """No step is under way: what backward() the script calls is its own."""
        self._watch.close()
        try:
            yield
        finally:
            if self._open:
                self._watch.open()

    # ---- the boundary ----------------------------------------------------------------------

    def _boundary(self):
        if self._open:
            self._end_iteration()
        self._keep_group()
        if self.is_over:
            self._muted = True
            return None
        if self.progress.met < self.progress.passes_done:
            self._meet()
        if self.progress.passes_done > self._pass:
            # Else the state that was taken over has what the script does between the passes.
            self._muted = self._met != self.progress.passes_done
            return None
        self._begin_iteration()
        return self._bite()

    def _meet(self):
        """Behind a pass all meet, those too that came while the others did, so that no member needs it any more when the script goes on."""
        tail = self._numbers.sum(self.group, 0, self._flags() + [0.0])
        self.progress.met = self._met = self.progress.passes_done
        self.progress.round += 1
        self._checkpoint_if_due()
        if tail.checkpoint:
            self._checkpoint_now()
        if tail.switch:
            self._switch(self._offered)

    def _checkpoint_if_due(self):
        freq = self.course.checkpoint_freq
        if self.group.rank == 0 and freq and self.progress.passes_done % freq == 0:
            self._save_periodic()

    def _order(self, number):
        if number not in self._orders:
            self._orders = {number: self._source.order(self.progress.seed, number)}
        return self._orders[number]

    def _steps(self, order):
        numbers, ends = order
        return len(ends) if ends is not None else -(-self._usable(numbers) // self.course.effective_batch_size)

    def _usable(self, numbers):
        whole = self.course.effective_batch_size
        return len(numbers) // whole * whole if self._source.drops else len(numbers)

    def _begin_iteration(self):
        self._set_scalers(self._scales)  # updated meanwhile for a step that others had applied
        self._scales = []
        numbers, ends = self._order(self.progress.data_epoch)
        begin = self.progress.cursor
        if ends is not None:
            end = next(e for e in ends if e > begin)
        else:
            end = min(begin + self.course.effective_batch_size, self._usable(numbers))
        offset, size = part(end - begin, self.group.world, self.group.rank)
        self._window = SimpleNamespace(begin=begin, end=end, offset=offset, size=size, began=time.monotonic_ns(),
                                       numbers=numbers, last=self._usable(numbers), sums=0, stepped=False, tail=None, begun=False, shares=[], backs=0,
                                       scalers=self._scalers())
        self._micro, self._failed, self._copy, self._muted, self._open = 0, False, None, False, True
        self._sums.begin_step()
        self._drawing.enter_context(self._compute.chance.drawing())
        self._watch.open()
        self.agent.in_collective(0)

    def _bite(self):
        """This worker's part of the window, in as many bites as are accumulated; at least one sample, of weight 0 if need be."""
        w, k = self._window, self._options.accumulate
        first, size = part(w.size, k, self._micro)
        at = w.begin + w.offset + first
        w.shares.append(size)
        if not size:
            at, size = w.begin, 1
        return self._numbered(w.numbers, at, size)

    def handed(self, batch):
        """The batch that the script gets now."""
        shape = tuple(tuple(t.shape) for t in tensors(batch))
        if shape not in self._shapes:  # torch.compile may take minutes; until the sum, nobody takes that for a hang
            self._shapes.add(shape)
            self.agent.in_collective(1)
        weight = self._options.weight
        self._batch_weight = float(weight(batch)) if weight else 0.0

    def _end_iteration(self):
        w = self._window
        if self._failed:
            raise GroupBroken('a sum of the step failed')
        if not w.sums:
            raise RuntimeError('wm_elastic: an iteration over the loader without backward(): the other workers wait for this one\'s part. '
                               'Leave no batch out; a loss times 0 does that')
        if not w.stepped and not self._options.scalers:
            raise RuntimeError('wm_elastic: an iteration without optimizer.step(): gradients of several batches would be added up, which a '
                               'newcomer has not seen. prepare(…, accumulate=k) is for that')
        self._leave_iteration()
        self._many = w.sums > 1 or len(self._options.optimizers) > 1
        tail, samples = w.tail, w.end - w.begin
        before = self.progress.data_epoch
        self.progress.commit_train(SimpleNamespace(train_samples=w.last, epochs=1 << 40, validation_freq=0, test_samples=0),
                                   w.end, samples, [0.0])
        self._record(Step(self.progress.step, self.group.epoch, self.group.world, samples, w.began, time.monotonic_ns(),
                          before, w.begin, w.end, w.offset, w.size))
        if self.progress.data_epoch != before:  # with an excuse, until the next pass begins
            self.agent.in_collective(1)
        if self.progress.data_epoch == before:
            if tail.checkpoint:
                self._checkpoint_now()
            if tail.switch:
                self._switch(self._offered)
            else:
                self.membership.drop_withdrawn()

    def _leave_iteration(self):
        self._open, self._window, self._copy = False, None, None
        self._watch.close()
        self._drawing.close()

    def _put_back(self):
        """What was stepped in an iteration that failed."""
        if self._copy is not None:
            self.script.take_over(self._copy)
        self._set_scalers(self._window.scalers)
        self._sums.undo()

    # ---- within an iteration ------------------------------------------------------------------

    def _before_backward(self):
        """What the roots are multiplied by; None: this backward is none of ours."""
        if not self._open or self._failed:
            return None
        w = self._window
        if not w.begun:
            self._sums.begin()
            w.begun = True
        own = w.shares[min(w.backs, len(w.shares) - 1)]
        w.backs += 1
        counted = self._counted()
        if counted is not None:
            return counted if own else 0.0
        # Each sample of a step counts alike, whoever has it: with one worker and a whole step this is 1.
        return own * self._options.accumulate / (w.end - w.begin)

    def _counted(self):
        """What the batches handed out count by; None: their samples."""
        return self._batch_weight if self._options.weight else self._options.of_window()

    def _after_backward(self):
        w = self._window
        if w.backs < self._options.accumulate:
            return
        finite = not w.size or self._sums.is_finite()
        counted = self._counted()
        weight = w.size if counted is None else counted if w.size else 0.0
        try:
            tail = self._sums.sum(self.group, weight, w.offset == 0, self._flags(finite=finite), counted is not None)
        except GroupBroken:
            self._failed = True
            return
        if tail.suspects and not self._options.scalers:
            self._failed = True
            self._put_back()
            raise amp.NotFinite(f'wm_elastic: gradients of step {self.progress.step + 1} are not finite (NaN or inf) on rank '
                                f'{", ".join(map(str, tail.suspects))}')
        w.sums, w.begun = w.sums + 1, False
        if w.tail is None or tail.switch:
            w.tail = tail

    def step_of(self, optimizer, real):
        """What optimizer.step() is to be."""
        @functools.wraps(real)
        def step(_self, *arguments, **options):
            if not self.counts:
                return None
            if self._open:
                if self._window.sums == 0:
                    if 0 < self._window.backs < self._options.accumulate:
                        raise RuntimeError(f'wm_elastic: optimizer.step() after {self._window.backs} of {self._options.accumulate} batches that '
                                           'prepare(accumulate=) told of')
                    raise RuntimeError('wm_elastic: optimizer.step() before backward()')
                self._finish_delivery()
                if self._many and self._copy is None:
                    self._copy = copy_tensors(self.script.state(self.progress))
                self._window.stepped = True
            return real(*arguments, **options)
        return types.MethodType(step, optimizer)

    def follows(self, real):
        """A method of a class, of a scheduler or an average, that does nothing where the step did not count."""
        @functools.wraps(real)
        def method(target, *arguments, **options):
            if not self.counts:
                return None
            return real(target, *arguments, **options)
        return method

    # ---- of Engine -----------------------------------------------------------------------------

    def _close_broken(self, text):
        if self._open:
            self._put_back()
            self._leave_iteration()
        super()._close_broken(text)

    def _initialise(self):
        saved = self.checkpoints.load()
        if saved:
            if self.checkpoints.source != self.checkpoints.path:
                saved.pop('frozen', None)
            self._take_checkpoint(saved)
            self.progress.phase = TRAIN
            print(f'resumed from checkpoint at step {self.progress.step}', flush=True)
            return
        self.progress = Progress(seed=torch.initial_seed() % (1 << 52))
        self._own_state()

    def _take_over(self, received, old):
        self._has_state, self.joining = False, not old
        self.progress = self.script.take_over(received)
        self.joining = False
        self._own_state()

    def _own_state(self):
        self._has_state = True
        self._orders = {}

    def _report(self):
        p = self.progress
        self.agent.progress(epoch=self.group.epoch, data_epoch=p.data_epoch, step=p.step, samples=p.samples, loss=0.0, accuracy=-1.0,
                            step_time_s=self._step_s, samples_per_s=self._rate, noise=-1.0)
