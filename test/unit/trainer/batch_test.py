"""Role: tests of fabric_model/batch.py against steps whose time is known."""

import unittest

import torch

from fabric_model import batch
from fabric_model.batch import Chooser, Range

LIMITS = Range(initial=32, most=1024, at_once=32)
NOISY, QUIET = 1e6, 1.0


def optimizer(kind=torch.optim.SGD):
    return kind([torch.nn.Parameter(torch.zeros(1))], lr=0.5)


def settled(world, noise, fixed, each, steps=400):
    """The batch chosen after so many steps that take fixed + each x local seconds."""
    chooser, now = Chooser(LIMITS, optimizer()), LIMITS.initial
    for _ in range(steps):
        chooser.took(now / world, fixed + each * now / world)
        now = chooser.next(now, world, noise)
    return now


class Ranges(unittest.TestCase):
    def test_a_pass_keeps_some_steps(self):
        self.assertEqual(Range.of(64, 60000), Range(64, 2048, 64))
        self.assertEqual(Range.of(None, 60000).initial, 32)
        self.assertEqual(Range.of(64, 1000), Range(64, 100, 64))
        self.assertEqual(Range.of(64, 50), Range(50, 50, 50))


class Choices(unittest.TestCase):
    def test_where_samples_are_noisy_and_steps_cost_a_larger_batch_wins(self):
        self.assertEqual(settled(8, NOISY, fixed=0.1, each=0.0001), 8 * 32)

    def test_where_gradients_agree_it_stays(self):
        self.assertEqual(settled(8, QUIET, fixed=0.1, each=0.001), 32)

    def test_where_only_samples_cost_it_tries_and_comes_back_or_gains_nothing(self):
        found = settled(4, 200.0, fixed=0.0, each=0.01)
        self.assertLess(found, 64)

    def test_in_between_it_is_the_best_of_the_known_curve(self):
        fixed, each, noise = 0.02, 0.001, 300.0
        found = settled(16, noise, fixed, each)

        def goodput(size):
            return size / (fixed + each * size / 16) * (noise + 32) / (noise + size)
        best = max(goodput(size) for size in range(32, 513))
        self.assertGreater(goodput(found), best / 1.06)

    def test_it_waits_until_it_has_measured(self):
        chooser = Chooser(LIMITS, optimizer())
        for _ in range(19):
            chooser.took(8, 0.1)
        self.assertEqual(chooser.next(32, 4, NOISY), 32)
        chooser.took(8, 0.1)
        self.assertGreater(chooser.next(32, 4, NOISY), 32)
        chooser.enter()
        self.assertEqual(chooser.next(32, 4, NOISY), 32)

    def test_without_noise_nothing_is_known(self):
        self.assertEqual(settled(4, -1.0, fixed=0.1, each=0.001), 32)

    def test_fewer_members_take_no_more_than_they_compute_at_once(self):
        chooser = Chooser(LIMITS, optimizer())
        self.assertEqual(chooser.next(256, 2, NOISY), 64)
        self.assertEqual(chooser.next(256, 1, NOISY), 32)


class LearningRates(unittest.TestCase):
    def test_sgd_gains_what_the_noise_allows(self):
        chooser = Chooser(LIMITS, optimizer())
        self.assertEqual(chooser.gain(32, 100.0), 1.0)
        self.assertAlmostEqual(chooser.gain(128, 1e9), 4.0, places=3)
        self.assertAlmostEqual(chooser.gain(128, 0.0), 1.0)
        self.assertEqual(chooser.gain(128, -1.0), 1.0)

    def test_adaptive_optimizers_gain_the_square_root(self):
        self.assertEqual(Chooser(LIMITS, optimizer(torch.optim.Adam)).gain(128, 5.0), 2.0)

    def test_a_step_leaves_the_rate_as_it_was(self):
        made = optimizer()
        parameter = made.param_groups[0]['params'][0]
        parameter.grad = torch.ones(1)
        batch.step(made, 4.0)
        self.assertEqual(parameter.item(), -2.0)
        self.assertEqual(made.param_groups[0]['lr'], 0.5)


if __name__ == '__main__':
    unittest.main()
