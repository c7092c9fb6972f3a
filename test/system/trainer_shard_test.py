"""Role: shard='optimizer' with real processes: the parameters of the whole optimizer, through resizes, kills and checkpoints.
"""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from elastic_job import Elastic  # noqa: E402


class Sharded(Elastic):
    """Jobs with Adam, whose state is cut."""

    def job(self, **settings):
        return super().job(**{'shard': 'optimizer', 'adam': 1, **settings})

    def three(self):
        self.begin([1, 2, 3])

    def resized(self):
        """Two that are neighbours leave at once, and rank 0 with them."""
        self.begin([1], later=[2, 3, 4])
        self.at_step(5)
        self.resize([1, 2, 3, 4])
        self.at_step(15)
        self.resize([3, 4])
        self.at_step(25)
        self.resize([4])

    def check_hashes(self, tasks):
        """Who is lost between the sum and the broadcasts leaves the others with parameters of which some are a step behind, until the
        next epoch has begun: what they have then and at the end is compared."""

    def finish(self, killed=()):
        super().finish(self.victims)

    victims = ()

    def test_the_parameters_of_the_whole_optimizer_at_any_size(self):
        plain = self.parameters_after(self.three, shard='', checkpoints=1)
        self.assert_equal_parameters(plain, self.parameters_after(self.three, checkpoints=1))
        self.assert_equal_parameters(plain, self.parameters_after(self.resized, checkpoints=1))

    def test_one_that_is_killed_before_inside_and_after_the_sum_loses_nothing(self):
        plain = self.parameters_after(self.three, shard='')

        def course():
            self.lead.start(2, TEST_KILL=f'{where}:15')
            self.three()
        self.victims = (2,)
        for where in ('before', 'inside', 'after'):
            with self.subTest(where=where):
                self.assert_equal_parameters(plain, self.parameters_after(course))


if __name__ == '__main__':
    unittest.main()
