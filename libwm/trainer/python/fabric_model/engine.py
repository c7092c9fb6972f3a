"""Role: the training of one worker: rounds in a group, switches to planned groups, recovery
from broken ones (DESIGN 5.2; rules W-n: libwm/elastic/PROTOCOL.md).

  wait for a group ─► enter: who has what (one sum), state to those who lack it ─► rounds
        ▲                                                                            │ all ready
        │ GroupBroken: close, report, wait                  ┌── switch: enter next ◄─┤
        └───────────────────────────────────────────────────┴────────────────────────┘

A round: compute own share → one all-reduce → commit (apply, count) → hooks.
Invariants: a round is committed iff its all-reduce succeeded here, at once and whole; nobody
enters a group's rounds without the state of its most advanced member; user code runs only
between an all-reduce and the next one, never inside.
"""

import os
import signal
import time
from dataclasses import replace

from . import sabotage, trouble
from .communicator import GroupBroken
from .entering import Entering
from .finite import NotFinite, refused, suspect
from .membership import Left
from .native import Step, part
from .noise import SHARES, Noise
from .progress import END, ENDLESS, FINISH, TRAIN, Progress
from .tail import Numbers, flags
from .versions import Mixed

_REPORT_NS = 200_000_000  # between two updates of the progress that is reported


def _smooth(value, now):
    """About the last ten count."""
    return 0.9 * value + 0.1 * now if value else now


