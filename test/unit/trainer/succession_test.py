"""Role: tests of fabric_model/succession.py: who of the others comes to the next training."""

import os
import threading
import unittest
from unittest import mock

from fabric_model import succession
from fabric_model.group import GroupBroken


class Group:
    """Stands in for a group that has ended: messages from rank 0, and whose connections are gone."""

    def __init__(self, world=3, lost=()):
        self.world, self.lost = world, lost
        self.sent, self.closed, self.word = [], False, threading.Event()
        self.dead = False

    def send(self, _tensor, rank):
        if rank in self.lost:
            raise GroupBroken('gone')
        self.sent.append(rank)

    def receive(self, _tensor, rank):
        assert rank == 0
        self.word.wait(10)
        if self.dead:
            raise GroupBroken('aborted')

    def abort(self):
        self.dead = True
        self.word.set()

    def close(self):
        self.closed = True

    def leave(self):
        self.closed = True


class Succession(unittest.TestCase):
    def keep(self, seconds):
        environment = mock.patch.dict(os.environ, WM_KEEP_WORKERS_S=seconds)
        environment.start()
        self.addCleanup(environment.stop)

    def test_rank_0_calls_all_others_once_and_misses_nobody_who_is_gone(self):
        group = Group(4, lost=(2,))
        held = succession.Held(group)
        held.call()
        held.call()
        self.assertEqual((group.sent, group.closed), ([1, 3], True))

    def test_later_than_they_wait_nobody_is_called(self):
        self.keep('0')
        group = Group()
        succession.Held(group).call()
        self.assertEqual((group.sent, group.closed), ([], True))

    def test_another_worker_comes_when_it_is_called(self):
        group = Group()
        group.word.set()
        self.assertTrue(succession.called(group))
        self.assertTrue(group.closed)

    def test_it_ends_when_rank_0_is_gone(self):
        group = Group()
        group.abort()
        self.assertFalse(succession.called(group))
        self.assertTrue(group.closed)

    def test_it_ends_when_nobody_calls_in_time(self):
        self.keep('0.01')
        self.assertFalse(succession.called(Group()))

    def test_a_time_that_is_no_number_is_that_of_the_default(self):
        self.keep('soon')
        self.assertEqual(succession._keep_s(), 30.0)


if __name__ == '__main__':
    unittest.main()
