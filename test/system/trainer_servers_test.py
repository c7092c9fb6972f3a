"""Role: parameter servers with real worker and server processes: control='sync' is all-reduce, whoever comes, goes or is killed.
"""

import os
import re
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from elastic_job import Elastic  # noqa: E402

_TOLD = re.compile(r'parameter servers, epoch (\d+): (.*)')


class Served(Elastic):
    """Jobs of two servers, unless a test says otherwise."""

    def job(self, **settings):
        return super().job(**{'servers': 2, **settings})

    def servers(self):
        """{interval: (pid, task)} as the job's output tells the newest."""
        told = max(((int(epoch), text) for epoch, text in _TOLD.findall(self.lead.outputs())), default=(0, ''))[1]
        return {int(i): (int(pid), int(task)) for i, task, pid in re.findall(r'(\d+) beside task (\d+) \(pid (\d+)\)', told)}

    def resized(self):
        """One, three, two workers, and the first one gone."""
        self.begin([1], later=[2, 3])
        self.at_step(5)
        self.resize([1, 2])
        self.at_step(12)
        self.resize([1, 2, 3])
        self.at_step(20)
        self.resize([3, 1])
        self.at_step(25)
        self.resize([3])


class Equal(Served):
    def test_two_servers_are_all_reduce_at_any_size_and_through_resizes(self):
        def two():
            self.begin([1, 2])
        settings = {'adam': 1, 'clip': 0.5}
        plain = self.parameters_after(two, servers=0, **settings)
        self.assert_equal_parameters(plain, self.parameters_after(two, **settings))
        self.assert_equal_parameters(plain, self.parameters_after(self.resized, **settings))
        self.assert_equal_parameters(plain, self.parameters_after(self.resized, servers=1, **settings))


class Kills(Served):
    def killed(self, where, at, of=(1, 2, 3), victim=2, **settings):
        self.job(**settings)
        self.lead.start(victim, TEST_KILL=f'{where}:{at}')
        self.begin(list(of))
        self.finish(killed=[victim])

    def test_a_worker_with_a_server_beside_it_before_inside_and_after_the_sum(self):
        for where, victim in (('before', 2), ('inside', 1), ('after', 2)):
            with self.subTest(where=where, victim=victim):
                self.killed(where, 15, victim=victim)
                self.tearDown()
                self.setUp()

    def test_one_of_two(self):
        self.killed('after', 15, of=(1, 2))

    def test_a_newcomer_between_switch_and_first_step(self):
        self.job()
        self.lead.start(3, TEST_KILL='switched:2')
        self.begin([1, 2])
        self.at_step(8)
        self.lead.plan([1, 2, 3])
        self.finish(killed=[3])

    def test_a_server_alone(self):
        def course():
            self.begin([1, 2])
            self.at_step(10)
            os.kill(self.servers()[0][0], signal.SIGKILL)
            self.lead.run_until(lambda: self.lead.epoch > 1 and self.lead.formed(), what='an epoch without it')
            self.at_step(40)
            os.kill(self.servers()[1][0], signal.SIGKILL)

        def nothing():
            self.begin([1, 2])
        plain = self.parameters_after(nothing, servers=0, adam=1)
        self.assert_equal_parameters(plain, self.parameters_after(course, adam=1))

    def test_servers_in_the_middle_of_a_push_and_of_a_step(self):
        def nothing():
            self.begin([1, 2])

        def course():
            self.lead.start(2, TEST_SERVER_KILL=self.where)
            self.begin([1, 2])
        plain = self.parameters_after(nothing, servers=0, adam=1)
        for self.where in ('push:15', 'step:15'):
            with self.subTest(where=self.where):
                self.assert_equal_parameters(plain, self.parameters_after(course, adam=1))


if __name__ == '__main__':
    unittest.main()
