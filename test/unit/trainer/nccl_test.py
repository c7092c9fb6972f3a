"""Role: tests of fabric_model/nccl.py with a library and devices that are played: who goes over NCCL, that all members decide alike, and
that no wait outlives its group. What the library itself does, only a GPU shows.
"""

import ctypes
import os
import threading
import time
import unittest
from types import SimpleNamespace
from unittest import mock

import torch
import sockets_test

from fabric_model import group, nccl

LIMIT_S = 30


class Carriers(unittest.TestCase):
    """Which rule."""

    def test_members_with_a_device_each_go_over_nccl(self):
        self.assertEqual(nccl.carrier(['a/GPU-1', 'a/GPU-2', 'b/GPU-1']), '')

    def test_two_on_one_device_go_over_gloo_but_for_tests(self):
        self.assertEqual(nccl.carrier(['a/GPU-1', 'b/GPU-2', 'a/GPU-1']), 'ranks 0 and 2 share a GPU, which NCCL refuses')
        self.assertEqual(nccl.carrier(['a/GPU-1', 'a/GPU-1'], shared=True), '')

    def test_where_one_has_none_all_go_over_gloo(self):
        self.assertEqual(nccl.carrier(['a/GPU-1', '- NCCL cannot be loaded: x'], shared=True), 'rank 1: NCCL cannot be loaded: x')

    def test_a_model_on_the_cpu_says_so(self):
        for device in (None, torch.device('cpu')):
            self.assertEqual(nccl.told(device), '- the model of a member is not on a GPU')

    def test_a_library_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(nccl.Broken, 'NCCL cannot be loaded: .*no-such-library'):
            nccl.Library('no-such-library.so')

    def test_versions_are_told_as_people_write_them(self):
        self.assertEqual((nccl.text_of(22809), nccl.text_of(21805)), ('2.28.9', '2.18.5'))


class Played:
    """A library. Communicators of all ranks are in this process; a sum is done when all have asked for it."""

    version = 22809

    def __init__(self):
        self._lock, self.worlds, self.aborted, self.destroyed = threading.Lock(), {}, [], []
        self.absent, self.fails = set(), set()  # ranks that never begin; whose begin fails

    def unique(self):
        return os.urandom(128)

    def begin(self, unique, rank, world):
        if rank in self.fails:
            raise nccl.Broken('no room on the device')
        with self._lock:
            made = self.worlds.setdefault(unique, SimpleNamespace(size=world, here=set(), asked={}))
            if rank not in self.absent:
                made.here.add(rank)
            return SimpleNamespace(world=made, rank=rank, sums=0)

    def is_through(self, comm):
        return len(comm.world.here) == comm.world.size

    def all_reduce(self, comm, address, count, kind, _stream):
        assert kind == 7
        with self._lock:
            asked = comm.world.asked.setdefault(comm.sums, {})
            comm.sums += 1
            asked[comm.rank] = (ctypes.c_float * count).from_address(address)
            if len(asked) == comm.world.size:
                total = [sum(column) for column in zip(*asked.values())]
                for one in asked.values():
                    one[:] = total
        comm.asked = asked

    def abort(self, comm):
        self.aborted.append(comm.rank)

    def finalize(self, comm):
        pass

    def destroy(self, comm):
        self.destroyed.append(comm.rank)


class PlayedDevice:
    """A device: what was asked for last is done when all have asked."""

    def __init__(self, _device):
        self.comm = None

    def choose(self):
        pass

    def stream(self):
        return 0

    def mark(self):
        return SimpleNamespace(query=lambda: self.is_done())


