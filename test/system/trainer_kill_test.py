"""Role: elastic training whose workers are killed at every awkward point.
"""

import os
import sys
import unittest

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import fake_lead  # noqa: E402
from elastic_job import Elastic  # noqa: E402


class Kills(Elastic):
    def killed(self, where, at, of=(1, 2, 3), victim=2):
        self.job()
        self.lead.start(victim, TEST_KILL=f'{where}:{at}')
        self.begin(list(of))
        self.finish(killed=[victim])

    def test_before_the_all_reduce(self):
        self.killed('before', 15)

    def test_inside_the_all_reduce(self):
        self.killed('inside', 15)

    def test_after_the_all_reduce(self):
        self.killed('after', 15)

    def test_rank_0_inside_the_all_reduce(self):
        self.killed('inside', 15, victim=1)

    def test_one_of_two(self):
        self.killed('after', 15, of=(1, 2))

    def test_one_after_another_inside_the_all_reduce(self):
        """The parameters are those of the ledger: the ones of a run of fixed size."""
        times = 50 if os.environ.get('WM_SOAK') else 5
        settings = {'passes': times // 4 + 1, 'width': 3000, 'lr': 0.001, 'step_ms': 1}  # each is a member for a few steps
        wanted = self.parameters_after(lambda: self.begin([1]), **settings)
        self.job(**settings)
        self.lead.start(1)
        for victim in range(2, times + 2):
            self.lead.start(victim, TEST_KILL='inside:+3')
            self.stood([1, victim], [1] if victim > 2 else [])
            self.lead.run_until(lambda: self.lead.workers[victim].gone and self.lead.formed(), what=f'the end of {victim}')
            self.lead.tell(1, fake_lead.STAND, b'\x08\x01')
        self.lead.tell(1, fake_lead.STAND, b'\x08\x00')
        self.finish(killed=range(2, times + 2))
        self.assert_equal_parameters(wanted, torch.load(os.path.join(self.base, 'returned.pt')))

    def stood(self, tasks, members):
        """These train on once all are there; the members stand meanwhile."""
        self.lead.run_until(lambda: self.lead.all_ready(tasks), what='ready')
        self.lead.plan(tasks)
        for task in members:
            self.lead.tell(task, fake_lead.STAND, b'\x08\x00')
        self.lead.run_until(self.lead.formed, what=f'epoch of {tasks}')

    def test_one_whose_gpu_is_full_ends_by_name_and_the_others_train_on(self):
        self.job()
        self.lead.start(2, TEST_FULL='15')
        self.begin([1, 2, 3])
        self.finish(failed=[2])
        self.assertIn("rank 1 (task 2): this host's memory is full in step 15: CUDA out of memory. Tried to allocate 20.00 GiB.. This worker ends. "
                      'It computes 8 samples at once: a smaller batch_size needs less\n', self.lead.outputs())

    def grown(self, where):
        self.job()
        self.lead.start(3, TEST_KILL=f'{where}:2')
        self.begin([1, 2])
        self.at_step(8)
        self.lead.plan([1, 2, 3])
        self.finish(killed=[3])

    def test_newcomer_while_connecting(self):
        self.grown('connect')

    def test_a_newcomer_that_stands_still_while_connecting_holds_nobody(self):
        self.job(passes=8)
        self.lead.start(3, TEST_KILL='connect:2', TEST_KILL_BY='SIGSTOP')
        self.begin([1, 2])
        self.at_step(8)
        epoch, step = self.lead.plan([1, 2, 3]), self.lead.step()
        self.at_step(step + 20)
        self.assertFalse(self.lead.formed(epoch))
        self.lead.withdraw(epoch)
        self.lead.plan([1, 2])
        self.lead.workers[3].process.kill()
        self.finish(killed=[3])

    def test_newcomer_at_the_switch(self):
        self.grown('switch')

    def test_newcomer_between_switch_and_first_step(self):
        self.grown('switched')

    def survivor(self, where):
        self.job()
        self.lead.start(2, TEST_KILL=f'{where}:2')
        self.begin([1, 2], later=[3])
        self.at_step(8)
        self.lead.plan([1, 2, 3])
        self.finish(killed=[2])

    def test_survivor_while_connecting(self):
        self.survivor('connect')

    def test_survivor_at_the_switch(self):
        self.survivor('switch')

    def test_survivor_between_switch_and_first_step(self):
        self.survivor('switched')


if __name__ == '__main__':
    unittest.main()
