"""Role: tests of wm_steps.py: what a program that is started again at each size says of its steps."""

import os
import unittest
from unittest import mock

import torch

import wm_steps


class Told:
    def __init__(self):
        self.said = []

    def progress(self, **values):
        self.said.append(values)


class StepsTest(unittest.TestCase):
    def setUp(self):
        self.now = 100.0
        self.told = Told()
        self.reporter = wm_steps.Reporter(self.told, 3, lambda: self.now)

    def steps(self, count, seconds, samples=32):
        for _ in range(count):
            self.now += seconds
            self.reporter.step(samples, 0.5)

    def test_nothing_is_said_before_there_is_something_to_say(self):
        self.steps(3, 0.1)
        self.assertEqual(self.told.said, [])
        self.steps(1, 0.1)
        said = self.told.said[0]
        self.assertEqual((said['epoch'], said['step'], said['samples']), (3, 4, 128))
        self.assertAlmostEqual(said['step_time_s'], 0.1)
        self.assertAlmostEqual(said['samples_per_s'], 320)

    def test_one_long_step_is_enough(self):
        self.steps(2, 2.0)
        self.assertAlmostEqual(self.told.said[0]['step_time_s'], 2.0)

    def test_a_pause_between_steps_does_not_count(self):
        self.steps(10, 0.1)
        self.steps(1, 30.0)
        self.assertAlmostEqual(self.told.said[-1]['step_time_s'], 0.1)

    def test_short_steps_are_not_each_told(self):
        self.steps(1000, 0.001)
        self.assertLess(len(self.told.said), 8)

    def test_a_step_without_samples_is_refused(self):
        with self.assertRaisesRegex(ValueError, 'a step of 0 samples'):
            self.reporter.step(0, 0.0)

    def test_an_optimizer_is_watched_whether_a_scheduler_comes_before_or_after(self):
        for first in (True, False):
            weight = torch.nn.Parameter(torch.ones(1))
            optimizer = torch.optim.SGD([weight], lr=0.1)
            counts = []
            with mock.patch.dict(os.environ, {'WORLD_SIZE': '4'}), \
                    mock.patch.object(wm_steps, 'report', counts.append):
                if first:
                    wm_steps.watch(optimizer, 8)
                scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
                if not first:
                    wm_steps.watch(optimizer, 8)
                weight.grad = torch.ones(1)
                optimizer.step()
                scheduler.step()
            self.assertEqual(counts, [32])
            self.assertAlmostEqual(weight.item(), 0.9, places=6)
            self.assertAlmostEqual(optimizer.param_groups[0]['lr'], 0.01)

    def test_other_ranks_and_programs_outside_say_nothing(self):
        inside = {'WM_START': '1', 'WM_ELASTIC_SOCKET': '/nowhere', 'RANK': '1'}
        for environment in (inside, {'RANK': '0'}):
            wm_steps._reporter.cache_clear()
            with mock.patch.dict(os.environ, environment, clear=True):
                self.assertIsNone(wm_steps._reporter())
        wm_steps._reporter.cache_clear()


if __name__ == '__main__':
    unittest.main()
