"""Role: tests of fabric_model/flat.py: what a round's all-reduce carries and what comes of it."""

import itertools
import unittest
from unittest import mock

import torch

from fabric_model.amp import suspect
from fabric_model.flat import FIXED, FlatModel, Numbers, all_agree, flags
from fabric_model.noise import SHARES

NONE = [0.0] * (FIXED - 1)  # nothing to say before the loss


class Members:
    """Several members' groups in one process: sum() of each adds the others' prepared tensors."""

    def __init__(self, others=(), world=1):
        self.world, self._others = world, list(others)

    def sum(self, tensor):
        for other in self._others:
            tensor += other


def total(ready):
    return [sum(column) for column in zip(*(flags(epoch) for epoch in ready))]


class AgreementTest(unittest.TestCase):
    def test_agreed_only_when_all_stand_ready_for_the_same_plan(self):  # W-5
        self.assertTrue(all_agree(total([7, 7, 7]), 3))
        self.assertFalse(all_agree(total([7, 7, 0]), 3))
        self.assertFalse(all_agree(total([7, 8, 7]), 3))
        self.assertFalse(all_agree(total([0, 0, 0]), 3))

    def test_no_mixture_of_different_plans_looks_like_agreement(self):
        for world in (2, 3, 5):
            for first in range(1, 60):
                for second in range(first + 1, 61):
                    for count in range(1, world):
                        ready = [first] * count + [second] * (world - count)
                        self.assertFalse(all_agree(total(ready), world), ready)


