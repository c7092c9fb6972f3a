"""Role: tests of fabric_model/membership.py: what becomes of plans that come late."""

import queue
import threading
import unittest
from types import SimpleNamespace

from fabric_model import group, membership, native, versions


class Agent:
    """Says what it is told to; notes what it hears. Task 1."""

    task = 1

    def __init__(self):
        self.events, self.said = queue.Queue(), []

    def wait(self):
        return self.events.get()

    def key(self, _timeout_ms):
        return bytes(32)

    def ready(self, address):
        pass

    def connected(self, epoch):
        self.said.append(('connected', epoch))

    def stop(self):
        self.events.put(SimpleNamespace(kind=native.CLOSED))

    def close(self):
        pass


class Connected:
    """Stands in for a Group."""

    closed = None  # set once one is

    def __init__(self, plan, *_):
        self.epoch = plan.epoch

    def close(self):
        Connected.closed.set()


def plan(epoch, members):
    return SimpleNamespace(kind=native.PLAN, epoch=epoch, members=members, reason='')


class LatePlanTest(unittest.TestCase):
    def setUp(self):
        self.agent, Connected.closed = Agent(), threading.Event()
        self.carrier = SimpleNamespace(Group=Connected, Rendezvous=group.Rendezvous)
        self.membership = membership.Membership(self.agent, self.carrier)

    def hear(self, *events):
        for event in events:
            self.agent.events.put(event)

    def test_a_group_that_stands_when_its_epoch_is_dead_already_is_closed(self):  # W-3, W-8
        for number, kind in ((3, native.BROKEN), (4, native.WITHDRAWN)):
            Connected.closed.clear()
            self.hear(SimpleNamespace(kind=kind, epoch=number), plan(number, [1, 2]))
            self.assertTrue(Connected.closed.wait(10))
        self.membership.close()
        self.assertEqual((self.membership.ready_epoch, self.agent.said), (0, []))

    def test_so_is_a_plan_without_this_worker(self):
        self.hear(SimpleNamespace(kind=native.BROKEN, epoch=3), plan(3, [2]), plan(4, [2]))
        self.membership.close()
        self.assertEqual((self.membership.ready_epoch, self.agent.said), (4, [('connected', 4)]))

    def test_dropping_a_withdrawn_plan_spares_the_one_that_takes_its_place(self):  # L-7: it is in flight
        members, later = self.membership, membership.Pending(plan(5, [2]), None)
        members._pend(membership.Pending(plan(4, [2]), None))
        members._pending.withdrawn = True
        lock, placed = members._changed, []

        class Entered:
            """The lock; before it is first had, another thread has it and places the later plan."""

            def __enter__(self):
                if not placed:
                    placed.append(later)
                    members._changed = lock
                    members._pend(later)
                return lock.__enter__()

            def __exit__(self, *raised):
                return lock.__exit__(*raised)

        members._changed = Entered()
        members.drop_withdrawn()
        self.assertEqual((placed, members.ready_epoch), ([later], 5))
        members.close()

    def test_who_is_of_other_versions_than_the_job_says_so_where_it_waits(self):
        def other(*_):
            raise versions.Mixed('mixed versions')

        self.carrier.Group = other
        self.hear(plan(1, [2, 1]))
        with self.assertRaisesRegex(versions.Mixed, 'mixed versions'):
            self.membership.wait_group(lambda _: None)
        self.membership.close()
        self.assertEqual(self.agent.said, [])  # it ends: nobody is to count on it


if __name__ == '__main__':
    unittest.main()
