"""Role: tests of fabric_model/data.py: batches, and randomness that belongs to the sample."""

import contextlib
import io
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import unittest
from unittest import mock

import numpy
import torch

from fabric_model import data
from fabric_model.data import Batches, SampleRandom


class Random:
    """Samples that draw from every generator."""

    def __len__(self):
        return 50

    def __getitem__(self, number):
        return (number, torch.rand(1).item(), random.random(), numpy.random.rand())


class Plain(Random):
    def __getitem__(self, number):
        if number == 13:
            raise ValueError('sample 13 is unreadable')
        return torch.tensor([float(number)]), number


def as_rows(samples):
    return [tuple(s) for s in samples]


class DataTest(unittest.TestCase):
    def test_a_sample_is_drawn_alike_in_whatever_batch_it_comes(self):
        numbers, seeds = list(range(40)), [n * 7919 for n in range(40)]
        whole = Batches(Random(), as_rows).get(numbers, seeds)
        other = Batches(Random(), as_rows)
        pieces = [row for k in (3, 0, 2, 1) for row in other.get(numbers[k * 10:k * 10 + 10],
                                                                 seeds[k * 10:k * 10 + 10])]
        self.assertEqual(sorted(whole), sorted(pieces))

    def test_fetching_leaves_the_programs_own_randomness_alone(self):
        batches = Batches(Random(), as_rows)
        torch.manual_seed(1), random.seed(1), numpy.random.seed(1)
        wanted = (torch.rand(1).item(), random.random(), numpy.random.rand())
        torch.manual_seed(1), random.seed(1), numpy.random.seed(1)
        batches.get([1, 2], [5, 6])
        self.assertEqual((torch.rand(1).item(), random.random(), numpy.random.rand()), wanted)

    def test_loaders_bring_the_same_batches_also_those_not_prepared(self):
        alone, forked = Batches(Random(), as_rows), Batches(Random(), as_rows, 2)
        try:
            forked.expect([(numbers, numbers) for numbers in ([1, 2], [3], [4, 5])])
            for numbers in ([1, 2], [9, 8], [4, 5]):
                self.assertEqual(forked.get(numbers, numbers), alone.get(numbers, numbers))
        finally:
            forked.close()

    def test_loaders_fetch_what_is_expected_once_in_whatever_order_it_is_answered(self):
        fetched = multiprocessing.get_context('fork').Value('i', 0)

        class Counted(Random):
            def __getitem__(self, number):
                with fetched.get_lock():
                    fetched.value += 1
                return number

        forked = Batches(Counted(), list, 3)
        try:
            bites = [([n, n + 1], [0, 0]) for n in range(0, 40, 2)]
            for at, bite in enumerate(bites):
                forked.expect(bites[at:])
                self.assertEqual(forked.get(*bite), bite[0])
            self.assertEqual(fetched.value, 40)
        finally:
            forked.close()
        self.assertEqual(multiprocessing.active_children(), [])

    def test_a_failing_sample_is_named_from_a_loader_too(self):
        forked = Batches(Plain(), None, 1)
        try:
            forked.whose = ' of rank 2'
            said = io.StringIO()
            with self.assertRaisesRegex(RuntimeError, '^data set of rank 2: sample 13: ValueError: sample 13 is unreadable$'), \
                    contextlib.redirect_stderr(said):
                forked.get([12, 13], [0, 0])
            self.assertIn('in __getitem__', said.getvalue())  # where in the script
            inputs, labels = forked.get([1, 2], [0, 0])
            self.assertEqual((inputs.shape, labels.tolist()), ((2, 1), [1, 2]))
        finally:
            forked.close()

    def test_a_failing_sample_is_named_with_its_number_and_its_trace(self):
        batches = Batches(Plain(), None)
        batches.whose = ' of rank 0'
        with self.assertRaisesRegex(RuntimeError, '^data set of rank 0: sample 13: ValueError: sample 13 is unreadable$') as caught:
            batches.get([12, 13], [0, 0])
        self.assertIsInstance(caught.exception.__cause__, ValueError)
        with self.assertRaisesRegex(RuntimeError, r'^data set: collate function, samples 1, 2: TypeError: no rows'):
            Batches(Plain(), self._refuses).get([1, 2], [0, 0])

    @staticmethod
    def _refuses(_samples):
        raise TypeError('no rows')

    def test_a_data_set_that_has_fewer_samples_than_it_says_is_told_so(self):
        class Short(Plain):
            def __getitem__(self, number):
                return [0.0, 1.0, 2.0][number]

        for loaders in (0, 1):
            batches = Batches(Short(), None, loaders)
            try:
                with self.assertRaisesRegex(RuntimeError, r'sample 3: IndexError: .* \(the data set says that it has 50 samples\)'), \
                        contextlib.redirect_stderr(io.StringIO()):
                    batches.get([2, 3], [0, 0])
            finally:
                batches.close()

    def test_a_loader_that_is_slow_is_said_to_be_at_its_samples(self):
        class Slow(Plain):
            def __getitem__(self, number):
                go.wait(60)
                return float(number)

        go = multiprocessing.get_context('fork').Event()
        forked, said = Batches(Slow(), None, 1), io.StringIO()
        try:
            with mock.patch.object(data, '_SLOW_S', 0.01), mock.patch.object(sys, 'stderr', said), \
                    mock.patch.object(data, 'wait', lambda *a, real=data.wait: real(*a) or (len(a) > 1 and go.set()) or []):
                self.assertEqual(forked.get([3, 4], [0, 0]).tolist(), [3, 4])
        finally:
            forked.close()
        self.assertRegex(said.getvalue(), r'^loader process \d+ has been at samples 3, 4 for 0 s\n$')

    def test_signals_that_ask_the_worker_to_stop_leave_its_loaders_alone(self):
        forked = Batches(Plain(), None, 1)
        try:
            forked.get([1], [0])
            loader, = multiprocessing.active_children()
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2):
                os.kill(loader.pid, number)
            self.assertEqual(forked.get([2, 3], [0, 0])[1].tolist(), [2, 3])
        finally:
            forked.close()

    def test_a_loader_that_was_killed_is_an_error_with_the_signal(self):
        forked = Batches(Plain(), None, 1)
        try:
            forked.get([1], [0])
            loader, = multiprocessing.active_children()
            os.kill(loader.pid, signal.SIGKILL)
            with self.assertRaisesRegex(RuntimeError, f'loader process {loader.pid} ended by signal 9'):
                forked.get([2], [0])
        finally:
            forked.close()

    def test_a_program_that_fails_does_not_wait_for_its_loaders(self):
        text = 'from fabric_model.data import Batches\n' \
            'b = Batches(list(range(9)), None, 2)\nb.get([1], [0])\nraise SystemExit(3)\n'
        self.assertEqual(subprocess.run([sys.executable, '-c', text], timeout=600).returncode, 3)


class Probes(unittest.TestCase):
    def test_looking_for_chance_leaves_the_generators_wherever_a_bite_begins(self):
        for size in (1, 6, 8, 24, 64, 100):
            source, before = SampleRandom(), torch.get_rng_state()
            for begin in range(0, 300, size):
                numbers = list(range(begin, begin + size))
                source.fetch(list(range(500)), numbers, numbers)
                self.assertTrue(torch.equal(torch.get_rng_state(), before), (size, begin))


if __name__ == '__main__':
    unittest.main()