class FlatModelTest(unittest.TestCase):
    def model(self, dtype=torch.float64):
        torch.manual_seed(3)
        return torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3)).to(dtype)

    def backward(self, model, inputs, factor):
        (model(inputs).square().mean() * factor).backward()

    def test_gradients_of_unequal_shares_are_weighted_by_their_samples(self):
        model = torch.nn.Linear(4, 1).double()
        x = torch.randn(34, 4, dtype=torch.float64)
        whole = torch.autograd.grad(model(x).square().mean(), list(model.parameters()))
        flat = FlatModel(model, 1)
        contributions = []
        for part in (x[:30], x[30:]):
            flat.begin()
            self.backward(model, part, len(part))
            captured = []
            probe = Members(world=2)
            probe.sum = lambda tensor: captured.append(tensor.clone())
            flat.sum(probe, len(part), False, NONE + [1.0, 1.0])
            contributions.append(captured[0])
        flat.begin()
        tail = flat.sum(Members(contributions, 3), 0, False, NONE + [0.0, 0.0])
        flat.take((tail.weight, tail.weight))
        self.assertEqual(tail.weight, 34)
        for wanted, parameter in zip(whole, model.parameters()):
            torch.testing.assert_close(parameter.grad, wanted, rtol=1e-12, atol=1e-14)

    def test_a_parameter_that_no_member_has_a_gradient_of_has_none(self):
        for wide in (True, False):  # of one dtype, or of two
            used, unused = torch.nn.Linear(2, 1).double(), torch.nn.Linear(2, 2)
            unused = unused.double() if wide else unused
            theirs = torch.nn.Linear(2, 2).to(unused.weight.dtype)  # only another member uses it
            model = torch.nn.ModuleList([used, unused, theirs])
            flat, step = FlatModel(model, 0), torch.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.5)
            flat.begin()
            theirs(torch.ones(1, 2, dtype=theirs.weight.dtype)).sum().backward()
            other, probe = [], Members(world=2)
            probe.sum = lambda tensor: other.append(tensor.clone())
            flat.sum(probe, 1, False, NONE + [0.0])
            flat.begin()
            used(torch.ones(1, 2, dtype=torch.float64)).sum().backward()
            group = Members(world=2)
            group.sum = lambda tensor: tensor.add_(other.pop(0))
            flat.sum(group, 1, True, NONE + [0.0])
            flat.take((2, 2))
            self.assertEqual([p.grad is None for p in model.parameters()], [False, False, True, True, False, False])
            before = unused.weight.clone()
            step.step()
            self.assertTrue(torch.equal(unused.weight, before))
            flat.begin()  # the next step may use it
            unused(torch.ones(1, 2, dtype=unused.weight.dtype)).sum().backward()
            flat.sum(Members(), 1, True, NONE + [0.0])
            flat.take((1, 1))
            self.assertTrue(unused.weight.grad.bool().all())
            self.assertIsNone(used.weight.grad)
            flat.close()
            self.assertFalse(any(p._backward_hooks for p in model.parameters()))

    def test_the_gradient_of_the_whole_step_is_clipped(self):
        model = torch.nn.Linear(3, 1, bias=False).double()
        flat, group = FlatModel(model, 0), Members(world=2)
        group.sum = lambda tensor: tensor.mul_(2)
        flat.begin()
        (model(torch.tensor([[3.0, 4.0, 0.0]], dtype=torch.float64)).sum()).backward()
        flat.sum(group, 1, True, NONE + [0.0])
        flat.take((2, 2))
        flat.clip(2.5)
        torch.testing.assert_close(model.weight.grad, torch.tensor([[1.5, 2.0, 0.0]], dtype=torch.float64), rtol=1e-5,
                                   atol=0)

    def test_gradients_that_user_code_replaced_are_taken_too(self):
        model = self.model()
        flat = FlatModel(model, 1)
        flat.begin()
        for p in model.parameters():
            p.grad = None
        self.backward(model, torch.randn(5, 4, dtype=torch.float64), 1)
        wanted = [p.grad.clone() for p in model.parameters()]
        flat.sum(Members(), 1, True, NONE + [0.0, 0.0])
        flat.take((1, 1))
        for p, value in zip(model.parameters(), wanted):
            torch.testing.assert_close(p.grad, value)

    def test_buffers_of_a_member_alone_are_not_touched(self):
        model = self.model(torch.float32)
        model.register_buffer('exact', torch.tensor([0.1234567890123456], dtype=torch.float64))
        flat = FlatModel(model, 1)
        flat.begin()
        self.backward(model, torch.randn(7, 4), 1)
        wanted = [b.clone() for b in model.buffers()]
        flat.sum(Members(), 7, True, NONE + [0.0, 0.0])
        flat.take((7, 7))
        for buffer, value in zip(model.buffers(), wanted):
            self.assertTrue(torch.equal(buffer, value))

    def test_a_parameter_that_is_unfrozen_while_training_is_refused_by_name(self):
        model = self.model()
        model[0].weight.requires_grad_(False)
        flat = FlatModel(model, 1)
        flat.begin()
        model[0].weight.requires_grad_(True)
        with self.assertRaisesRegex(ValueError, "parameter '0.weight' was frozen when train"):
            flat.begin()

    def test_undo_brings_the_running_statistics_back(self):
        model = self.model()
        before = [b.clone() for b in model.buffers()]
        flat = FlatModel(model, 1)
        flat.begin()
        self.backward(model, torch.randn(5, 4, dtype=torch.float64), 1)
        flat.undo()
        for buffer, value in zip(model.buffers(), before):
            torch.testing.assert_close(buffer, value)

    def test_undo_after_a_step_was_taken_changes_nothing(self):
        model = self.model()
        flat = FlatModel(model, 1)
        flat.begin()
        self.backward(model, torch.randn(5, 4, dtype=torch.float64), 1)
        flat.sum(Members(), 5, True, NONE + [0.0, 0.0])
        flat.take((5, 5))
        after = [b.clone() for b in model.buffers()]
        flat.undo()
        for buffer, value in zip(model.buffers(), after):
            torch.testing.assert_close(buffer, value)

    def test_half_precision_is_summed_in_single(self):
        model = self.model(torch.bfloat16)
        flat = FlatModel(model, 0)
        flat.begin()
        self.backward(model, torch.randn(5, 4).to(torch.bfloat16), 1)
        wanted = [p.grad.clone() for p in model.parameters()]
        flat.sum(Members(), 1, True, NONE + [0.0])
        flat.take((1, 1))
        for p, value in zip(model.parameters(), wanted):
            self.assertEqual(p.grad.dtype, torch.bfloat16)
            torch.testing.assert_close(p.grad, value)

    def own_step(self, flat, model, inputs, set_to_none):
        """As fn_step_train is run: a mean gradient, which becomes a sum."""
        before = flat.detach()
        for p in model.parameters():
            if set_to_none or p.grad is None:
                p.grad = None
            else:
                p.grad.zero_()
        self.backward(model, inputs, 1)
        flat.scale(len(inputs))
        flat.add(before)

    def test_own_step_functions_get_their_gradients_scaled_however_they_clear_them(self):
        for dtype, set_to_none in itertools.product((torch.float32, torch.bfloat16), (True, False)):
            model = torch.nn.Linear(4, 1).to(dtype)
            bites = torch.randn(24, 4).to(dtype).split([16, 8])
            wanted = [torch.zeros(p.shape) for p in model.parameters()]
            for bite in bites:
                grads = torch.autograd.grad(model(bite).square().mean(), list(model.parameters()))
                wanted = [w + g.float() * len(bite) / 24 for w, g in zip(wanted, grads)]
            flat = FlatModel(model, 0)
            flat.begin()
            for bite in bites:
                self.own_step(flat, model, bite, set_to_none)
            flat.square()
            flat.sum(Members(), 24, True, NONE + [0.0])
            flat.take((24, 24))
            for p, value in zip(model.parameters(), wanted):
                torch.testing.assert_close(p.grad, value.to(dtype))

    def test_one_member_alone_reads_nothing_of_its_device_and_several_read_once(self):
        for world, reads in ((1, 0), (2, 1)):
            model = self.model()
            flat, seen = FlatModel(model, 1), []
            flat.begin()
            self.backward(model, torch.randn(5, 4, dtype=torch.float64), 1)
            counted = {name: (lambda tensor, real=getattr(torch.Tensor, name): seen.append(1) or real(tensor)) for name in ('item', 'tolist')}
            with mock.patch.multiple(torch.Tensor, **counted):
                tail = flat.sum(Members(world=world), 5, True, NONE + [1.5, 2.5])
                flat.without_gradient()
            self.assertEqual((len(seen), tail.weight, tail.sums), (reads, 5, [1.5, 2.5]))

    def test_numbers_alone_make_a_round_without_gradients(self):
        said = flags(5) + [1.0] + [0.5] * SHARES + [64.0, 1.5] + suspect(23, False)
        tail = Numbers(2).sum(Members(), 3, said + [9.0, 2.0, 1.0])
        self.assertEqual((tail.batch, tail.gain), (64, 1.5))
        self.assertEqual((tail.weight, tail.switch, tail.checkpoint), (3, True, True))
        self.assertEqual((tail.noise, tail.suspects), ([0.5] * SHARES, [23]))
        self.assertEqual(tail.sums, [9.0, 2.0, 1.0])


if __name__ == '__main__':
    unittest.main()
