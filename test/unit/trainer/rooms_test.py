"""Role: tests of fabric_model/rooms.py: sums through memory that the members of a host share are those of gloo, the same bits on all, and
nobody reads what is written later; where one has no such memory all go over gloo.
"""

import os
import random
import threading
import time
import unittest
from unittest import mock

import torch
import sockets_test

from fabric_model import group, rooms

LIMIT_S = 60


class Members(unittest.TestCase):
    """Real groups of gloo, in threads of this process."""

    def groups(self, world):
        made = sockets_test.Gloo().groups(world, 1)
        for one in made:
            self.addCleanup(one.close)
        return made

    def together(self, groups, work):
        """work(group) of all at once. Returns what each returned, by rank."""
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
        return [found[rank] for rank in range(len(groups))]

    def part(self, rank, size, dtype):
        return torch.randn(size, generator=torch.Generator().manual_seed(rank + size), dtype=dtype)

    def test_sums_are_right_and_the_same_bits_on_all_members(self):
        for world in (2, 3, 4):
            groups = self.groups(world)
            for size, dtype in ((1 << 14, torch.float32), (1 << 21, torch.float64), (100_003, torch.float32)):
                parts = [self.part(rank, size, dtype) for rank in range(world)]
                wanted = sum(parts[1:], parts[0].clone())
                found = [one.clone() for one in parts]
                self.together(groups, lambda member, found=found: member.sum(found[member.rank]))
                for one in found:
                    self.assertTrue(torch.equal(one, wanted), (world, size))
            self.assertTrue(all(member._rooms for member in groups))

    def test_no_member_reads_what_another_writes_later(self):
        """One after the other in a row, each member late at random."""
        groups, rounds = self.groups(3), 60
        self.assertGreater(rounds, 3)

        def work(member):
            source, wrong = random.Random(member.rank), 0
            for n in range(rounds):
                value = torch.full((20_000,), float(n * (member.rank + 1)))
                time.sleep(source.choice([0, 0, 0.002]))
                member.sum(value)
                wrong += int((value != n * 6).sum())
            return wrong

        self.assertEqual(self.together(groups, work), [0, 0, 0])

    def test_a_sum_is_longer_than_a_room(self):
        groups = self.groups(2)
        found = [torch.arange(700_001.0) + rank for rank in range(2)]
        self.together(groups, lambda member: member.sum(found[member.rank]))
        self.assertGreater(found[0].numel() * 4, 2 * rooms.ROOM)
        self.assertTrue(all(torch.equal(one, torch.arange(700_001.0) * 2 + 1) for one in found))

    def test_what_is_small_or_no_float_or_of_many_goes_over_gloo(self):
        for tensor, world in ((torch.zeros(100), 2), (torch.zeros(1 << 20, dtype=torch.int64), 2), (torch.zeros(1 << 20), rooms.MOST + 1),
                              (torch.zeros(1 << 10, 1 << 10).t(), 2)):
            self.assertFalse(rooms.suits(tensor, world))
        groups = self.groups(2)
        small = [torch.ones(10), torch.ones(10)]
        self.together(groups, lambda member: member.sum(small[member.rank]))
        self.assertTrue(all((one == 2).all() for one in small))
        self.assertFalse(any(member._looked for member in groups))

    def test_where_one_has_no_such_memory_all_go_over_gloo(self):
        real = rooms._mapped

        def fails(head):
            if threading.current_thread() is not self.first:
                return real(head)
            raise PermissionError('of another host')

        def work(member):
            if member.rank == 0:
                self.first = threading.current_thread()
            self.barrier.wait(LIMIT_S)
            value = torch.ones(1 << 15)
            member.sum(value)
            return bool((value == 3).all()), member._rooms

        self.barrier = threading.Barrier(3)
        with mock.patch.object(rooms, '_mapped', fails):
            self.assertEqual(self.together(self.groups(3), work), [(True, None)] * 3)
        with mock.patch.object(os, 'memfd_create', side_effect=OSError('no memory')):
            self.assertEqual(self.together(self.groups(3), work), [(True, None)] * 3)

    def test_one_that_waits_for_a_member_is_woken_by_an_abort(self):
        groups = self.groups(3)
        self.together(groups, lambda member: member.sum(torch.ones(1 << 15)))

        def work(member):
            if member.rank == 2:
                time.sleep(0.2)
                for other in groups:
                    other.abort()
                return None
            member.sum(torch.ones(1 << 15))
            return None

        found = self.together(groups, work)
        self.assertIsInstance(found[0], group.GroupBroken)
        self.assertIsInstance(found[1], group.GroupBroken)

    def test_memory_that_is_not_the_member_s_is_not_taken(self):
        own = rooms._Own()
        self.addCleanup(own.close)
        self.assertEqual(tuple(rooms._mapped(own.head()).shape), (2, rooms.ROOM))
        head = own.head()
        head[-1] ^= 1  # of its token
        with self.assertRaisesRegex(ValueError, 'memory of another'):
            rooms._mapped(head)
        with open(os.devnull, 'rb') as other, self.assertRaisesRegex(ValueError, 'memory'):
            head = own.head()
            head[8:16] = torch.frombuffer(bytearray(other.fileno().to_bytes(8, 'little')), dtype=torch.uint8)
            rooms._mapped(head)

    def opened(self):
        """Rooms of this process."""
        return sum('wm-rooms' in os.readlink(f'/proc/self/fd/{n}') for n in os.listdir('/proc/self/fd') if os.path.islink(f'/proc/self/fd/{n}'))

    def test_nothing_is_left_open(self):
        before, made = self.opened(), sockets_test.Gloo().groups(2, 1)
        self.together(made, lambda member: member.sum(torch.ones(1 << 15)))
        self.assertGreater(self.opened(), before)
        for one in made:
            one.close()
        self.assertEqual(self.opened(), before)

    def test_nothing_is_left_open_where_a_member_never_comes(self):
        before, groups = self.opened(), self.groups(2)

        def work(member):
            if member.rank:
                time.sleep(0.1)
                groups[0].abort()
            else:
                member.sum(torch.ones(1 << 15))

        self.assertIsInstance(self.together(groups, work)[0], group.GroupBroken)
        self.assertEqual(self.opened(), before)


if __name__ == '__main__':
    unittest.main()
