"""Role: tests of fabric_model/sockets.py: how a member leaves a group that others still read from."""

import os
import socket
import unittest

from fabric_model import sockets

_BUFFER = 1 << 16  # small, so that most of what is sent waits on the sender's side


def connected():
    """The two ends of a TCP connection: (leaver's, peer's)."""
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        listener.listen(1)
        peer = socket.socket()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER)
        peer.connect(listener.getsockname())
        leaver = listener.accept()[0]
    return leaver, peer


def named(end):
    """A connection as find() describes it."""
    return [(end.fileno(), os.fstat(end.fileno()).st_ino)]


def fill(end):
    """Sends as much as the kernel takes. Returns how much that was."""
    end.setblocking(False)
    sent = 0
    try:
        while True:
            sent += end.send(bytes(_BUFFER))
    except BlockingIOError:
        end.setblocking(True)
        return sent


def read_to_the_end(end):
    """How much arrives before the end of the stream. @errors OSError: the connection was reset"""
    got = 0
    while True:
        chunk = end.recv(_BUFFER)
        if not chunk:
            return got
        got += len(chunk)


class LeavingTest(unittest.TestCase):
    def setUp(self):
        self.leaver, self.peer = connected()
        self.addCleanup(self.leaver.close)
        self.addCleanup(self.peer.close)

    def test_a_slow_peer_that_still_sends_reads_all_that_was_sent_to_it(self):  # W-6
        sent = fill(self.leaver)
        sockets.finish(named(self.leaver))
        self.peer.sendall(b'still in the last collective')
        self.assertEqual(read_to_the_end(self.peer), sent)

    def test_a_peer_has_ended_once_its_words_are_read_and_it_has_finished(self):
        self.peer.sendall(b'x')
        sockets.finish(named(self.peer))
        self.assertFalse(sockets.all_ended(named(self.leaver)))
        self.assertEqual(self.leaver.recv(8), b'x')
        self.assertTrue(sockets.all_ended(named(self.leaver)))

    def test_a_descriptor_that_is_another_socket_by_now_is_left_alone(self):
        (number, inode), = named(self.leaver)
        sockets.finish([(number, inode + 1)])
        self.leaver.sendall(b'x')
        self.assertEqual(self.peer.recv(8), b'x')


if __name__ == '__main__':
    unittest.main()
