"""Role: elastic training that grows and shrinks, with real processes and gloo.
"""

import csv
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from elastic_job import Elastic  # noqa: E402


class Resizes(Elastic):
    def test_grows_and_shrinks_without_losing_a_step_or_a_sample(self):
        self.job()
        self.begin([1], later=[2, 3])
        self.at_step(5)
        self.resize([1, 2])
        self.at_step(12)
        self.resize([1, 2, 3])
        self.at_step(20)
        self.resize([1, 3])
        self.at_step(25)
        self.resize([3])
        self.finish()
        self.assertIn('leaves', self.lead.outputs())

    def test_rank_0_leaves_and_the_next_survivor_returns_from_train(self):
        self.job()
        self.begin([1, 2])
        self.at_step(5)
        self.resize([2])
        self.finish()
        with open(os.path.join(self.base, 'log', '2', 'out'), encoding='utf-8') as out:
            self.assertIn('train returned', out.read())

    def test_members_start_from_one_model(self):
        self.job(seeded=0)
        self.begin([1, 2, 3])
        self.finish()

    def test_two_members_report_the_noise_of_their_gradients_and_one_alone_cannot(self):
        lead = self.job(passes=100)
        self.begin([1, 2])
        lead.run_until(lambda: all((lead.workers[t].noise or -1) > 0 for t in (1, 2)), what='a noise scale')
        self.resize([1])
        lead.run_until(lambda: lead.workers[1].noise == -1, what='a report of one member')

    def test_a_withdrawn_epoch_disturbs_nobody(self):
        self.job()
        self.withdrawn()
        self.finish()

    def test_a_share_larger_than_the_batch_is_accumulated(self):
        self.job(batch=5, effective=33)
        self.begin([1, 2, 3])
        self.at_step(5)
        self.resize([2])
        self.finish()

    def test_a_batch_that_may_be_chosen_grows_with_the_members_and_shrinks_with_them(self):
        lead = self.job(batch='auto', passes=60)
        self.begin([1], later=[2, 3])
        self.at_step(30)
        self.resize([1, 2, 3])
        lead.run_until(lambda: max(self.batches()) > 24, what='a larger batch')
        self.resize([3])
        self.finish()
        batches = self.batches()
        self.assertEqual(set(batches[:30]), {24})  # one member alone knows no noise
        self.assertLessEqual(max(batches), 499 // 10)
        self.assertEqual(set(batches[-10:-1]), {24})

    def batches(self):
        """Samples of each step so far, but of those that end a pass."""
        found = {}
        for task in self.lead.workers:
            path = os.path.join(self.base, 'log', str(task), 'steps.csv')
            with open(path, encoding='ascii') as file:
                for row in csv.DictReader(file):
                    found[int(row['step'])] = int(row['samples'])
        whole, cursor = [], 0
        for step in sorted(found):
            cursor = (cursor + found[step]) % self.samples
            if cursor:
                whole.append(found[step])
        return whole

    def test_validation_is_divided_and_does_not_hold_a_resize_up(self):
        self.job(tests=300, batch=2, step_ms=10)
        self.begin([1, 2])
        self.at_step(20)
        self.resize([1])
        self.finish()

    def test_forked_loaders_bring_the_same_samples(self):
        self.job(loaders=2)
        self.begin([1, 2])
        self.at_step(8)
        self.resize([1])
        self.finish()

    def test_six_resizes_give_the_parameters_of_a_fixed_size(self):
        def resized():
            self.begin([1, 2], later=[3, 4, 5])
            for step, members in ((20, [2]), (40, [2, 3]), (60, [2, 3, 4]), (80, [3, 4]),
                                  (100, [4]), (120, [4, 5])):
                self.at_step(step)
                self.resize(members)

        fixed = self.parameters_after(lambda: self.begin([1]))
        self.assert_equal_parameters(fixed, self.parameters_after(resized))

    def test_joint_batch_normalisation_is_that_of_one_process(self):
        # 504 = 21 steps of 24: every member has samples in every bite
        settings = {'norm': 1, 'samples': 504, 'passes': 3, 'batch': 24}
        alone = self.parameters_after(lambda: self.begin([1]), **settings)
        together = self.parameters_after(lambda: self.begin([1, 2, 3]), **settings)
        self.assert_equal_parameters(alone, together)


if __name__ == '__main__':
    unittest.main()
