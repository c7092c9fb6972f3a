"""Role: several train() in one script, with real processes and gloo: the workers of the first train in the next.
"""

import os
import sys
import unittest

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from elastic_job import Elastic  # noqa: E402
from fake_lead import rows  # noqa: E402


class Again(Elastic):
    def said(self, task):
        with open(os.path.join(self.base, 'log', str(task), 'out'), encoding='utf-8') as file:
            return file.read()

    def next_training(self, tasks):
        """Waits until these workers are ready for it, then forms its first epoch."""
        lead = self.lead
        lead.run_until(lambda: lead.trainings == 1 and lead.all_ready(tasks), what='the next training')
        lead.plan(list(tasks))
        lead.run_until(lead.formed, what='its first epoch')

    def worlds(self, task, epoch):
        return {row['world'] for row in rows(self.base, task, 'steps.csv') if row['epoch'] == epoch}

    def test_a_second_training_keeps_the_workers_of_the_first_and_goes_on_from_its_model(self):
        self.job(trainings=2)
        self.begin([1, 2])
        self.next_training([1, 2])
        self.finish()
        self.assertEqual([self.worlds(task, epoch) for task in (1, 2) for epoch in (1, 2)], [{2}] * 4)
        self.assertEqual([self.said(task).count('training 1 returned') for task in (1, 2)], [1, 1])
        lines = [[line for line in self.said(task).splitlines() if 'first weight' in line] for task in (1, 2)]
        self.assertEqual(*lines)

    def test_the_second_training_grows_and_shrinks(self):
        self.job(trainings=2, passes=6, step_ms=20)
        self.begin([1, 2])
        lead = self.lead
        lead.run_until(lambda: lead.trainings == 1, what='the next training')
        lead.start(3)
        lead.run_until(lambda: lead.all_ready([1, 2, 3]), what='the newcomer')
        self.next_training([1, 2])
        lead.run_until(lambda: self.worlds(1, 2), what='a step')
        self.resize([1, 2, 3])
        self.at_step(self.lead.step() + 5)
        self.resize([2, 3])
        self.finish()
        self.assertIn('training 1 returned', self.said(3))
        self.assertNotIn(1, {row['epoch'] for row in rows(self.base, 3, 'steps.csv')})

    def test_a_newcomer_that_has_trained_nothing_gives_its_model_to_nobody(self):
        self.job(trainings=2, seeded=0, lr=1e-12)
        self.begin([1])
        lead = self.lead
        lead.run_until(lambda: lead.trainings == 1 and lead.all_ready([1]), what='the next training')
        lead.start(2)
        lead.run_until(lambda: lead.all_ready([2]), what='the newcomer')
        lead.plan([2, 1])
        lead.run_until(lead.formed, what='its first epoch')
        self.finish()
        trained = float(self.said(1).split('first weight ')[1].split()[0])
        own = float(self.said(2).split('first weight ')[1].split()[0])
        returned = next(iter(torch.load(os.path.join(self.base, 'returned.pt')).values())).flatten()[0].item()
        self.assertNotAlmostEqual(own, trained, 6)
        self.assertAlmostEqual(returned, trained, 6)

    def test_workers_that_nobody_calls_in_time_end_and_rank_0_trains_alone(self):
        self.job(trainings=2)
        self.lead.environment['WM_KEEP_WORKERS_S'] = '0'
        self.begin([1, 2])
        self.lead.run_until(lambda: self.lead.workers[2].process.poll() is not None, what='the end of task 2')
        self.next_training([1])
        self.finish()
        self.assertEqual((self.worlds(1, 1), self.worlds(1, 2)), ({2}, {1}))

    def test_a_worker_that_dies_between_two_trainings_is_missed_by_nobody(self):
        go_on = os.path.join(self.base, 'go_on')
        self.job(trainings=2, between=go_on)
        self.begin([1, 2, 3])
        lead = self.lead
        lead.run_until(lambda: all(lead.workers[t].done for t in (1, 2, 3)), what='the end of the first')
        lead.workers[2].process.kill()
        lead.run_until(lambda: lead.workers[2].gone, what='the death of task 2')
        with open(go_on, 'w', encoding='ascii'):
            pass
        self.next_training([1, 3])
        self.finish(killed=(2,))


if __name__ == '__main__':
    unittest.main()
