"""Role: tests of the stand-in lead that the trainer's tests have (test/support/fake_lead.py): words of a training that
is over, which come as late as a busy machine brings them. Workers are links of this test's own, without a process.
"""

import os
import socket
import sys
import tempfile
import types
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'support'))
import fake_lead  # noqa: E402
from fake_lead import DONE, FAULTED, HELLO, KEY, LEAVE, READY, TRAININGS, FakeLead, Worker, decode  # noqa: E402


def message(tag, *fields):
    """A frame as workers send them."""
    words = fake_lead._field(tag, b''.join(fake_lead._field(*field) for field in fields))
    return len(words).to_bytes(4, 'little') + words


class Late(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.lead = FakeLead(self._folder.name, [], {})
        self._links = []

    def tearDown(self):
        for link in self._links:
            link.close()
        self.lead.close()
        self._folder.cleanup()

    def worker(self, task):
        """A task whose process never ends."""
        process = types.SimpleNamespace(pid=os.getpid(), poll=lambda: None, kill=lambda: None, wait=lambda: None)
        self.lead.workers[task] = Worker(task, process)
        return self.link(task)

    def link(self, task, trainings=0):
        """Its connection for a training, known and ready."""
        link = socket.socket(socket.AF_UNIX)
        self._links.append(link)
        link.connect(self.lead.path)
        link.sendall(message(HELLO, (2, task), (TRAININGS, trainings)) + message(READY, (1, f'rendezvous {task}')))
        self.lead.run_until(lambda: self.lead.heard[-1:] and self.lead.heard[-1][:2] == (task, READY))
        return link

    def says(self, link, task, kind, *fields):
        link.sendall(message(kind, *fields))
        self.lead.run_until(lambda: self.lead.heard[-1][:2] == (task, kind))

    def told(self, link):
        """What has come on a link: (kind, fields)."""
        found, words = [], link.recv(65536)
        while words:
            size = int.from_bytes(words[:4], 'little')
            (kind, body), = decode(words[4:4 + size]).items()
            found.append((kind, decode(body) if kind != KEY else {}))
            words = words[4 + size:]
        return found

    def kinds(self, link):
        return [kind for kind, _ in self.told(link)]

    def test_the_end_of_the_training_before_that_comes_late_ends_nobodys_next(self):
        first, second = self.worker(1), self.worker(2)
        self.lead.members = [1, 2]
        self.says(first, 1, DONE, (1, 9))
        again = self.link(1, trainings=1)
        self.says(second, 2, DONE, (1, 9))
        self.assertTrue(self.lead.workers[2].done)
        self.assertEqual(self.kinds(again), [KEY])

    def test_what_is_said_of_an_older_epoch_behind_the_newer_one_takes_nothing_back(self):
        worker = self.worker(1)
        self.lead.members, self.lead.planned = [1], 2
        self.says(worker, 1, FAULTED, (1, 2), (2, 14))
        self.says(worker, 1, FAULTED, (1, 1), (2, 14))
        self.assertEqual(self.lead.workers[1].faulted, 2)

    def test_who_is_not_through_with_the_training_before_is_called_and_breaks_nothing(self):
        first, second = self.worker(1), self.worker(2)
        self.lead.members = [1, 2]
        self.says(first, 1, DONE, (1, 9))
        again = self.link(1, trainings=1)
        self.lead.plan([1])
        self.says(second, 2, FAULTED, (1, 1))
        kind, body = self.told(second)[-1]
        self.assertEqual((kind, body[TRAININGS]), (LEAVE, 1))
        self.assertEqual(self.kinds(again), [KEY, fake_lead.PLAN])

    def test_the_end_of_the_only_training_lets_those_go_that_wait(self):
        first, waiting = self.worker(1), self.worker(2)
        self.lead.members = [1]
        self.says(first, 1, DONE, (1, 9))
        self.assertEqual(self.kinds(waiting), [KEY, LEAVE])


if __name__ == '__main__':
    unittest.main()
