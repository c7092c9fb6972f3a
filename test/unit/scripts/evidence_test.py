"""Role: the demo's evidence finds what was really done wrong, on records made by hand."""

import os
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path.insert(0, os.path.join(TOP, 'scripts', 'demo.d'))
sys.dont_write_bytecode = True
from evidence import History  # noqa: E402
from proof import in_order  # noqa: E402

MS = 1_000_000
SIZE, BATCH = 100, 20  # a pass has 5 steps


class Records:
    """Writes what the tasks of a job would have written."""

    def __init__(self, folder):
        self.folder, self.now = folder, 0

    def append(self, task, name, head, values):
        folder = os.path.join(self.folder, 'log', str(task))
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, name)
        with open(path, 'a', encoding='ascii') as out:
            if out.tell() == 0 and head:
                out.write(head + '\n')
            out.write(','.join(map(str, values)) + '\n')

    def step(self, step, epoch, tasks, extra_gap_ms=0, cut=0):
        """One step of 10 ms by these tasks, 1 ms after the last; `cut` samples fall off its end."""
        begin = self.now + (1 + extra_gap_ms) * MS
        self.now = begin + 10 * MS
        at = (step - 1) * BATCH % SIZE
        share = BATCH // len(tasks)
        for rank, task in enumerate(tasks):
            self.append(task, 'steps.csv', 'step,epoch,world,samples,t_begin,t_end',
                        (step, epoch, len(tasks), BATCH, begin, self.now))
            size = share - (cut if rank == len(tasks) - 1 else 0)
            self.append(task, 'ledger.csv', 'step,epoch,data_epoch,begin,end,offset,size',
                        (step, epoch, (step - 1) * BATCH // SIZE, at, at + BATCH - cut, rank * share, size))

    def hashes(self, data_pass, tasks, values):
        for task, value in zip(tasks, values):
            self.append(task, 'hash.csv', '', (data_pass, value))


class EvidenceTest(unittest.TestCase):
    """Good records first, then each kind of wrong."""

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.records = Records(self.place.name)

    def train(self, until=10, **wrong):
        """Ten steps; four members at first, two from step 6 on."""
        for step in range(1, until + 1):
            tasks = [0, 1, 2, 3] if step < 6 else [0, 1]
            self.records.step(step, 1 if step < 6 else 2, tasks, **wrong.get(f'at{step}', {}))
        self.records.hashes(0, [0, 1, 2, 3], ['aa'] * 4)

    def problems(self):
        return History(self.place.name).problems(SIZE)

    def test_good_records_have_no_problem(self):
        self.train()
        self.assertEqual(self.problems(), [])
        self.assertEqual(History(self.place.name).samples(), 200)

    def test_a_resize_is_seen_with_its_added_pause(self):
        self.train(at6={'extra_gap_ms': 7})
        (resize,) = History(self.place.name).resizes()
        self.assertEqual((resize.step, resize.before, resize.after, resize.steps_lost), (6, 4, 2, 0))
        self.assertAlmostEqual(resize.pause_ms, 7.0)

    def test_a_missing_step_is_found(self):
        for step in (1, 2, 4, 5):
            self.records.step(step, 1, [0, 1])
        self.assertIn('1 optimizer steps are missing, the first is 3', self.problems())

    def test_a_step_missing_right_before_a_resize_breaks_nothing(self):
        self.records.step(1, 1, [0, 1])
        self.records.step(3, 2, [0])
        history = History(self.place.name)
        self.assertEqual([r.pause_ms for r in history.resizes()], [0])
        self.assertEqual(history.samples(), 40)

    def test_a_skipped_sample_is_found(self):
        self.train(at3={'cut': 1})
        self.assertIn('pass 0: 1 samples skipped, 0 used twice', self.problems())

    def test_samples_used_twice_are_found(self):
        self.train()
        for task in (0, 1):  # an eleventh step that trains on the first range of pass 1 again
            self.records.append(task, 'steps.csv', '', (11, 2, 2, BATCH, self.records.now + MS, self.records.now + 2 * MS))
            self.records.append(task, 'ledger.csv', '', (11, 2, 1, 0, BATCH, task * 10, 10))
        self.assertIn('pass 1: 0 samples skipped, 20 used twice', self.problems())

    def cut_off(self, task, name, rows):
        """The last rows of a task's records are lost."""
        path = os.path.join(self.place.name, 'log', str(task), name)
        with open(path, encoding='ascii') as lines:
            kept = lines.readlines()[:-rows]
        with open(path, 'w', encoding='ascii') as out:
            out.writelines(kept)

    def test_a_share_that_nobody_trained_is_found(self):
        self.train(until=5)
        self.cut_off(3, 'ledger.csv', 1)
        self.assertIn("step 5: the members' shares do not add up to its samples", self.problems())

    def test_a_member_that_did_not_apply_a_step_is_found(self):
        self.train(until=5)
        self.cut_off(2, 'steps.csv', 1)
        self.assertIn('step 5 was applied by 3 of 4 members', self.problems())

    def test_a_killed_member_may_lack_the_step_it_died_in_and_no_other(self):
        self.train()
        for name in ('steps.csv', 'ledger.csv'):
            self.cut_off(2, name, 1)
        self.assertEqual(History(self.place.name, ['2']).problems(SIZE), [])
        self.assertNotEqual(History(self.place.name, ['3']).problems(SIZE), [])
        for name in ('steps.csv', 'ledger.csv'):
            self.cut_off(2, name, 1)
        self.assertEqual(History(self.place.name, ['2']).problems(SIZE)[0], 'step 5 was applied by 3 of 4 members')

    def test_a_survivor_may_have_the_step_of_a_break_by_the_state_of_another(self):
        self.train()  # 3 dies in step 5, whose sum came whole to all but 1, which goes on from their state
        for name in ('steps.csv', 'ledger.csv'):
            self.cut_off(3, name, 1)
            path = os.path.join(self.place.name, 'log', '1', name)
            with open(path, encoding='ascii') as lines:
                kept = [line for line in lines if not line.startswith('5,')]
            with open(path, 'w', encoding='ascii') as out:
                out.writelines(kept)
        self.assertEqual(History(self.place.name, ['3']).problems(SIZE), [])
        self.assertEqual(self.problems()[0], 'step 5 was applied by 2 of 4 members')  # nobody was killed
        self.assertEqual(History(self.place.name, ['2']).problems(SIZE)[0], 'step 5 was applied by 2 of 4 members')

    def test_who_goes_on_in_the_epoch_of_a_break_has_skipped_its_step(self):
        self.records.step(1, 1, [0, 1, 2, 3])
        for step in (2, 3):
            self.records.step(step, 2, [0, 1, 2, 3])
        for name in ('steps.csv', 'ledger.csv'):
            self.cut_off(3, name, 2)  # killed in step 2
            path = os.path.join(self.place.name, 'log', '1', name)
            with open(path, encoding='ascii') as lines:
                kept = [line for line in lines if not line.startswith('2,')]
            with open(path, 'w', encoding='ascii') as out:
                out.writelines(kept)
        self.assertEqual(History(self.place.name, ['3']).problems(SIZE)[0], 'step 2 was applied by 2 of 4 members')

    def test_a_step_redone_in_a_later_epoch_counts_once_and_as_lost(self):
        self.records.step(1, 1, [0, 1])
        self.records.step(2, 1, [1])  # applied by one that then died
        self.records.step(2, 2, [0])
        history = History(self.place.name)
        self.assertEqual(history.samples(), 40)
        self.assertEqual([r.steps_lost for r in history.resizes()], [1])

    def test_parameters_that_differ_are_found(self):
        self.train()
        self.records.hashes(1, [0, 1], ['bb', 'cc'])
        self.assertIn("after pass 1 the members' parameters differ: bb cc", self.problems())

    def test_parameters_after_a_step_that_was_lost_are_not_compared(self):
        for step in range(1, 5):
            self.records.step(step, 1, [0, 1])
        self.records.step(5, 1, [1])  # ends the pass; the other has not got it
        self.records.step(5, 2, [0])
        self.records.hashes(0, [0, 1], ['aa', 'ab'])
        self.assertEqual(self.problems(), [])

    def test_a_training_that_started_over_is_found(self):
        for step in range(1, 4):
            self.records.step(step, 1, [0, 1])
        for step in range(1, 6):
            self.records.step(step, 2, [2, 3])
        self.records.hashes(0, [2, 3], ['aa', 'aa'])
        self.assertEqual(self.problems(), ['steps 1 to 3 were lost and done again in epoch 2'])

    def test_no_records_at_all_is_a_problem(self):
        self.assertIn('no optimizer step on record', self.problems())

    def test_order_of_sizes(self):
        self.assertTrue(in_order([4, 2, 4, 2], [1, 4, 3, 2, 3, 4, 2, 4]))
        self.assertFalse(in_order([4, 2, 4, 2], [4, 2, 4]))


if __name__ == '__main__':
    unittest.main()
