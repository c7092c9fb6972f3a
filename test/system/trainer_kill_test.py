"""Role: elastic training whose workers are killed at every awkward point.
"""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
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

    def grown(self, where):
        self.job()
        self.lead.start(3, TEST_KILL=f'{where}:2')
        self.begin([1, 2])
        self.at_step(8)
        self.lead.plan([1, 2, 3])
        self.finish(killed=[3])

    def test_newcomer_while_connecting(self):
        self.grown('connect')

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
