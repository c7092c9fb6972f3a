"""Role: base class of tests of the C++ example programs (test/examples) under fake_lead.py, on real
digits, and what every course of events must end with: equal weights on all members after every
step, and weights and losses of one process, which rank 0 checks itself (1e-9 relative).
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

from elastic_job import BUILD, ROOT, Elastic


class Groups(Elastic):
    program = os.path.join(BUILD, 'test', 'examples', 'gloo_train')
    hashes = 'weights.csv'

    @classmethod
    def setUpClass(cls):
        cls.data = tempfile.mkdtemp(prefix='wmd')
        subprocess.run([sys.executable, os.path.join(ROOT, 'scripts', 'demo.d', 'digits.py'), cls.data],
                       check=True, env={**os.environ, 'DATA_DIR': ''}, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.data, ignore_errors=True)

    def train(self, passes=2, batch=16, effective=48, step_ms=4, **more):
        """A job of the C++ program over 1,438 digits; 359 more are tested on after each pass."""
        self.command = [self.program, '--data', self.data, '--passes', str(passes), '--batch', str(batch),
                        '--effective', str(effective), '--step-ms', str(step_ms)]
        for name, value in more.items():
            self.command += ['--' + name, str(value)]
        return self.job(samples=1438, passes=passes)

    def proven(self, killed=()):
        self.finish(killed=killed)
        self.assertTrue(any(os.path.exists(os.path.join(self.base, 'log', str(t), self.hashes))
                            for t in self.lead.workers))
        accuracy, = re.findall(r'accuracy (0\.\d+), differs from one process by', self.lead.outputs())
        self.assertGreater(float(accuracy), 0.8)

    def killed(self, where, at, of=(1, 2, 3), victim=2, **environment):
        """Members `of` train; `victim` dies at that point."""
        self.train()
        for task in of:
            more = {'TEST_KILL': f'{where}:{at}'} if task == victim else {}
            self.lead.start(task, **more, **environment)
        self.begin(list(of))
        self.proven(killed=[victim])

    def grown(self, where, victim, begun, later):
        """Members `begun` become three; `victim` dies at that point of epoch 2."""
        self.train()
        self.lead.start(victim, TEST_KILL=f'{where}:2')
        self.begin(begun, later=later)
        self.at_step(8)
        self.lead.plan([1, 2, 3])
        self.proven(killed=[victim])

    def resized(self, courses, **settings):
        """From the members of the first (step, members) to the others, at these steps."""
        self.train(**settings)
        (_, first), *rest = courses
        self.begin(first, later=sorted({t for _, members in rest for t in members} - set(first)))
        for step, members in rest:
            self.at_step(step)
            self.resize(members)
        self.proven()


class AwkwardPoints:
    """Where every backend loses a worker; mixed into a Groups."""

    def test_inside_the_sum(self):
        self.killed('inside', 15)

    def test_after_the_sum(self):
        self.killed('after', 15)

    def test_rank_0_inside_the_sum(self):
        self.killed('inside', 15, victim=1)

    def test_newcomer_while_connecting(self):
        self.grown('connect', 3, [1, 2], [])

    def test_newcomer_at_the_switch(self):
        self.grown('switch', 3, [1, 2], [])

    def test_newcomer_between_switch_and_first_step(self):
        self.grown('switched', 3, [1, 2], [])

    def test_survivor_while_connecting(self):
        self.grown('connect', 2, [1, 2], [3])

    def test_survivor_at_the_switch(self):
        self.grown('switch', 2, [1, 2], [3])
