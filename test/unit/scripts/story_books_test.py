"""Role: tests of test/gpu/story_books.py: which differences of two loss curves, and which records, are no proof of one training."""

import math
import os
import random
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(TOP, 'test', 'gpu'), os.path.join(TOP, 'scripts', 'demo.d')]
import story_books as books  # noqa: E402
from evidence import History  # noqa: E402

STEPS = 300


def falling(seed=1):
    """The losses of a training, whose batches differ by a tenth."""
    source = random.Random(seed)
    return {step: (4 * math.exp(-step / 60) + 0.1) * source.uniform(0.9, 1.1) for step in range(1, STEPS + 1)}


def rounded(curve, by):
    """The same, but for what rounding does."""
    source = random.Random(2)
    return {step: loss * (1 + source.gauss(0, by)) for step, loss in curve.items()}


class Curves(unittest.TestCase):
    def test_what_rounding_does_is_the_same_training(self):
        self.assertEqual(books.curve_problems(rounded(falling(), 0.003), falling(), 0), [])

    def test_other_samples_are_not(self):
        self.assertRegex(books.curve_problems(falling(9), falling(), 0)[0], 'differs from that of a fixed run by')

    def test_a_step_that_was_left_out_or_done_twice_is_not(self):
        late = {step: falling()[max(1, step - (step > 100))] for step in falling()}
        early = {step: falling()[min(STEPS, step + (step > 100))] for step in falling()}
        for found in (late, early):
            self.assertRegex(books.curve_problems(found, falling(), 0)[0], 'in a step')

    def test_a_rate_that_is_another_is_not(self):
        other = {step: loss * (1 + 0.1 * step / STEPS) for step, loss in falling().items()}
        self.assertRegex(books.curve_problems(other, falling(), 0)[0], 'over 10 steps')

    def test_a_loss_that_is_no_number_is_not(self):
        self.assertEqual(len(books.curve_problems({**falling(), 50: math.nan}, falling(), 0)), 1)

    def test_only_the_steps_of_those_who_were_killed_may_lack(self):
        found = falling()
        del found[100]
        self.assertEqual(books.curve_problems(found, falling(), 1), [])
        self.assertRegex(books.curve_problems(found, falling(), 0)[0], r'1 of 300 steps have no loss, the first is \[100\]')
        self.assertRegex(books.curve_problems({**falling(), STEPS + 1: 1.0}, falling(), 1)[0], '1 are too many')

    def test_a_fixed_run_that_learns_nothing_shows_nothing(self):
        flat = dict.fromkeys(range(1, STEPS + 1), 4.0)
        self.assertRegex(books.curve_problems(flat, flat, 0)[0], 'has learned nothing')


class Records(unittest.TestCase):
    """Jobs of 24 samples, 8 a step."""

    STEPS_HEAD = 'step,epoch,world,samples,t_begin,t_end'
    LEDGER_HEAD = 'step,epoch,data_epoch,begin,end,offset,size'

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.base = place.name

    def log(self, job, task, steps):
        """`steps`: (step, epoch, world, offset, size, loss, begin s, end s)"""
        folder = os.path.join(self.base, job, 'log', str(task))
        os.makedirs(folder)
        texts = {'steps.csv': [self.STEPS_HEAD], 'ledger.csv': [self.LEDGER_HEAD], 'losses.csv': [], 'hash.csv': []}
        for step, epoch, world, offset, size, loss, begin, end in steps:
            at = (step - 1) * 8
            texts['steps.csv'].append(f'{step},{epoch},{world},8,{int(begin * 1e9)},{int(end * 1e9)}')
            texts['ledger.csv'].append(f'{step},{epoch},0,{at},{at + 8},{offset},{size}')
            if loss is not None:
                texts['losses.csv'].append(f'{step},{size},{loss}')
            if step == 3:
                texts['hash.csv'].append('0,abc')
        for name, lines in texts.items():
            with open(os.path.join(folder, name), 'w', encoding='ascii') as out:
                out.write('\n'.join(lines) + '\n' * bool(lines))

    def merged(self, *jobs):
        return books.merged([os.path.join(self.base, job) for job in jobs], os.path.join(self.base, 'books'))

    def test_two_jobs_are_one_training(self):
        self.log('first', 1, [(1, 1, 1, 0, 8, 4.0, 0, 1), (2, 2, 2, 0, 4, 2.0, 2, 3)])
        self.log('first', 2, [(2, 2, 2, 4, 4, 3.0, 2, 3)])
        self.log('second', 1, [(3, 1, 1, 0, 8, 1.0, 9, 10)])
        folder = self.merged('first', 'second')
        self.assertEqual(books.problems(folder, (), 24), [])
        self.assertEqual(books.curve(folder), {1: 4.0, 2: 2.5, 3: 1.0})

    def test_a_step_of_both_is_found(self):
        self.log('first', 1, [(1, 1, 1, 0, 8, 4.0, 0, 1), (2, 1, 1, 0, 8, 2.0, 1, 2), (3, 1, 1, 0, 8, 2.0, 2, 3)])
        self.log('second', 1, [(2, 1, 1, 0, 8, 1.0, 9, 10), (3, 1, 1, 0, 8, 1.0, 10, 11)])
        self.assertRegex(' '.join(books.problems(self.merged('first', 'second'), (), 24)), 'steps 2 to 3 were lost and done again')

    def test_a_step_without_all_its_losses_is_in_no_curve(self):
        self.log('first', 1, [(1, 1, 2, 0, 4, 4.0, 0, 1), (2, 1, 2, 0, 4, 2.0, 1, 2)])
        self.log('first', 2, [(1, 1, 2, 4, 4, 4.0, 0, 1), (2, 1, 2, 4, 4, None, 1, 2)])
        self.assertEqual(books.curve(self.merged('first')), {1: 4.0})

    def test_what_an_iteration_that_did_not_count_wrote_is_not_the_step_s(self):
        """It repeats the number of the step before."""
        self.log('first', 1, [(1, 1, 1, 0, 8, 4.0, 0, 1)])
        with open(os.path.join(self.base, 'first', 'log', '1', 'losses.csv'), 'a', encoding='ascii') as out:
            out.write('1,8,77.0\n')
        self.assertEqual(books.curve(self.merged('first')), {1: 4.0})

    def test_goodput_is_the_time_in_applied_steps(self):
        self.log('first', 1, [(1, 1, 2, 0, 4, 4.0, 0, 1), (2, 3, 1, 0, 8, 2.0, 3, 4)])
        self.log('first', 2, [(1, 1, 2, 4, 4, 4.0, 0, 1)])
        share, seconds = books.goodput(History(os.path.join(self.base, 'first')))
        self.assertEqual((share, seconds), (0.5, 4.0))
        self.assertEqual(books.pauses(History(os.path.join(self.base, 'first'))), '2->1 2000.0 ms')


if __name__ == '__main__':
    unittest.main()
