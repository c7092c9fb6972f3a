"""Role: tests of fabric_model/unsynced.py, the servers' side of control='async', with members and servers that are threads: what a worker has
committed is applied everywhere, what it has not is applied nowhere.
"""

import threading
import unittest
from types import SimpleNamespace
from unittest import mock

import torch

from fabric_model import stepping, unsynced
from fabric_model.control import Control
from fabric_model.flat import FlatModel
from fabric_model.progress import Course, Progress
from fabric_model.servers import arranging, pieces
from servers_test import KEY, Meeting, Threads, model_of, together

COURSE = Course(epochs=9, batch_size=4, train_samples=22)


class Nursery(Threads):
    """Servers that are threads, for one worker."""

    def wait(self, _limit_s):
        pass

    close = wait


class Worker:
    """What of a worker the servers meet."""

    def __init__(self, task, staleness=2):
        self.task = task
        parameters, self.optimizer = model_of(torch.optim.Adam)
        self.model = torch.nn.ParameterList(parameters)
        self.flat = FlatModel(self.model, 0)
        script = SimpleNamespace(model=self.model, optimizer=self.optimizer, state=lambda progress: {'progress': progress.pack()})
        with mock.patch.object(stepping.nursery, 'Nursery', Nursery):
            self.stepping = unsynced.Unwaited(script, self.flat, SimpleNamespace(scale=1.0), Control('async', 2, staleness), lambda: KEY)
        self.stepping.plan(COURSE)
        self.progress, self.number = Progress(), 0

    def enter(self, group, fresh):
        self.stepping.enter(group, 0, fresh, lambda: self.progress, None)

    def gradient(self, seed):
        """What backward leaves."""
        self.flat.begin()
        source = torch.Generator().manual_seed(seed)
        sum((p * torch.randn(p.shape, generator=source, dtype=p.dtype)).sum() for p in self.model.parameters()).backward()

    def give(self, seed):
        self.gradient(seed)
        self.number += 1
        return self.stepping.give(self.number, 4, [1.0], True)

    def values(self):
        return torch.cat([p.detach().reshape(-1) for p in self.model.parameters()])


class Pair(unittest.TestCase):
    """Two workers, and one plain optimizer that is told what they have committed."""

    def setUp(self):
        address = mock.patch.object(arranging, 'host_address', lambda: '127.0.0.1')
        address.start()
        self.addCleanup(address.stop)
        self.workers, self.epoch, (self.plain, self.optimizer) = {}, 0, model_of(torch.optim.Adam)
        self.addCleanup(self.end)
        self.enter([1, 2])

    def end(self):
        for worker in self.workers.values():
            worker.stepping._links.close()
            for one in worker.stepping._nursery.started:
                one.kill()

    def enter(self, tasks):
        fresh, self.epoch = not self.epoch, self.epoch + 1
        for task in tasks:
            self.workers.setdefault(task, Worker(task))
        meeting = Meeting(tasks, self.epoch)
        together(*[lambda rank=rank, task=task: self.workers[task].enter(meeting.member(rank), fresh) for rank, task in enumerate(tasks)])

    def apply_plainly(self, seed, factor=1.0):
        source = torch.Generator().manual_seed(seed)
        for p in self.plain:
            p.grad = torch.randn(p.shape, generator=source, dtype=p.dtype)
        rates = [group['lr'] for group in self.optimizer.param_groups]
        for group in self.optimizer.param_groups:
            group['lr'] *= factor
        self.optimizer.step()
        for group, rate in zip(self.optimizer.param_groups, rates):
            group['lr'] = rate

    def check(self, task):
        self.workers[task].stepping.refresh(anyhow=True)
        torch.testing.assert_close(self.workers[task].values(), torch.cat([p.detach().reshape(-1) for p in self.plain]),
                                   rtol=1e-12, atol=1e-12)

    def deal(self, task):
        worker = self.workers[task]
        worker.stepping.refresh()
        return worker.stepping.next(0, False)['train']