class Engine(Entering):
    """@thread the training thread; request_stop: a signal handler on it"""

    def __init__(self, course, script, parts):
        self.course, self.script = course, script
        self.agent, self.membership = parts.agent, parts.membership
        self.hooks, self.checkpoints, self.records = parts.hooks, parts.checkpoints, parts.records
        self._train, self._test = parts.train_batches, parts.test_batches
        self._compute, self._lib = parts.compute, parts.lib
        self._result_dir = parts.result_dir
        self._flat, self._chooser, self._stepping = parts.flat, parts.chooser, parts.stepping
        self._virtual = getattr(script, 'virtual', None)
        if self._virtual:
            self._virtual.width(1 + script.measured.width)
        self._deals = getattr(parts, 'deals', None)  # how positions are, where it is not the ledger's to say
        self._numbers = Numbers(script.measured.width)
        self._noise = Noise(parts.flat.elements)
        self._sabotage = sabotage.chosen()
        self.progress, self.group = Progress(), None
        self._skipped = parts.skipped  # a training before: what the script made of it is not here
        self._has_state, self._stopping = False, 0  # number of the signal
        self._asked = False  # for a checkpoint
        self._ledger, self._delivery = None, None
        self._switched = None   # (epoch, step) whose pause is not known yet
        self._reported_ns, self._exchanged_ns = 0, 0
        self._rate = 0.0
        self._forget_times()  # of late, in this group

    # ---- course of a training -----------------------------------------------------------

    def run(self):
        """Trains to the end. Returns whether this worker is the final rank 0.
        @errors Left: this worker is to end with status 0"""
        while self.progress.phase != END:
            try:
                self._keep_group()
                self._round()
            except GroupBroken as error:
                self._close_broken(str(error))
            except (Left, Mixed):
                raise
            except Exception as error:
                size = self.course.batch_size
                said = self.fail(error, f'. It computes {size} samples at once: a smaller batch_size needs less' if size else '')
                if said:
                    raise trouble.Trouble(said) from error
                raise
        self.agent.done(self.progress.step)
        return self.group.rank == 0

    def fail(self, error, hint):
        """This worker ends by an error: its peers are woken now, not when its process is gone. Returns what is said of it where it is a
        device's, else None. `hint`: what to do about a full one."""
        said = trouble.described(error, self.group, self.agent, getattr(self._compute, 'device', None), self.progress.step + 1, hint)
        if not isinstance(error, NotFinite):  # by which all end
            self.membership.forget_current()
        return said

    def request_stop(self, number):
        """Signal `number`: write a checkpoint at the next step boundary, then end by that
        signal; at once when there is no group to reach a boundary with."""
        self._stopping = number
        if self.group is None:
            self._end_by_signal()

    def request_checkpoint(self):
        """bchkpnt, bsub -k: write a checkpoint at the next step boundary, and train on."""
        self._asked = True

    def _end_by_signal(self):
        with self.agent.excused():
            self.checkpoints.finish()
        self.membership.close()
        signal.signal(self._stopping, signal.SIG_DFL)
        os.kill(os.getpid(), self._stopping)

    def _keep_group(self):
        self.membership.check()
        if self.group is None:
            self._enter(self.membership.wait_group(self._answer_broken))
        elif self.group.dead:
            raise GroupBroken(f'epoch {self.group.epoch}: told broken')

    def _round(self):
        if self.progress.phase == TRAIN:
            tail = self._train_round()
        elif self.progress.phase == FINISH:
            tail = self._finish_round()
        else:
            tail = self._valid_round()
        with self.agent.excused():
            ended = self.hooks.catch_up(self.progress, self.group.rank)
        if ended:
            self._checkpoint_if_due()
        if tail.checkpoint:
            self._checkpoint_now()
        if tail.switch and self.progress.phase != END:
            self._switch(self._offered)
        else:
            self.membership.drop_withdrawn()

    # ---- rounds ---------------------------------------------------------------------------

    def _share(self):
        """This worker's part of the next batch: (begin, end, offset, size)."""
        begin, end = self.progress.next_batch(self.course, self.group.world)
        if self._deals and self.progress.phase == TRAIN:
            end, is_last = self._ledger.step(self.progress.data_epoch, begin, end)
            if self._deals.is_stream:
                self.course = replace(self.course, train_samples=end if is_last else ENDLESS)
        offset, size = part(end - begin, self.group.world, self.group.rank)
        return begin, end, offset, size

    def _flags(self, noise=(0.0,) * SHARES, chosen=(0.0, 0.0), finite=True):
        """What every round carries besides its own sums: the numbers about membership (W-5),
        checkpoints, the gradients' noise, what rank 0 chose of the batch and whether its share is finite."""
        self._offered = self.membership.ready_epoch
        wanted = self._stopping or self._asked or self.membership.checkpoint_wanted
        return flags(self._offered) + [1.0 if wanted else 0.0, *noise, *chosen, *suspect(self.group.rank, finite)]

    def _choose(self, samples):
        """(samples of the next step, gain of the learning rate in this one of `samples`)."""
        if not self._chooser or self.group.rank != 0:
            return 0.0, 0.0
        noise, world = self._noise.scale(), self.group.world
        now = self.progress.batch_of(self.course, world)
        return float(self._chooser.next(now, world, noise)), self._chooser.gain(samples, noise)

    def _train_round(self):
        began, group, progress = time.monotonic_ns(), self.group, self.progress
        begin, end, offset, size = self._share()
        data_epoch = progress.data_epoch
        numbers, seeds = self._ledger.samples(data_epoch, begin + offset, size)
        self._flat.begin()
        self._expect(numbers, seeds, end)
        own = self._train_share(numbers, seeds, end - begin)
        unit = self._compute.unit(end - begin)
        measures = group.world > 1 and not self._virtual
        noise = self._noise.share(progress.step, self._flat, size if measures else 0, unit)
        finite = self._virtual.is_finite() if self._virtual else self.script.nonfinite == 'apply' or not size or self._compute.is_finite()
        computed = time.monotonic_ns()
        chosen = self._choose(end - begin)
        tail = self._stepping.sum(group, progress, size, offset == 0, self._flags(noise, chosen, finite) + own)
        if self._virtual:
            tail.sums = self._virtual.sum(group, self._flat.gradients())
        self._exchanged_ns = time.monotonic_ns() - computed
        if sabotage.skips(progress, self._sabotage):
            self._flat.undo()
            self._stepping.leave_out()
            progress.commit_train(self.course, end, tail.weight, tail.sums)
            return tail
        self._finish_delivery()
        self._noise.take(tail.noise, self._stepping, tail.weight, unit)
        self._apply(tail)
        progress.batch = tail.batch or progress.batch
        progress.commit_train(self.course, end, tail.weight, tail.sums)
        sabotage.drop(progress, self.course, self._sabotage)
        self._record(Step(progress.step, group.epoch, group.world, end - begin, began,
                          time.monotonic_ns(), data_epoch, begin, end, offset, size))
        self.hooks.step(progress, self.script.measured.values(own, size) if not self._virtual else [], group)
        return tail

    def _apply(self, tail):
        """The step that was summed. @errors NotFinite: it is not applied, and that ends the training"""
        if self._stepping.apply(tail):
            return
        self._undo()
        said = refused(self.script, tail, self.progress, self.group.members, self.agent)
        if said is None:
            tail.forget_sums()
        elif self.script.nonfinite == 'stop':
            with self.agent.excused():
                self._save(wait=True)
            raise NotFinite(f"{said}. The training ends; nonfinite='skip' would leave such steps out")
        else:
            print(said, flush=True)
            tail.forget_sums()

    def _train_share(self, numbers, seeds, samples):
        norms = self.script.norms
        if self._virtual:
            return self._train_virtual(samples)
        if norms is None:
            return self._compute.train(self._train, numbers, seeds, samples)
        bites = norms.begin(self.group, samples, self.course.batch_size)
        own = self._compute.train(self._train, numbers, seeds, samples, bites)
        norms.end()
        return own

    def _train_virtual(self, samples):
        """The virtual workers of this member; what they are is the same on any."""
        progress = self.progress
        begin = progress.cursor

        def work(offset, size):
            return self._compute.train(self._train, *self._ledger.samples(progress.data_epoch, begin + offset, size), samples)

        self._virtual.compute(self.group, samples, progress.seed * 1000003 + progress.step, work, self._flat.gradients)
        return [0.0] * (1 + self.script.measured.width)

    def _finish_delivery(self):
        if self._delivery:
            self._delivery.finish()
            self._delivery = None

    def _expect(self, numbers, seeds, end):
        """Loaders work on this round's samples and on those that come if nothing changes."""
        if self._virtual:
            return
        group, bites = self.group, self._compute.bites(numbers, seeds)
        size, enough = self.progress.batch_of(self.course, group.world), len(bites) + self._train.ahead
        if self._deals and self._deals.is_stream:
            return  # its samples are read here
        while len(bites) < enough and end < self.course.train_samples:
            begin, end = end, min(end + size, self.course.train_samples)
            offset, mine = part(end - begin, group.world, group.rank)
            bites += self._compute.bites(*self._ledger.samples(
                self.progress.data_epoch, begin + offset, mine))
        self._train.expect(bites)

    def _expect_test(self, end, bites):
        """As _expect(), of validation."""
        size, total = self.course.batch_size * self.group.world, self.course.test_samples
        enough = len(bites) + self._test.ahead
        while len(bites) < enough and end < total:
            begin, end = end, min(end + size, total)
            offset, mine = part(end - begin, self.group.world, self.group.rank)
            own = list(range(begin + offset, begin + offset + mine))
            bites += self._compute.bites(own, own)
        self._test.expect(bites)

    def _valid_round(self):
        begin, end, offset, size = self._share()
        numbers = list(range(begin + offset, begin + offset + size))
        self._expect_test(end, self._compute.bites(numbers, numbers))
        sums = self._compute.validate(self._test, numbers, numbers)
        tail = self._numbers.sum(self.group, size, self._flags() + sums)
        self.progress.commit_valid(self.course, end, tail.weight, tail.sums)
        return tail

    def _finish_round(self):
        """W-12: rank 0 saves first, so that who takes over from it saves again."""
        if self.group.rank == 0 or self._stepping.is_shared:
            self._stepping.bring_home()
        if self.group.rank == 0:
            with self.agent.excused():
                self.hooks.save(self.progress)
                self.hooks.driver_end()
                self._save_finished()
                self.script.save_trained(self._result_dir)
        tail = self._numbers.sum(self.group, 0, self._flags() + self._no_sums())
        self.progress.commit_finish()
        return tail

    def _save_finished(self):
        """All passes are in the last checkpoint: a training of more goes on behind them."""
        self.checkpoints.finish()
        if self.course.checkpoint_freq and self.checkpoints.save(self.script.state(self.progress), wait=True):
            self._save_beside()

    def _save(self, wait=False):
        """Writes a checkpoint; on all members where all take part."""
        if self.group.rank != 0 and not self._stepping.is_shared:
            return
        kept = self._stepping.state(self.progress)
        if self.group.rank == 0 and self.checkpoints.save(kept, wait=wait):
            self._save_beside()

    def _save_beside(self):
        with self.agent.excused():
            self.script.save_beside(os.path.dirname(self.checkpoints.path))

    def _no_sums(self):
        return [0.0] * (1 + self.script.measured.width)

    # ---- groups ---------------------------------------------------------------------------

    def _switch(self, epoch):
        """All members agreed on `epoch` in the round just committed."""
        old, pending = self.group, self.membership.take(epoch)
        if pending is None:
            raise GroupBroken(f'epoch {epoch}: lost before the switch')
        self._stepping.part(old, pending.plan.members)
        if pending.group is None:
            with self.agent.excused():
                self._stepping.leave()
            old.leave()
            self.agent.left(old.epoch)
            raise Left(pending.plan.reason)
        try:
            self._enter(pending.group)
        finally:
            self.membership.retire(old)

    def _close_broken(self, text):
        """W-8: the groups are closed first, so that peers wake up, then the fault is said."""
        group, self.group = self.group, None
        self._undo()
        self.membership.forget_current()
        self._finish_delivery()
        if group.joined or not self.membership.was_withdrawn(group.epoch):
            self.agent.faulted(group.epoch, self.progress.step, text)

    def _undo(self):
        self._flat.undo()
        if self._virtual:
            self._virtual.undo()

    def _answer_broken(self, epoch):
        self.agent.faulted(epoch, self.progress.step, 'told broken')

    # ---- records and checkpoints ------------------------------------------------------------

    def _record(self, step):
        pause_ns = self.records.step(step)
        if self._switched and pause_ns >= 0:
            self.agent.switched(*self._switched, pause_ns)
        if not self._switched:  # the first step has the pause in it
            self._take_times(step)
        self._switched = None
        if step.t_end_ns - self._reported_ns >= _REPORT_NS:
            self._reported_ns = step.t_end_ns
            self._report()

    def _take_times(self, step):
        """The last step of a pass may be a short one: it says nothing of the others."""
        whole = step.end < self.course.train_samples or step.begin == 0
        if not whole and self._step_s:
            return
        if whole and self._chooser:
            self._chooser.took(step.samples / step.world, (step.t_end_ns - step.t_begin_ns) / 1e9)
        if step.samples != self._timed:
            self._forget_times()
            self._timed = step.samples
        self._step_s = _smooth(self._step_s, (step.t_end_ns - step.t_begin_ns) / 1e9)
        self._exchange_s = _smooth(self._exchange_s, self._exchanged_ns / 1e9)
        self._rate = step.samples / self._step_s if self._step_s else 0.0
        self.agent.exchange(self._exchange() if step.world > 1 else 0.0)

    def _forget_times(self):
        self._timed, self._step_s, self._exchange_s = 0, 0.0, 0.0

    def _exchange(self):
        """On a GPU the sum begins before the gradients are done: not to be told apart."""
        return self._exchange_s if self._flat.on_cpu else -1.0

    def _report(self):
        p = self.progress
        loss = (p.trained.means() or [0.0])[0]
        tested = self.script.measured.values(p.validated.sums, p.validated.weight)
        accuracy = tested[1] if tested and tested[1] == tested[1] else -1.0
        self.agent.progress(epoch=self.group.epoch, data_epoch=p.data_epoch, step=p.step,
                            samples=p.samples, loss=loss, accuracy=accuracy,
                            step_time_s=self._step_s, samples_per_s=self._rate,
                            noise=self._noise.scale() if self.group.world > 1 else -1.0)

    def _checkpoint_if_due(self):
        self._report()
        freq = self.course.checkpoint_freq
        if freq and self.progress.passes_done % freq == 0 and self.progress.phase == TRAIN:
            self._save_periodic()

    def _save_periodic(self):
        if self.checkpoints.busy and not self._stepping.is_shared:  # a slow disk: the next one is not far
            print(f'no checkpoint at step {self.progress.step}: the one before is still being '
                  'written', flush=True)
            return
        self._save()

    def _checkpoint_now(self):
        """All members know that one is wanted; who was told to stop ends by that signal."""
        self.membership.checkpoint_taken()
        self._asked = False
        with self.agent.excused():
            self._save(wait=bool(self._stopping))
        if self._stopping:
            self._end_by_signal()
