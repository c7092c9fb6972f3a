"""Role: each process of a training with parameter servers killed in each phase (join, push, pull, checkpoint, resize), in sync and in async:
the real Served and Unwaited of members that are threads, over the real servers, which are threads, too.

The gradient of a sample is a vector of its own, whatever the parameters are, and the optimizer is plain SGD of rate 1: so the parameters at
the end are those of the beginning less each sample's vector exactly once, in whatever order, and a sample that is lost or used twice shows.

  epoch 1: tasks 1, 2 ─► epoch 2: 1, 2, 3 (a checkpoint in it) ─► epoch 3: 3, 1, to the end        the fault: an epoch more, of who is left
"""

import contextlib
import copy
import io
import threading
import time
import unittest
from types import SimpleNamespace
from unittest import mock

import torch

from fabric_model import stepping, unsynced
from fabric_model.control import Control
from fabric_model.flat import FlatModel
from fabric_model.group import GroupBroken
from fabric_model.native import part
from fabric_model.progress import FINISH, Course, Progress
from fabric_model.servers import arranging, wire
from fabric_model.tail import FIXED
from servers_test import KEY, Mortal, Threads

PASSES, SAMPLES, BATCH = 2, 30, 5
COURSE = Course(epochs=PASSES, batch_size=BATCH, effective_batch_size=BATCH, train_samples=SAMPLES, validation_freq=0)
STAGES = (([1, 2], 3), ([1, 2, 3], 7), ([3, 1], None))  # members, and how many steps are done when the next ones follow
CHECKPOINT = 1  # stage in which there is one


class Killed(BaseException):
    """This worker is no more."""


class Fault:
    """Who dies: `who`: 'server', or the task of a worker; at the `nth` message that says `words`, passed on to a copy only where they say so;
    `after`: when it has been done, and before it is answered, else before it is done."""

    def __init__(self, who, nth=1, after=False, **words):
        self.who, self.words, self.left, self.after = who, {'passed': False, **words}, nth, after
        self.was_hit, self._lock = False, threading.Lock()

    def meets(self, who, head):
        """Whether this is the message; once."""
        with self._lock:
            if self.was_hit or who != self.who or any(_said(head, key) != value for key, value in self.words.items()):
                return False
            self.left -= 1
            self.was_hit = self.left == 0
            return self.was_hit


def _said(head, key):
    return head.get(key, head.get('with', {}).get(key, False))


class _Talk:
    """A connection of a server that may be dead by the time it answers."""

    def __init__(self, plain, server, dies):
        self._plain, self._server, self._dies = plain, server, dies

    def __getattr__(self, name):
        return getattr(self._plain, name)

    def say(self, *words):
        if self._dies:
            self._server.kill()
        if self._server.dead:
            raise OSError('killed')
        self._plain.say(*words)


class Doomed(Mortal):
    """A server that dies where the fault says."""

    fault = None

    def _answer(self, talk, head):
        dies = self.fault.meets('server', head)
        if dies and not self.fault.after:
            self.kill()
        super()._answer(_Talk(talk, self, dies), head)


class Beside(Threads):
    """A worker's nursery."""

    def start(self, _number, _host, key):
        one = Doomed(self.blueprint, '127.0.0.1', key)
        threading.Thread(target=one.serve, daemon=True).start()
        self.started.append(one)
        return one.address, len(self.started)

    def wait(self, _limit_s):
        """They are told by whoever trains on."""

    def close(self):
        for one in self.started:
            one.kill()


class Meeting:
    """The sums of the members of an epoch; all of them end when it breaks."""

    def __init__(self, members, epoch):
        self.members, self.epoch, self.world = members, epoch, len(members)
        self.broken, self._given = False, {}
        self._barrier = threading.Barrier(self.world, timeout=20)

    def abort(self):
        self.broken = True
        self._barrier.abort()

    def member(self, rank):
        meeting = self

        class Group:
            """One member's side."""

            members, epoch, world, waiting = list(meeting.members), meeting.epoch, meeting.world, contextlib.nullcontext
            abort = staticmethod(meeting.abort)

            @property
            def dead(self):
                return meeting.broken

            @staticmethod
            def sum(tensor):
                meeting.sum(rank, tensor)
        made = Group()
        made.rank = rank
        return made

    def sum(self, rank, tensor):
        try:
            self._given[rank] = tensor
            self._barrier.wait()
            total = sum(self._given[r].clone() for r in range(self.world))
            self._barrier.wait()
            tensor.copy_(total)
            self._barrier.wait()
        except threading.BrokenBarrierError:
            raise GroupBroken(f'epoch {self.epoch}: a member is lost') from None


