"""Role: tests of fabric_model/sockets.py: how a member leaves a group that others still read from."""

import gc
import os
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest
from types import SimpleNamespace
from unittest import mock

import torch

from fabric_model import group, sockets

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


def address(port, family=2):
    """As gloo writes it: sockaddr_storage and a number."""
    head = struct.pack('=H', family) + struct.pack('>H', port)
    return (head + (bytes([127, 0, 0, 1]) if family == 2 else bytes(4) + bytes(15) + b'\1')).ljust(128, b'\xa5') + b'\xff' * 8


class Records(unittest.TestCase):
    """What ranks publish, in the layouts of gloo."""

    def found(self, *records):
        store = {f'0/{rank}': record for rank, record in enumerate(records)}
        return sockets.published(SimpleNamespace(get=store.get), len(records))

    def later(self, name, *ports, family=2):
        pairs = b''.join(struct.pack('=Q', n) for n in range(3))
        return b''.join(struct.pack('=Q', len(name)) + name + struct.pack('=Q', 136) + address(port, family) + pairs for port in ports)

    def test_one_address_a_pair_as_torch_1_13_has_it(self):
        self.assertEqual(self.found(address(2001) + address(2002), address(2003)), {('127.0.0.1', p) for p in (2001, 2002, 2003)})

    def test_the_host_s_name_first_as_torch_since_2_has_it(self):
        names = b'vm', b'', b'n' * 120, b'node-1.cluster.example'
        self.assertEqual(self.found(*(self.later(name, 3000 + at) for at, name in enumerate(names))),
                         {('127.0.0.1', 3000 + at) for at in range(4)})
        self.assertEqual(self.found(self.later(b'six', 3010, family=10)), {('::1', 3010)})


class Gloo(unittest.TestCase):
    """Real groups, two members in this process."""

    def groups(self, world, epoch):
        made = {}
        meets = self.meets = getattr(self, 'meets', None) or [group.Rendezvous(bytes(32)) for _ in range(world)]
        plan = SimpleNamespace(epoch=epoch, lead=1, survivors=0, members=list(range(world)), rendezvous=meets[0].address, reason='test')
        agent = SimpleNamespace(in_collective=lambda inside: None)

        def make(rank):
            made[rank] = group.Group(plan, rank, meets[rank], agent)

        threads = [threading.Thread(target=make, args=(rank,)) for rank in range(world)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        return [made[rank] for rank in range(world)]

    def test_every_survivor_that_aborts_is_woken_and_after_twenty_there_are_as_many_threads_as_before(self):
        before = 0
        for epoch in range(1, 23):  # what starts once has started behind the second
            first, second, away = self.groups(3, epoch)
            broken = []

            def wait(member, into):
                try:
                    member.sum(torch.ones(1 << 16))
                except group.GroupBroken:
                    into.append(member.rank)

            waiting = [threading.Thread(target=wait, args=(member, broken)) for member in (first, second)]
            for thread in waiting:
                thread.start()
            for member in (first, second):
                self.assertGreaterEqual(len(member._connections), 2)
                member.abort()
            for thread in waiting:
                thread.join(10)
            self.assertEqual(sorted(broken), [0, 1])
            for member in (first, second, away):
                member.close()
            del first, second, away, waiting
            gc.collect()
            if epoch == 2:
                before = len(os.listdir('/proc/self/task'))
        deadline = time.monotonic() + 10
        while len(os.listdir('/proc/self/task')) > before and time.monotonic() < deadline:
            time.sleep(0.05)  # detached threads of gloo end by themselves
        self.assertLessEqual(len(os.listdir('/proc/self/task')), before)

    def test_a_process_that_ends_right_behind_a_sum_is_not_aborted(self):
        program = '''
import sys, threading
sys.path.insert(0, sys.argv[1])
import torch
import sockets_test
first, second = sockets_test.Gloo().groups(2, 1)
sys.setswitchinterval(1000)  # the threads of gloo do not get the interpreter while this one has it

def take_part():
    for _ in range(20):
        second.sum(torch.ones(1 << 12))
other = threading.Thread(target=take_part)
other.start()
for _ in range(20):
    first.sum(torch.ones(1 << 12))
other.join()
'''
        for _ in range(5):
            run = subprocess.run([sys.executable, '-c', program, os.path.dirname(os.path.abspath(__file__))], text=True, check=False,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
            self.assertEqual((run.returncode, run.stdout), (0, ''))

    def test_a_group_whose_connections_are_not_found_is_refused(self):
        with mock.patch.object(sockets, 'find', lambda addresses: []):
            with self.assertRaisesRegex(KeyError, '0'), mock.patch.object(threading, 'excepthook', self.hear):
                self.groups(2, 1)
        self.assertRegex(self.heard, r'gloo of torch .*: 0 of 1 connections of this group were found')

    def hear(self, problem):
        self.heard = str(problem.exc_value)


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
