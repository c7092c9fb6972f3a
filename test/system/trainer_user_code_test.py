"""Role: what scripts bring, on real worker processes: ranks in the environment after the first rank 0 is gone, what
members draw, a loss that learns, layers that a callback froze before a newcomer came.
"""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from elastic_job import ROOT, Elastic  # noqa: E402


class UserCode(Elastic):
    command = [sys.executable, os.path.join(ROOT, 'test', 'support', 'user_code_worker.py')]
    samples, passes = 240, 4

    def steps(self, task):
        """{step: (rank, world, dropped, the loss's weight, trained)}"""
        with open(os.path.join(self.base, 'log', str(task), 'steps.txt'), encoding='ascii') as file:
            return {int(line.split()[0]): line.split()[1:] for line in file}

    def test_a_newcomer_and_a_new_rank_0_are_told_and_train_what_the_others_do(self):
        self.job()
        self.begin([1, 2], later=[3])
        self.at_step(6)
        self.resize([1, 2, 3])
        self.at_step(self.lead.step() + 6)
        self.lead.workers[1].process.kill()
        self.lead.run_until(self.lead.finished, what='the end')
        first, second, third = (self.steps(task) for task in (1, 2, 3))
        self.assertEqual(first[2][:2], ['0', '2'])
        self.assertEqual(second[2][:2], ['1', '2'])
        self.assertEqual(sorted(third)[-1], 80)
        self.assertEqual((second[80][:2], third[80][:2]), (['0', '2'], ['1', '2']))
        self.assertEqual(first[2][4], '001111'[:len(first[2][4])])
        for step, told in third.items():
            self.assertEqual(told[3:], second[step][3:], step)  # the loss's weight and what is frozen
            self.assertNotEqual(told[2], second[step][2], step)
        self.assertNotEqual(first[2][2], second[2][2])
        self.assertNotEqual(first[2][3], first[5][3])


if __name__ == '__main__':
    unittest.main()