def vector(number):
    """The gradient of one sample of one pass."""
    return torch.randn(26, generator=torch.Generator().manual_seed(number), dtype=torch.float64)


def sum_of(passed, begin, end):
    return sum((vector(passed * SAMPLES + n) for n in range(begin, end)), torch.zeros(26, dtype=torch.float64))


class Worker:
    """A member: what the engine does around Served and Unwaited."""

    def __init__(self, task, is_async):
        torch.manual_seed(1)
        self.task, self.model = task, torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)).double()
        self.flat, self.progress, self.has_state, self.number, self.saved = FlatModel(self.model, 0), Progress(), False, 0, None
        script = SimpleNamespace(model=self.model, optimizer=torch.optim.SGD(self.model.parameters(), lr=1.0), clip_grad_norm=None, scaler=None,
                                 joined=(), state=lambda progress: {'parameters': self.parameters(), 'progress': copy.deepcopy(progress)})
        compute, control = SimpleNamespace(scale=1), Control('async' if is_async else 'sync', 2, 1000)
        with mock.patch.object(stepping.nursery, 'Nursery', Beside):
            self.stepping = unsynced.Unwaited(script, self.flat, compute, control, lambda: KEY) if is_async else \
                stepping.Served(script, self.flat, compute, 2, lambda: KEY)
        if is_async:
            self.stepping.plan(COURSE)

    def parameters(self):
        return torch.cat([p.detach().reshape(-1).clone() for p in self.model.parameters()])

    def close(self):
        self.stepping.close()

    def enter(self, group, source, fresh, leader):
        """`leader`: the worker at the source."""
        own = group.rank == source
        self.has_state |= own and fresh
        self.stepping.enter(group, source, fresh, lambda: self.progress, self._anew)
        group.sum(torch.zeros(1))
        if not own:
            self.take_over(leader)
        group.sum(torch.zeros(1))  # the state is handed out
        self.has_state = True

    def take_over(self, leader):
        self.progress = copy.deepcopy(leader.progress)
        with torch.no_grad():
            for own, theirs in zip(self.model.parameters(), leader.model.parameters()):
                own.copy_(theirs)

    @staticmethod
    def _anew(why):
        raise AssertionError(why)

    def gradient(self, passed, begin, end):
        self.flat.begin()
        given = sum_of(passed, begin, end).split([p.numel() for p in self.flat.parameters])
        for p, values in zip(self.flat.parameters, given):
            p.grad = values.view_as(p).clone()

    def round(self, group, _ready):
        """A step of sync. Returns whether the training is over."""
        progress = self.progress
        if progress.phase == FINISH:
            return True
        begin, end = progress.next_batch(COURSE, group.world)
        offset, size = part(end - begin, group.world, group.rank)
        self.gradient(progress.data_epoch, begin + offset, begin + offset + size)
        tail = self.stepping.sum(group, progress, size, offset == 0, [0.0] * FIXED)
        self.stepping.apply(tail)
        progress.commit_train(COURSE, end, tail.weight, tail.sums)
        return False

    def save(self):
        self.saved = self.stepping.state(self.progress)


class WaitsForNobody(Worker):
    """A member in async."""

    def __init__(self, task):
        super().__init__(task, True)

    def enter(self, group, source, fresh, leader):
        super().enter(group, source, fresh, leader)
        self.stepping.settled()

    def save(self):
        """Behind what others have done since this worker's newest step, if there is anything left for them."""
        while True:
            view = self.stepping._links.desk('look')['view']
            if view['step'] > self.progress.step or view['passes_done'] == PASSES:
                break
            time.sleep(0.001)
        super().save()

    def round(self, group, ready):
        answer = self.stepping.next(ready, False)
        unsynced.view_into(self.progress, answer['view'], COURSE)
        if 'train' in answer:
            passed, begin, end = answer['train']
            self.stepping.refresh()
            self.gradient(passed, begin, end)
            self.number += 1
            self.stepping.give(self.number, end - begin, [0.0], True)
        elif 'wait' in answer:
            time.sleep(0.001)
        return 'switch' in answer or 'end' in answer


