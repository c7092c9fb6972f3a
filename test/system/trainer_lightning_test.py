"""Role: wm_elastic.lightning with the real Lightning on real worker processes: a Trainer that is resized and loses workers
ends with the parameters of a run of one worker, every sample in one applied step, and knows as much as if it had been alone.
"""

import importlib.util
import json
import os
import sys
import unittest

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from elastic_job import ROOT, Elastic  # noqa: E402

HERE = importlib.util.find_spec('lightning')
WORKER = os.path.join(ROOT, 'test', 'support', 'lightning_worker.py')
long = unittest.skipUnless(os.environ.get('WM_SOAK'), 'long: make soak')


@unittest.skipUnless(HERE, 'not run: lightning is not installed for this Python')
class Lightning(Elastic):
    command = [sys.executable, WORKER]
    samples = 251  # the last step of a pass has fewer samples than workers need

    def job(self, **settings):
        lead = super().job(**settings)
        lead.LIMIT_S = 300  # each worker imports a large library
        return lead

    def seen(self, task):
        with open(os.path.join(self.base, 'log', str(task), 'seen.json'), encoding='ascii') as file:
            return json.load(file)

    def storm(self, **settings):
        """2 → 3 → 2 workers, the first killed. Returns the parameters at the end."""
        self.job(**settings)
        self.begin([1, 2], later=[3])
        self.at_step(4)
        self.resize([1, 2, 3])
        self.at_step(self.lead.step() + 3)
        self.lead.workers[1].process.kill()
        self.lead.run_until(lambda: self.lead.workers[1].gone and self.lead.formed(), what='recovery')
        self.finish(killed=[1])
        return torch.load(os.path.join(self.base, 'returned.pt'))

    def test_a_trainer_that_is_resized_and_loses_its_first_worker(self):
        settings = {'passes': 3, 'step_ms': 30}
        wanted = self.parameters_after(lambda: self.begin([1]), **settings)
        self.assert_equal_parameters(wanted, self.storm(**settings))
        seen = [self.seen(task) for task in (2, 3)]
        self.assertEqual({(one['steps'], one['epoch']) for one in seen}, {(33, 3)})
        self.assertEqual([one['first'] for one in seen].count(True), 1)
        self.assertEqual(len({round(one['tested'], 12) for one in seen}), 1)
        for one in seen:
            self.assertAlmostEqual(one['rate'], 0.05 * 0.99 ** 33)
        self.assertIn('last.ckpt', os.listdir(os.path.join(self.base, 'saved')))

    def test_bf16_is_near_a_run_of_one_worker(self):
        settings = {'passes': 2, 'amp': 'bf16', 'step_ms': 30}
        wanted = self.parameters_after(lambda: self.begin([1]), **settings)
        found = self.storm(**settings)
        for name, value in wanted.items():
            self.assertLess((value - found[name]).abs().max().item(), 5e-3, name)

    def test_fp16_has_one_scale_and_skips_steps_for_all(self):
        self.storm(passes=3, amp='fp16', step_ms=30)
        seen = [self.seen(task) for task in (2, 3)]
        self.assertEqual({one['steps'] for one in seen}, {33})
        self.assertEqual(len({one['scale'] for one in seen}), 1)
        self.assertLess(seen[0]['scale'], 2.0 ** 24)

    @long
    def test_accumulated_batches_are_one_step_at_any_size(self):
        settings = {'passes': 2, 'accumulate': 3, 'step_ms': 10}
        wanted = self.parameters_after(lambda: self.begin([1]), **settings)
        self.assert_equal_parameters(wanted, self.storm(**settings))

    def killed(self, at, **settings):
        """Three, of whom one dies there. Returns the parameters at the end."""
        self.job(step_ms=4, **settings)
        self.lead.start(2, TEST_KILL=at)
        self.begin([1, 2, 3])
        self.finish(killed=[2])
        return torch.load(os.path.join(self.base, 'returned.pt'))

    @long
    def test_a_worker_that_dies_in_the_last_step_of_a_pass(self):
        self.killed('before:11', passes=2)
        self.assertEqual({self.seen(task)['steps'] for task in (1, 3)}, {22})

    def misses(self, steps, **settings):
        """Three, of whom two do not hear of some sums that the others have."""
        self.job(passes=2, step_ms=4, **settings)
        self.lead.start(2, TEST_MISSED='5')
        self.lead.start(3, TEST_MISSED='11,22')  # the last ones of both passes
        self.begin([1, 2, 3])
        self.finish()
        seen = [self.seen(task) for task in (1, 2, 3)]
        self.assertEqual({one['steps'] for one in seen}, {steps})
        self.assertEqual(len({(round(one['tested'], 9), round(one['rate'], 9)) for one in seen}), 1)

    @long
    def test_a_step_that_others_have_applied_counts_here_too(self):
        self.misses(22)

    @long
    def test_one_of_several_optimizers_counts_here_too(self):
        self.misses(44, loop='gan')

    def test_a_gan_killed_between_its_two_steps_keeps_no_half_step(self):
        wanted = self.parameters_after(lambda: self.begin([1]), passes=2, loop='gan')
        self.assert_equal_parameters(wanted, self.killed('between:9', passes=2, loop='gan'))
        self.assertEqual({self.seen(task)['steps'] for task in (1, 3)}, {44})  # Lightning counts each optimizer's


if __name__ == '__main__':
    unittest.main()
