"""Role: checkpoints of elastic training, with real processes: resumed at another size, written when
told to stop; training that stands; and training made wrong on purpose, which the checks must find.
"""

import os
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import fake_lead  # noqa: E402
from elastic_job import Elastic  # noqa: E402


class Checkpoints(Elastic):
    settings = {'passes': 4, 'step_ms': 4}

    def again(self, **settings):
        """The same job started anew, as after a requeue."""
        self.lead.close()
        os.unlink(self.lead.path)
        return self.job(**{**self.settings, **settings})

    def returned(self):
        import torch
        self.lead.run_until(self.lead.finished, what='the end')
        return torch.load(os.path.join(self.base, 'returned.pt'))

    def test_a_lost_job_resumes_at_another_size_with_equal_result(self):
        fixed = self.parameters_after(lambda: self.begin([1]), **self.settings)
        self.job(checkpoints=1, **self.settings)
        self.begin([1, 2])
        self.at_step(50)
        for worker in self.lead.workers.values():
            worker.process.kill()
        self.again(checkpoints=1)
        self.begin([3, 4, 5])
        self.assert_equal_parameters(fixed, self.returned())
        self.assertIn('resumed from checkpoint at step', self.lead.outputs())

    def stopped_by(self, number):
        """A job stopped by this signal and resumed; its result must be that of one not stopped."""
        fixed = self.parameters_after(lambda: self.begin([1]), **self.settings)
        self.job(**self.settings)
        self.begin([1, 2])
        self.at_step(30)
        for worker in self.lead.workers.values():
            worker.process.send_signal(number)
        self.lead.run_until(self.lead.finished)
        self.assertEqual([w.process.returncode for w in self.lead.workers.values()], [-number, -number])
        step = max(fake_lead.last_step(self.base, t) for t in (1, 2))
        self.again()
        self.begin([3])
        self.assert_equal_parameters(fixed, self.returned())
        self.assertIn(f'resumed from checkpoint at step {step}', self.lead.outputs())

    def test_sigterm_writes_a_checkpoint_at_the_step_it_is_at(self):
        self.stopped_by(signal.SIGTERM)

    def test_the_run_limit_writes_a_checkpoint_too(self):
        self.stopped_by(signal.SIGUSR2)

    def test_a_worker_that_waits_for_a_group_ends_at_once(self):
        self.job(**self.settings)
        self.lead.start(1)
        self.lead.run_until(lambda: self.lead.all_ready([1]))
        self.lead.workers[1].process.send_signal(signal.SIGINT)
        self.lead.run_until(self.lead.finished, 10)
        self.assertEqual(self.lead.workers[1].process.returncode, -signal.SIGINT)

    def test_one_on_demand_does_not_stop_the_training(self):
        self.job(**self.settings)
        self.begin([1, 2])
        self.at_step(10)
        for task in (1, 2):
            self.lead.tell(task, fake_lead.CHECKPOINT, b'')
        path = os.path.join(self.base, 'checkpoint', 'checkpoint.pt')
        self.lead.run_until(lambda: os.path.exists(path), what='the checkpoint')
        self.finish()

    def test_sigusr1_of_any_worker_writes_one_and_does_not_stop_the_training(self):
        self.job(**self.settings)
        self.begin([1, 2])
        self.at_step(10)
        self.lead.workers[2].process.send_signal(signal.SIGUSR1)
        path = os.path.join(self.base, 'checkpoint', 'checkpoint.pt')
        self.lead.run_until(lambda: os.path.exists(path), what='the checkpoint')
        self.finish()

    def test_a_job_told_to_stand_applies_nothing_until_told_to_go_on(self):
        self.job(**self.settings)
        self.begin([1, 2])
        self.at_step(10)
        stand = b'\x08\x01'
        for task in (1, 2):
            self.lead.tell(task, fake_lead.STAND, stand)
        self.lead.run_until(self.standing_still)
        for task in (1, 2):
            self.lead.tell(task, fake_lead.STAND, b'\x08\x00')
        self.finish()

    def standing_still(self):
        """No step within half a second, where a step takes some milliseconds."""
        before, until = self.lead.step(), time.monotonic() + 0.5
        self.lead.run_until(lambda: time.monotonic() > until)
        return self.lead.step() == before


class Sabotage(Elastic):
    def wrong(self, kind):
        """What the checks find in a job made wrong in this way."""
        self.job(passes=2)
        for task in (1, 2):
            self.lead.start(task, WM_SABOTAGE=kind)
        self.begin([1, 2])
        self.lead.run_until(self.lead.finished)
        return ' '.join(fake_lead.check_ledger(self.base, [1, 2], self.samples, self.passes))

    def test_a_dropped_sample_is_found(self):
        self.assertRegex(self.wrong('drop-sample'), 'begins at')

    def test_a_skipped_step_is_found(self):
        self.assertRegex(self.wrong('skip-step'), 'steps are not 1')

    def test_nothing_is_found_without(self):
        self.assertEqual(self.wrong(''), '')


if __name__ == '__main__':
    unittest.main()
