"""Role: control='async' with real worker and server processes: every sample is dealt once, whoever comes, goes, is slow or is killed.
"""

import os
import re
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import fake_lead  # noqa: E402
from elastic_job import Elastic  # noqa: E402

_SERVER = re.compile(r'(\d+) beside task \d+ \(pid (\d+)\)')


class Async(Elastic):
    """Jobs of two servers."""

    def job(self, **settings):
        return super().job(**{'servers': 2, 'control': 'async', 'staleness': 4, 'effective': 8, 'lr': 0.01, **settings})

    def finish(self, killed=()):
        """Runs to the end: every sample of every pass is in one commit, and one worker returned."""
        self.lead.run_until(self.lead.finished, what='the end')
        for task, worker in self.lead.workers.items():
            self.assertEqual(worker.process.returncode, -9 if task in killed else 0, self.lead.outputs())
        self.assertEqual(fake_lead.check_deals(self.base, list(self.lead.workers), self.samples, self.passes), [])
        self.assertEqual(self.lead.outputs().count('train returned'), 1)

    def steps_of(self, task):
        return len(fake_lead.rows(self.base, task, 'ledger.csv'))

    def test_workers_come_and_go(self):
        self.job(tests=30, passes=6, step_ms=3)  # long enough for all of that
        self.begin([1], later=[2, 3])
        self.at_step(10)
        self.resize([1, 2, 3])
        self.at_step(60)
        self.resize([3])
        self.finish()
        self.assertIn('leaves', self.lead.outputs())

    def test_a_straggler_holds_nobody(self):
        self.job(step_ms=10)
        self.lead.start(2, TEST_STEP_MS='150')  # far more than what other work on the machine adds to both
        self.begin([1, 2])
        self.finish()
        self.assertGreater(self.steps_of(1), 3 * self.steps_of(2))
        self.assertGreater(self.steps_of(2), 3)

    def test_a_worker_that_is_killed(self):
        self.job()
        self.begin([1, 2, 3])
        self.at_step(30)
        os.kill(self.lead.workers[2].process.pid, signal.SIGKILL)
        self.finish(killed=[2])

    def test_both_servers_are_killed_one_after_the_other(self):
        self.job(passes=6)
        self.begin([1, 2])
        for number in (0, 1):
            epoch = self.lead.epoch
            self.at_step(40 * (number + 1))
            told = [line for line in self.lead.outputs().splitlines() if line.startswith(f'parameter servers, epoch {epoch}:')][-1]
            os.kill(int(dict(_SERVER.findall(told))[str(number)]), signal.SIGKILL)
            self.lead.run_until(lambda: self.lead.epoch > epoch and self.lead.formed(), what='an epoch without it')
        self.finish()

    def test_it_goes_on_from_a_checkpoint_at_another_size(self):
        self.job(checkpoints=1)
        self.begin([1, 2])
        self.at_step(40)
        for task in (1, 2):
            self.lead.workers[task].process.send_signal(signal.SIGTERM)
        self.lead.run_until(self.lead.finished, what='the end of the first half')
        self.assertTrue(os.path.exists(os.path.join(self.base, 'checkpoint', 'checkpoint.pt')), self.lead.outputs())
        self.lead.close()
        os.remove(self.lead.path)
        self.lead = fake_lead.FakeLead(self.base, self.command, self.lead.environment)
        self.lead.planned = 100
        self.begin([3])
        self.lead.run_until(self.lead.finished, what='the end')
        self.assertIn('resumed from checkpoint at step', self.lead.outputs())
        steps = fake_lead.rows(self.base, 3, 'ledger.csv')
        first = steps[0]['step']
        before = [r for task in (1, 2) for r in fake_lead.rows(self.base, task, 'ledger.csv') if r['step'] < first]
        used = {}
        for row in before + steps:
            used.setdefault(row['data_epoch'], []).extend(range(row['begin'], row['end']))
        self.assertEqual({p: sorted(n) for p, n in used.items()}, {p: list(range(self.samples)) for p in range(self.passes)})


if __name__ == '__main__':
    unittest.main()