class Pushes(Pair):
    def test_each_is_applied_when_it_comes_and_an_old_one_at_a_smaller_learning_rate(self):
        self.deal(2)
        for seed in range(4):
            self.deal(1)
            self.assertEqual(self.workers[1].give(seed)['factor'], 1.0)
            self.apply_plainly(seed)
        answer = self.workers[2].give(9)
        self.assertEqual((answer['age'], answer['factor']), (4, 0.5))
        self.apply_plainly(9, 0.5)
        self.check(1)
        self.check(2)

    def test_one_that_was_committed_by_a_worker_that_is_lost_is_applied_and_told_for_the_records(self):
        for task in (1, 2):
            self.deal(task)
        with mock.patch.object(self.workers[2].stepping._links, 'take', side_effect=SystemExit('killed')), self.assertRaises(SystemExit):
            self.workers[2].give(5)
        self.enter([1])
        self.apply_plainly(5)
        self.check(1)
        for _ in range(2):  # the epoch may break before it is written down
            lost, = self.workers[1].stepping.lost_commits()
            self.assertEqual((lost['step'], lost['begin'], lost['end']), (1, 4, 8))
            self.enter([1])
            self.check(1)
        self.workers[1].stepping.settled()
        self.assertEqual(self.workers[1].stepping.lost_commits(), [])
        self.assertEqual(self.deal(1), [0, 0, 4])  # what worker 1 had was dealt again: it stood still with the others

    def test_one_that_was_applied_by_some_servers_is_applied_by_all(self):
        self.deal(2)
        links = self.workers[2].stepping._links

        def half(who, number, how):
            whole = links._homes
            links._homes = whole[:1]
            links._each([{'do': 'take', 'who': who, 'n': number, 'how': how}], lambda *_: None)
            links._homes = whole
            raise SystemExit('killed')
        with mock.patch.object(links, 'take', half), self.assertRaises(SystemExit):
            self.workers[2].give(5)
        self.enter([1])
        self.apply_plainly(5)
        self.check(1)

    def test_one_that_was_not_committed_is_applied_nowhere_and_its_samples_are_dealt_again(self):
        self.deal(2)
        with mock.patch.object(self.workers[2].stepping, '_commit', side_effect=SystemExit('killed')), self.assertRaises(SystemExit):
            self.workers[2].give(5)
        self.enter([1])
        self.check(1)
        self.assertEqual(self.deal(1), [0, 0, 4])

    def test_a_server_that_is_killed_loses_nothing(self):
        seed = 0
        for number in (0, 1, 0):
            for task in (1, 2, 1):
                self.deal(task)
                factor = self.workers[task].give(seed)['factor']
                self.apply_plainly(seed, factor)
                seed += 1
            home = self.workers[1].stepping._arranging.homes[number]
            self.workers[home.member].stepping._nursery.started[home.pid - 1].kill()
            self.enter([1, 2])
            self.check(1)

    def test_a_checkpoint_has_what_was_committed_and_nobody_commits_meanwhile(self):
        self.deal(1)
        self.workers[1].give(1)
        self.apply_plainly(1)
        self.deal(1)
        kept = self.workers[1].stepping.state(self.workers[1].progress)
        self.assertEqual(kept['desk']['passes'], {'0': {'gaps': [[0, 4]], 'done': 4, 'weight': 4.0, 'sums': [1.0]}})
        self.assertEqual(pieces.numbers_of(self.workers[1].optimizer)[0]['lr'], 0.1)
        frozen, done = self.workers[1].stepping._links, threading.Event()
        frozen.desk('freeze', on=True)

        def give():
            self.workers[1].give(2)
            done.set()
        thread = threading.Thread(target=give)
        with mock.patch.object(unsynced.time, 'sleep', side_effect=lambda _s: frozen.desk('freeze', on=False)):
            thread.start()
            thread.join(20)
        self.assertTrue(done.is_set())
        self.apply_plainly(2)
        self.check(1)


if __name__ == '__main__':
    unittest.main()
