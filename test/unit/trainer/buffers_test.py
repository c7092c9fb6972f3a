"""Role: tests of fabric_model/buffers.py: what members make of a model's buffers together."""

import math
import unittest

import torch

from fabric_model.buffers import Buffers

EVERY = {'mask': torch.tensor([0.0, -math.inf]), 'waves': torch.tensor([1 + 2j, -0.5j]),
         'wide': torch.tensor([0.1234567890123456], dtype=torch.float64),
         'key': torch.tensor([123456789012345, -16777217]), 'flag': torch.tensor(True),
         'short': torch.tensor([1.5, 2.5], dtype=torch.bfloat16)}


class Holder(torch.nn.Module):
    def __init__(self, **buffers):
        super().__init__()
        for name, value in (buffers or EVERY).items():
            self.register_buffer(name, value.clone())


def together(members, shares, work, dtype=torch.float64):
    """One step of several members: `work` changes each member's module, where it has samples.
    The first has the first sample."""
    all_buffers = [Buffers(m) for m in members]
    rooms = [torch.zeros(b.room, dtype=dtype) for b in all_buffers]
    for rank, (member, buffers, weight) in enumerate(zip(members, all_buffers, shares)):
        buffers.begin()
        if weight:
            work(member, rank)
        buffers.write(rooms[rank], weight, rank == 0)
    total = sum(rooms)
    for buffers in all_buffers:
        buffers.read(total.clone(), sum(shares))


class BuffersTest(unittest.TestCase):
    def test_what_nobody_changed_stays_as_it_is_to_the_last_bit(self):
        for dtype in (torch.float32, torch.float64):
            members = [Holder(), Holder(), Holder()]
            together(members, [17, 16, 0], lambda member, rank: None, dtype)
            for member in members:
                for name, value in EVERY.items():
                    self.assertTrue(torch.equal(getattr(member, name), value), name)

    def test_statistics_become_the_mean_over_the_samples(self):
        def work(member, rank):
            member.mean.fill_(rank + 1.0)
            member.wave.fill_(complex(0, rank))
            member.short.fill_(rank + 1.0)

        like = {'mean': torch.zeros(()), 'wave': torch.zeros(2, dtype=torch.complex64),
                'short': torch.zeros(1, dtype=torch.bfloat16)}
        members = [Holder(**like), Holder(**like), Holder(**like)]
        together(members, [3, 1, 0], work, torch.float32)
        for member in members:
            self.assertEqual(member.mean.item(), 1.25)
            self.assertEqual(member.wave.tolist(), [0.25j, 0.25j])
            self.assertEqual(member.short.item(), 1.25)

    def test_infinities_of_a_member_without_samples_do_not_become_nan(self):
        members = [Holder(), Holder()]
        together(members, [5, 0], lambda member, _: member.mask[0].add_(3))
        self.assertEqual([m.mask.tolist() for m in members], [[3.0, -math.inf]] * 2)

    def test_counters_are_those_of_the_member_with_the_first_sample_whatever_their_size(self):
        def work(member, rank):
            member.key.add_(rank + 1)
            member.flag.logical_not_()

        for dtype in (torch.float32, torch.float64):
            members = [Holder(), Holder()]
            together(members, [1, 8], work, dtype)
            for member in members:
                self.assertEqual(member.key.tolist(), [123456789012346, -16777216])
                self.assertEqual(member.flag.item(), False)

    def test_a_buffer_to_which_forward_assigns_is_followed(self):
        members = [Holder(ema=torch.zeros(2)), Holder(ema=torch.zeros(2))]

        def work(member, rank):
            member.ema = 0.5 * member.ema + rank

        for _ in range(2):
            together(members, [2, 2], work)
        self.assertEqual([m.ema.tolist() for m in members], [[0.75, 0.75]] * 2)

    def test_one_that_has_another_shape_on_any_member_is_left_to_each(self):
        def work(member, rank):
            member.cache = torch.full((3 - rank,), 1.0 + rank)

        members = [Holder(cache=torch.zeros(2)), Holder(cache=torch.zeros(2))]
        together(members, [2, 2], work)
        self.assertEqual([m.cache.tolist() for m in members], [[1.0, 1.0, 1.0], [2.0, 2.0]])

    def test_undo_brings_them_back_also_when_they_were_assigned(self):
        member = Holder(ema=torch.ones(2), count=torch.tensor(5))
        buffers = Buffers(member)
        buffers.begin()
        member.ema = member.ema * 7
        member.count += 1
        buffers.undo()
        self.assertEqual((member.ema.tolist(), member.count.item()), ([1.0, 1.0], 5))


if __name__ == '__main__':
    unittest.main()