class Played(unittest.TestCase):
    """One training with one fault."""

    def setUp(self):
        for where, name, value in ((arranging, 'host_address', lambda: '127.0.0.1'), (wire.Wire, 'say', self._saying(wire.Wire.say))):
            patch = mock.patch.object(where, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(self._end)
        self.workers, self.leavers = {}, []

    def _end(self):
        for worker in [*self.workers.values(), *self.leavers]:
            worker.close()
        self.workers, self.leavers = {}, []

    def _saying(self, plain):
        """Messages of a worker, the last of which it may not live to say, or to hear the answer of."""
        def say(link, head, memory=None):
            name = threading.current_thread().name
            dies = name.startswith('worker ') and self.fault.meets(int(name.split()[1]), head)
            if not dies or self.fault.after:
                plain(link, head, memory)
            if dies:
                raise Killed
        return say

    # ---- the lead ------------------------------------------------------------------------------

    def play(self, is_async, fault):
        self.fault = Doomed.fault = fault
        self.is_async, self.workers, self.stage, self.epoch, self.lost, self.is_over = is_async, {}, 0, 0, set(), False
        with contextlib.redirect_stdout(io.StringIO()):
            while not self.is_over:
                self.run_epoch()
        self.assertTrue(fault.was_hit, 'the fault did not come')
        self.assertLess(self.epoch, 7)
        self.check()
        self._end()

    def run_epoch(self):
        tasks = [task for task in STAGES[self.stage][0] if task not in self.lost]
        self.epoch += 1
        for task in tasks:
            if task not in self.workers:
                self.workers[task] = WaitsForNobody(task) if self.is_async else Worker(task, False)
        members = [self.workers[task] for task in tasks]
        stateful = [(-w.progress.round, rank) for rank, w in enumerate(members) if w.has_state]
        source = min(stateful)[1] if stateful else 0
        meeting = Meeting(tasks, self.epoch)
        outcomes = {}
        threads = [threading.Thread(target=self._work, args=(w, meeting, rank, source, not stateful, members[source], outcomes),
                                    name=f'worker {w.task}') for rank, w in enumerate(members)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            self.assertFalse(thread.is_alive(), f'epoch {self.epoch} hangs')
        self._judge(outcomes)

    def _judge(self, outcomes):
        for task, outcome in outcomes.items():
            if isinstance(outcome, Killed):
                self.lost.add(task)
                self.workers.pop(task).close()
            elif isinstance(outcome, BaseException) and not isinstance(outcome, GroupBroken):
                raise outcome
        if any(isinstance(outcome, BaseException) for outcome in outcomes.values()):
            return
        self.is_over = self.stage == len(STAGES) - 1
        if not self.is_over:
            self.stage += 1
            for task in set(self.workers) - set(STAGES[self.stage][0]):
                self.leavers.append(self.workers.pop(task))

    def _work(self, worker, meeting, rank, source, fresh, leader, outcomes):
        group = meeting.member(rank)
        try:
            worker.enter(group, source, fresh, leader)
            self._rounds(worker, group)
            outcomes[worker.task] = None
        except BaseException as error:
            outcomes[worker.task] = error
            if isinstance(error, Killed):
                worker.stepping._nursery.close()
                worker.stepping._links.close()
            meeting.abort()

    def _rounds(self, worker, group):
        stage, ends = self.stage, STAGES[self.stage][1]
        while True:
            if group.dead:
                raise GroupBroken('told broken')
            if stage == CHECKPOINT and group.rank == 0 and not self.is_saved():
                worker.save()
            due = ends is not None and worker.progress.step >= ends
            if due and not self.is_async:
                return
            if worker.round(group, group.epoch + 1 if due else 0):
                if self.is_async and ends is None:
                    worker.stepping.refresh(anyhow=True)
                return

    def is_saved(self):
        return any(w.saved for w in self.workers.values())

    # ---- what must hold ------------------------------------------------------------------------

    def check(self):
        torch.manual_seed(1)
        begun = Worker(9, False)
        begun.close()
        whole = begun.parameters() - sum(sum_of(p, 0, SAMPLES) for p in range(PASSES))
        for worker in self.workers.values():
            if not self.is_async:
                self.assertEqual((worker.progress.step, worker.progress.phase), (PASSES * SAMPLES // BATCH, FINISH))
            torch.testing.assert_close(worker.parameters(), whole, rtol=1e-10, atol=1e-10)
            if worker.saved:
                self.check_saved(worker.saved, begun.parameters())

    def check_saved(self, saved, begun):
        """A checkpoint has what it says, whole."""
        progress = saved['progress']
        done = {int(p): work['gaps'] for p, work in saved['desk']['passes'].items()} if self.is_async else {progress.data_epoch: [[0, progress.cursor]]}
        used = sum(sum_of(p, 0, SAMPLES) for p in range(progress.passes_done)) + sum(sum_of(p, *gap) for p, gaps in done.items() for gap in gaps)
        torch.testing.assert_close(saved['parameters'], begun - used, rtol=1e-10, atol=1e-10)


# (phase, what is said). The numbers lie in the middle of an epoch, where nothing else says.
JOIN = [('join', {'do': 'hold'}), ('join', {'do': 'hold', 'nth': 3}), ('join', {'do': 'fill', 'nth': 2})]
PUSH = [('push', {'do': 'push', 'nth': 7})]
CHECK = [('checkpoint', {'do': 'contents', 'pushed': False}), ('checkpoint', {'do': 'contents', 'pushed': False, 'nth': 2})]
RESIZE = [('resize', {'do': 'hold', 'nth': 7}), ('resize', {'do': 'hold', 'nth': 12}), ('resize', {'do': 'fetch'})]
PULL = {False: [('pull', {'do': 'step', 'nth': 9}), ('pull', {'do': 'step', 'nth': 10})],
        True: [('pull', {'do': 'take', 'nth': 5}), ('pull', {'do': 'take', 'nth': 6}), ('pull', {'do': 'pull', 'nth': 2})]}
DESK = [('join', {'do': 'desk', 'call': 'begin'}), ('join', {'do': 'desk', 'call': 'enter'}), ('push', {'do': 'desk', 'call': 'commit', 'nth': 4}),
        ('pull', {'do': 'desk', 'call': 'next', 'nth': 7}), ('checkpoint', {'do': 'desk', 'call': 'freeze'}),
        ('checkpoint', {'do': 'desk', 'call': 'freeze', 'on': False})]


class Servers(Played):
    """A server is killed: no step is lost, and none is done twice."""

    def killed(self, is_async):
        said = JOIN + PUSH + PULL[is_async] + CHECK + RESIZE + [('resize', {'do': 'halt', 'nth': 2}), ('resize', {'do': 'contents', 'pushed': True})]
        said += [(phase, {**words, 'passed': True}) for phase, words in PUSH + PULL[is_async] if words['do'] != 'pull']
        if is_async:
            said += DESK + [(phase, {**words, 'passed': True}) for phase, words in DESK]
        for phase, words in said:
            for after in (False, True):
                with self.subTest(phase=phase, after=after, **words):
                    self.play(is_async, Fault('server', after=after, **words))

    def test_in_sync_in_each_phase(self):
        self.killed(False)

    def test_in_async_in_each_phase(self):
        self.killed(True)


class Workers(Played):
    """A worker is killed: what it had pushed counts on all servers or on none, and nobody else is held up."""

    def killed(self, is_async):
        own = PUSH + [('push', {'do': 'push', 'nth': 2})] + PULL[is_async]
        of_source = JOIN + CHECK + RESIZE[:2]
        cases = [(task, phase, words) for phase, words in own for task in (1, 2)] + [(1, phase, words) for phase, words in of_source]
        if is_async:
            cases += [(1, phase, words) for phase, words in DESK]
            cases += [(2, phase, words) for phase, words in DESK if words['call'] in ('commit', 'next')]
        for task, phase, words in cases:
            for after in (False, True):
                with self.subTest(task=task, phase=phase, after=after, **words):
                    self.play(is_async, Fault(task, after=after, **{**words, 'nth': min(words.get('nth', 1), 3)}))

    def test_in_sync_in_each_phase(self):
        self.killed(False)

    def test_in_async_in_each_phase(self):
        self.killed(True)


if __name__ == '__main__':
    unittest.main()
