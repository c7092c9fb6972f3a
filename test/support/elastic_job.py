"""Role: base class of the trainer's tests with real worker processes and gloo, led by fake_lead.py;
and what must hold after every course of events. Needs only build/lib.
"""

import os
import shutil
import sys
import tempfile
import unittest

import torch

import fake_lead

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get('B', 'build'))
COMMAND = [sys.executable, os.path.join(ROOT, 'test', 'support', 'trainer_worker.py')]


class Elastic(unittest.TestCase):
    """One job a test."""

    samples, passes = 499, 3
    command = COMMAND
    hashes = 'hash.csv'  # of a task: step, epoch, hash of its parameters after it

    def setUp(self):
        self.base = tempfile.mkdtemp(prefix='wmt')
        self.lead = None

    def tearDown(self):
        if self.lead:
            self.lead.close()
        shutil.rmtree(self.base, ignore_errors=True)

    def job(self, **settings):
        settings = {'samples': self.samples, 'passes': self.passes, 'effective': 24, **settings}
        self.samples, self.passes = settings['samples'], settings['passes']
        environment = {f'TEST_{k.upper()}': str(v) for k, v in settings.items()}
        environment.update(PYTHONPATH=os.path.join(BUILD, 'lib', 'python'), OMP_NUM_THREADS='1',
                           WM_TRAINER_LIB=os.path.join(BUILD, 'lib', 'libwmtrainer.so'))
        self.lead = fake_lead.FakeLead(self.base, self.command, environment)
        return self.lead

    def begin(self, tasks, later=()):
        """Starts these workers, and those needed later, and forms epoch 1 of `tasks`."""
        for task in [*tasks, *later]:
            if task not in self.lead.workers:
                self.lead.start(task)
        self.lead.run_until(lambda: self.lead.all_ready(self.lead.workers), what='ready')
        self.lead.plan(list(tasks))
        self.lead.run_until(self.lead.formed, what='epoch 1')

    def at_step(self, step):
        self.lead.run_until(lambda: self.lead.step() >= step, what=f'step {step}')

    def resize(self, members):
        """Forms an epoch of these members."""
        self.lead.plan(members)
        self.lead.run_until(self.lead.formed, what=f'epoch of {members}')

    def withdrawn(self):
        """Two train on while an epoch with a third is planned and taken back; then there are three."""
        lead = self.lead
        self.begin([1, 2], later=[3])
        epoch = lead.plan([1, 2, 3])
        lead.withdraw(epoch)
        self.at_step(lead.step() + 5)
        lead.members = [1, 2] if lead.epoch < epoch else lead.members
        self.resize([1, 2, 3])

    def finish(self, killed=(), failed=()):
        """Runs to the end and checks everything that must hold in every course of events. `failed`: these end by an error of their own."""
        self.lead.run_until(self.lead.finished, what='the end')
        tasks = list(self.lead.workers)
        for task, worker in self.lead.workers.items():
            status = worker.process.returncode
            self.assertEqual(status, -9 if task in killed else int(task in failed), self.lead.outputs())
        self.assertEqual(fake_lead.check_ledger(self.base, tasks, self.samples, self.passes), [])
        self.check_hashes(tasks)
        self.assertEqual(self.lead.outputs().count('train returned'), 1)

    def check_hashes(self, tasks):
        """After every step of the history, all members have equal parameters."""
        seen = {}
        for task in tasks:
            path = os.path.join(self.base, 'log', str(task), self.hashes)
            if not os.path.exists(path):
                continue
            with open(path, encoding='ascii') as file:
                for line in file:
                    step, epoch, text = line.split(',')
                    seen.setdefault(int(step), []).append((int(epoch), text))
        for step, found in seen.items():
            newest = max(epoch for epoch, _ in found)
            self.assertEqual(len({t for e, t in found if e == newest}), 1, f'step {step}: {found}')

    def parameters_after(self, course, **settings):
        """Final parameters of a job in which `course` happened."""
        self.job(**{'passes': 10, 'step_ms': 2, **settings})
        course()
        self.finish()
        found = torch.load(os.path.join(self.base, 'returned.pt'))
        self.tearDown()
        self.setUp()
        return found

    def assert_equal_parameters(self, wanted, found):
        for name, value in wanted.items():
            if value.is_floating_point():
                worst = ((value - found[name]).abs() / value.abs().clamp(min=1e-12)).max().item()
                self.assertLess(worst, 1e-9, name)
