"""Role: wm_elastic.huggingface with the real transformers on real worker processes: a Trainer that is resized and loses
workers ends with the parameters of a run of one worker, every sample in one applied step, and knows as much as if it had been alone.
"""

import importlib.util
import json
import os
import sys
import unittest

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from elastic_job import ROOT, Elastic  # noqa: E402

HERE = all(importlib.util.find_spec(name) for name in ('transformers', 'accelerate'))
WORKER = os.path.join(ROOT, 'test', 'support', 'huggingface_worker.py')
long = unittest.skipUnless(os.environ.get('WM_SOAK'), 'long: make soak')


@unittest.skipUnless(HERE, 'not run: transformers and accelerate are not installed for this Python')
class HuggingFace(Elastic):
    command = [sys.executable, WORKER]
    samples = 251  # the last step of a pass has fewer samples than workers need

    def job(self, **settings):
        lead = super().job(**settings)
        lead.LIMIT_S = 300  # each worker imports a large library
        return lead

    def seen(self, task):
        with open(os.path.join(self.base, 'log', str(task), 'seen.json'), encoding='ascii') as file:
            return json.load(file)

    def assert_near(self, wanted, found):
        """Equal but for the order of summation: keys' biases have gradients of rounding alone, so a tensor is measured whole."""
        for name, value in wanted.items():
            self.assertLess((value - found[name]).abs().max().item(), 1e-7 * value.abs().max().item() + 1e-9, name)

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
        self.assert_near(wanted, self.storm(**settings))
        seen = [self.seen(task) for task in (2, 3)]
        self.assertEqual({one['steps'] for one in seen}, {33})
        self.assertEqual({one['epoch'] for one in seen}, {3.0})
        self.assertEqual([one['first'] for one in seen].count(True), 1)
        for one in seen:
            self.assertAlmostEqual(one['rate'], 0.0)  # the schedule has ended, no step counted twice
            self.assertEqual([step for step, _ in one['evaluated']], [20, 33])
            self.assertEqual([round(loss, 6) for _, loss in one['evaluated']], [round(loss, 6) for _, loss in seen[0]['evaluated']])
        self.assertEqual(sorted(os.listdir(os.path.join(self.base, 'out'))), ['checkpoint-20', 'checkpoint-33'])
        self.assertTrue(os.path.exists(os.path.join(self.base, 'model', 'model.safetensors')))

    def test_bf16_is_near_a_run_of_one_worker(self):
        settings = {'passes': 2, 'amp': 'bf16', 'step_ms': 30}
        wanted = self.parameters_after(lambda: self.begin([1]), **settings)
        found = self.storm(**settings)
        for name, value in wanted.items():
            self.assertLess((value - found[name]).abs().mean().item(), 1e-3, name)

    def test_fp16_has_one_scale_and_skips_steps_for_all(self):
        self.storm(passes=3, amp='fp16', step_ms=30)
        seen = [self.seen(task) for task in (2, 3)]
        self.assertEqual({one['steps'] for one in seen}, {33})
        self.assertEqual(len({one['scale'] for one in seen}), 1)
        self.assertLess(seen[0]['scale'], 2.0 ** 24)

    @long
    def test_accumulated_batches_are_one_step_at_any_size(self):
        settings = {'passes': 2, 'accumulate': 3, 'step_ms': 30}
        wanted = self.parameters_after(lambda: self.begin([1]), **settings)
        self.assert_near(wanted, self.storm(**settings))

    @long
    def test_a_worker_that_dies_before_its_backward(self):
        self.job(passes=2, step_ms=4)
        self.lead.start(2, TEST_KILL='11')  # in the last step of the first pass
        self.begin([1, 2, 3])
        self.finish(killed=[2])

    @long
    def test_a_training_of_so_many_steps_ends_within_a_pass(self):
        self.job(passes=2, max_steps=15, step_ms=4)
        self.lead.start(2, TEST_MISSED='15')  # also for one that has not heard of its last sum
        self.begin([1, 2, 3])
        self.lead.run_until(self.lead.finished, what='the end')
        self.assertEqual([worker.process.returncode for worker in self.lead.workers.values()], [0, 0, 0], self.lead.outputs())
        self.assertEqual({self.seen(task)['steps'] for task in (1, 2, 3)}, {15})
        self.check_hashes([1, 2, 3])

    def test_a_step_that_others_have_applied_counts_here_too(self):
        self.job(passes=2, step_ms=4)
        self.lead.start(2, TEST_MISSED='5')
        self.lead.start(3, TEST_MISSED='11,22')  # the last ones of both passes
        self.begin([1, 2, 3])
        self.finish()
        seen = [self.seen(task) for task in (1, 2, 3)]
        self.assertEqual({(one['steps'], one['epoch'], round(one['rate'], 12)) for one in seen}, {(22, 2.0, 0.0)})
        self.assertEqual(len({str([(step, round(loss, 9)) for step, loss in one['evaluated']]) for one in seen}), 1)


if __name__ == '__main__':
    unittest.main()
