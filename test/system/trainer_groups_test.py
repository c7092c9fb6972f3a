"""Role: elastic training in C++ over gloo (test/examples/gloo_train) on real digits: it grows and
shrinks, workers are killed at every awkward point, and the result is that of one process.

Every course checks: exit statuses, the ledger, equal weights on all members after every step; and
rank 0 itself compares weights and losses with a training in one process (1e-9 relative).
"""

import os
import signal
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
from groups_job import AwkwardPoints, Groups  # noqa: E402


class Resizes(Groups):
    def test_grows_and_shrinks_without_losing_a_step_or_a_sample(self):
        self.resized([(0, [1]), (5, [1, 2]), (12, [1, 2, 3]), (20, [1, 3]), (25, [3])])

    def test_six_resizes_from_two_to_four_and_back(self):
        self.resized([(0, [1, 2]), (20, [2]), (40, [2, 3]), (60, [2, 3, 4]), (80, [3, 4]), (90, [4]),
                      (100, [4, 5])], passes=5, step_ms=2)

    def test_a_share_larger_than_the_batch_is_worked_on_in_bites(self):
        self.train(batch=5)
        self.begin([1, 2, 3])
        self.at_step(5)
        self.resize([2])
        self.proven()

    def test_a_withdrawn_epoch_disturbs_nobody(self):
        self.train()
        self.withdrawn()
        self.proven()

    def test_outside_wm_it_trains_alone(self):
        out = subprocess.run([self.program, '--data', self.data, '--passes', '2'], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
        self.assertIn('60 steps, accuracy', out)
        self.assertIn('differs from one process by', out)


class Kills(AwkwardPoints, Groups):
    def test_before_the_sum(self):
        self.killed('before', 15)

    def test_one_of_two(self):
        self.killed('after', 15, of=(1, 2))

    def test_survivor_between_switch_and_first_step(self):
        self.grown('switched', 2, [1, 2], [3])

    def test_one_killed_from_outside_at_any_moment(self):
        self.train(passes=4, step_ms=2)
        self.begin([1, 2, 3])
        self.at_step(20)
        self.lead.workers[3].process.kill()
        self.proven(killed=[3])


class Checkpoints(Groups):
    def test_who_is_told_to_stop_writes_one_and_the_next_start_goes_on(self):
        lead = self.train(passes=4, checkpoints=0)
        self.begin([1])
        self.at_step(40)
        lead.workers[1].process.send_signal(signal.SIGTERM)
        lead.run_until(lead.finished, what='the end')
        self.assertEqual(lead.workers[1].process.returncode, -signal.SIGTERM, lead.outputs())
        stopped = lead.step()
        lead.close()
        os.unlink(lead.path)
        self.train(passes=4, checkpoints=0)
        self.begin([2, 3])
        self.lead.run_until(self.lead.finished, what='the end')
        text = self.lead.outputs()
        self.assertIn(f'resumed from checkpoint at step {stopped}\n', text)
        self.assertRegex(text, r'120 steps, accuracy 0\.\d+, differs from one process by')
        self.assertEqual([w.process.returncode for w in self.lead.workers.values()], [0, 0])

    def test_all_lost_at_once_goes_on_from_the_end_of_a_pass(self):
        lead = self.train(passes=3, checkpoints=1)
        self.begin([1, 2])
        lead.run_until(lambda: os.path.exists(os.path.join(self.base, 'checkpoint', 'checkpoint.wm')) and
                       lead.step() > 35, what='a step of the second pass')
        for worker in lead.workers.values():
            worker.process.kill()
        lead.run_until(lead.finished, what='the end')
        lead.close()
        os.unlink(lead.path)
        self.train(passes=3, checkpoints=1)
        self.begin([3])
        self.lead.run_until(self.lead.finished, what='the end')
        text = self.lead.outputs()
        self.assertRegex(text, r'resumed from checkpoint at step (30|60)\n')
        self.assertRegex(text, r'90 steps, accuracy 0\.\d+, differs from one process by')
        self.assertEqual(self.lead.workers[3].process.returncode, 0)


if __name__ == '__main__':
    unittest.main()
