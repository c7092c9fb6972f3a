"""Role: wm_elastic on real worker processes: plain loops that are resized and lose workers end with the parameters of a run
of fixed size, every sample in one applied step; of a GAN no half step stays.
"""

import os
import sys
import unittest

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from elastic_job import ROOT, Elastic  # noqa: E402


class Loops(Elastic):
    command = [sys.executable, os.path.join(ROOT, 'test', 'support', 'loop_worker.py')]

    def storm(self, killed=None):
        """2 → 3 → 2, and who dies."""
        def course():
            self.begin([1, 2], later=[3])
            self.at_step(8)
            self.resize([1, 2, 3])
            self.at_step(self.lead.step() + 8)
            if killed:
                self.lead.workers[killed].process.kill()
                self.lead.run_until(lambda: self.lead.workers[killed].gone and self.lead.formed(), what='recovery')
            else:
                self.resize([1, 3])
        return course

    def test_a_plain_loop_ends_with_the_parameters_of_a_fixed_run(self):
        fixed = self.parameters_after(lambda: self.begin([1]), loop='plain', passes=4)
        found = self.parameters_after(self.storm(), loop='plain', passes=4)
        self.assert_equal_parameters(fixed, found)

    def test_rank_0_may_die(self):
        self.job(loop='plain', passes=4, step_ms=4)
        self.storm(killed=1)()
        self.finish(killed=[1])
        passes = {}
        for task in (2, 3):
            with open(os.path.join(self.base, 'log', str(task), 'passes.txt'), encoding='ascii') as file:
                for line in file:
                    number, *told = line.split()
                    passes.setdefault(number, set()).add(tuple(told))
        self.assertEqual(len(passes), 4)
        for number, told in passes.items():
            ((rate, averaged),) = told
            self.assertAlmostEqual(float(rate), 0.05 * 0.9 ** (int(number) + 1))
            self.assertEqual(int(averaged), 21 * (int(number) + 1))  # the redone step counts once

    def killed(self, where, loop, at=15):
        self.job(loop=loop, step_ms=4)
        self.lead.start(2, TEST_KILL=f'{where}:{at}')
        self.begin([1, 2, 3])
        self.finish(killed=[2])

    def test_a_gan_killed_between_its_two_steps_keeps_no_half_step(self):
        fixed = self.parameters_after(lambda: self.begin([1]), loop='gan', passes=3)

        def course():
            self.lead.start(2, TEST_KILL='between:15')
            self.begin([1, 2, 3])
        self.job(loop='gan', passes=3, step_ms=2)
        course()
        self.finish(killed=[2])
        self.assert_equal_parameters(fixed, torch.load(os.path.join(self.base, 'returned.pt')))

    def test_one_that_dies_before_its_backward(self):
        self.killed('before', 'plain')

    def test_one_that_dies_behind_its_step(self):
        self.killed('after', 'plain')

    def failing(self, where, at):
        self.job(loop='plain', step_ms=4)
        self.lead.start(2, TEST_FAIL=f'{where}:{at}')
        self.begin([1, 2, 3])
        self.finish(failed=[2])

    def test_one_whose_gpu_is_full_ends_by_name_and_the_others_train_on(self):
        self.failing('before', 15)
        self.assertIn("wm_elastic: rank 1 (task 2): this host's memory is full in step 15: CUDA out of memory. Tried to allocate 2.00 GiB. This "
                      'worker ends', self.lead.outputs())

    def test_one_that_fails_between_two_passes_ends_nobody_s_training(self):
        self.failing('passes', 21)
        self.assertIn('tests are unreadable', self.lead.outputs())

    def test_means_over_tokens_are_those_of_the_whole_step_at_any_size(self):
        fixed = self.parameters_after(lambda: self.begin([1]), loop='tokens', passes=3)
        found = self.parameters_after(self.storm(), loop='tokens', passes=3)
        self.assert_equal_parameters(fixed, found)

    @unittest.skipUnless(hasattr(getattr(torch, 'amp', None), 'GradScaler'), 'not run: this torch has no scaler for CPUs')
    def test_an_infinite_sample_of_one_worker_skips_the_step_on_all_and_their_scales_are_one(self):
        fixed = self.parameters_after(lambda: self.begin([1]), loop='scaler', passes=3)
        self.job(loop='scaler', passes=3, step_ms=4)
        self.storm(killed=1)()
        self.finish(killed=[1])
        self.assert_equal_parameters(fixed, torch.load(os.path.join(self.base, 'returned.pt')))
        self.assertEqual(self.lead.outputs().count('scale 128.0\n'), 2)  # one skip in each pass

    def test_accumulated_batches_are_one_step_at_any_size(self):
        fixed = self.parameters_after(lambda: self.begin([1]), loop='accumulate', passes=3)
        found = self.parameters_after(self.storm(), loop='accumulate', passes=3)
        self.assert_equal_parameters(fixed, found)


if __name__ == '__main__':
    unittest.main()