class Groups(unittest.TestCase):
    """Groups of gloo with a communicator beside them."""

    def setUp(self):
        self.library, self.said = Played(), []
        devices = iter(range(100))
        for target, name, value in (
                (nccl, 'load', lambda: self.library), (nccl, 'wanted', lambda: True), (nccl, 'suits', lambda tensor: tensor.numel() > 3),
                (nccl, 'told', lambda _device: f'a/GPU-{next(devices)}'), (nccl, 'Cuda', PlayedDevice), (group, '_say', self.said.append)):
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def groups(self, world):
        made = sockets_test.Gloo().groups(world, 1)
        for one in made:
            self.addCleanup(one.close)
            if one._comm:
                one._comm._device.is_done = lambda comm=one._comm._comm: len(comm.asked) == comm.world.size
        return made

    def together(self, groups, work):
        found = {}

        def one(member):
            try:
                found[member.rank] = work(member)
            except group.GroupBroken as error:
                found[member.rank] = error

        threads = [threading.Thread(target=one, args=(member,)) for member in groups]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT_S)
        return [found[member.rank] for member in groups]

    def test_large_sums_go_over_it_and_small_ones_over_gloo(self):
        groups = self.groups(3)

        def work(member):
            large, small = torch.full((8,), float(member.rank)), torch.ones(2)
            member.sum(large)
            member.sum(small)
            return large.tolist(), small.tolist()

        self.assertEqual(self.together(groups, work), [([3.0] * 8, [3.0] * 2)] * 3)
        self.assertEqual([member._comm._comm.sums for member in groups], [1, 1, 1])
        self.assertEqual(self.said, ['gradients over NCCL 2.28.9'])

    def test_one_that_waits_for_a_member_that_is_gone_is_woken_by_the_lead_s_word(self):
        groups = self.groups(3)

        def work(member):
            if member.rank == 2:  # never asks for it
                time.sleep(0.1)
                for other in groups:
                    other.abort()
                return None
            member.sum(torch.ones(8))
            return None

        found = self.together(groups, work)
        self.assertIsInstance(found[0], group.GroupBroken)
        self.assertIsInstance(found[1], group.GroupBroken)
        for one in groups:
            one.close()
        deadline = time.monotonic() + LIMIT_S
        while len(self.library.aborted) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual((sorted(self.library.aborted), self.library.destroyed), ([0, 1, 2], []))  # each once

    def test_where_it_fails_on_one_all_go_over_gloo_and_the_others_give_theirs_back(self):
        self.library.fails = {1}
        with mock.patch.object(group, '_LAST_S', group.CONNECT_LIMIT_S - 0.5):
            groups = self.groups(3)
        self.assertEqual([member._comm for member in groups], [None] * 3)
        self.assertEqual(self.said, ['gradients over gloo: rank 1: no room on the device'])
        self.assertEqual(self.together(groups, lambda member: self.summed(member)), [24.0] * 3)

    def test_where_it_does_not_come_to_stand_all_go_over_gloo_before_the_epoch_is_given_up(self):
        self.library.absent = {2}
        with mock.patch.object(group, '_LAST_S', group.CONNECT_LIMIT_S - 0.5):
            groups = self.groups(3)
        self.assertEqual(self.said, ['gradients over gloo: rank 0: given up'])
        self.assertEqual(self.together(groups, self.summed), [24.0] * 3)

    @staticmethod
    def summed(member):
        value = torch.ones(8)
        member.sum(value)
        return value.sum().item()

    def test_two_on_one_device_are_said_and_go_over_gloo(self):
        with mock.patch.object(nccl, 'told', lambda _device: 'a/GPU-1'):
            groups = self.groups(2)
        self.assertEqual(self.said, ['gradients over gloo: ranks 0 and 1 share a GPU, which NCCL refuses'])
        self.assertEqual(self.together(groups, self.summed), [16.0] * 2)

    def test_who_leaves_in_peace_gives_it_back_and_aborts_nothing(self):
        groups = self.groups(2)
        self.together(groups, self.summed)
        self.together(groups, lambda member: member.leave())
        self.assertEqual((sorted(self.library.destroyed), self.library.aborted), ([0, 1], []))

    def test_it_is_not_looked_for_where_the_job_does_not_ask(self):
        with mock.patch.object(nccl, 'wanted', lambda: False):
            groups = self.groups(2)
        self.assertEqual(([member._comm for member in groups], self.said), ([None, None], []))


if __name__ == '__main__':
    unittest.main()
