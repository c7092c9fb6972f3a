"""Role: tests of fabric_model/meeting.py over real connections: who is let together, and what does not disturb it."""

import contextlib
import socket
import threading
import unittest
from concurrent import futures
from unittest import mock

from fabric_model import meeting, versions

LIMIT_S = 60
WORDS = {'key': '00', 'address': 'here:1'}


class Meeting(unittest.TestCase):
    def setUp(self):
        with socket.create_server(('127.0.0.1', 0)) as free:
            self.port = free.getsockname()[1]
        self.pool = futures.ThreadPoolExecutor()
        self.addCleanup(self.pool.shutdown)

    def come(self, rank):
        return self.pool.submit(meeting.come, '127.0.0.1', self.port, rank, LIMIT_S)

    def host(self, world, limit_s=LIMIT_S):
        return self.pool.submit(lambda: meeting.Host(self.port, world).bring_together(WORDS, limit_s))

    def stranger(self, words):
        """Says something as soon as somebody listens; what it hears, nothing included."""
        for _ in range(6000):
            with contextlib.suppress(ConnectionRefusedError):
                with socket.create_connection(('127.0.0.1', self.port), timeout=LIMIT_S) as link:
                    link.sendall(words)
                    with contextlib.suppress(ConnectionResetError):
                        return link.recv(100)
                    return b''
            threading.Event().wait(0.01)
        raise AssertionError('nobody listens')

    def test_all_are_given_the_words_whoever_comes_first(self):
        early = self.come(2)
        host = self.host(3)
        late = self.come(1)
        self.assertEqual([early.result(), late.result(), host.result()], [WORDS, WORDS, None])

    def test_the_port_is_free_afterwards(self):
        host, other = self.host(2), self.come(1)
        self.assertEqual((host.result(), other.result()), (None, WORDS))
        with socket.create_server(('127.0.0.1', self.port)), contextlib.suppress(OSError):
            pass

    def test_what_is_no_member_takes_no_place(self):
        host = self.host(2)
        for words in (b'GET / HTTP/1.1\r\n', b'[1]\n', b'{"rank": 1}\n', b'{"rank": 7, "versions": ""}\n', b'{"rank": [], "versions": ""}\n'):
            self.assertEqual(self.stranger(words), b'')
        self.assertEqual(self.come(1).result(), WORDS)
        host.result()

    def test_one_of_other_versions_ends_it_for_all_by_both_names(self):
        meets = meeting.Host(self.port, 3)
        host, same = self.pool.submit(meets.bring_together, WORDS, LIMIT_S), self.come(1)
        with meets._changed:
            meets._changed.wait_for(lambda: meets._links, LIMIT_S)
        with mock.patch.object(versions, 'told', lambda: 'Python 3.8, torch 1.13.0\ntask 3 on b'):
            with self.assertRaises(versions.Mixed) as other:
                meeting.come('127.0.0.1', self.port, 2, LIMIT_S)
        for refused in (host, same):
            with self.assertRaises(versions.Mixed) as raised:
                refused.result()
            self.assertEqual(str(raised.exception), str(other.exception))
        self.assertIn(f'has {versions.name()}; task 3 on b has Python 3.8, torch 1.13.0', str(other.exception))

    def test_who_comes_after_one_of_other_versions_hears_why(self):
        meets = meeting.Host(self.port, 3)
        host = self.pool.submit(meets.bring_together, WORDS, LIMIT_S)
        with mock.patch.object(versions, 'told', lambda: 'Python 3.8, torch 1.13.0\ntask 3 on b'):
            odd = self.come(2)
            with meets._changed:
                self.assertTrue(meets._changed.wait_for(lambda: meets._mixed, LIMIT_S))
        for refused in (self.come(1), odd, host):
            with self.assertRaises(versions.Mixed):
                refused.result()

    def test_one_that_does_not_come_is_named(self):
        other, host = self.come(1), self.host(3, limit_s=3)
        for waits in (host, other):
            with self.assertRaisesRegex(RuntimeError, 'rank 2 did not come within 3 s'):
                waits.result()

    def test_so_is_a_rank_0_that_is_not_there(self):
        with self.assertRaisesRegex(RuntimeError, f'rank 0 was not at 127.0.0.1:{self.port} within'):
            meeting.come('127.0.0.1', self.port, 1, 0.2)


if __name__ == '__main__':
    unittest.main()
