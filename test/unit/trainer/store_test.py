"""Role: tests of fabric_model's store.py, proof.py and group.py: strangers on this machine get nothing of
a job's rendezvous, members do.
"""

import contextlib
import datetime
import socket
import threading
import time
import unittest
from types import SimpleNamespace
from unittest import mock

import torch

from fabric_model import group, proof, store

KEY, OTHER = b'k' * 32, b'o' * 32
LIMIT_S = 20


def client(server, key=KEY, prefix='a'):
    return store.Client(server.address, prefix, key, LIMIT_S, lambda: False)


def read_to_end(link):
    link.settimeout(LIMIT_S)
    text = b''
    try:
        while chunk := link.recv(4096):
            text += chunk
    except ConnectionError:
        pass
    return text


class StoreTest(unittest.TestCase):
    def setUp(self):
        self.server = store.Server('127.0.0.1', KEY)
        self.member = client(self.server)
        self.addCleanup(self.member.close)

    def client(self, server=None, **how):
        made = client(server or self.server, **how)
        self.addCleanup(made.close)
        return made

    def stranger(self):
        link = socket.create_connection(('127.0.0.1', self.server.port))
        self.addCleanup(link.close)
        return link

    def test_members_find_what_members_have_set_below_their_prefix(self):
        second, apart = self.client(), self.client(prefix='b')
        self.member.set('k', b'\0value')
        apart.set('k', '')
        self.assertEqual((second.get('k'), apart.get('k')), (b'\0value', b''))

    def test_requests_of_one_who_proves_nothing_are_neither_answered_nor_done(self):
        self.member.set('k', b'secret')
        ask = b'G' + store._framed(b'a/k') + store._framed(b'')
        put = b'S' + store._framed(b'a/k') + store._framed(b'forged')
        for words in (ask, put, bytes(32) + put + bytes(32), bytes(64) + ask):
            link = self.stranger()
            link.sendall(words)
            with contextlib.suppress(OSError):  # it has hung up already
                link.shutdown(socket.SHUT_WR)
            self.assertNotIn(b'secret', read_to_end(link))
        self.assertEqual(self.member.get('k'), b'secret')

    def test_the_proof_has_to_be_by_the_key_and_of_this_connection(self):
        own = bytes(32)
        for key, role in ((OTHER, 'client'), (KEY, 'server')):
            link = self.stranger()
            link.settimeout(LIMIT_S)
            link.sendall(own)
            theirs = store._exactly(link, 64)[:32]
            link.sendall(proof.of(key, role, self.server.address, own, theirs))
            self.assertEqual(read_to_end(link), b'')

    def test_a_server_that_does_not_hold_the_key_is_told_nothing(self):
        for impostor in (store.Server('127.0.0.1', OTHER), store.Server('127.0.0.1', None)):
            with self.assertRaises(ConnectionError):
                client(impostor)
        with self.assertRaisesRegex(proof.Stranger, 'gave no key'):
            client(self.server, key=None)

    def test_nobody_can_pass_the_proofs_of_another_worker_on(self):
        between = socket.create_server(('127.0.0.1', 0))
        self.addCleanup(between.close)

        def relay():
            near, far = between.accept()[0], self.stranger()
            with near:
                far.sendall(store._exactly(near, 32))
                near.sendall(store._exactly(far, 64))
                read_to_end(near)

        threading.Thread(target=relay, daemon=True).start()
        with self.assertRaisesRegex(proof.Stranger, 'does not hold the key'):
            store.Client('127.0.0.1:%d' % between.getsockname()[1], 'a', KEY, LIMIT_S, lambda: False)

    def test_strangers_who_say_nothing_keep_no_member_out(self):
        with mock.patch.object(store, '_STRANGERS', 4):
            silent = [self.stranger() for _ in range(12)]
            late = self.client()
            late.set('k', b'1')
            self.assertEqual(read_to_end(silent[0]), b'')  # the oldest were let go
        self.assertEqual(self.member.get('k'), b'1')


class Mesh:
    """Stands in for gloo's, between threads: `lines[from, to]` hold what was sent."""

    def __init__(self, rank, lines):
        self._rank, self._lines = rank, lines

    def size(self):
        return 2

    def send(self, tensors, rank, _tag):
        self._lines[self._rank, rank] = tensors[0].clone()
        return SimpleNamespace(wait=lambda limit: None)

    def recv(self, tensors, rank, _tag):
        def wait(limit):
            if (rank, self._rank) not in self._lines:
                raise RuntimeError('nothing came')
            tensors[0].copy_(self._lines[rank, self._rank])
        return SimpleNamespace(wait=wait)


class PairTest(unittest.TestCase):
    nonces = [b'1' * 32, b'2' * 32]

    def prove(self, rank, lines, key=KEY, name='wm/1/1'):
        group._prove(Mesh(rank, lines), rank, time.monotonic() + 1, group._pair_proofs(key, name, self.nonces))

    def heard_by_0(self, **theirs):
        """What member 0 makes of who speaks as member 1."""
        lines = {}
        with mock.patch.object(proof, 'fits', lambda *_: True):
            lines[0, 1] = torch.zeros(32, dtype=torch.uint8)
            self.prove(1, lines, **theirs)
        self.prove(0, lines)

    def test_members_believe_each_other_and_nobody_else(self):
        self.heard_by_0()
        for theirs in ({'key': OTHER}, {'name': 'wm/1/2'}):
            with self.assertRaisesRegex(RuntimeError, 'as member 1 does not hold the key'):
                self.heard_by_0(**theirs)
        with self.assertRaisesRegex(RuntimeError, 'nothing came'):
            self.prove(0, {})

    def test_an_own_proof_that_comes_back_is_none(self):
        own = {}
        own[1, 0] = group._pair_proofs(KEY, 'wm/1/1', self.nonces)(0, 1)
        with self.assertRaisesRegex(RuntimeError, 'as member 1'):
            self.prove(0, own)

    def test_a_mesh_of_members_stands_and_sums(self):
        keys, found = [KEY, KEY], {}
        ends = [group.Rendezvous(key) for key in keys]
        plan = SimpleNamespace(members=[1, 2], lead=1, epoch=1, rendezvous=ends[0].address)

        def connect(rank):
            mesh, *_ = group._connect(plan, rank, ends[rank], lambda: False)
            value = torch.tensor([rank + 1.0])
            mesh.allreduce([value]).wait(datetime.timedelta(seconds=LIMIT_S))
            found[rank] = value.item()

        threads = [threading.Thread(target=connect, args=(rank,)) for rank in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT_S)
        self.assertEqual(found, {0: 3.0, 1: 3.0})


if __name__ == '__main__':
    unittest.main()
