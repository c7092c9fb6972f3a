#!/usr/bin/env python3
"""Role: elastic training over NCCL on this machine's GPUs, without a cluster: nccl_train under
test/support/fake_lead.py grows, shrinks, loses a worker and trains on. Prints one line with the
pauses in training, and the bandwidth that wm-ncclcheck measures. Workers share devices where there
are more of them: NCCL then has to take them for different hosts.

usage: nccl_resize.py [PROGRAM [DEVICES]]    exit 0 right, 77 skipped with a reason, 1 wrong
Callers: scripts/gpu_acceptance; test/system/trainer_nccl_test.py with the stub in NCCL's place.
"""

import os
import re
import statistics
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
SKIPPED = 77
LIMIT_S = 20  # for a step of the course
COURSE = ([1, 2], [1, 2, 3], [1, 3], [1], [1, 4], [1, 4, 5])
BETWEEN = 15  # steps from one to the next
PASSES, STEP_MS = 20, 20  # 600 steps: a real group takes up to a second to be made, while training goes on


def skip(why):
    print(f'nccl_resize: skipped: {why}')
    sys.exit(SKIPPED)


try:
    from elastic_job import BUILD
    from groups_job import Groups
except ModuleNotFoundError as error:  # a bare GPU machine may have no torch
    skip(str(error))


def devices():
    """How many GPUs there are."""
    try:
        return len(subprocess.run(['nvidia-smi', '-L'], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout.splitlines())
    except (OSError, subprocess.CalledProcessError):
        skip('no nvidia-smi')


def bandwidth():
    """What wm-ncclcheck says last."""
    try:
        run = subprocess.run([os.path.join(BUILD, 'bin', 'wm-ncclcheck')], text=True, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError:
        return 'all-reduce not measured'
    last = (run.stdout.splitlines() or [''])[-1]
    return last if run.returncode == 0 else 'all-reduce not measured: ' + last.split(': ')[-1]


class Course(Groups):
    """The course of events; `measured` is filled."""

    gpus, measured = 1, {}

    def environment(self, task):
        found = {'CUDA_VISIBLE_DEVICES': str((task - 1) % self.gpus), 'NCCL_DEBUG': 'WARN'}
        if self.gpus < 5:
            found.update(NCCL_HOSTID=f'task{task}', NCCL_SOCKET_IFNAME='lo')
        return found

    def runTest(self):
        self.train(passes=PASSES, step_ms=STEP_MS)
        self.lead.LIMIT_S = LIMIT_S
        try:
            self.course()
        except BaseException:
            self.measured['said'] = self.state()
            raise

    def over(self):
        """@raises AssertionError: the training has ended, so what is waited for cannot happen any more"""
        done = [worker.task for worker in self.lead.workers.values() if worker.done]
        self.assertFalse(done, 'the training was over before the course of events was: longer than 600 steps of 20 ms?')
        return False

    def resize(self, members):
        self.lead.plan(members)
        self.lead.run_until(lambda: self.lead.formed() or self.over(), what=f'epoch of {members}')

    def state(self):
        """Where it stood when it went wrong, for a reader who has no such machine."""
        lead = self.lead
        workers = [f'task {w.task}: epoch {w.epoch}, faulted {w.faulted}, step {w.step}, exit {w.process.poll()}'
                   for w in lead.workers.values()]
        return '\n'.join([lead.outputs(), *workers,
                          f'members {lead.members} in epoch {lead.epoch}, planned {lead.planned}; '
                          f'heard (task, kind, epoch): {[h[:3] for h in lead.heard[-16:]]}'])

    def course(self):
        for task in (1, 2, 3, 4, 5):
            self.lead.start(task, **self.environment(task))
        self.begin([1], later=[2, 3, 4, 5])
        for members in COURSE:
            self.at_step(self.lead.step() + BETWEEN)
            self.resize(members)
        planned = self.lead.planned
        self.at_step(self.lead.step() + BETWEEN)
        self.lead.workers[4].process.kill()
        self.lead.run_until(lambda: self.lead.epoch > planned or self.over(), what='an epoch without the killed member')
        self.proven(killed=[4])
        pauses = {}
        for worker in self.lead.workers.values():
            for epoch, ms in worker.pauses:
                pauses[epoch] = max(ms, pauses.get(epoch, 0))
        self.measured.update(
            planned=[ms for epoch, ms in pauses.items() if 1 < epoch <= planned],
            lost=[ms for epoch, ms in pauses.items() if epoch > planned],
            differs=re.findall(r'differs from one process by (\S+)', self.lead.outputs())[0])


def main():
    Course.program = sys.argv[1] if len(sys.argv) > 1 else \
        os.path.join(BUILD, 'test', 'examples', 'nccl_train')
    Course.gpus = int(sys.argv[2]) if len(sys.argv) > 2 else devices()
    if not os.path.exists(Course.program):
        skip(f'{os.path.basename(Course.program)} is not built')
    if not Course.gpus:
        skip('no GPU')
    result = unittest.TestResult()
    unittest.TestSuite([Course()]).run(result)  # a suite sets the class up, too
    if not result.wasSuccessful():
        print(*[text[-3000:] for _, text in result.failures + result.errors], sep='\n')
        print(Course.measured.get('said', ''))
        print('the course of events went wrong: see above')
        sys.exit(1)
    found = Course.measured
    lost = f'{max(found["lost"]):.0f} ms' if found['lost'] else 'unknown: no survivor made a step'
    print(f'{len(found["planned"])} resizes of 1 to 3 members on {Course.gpus} GPUs: pause '
          f'{statistics.median(found["planned"]):.1f} ms (most {max(found["planned"]):.1f}), after a '
          f'killed member {lost}; differs from one process by '
          f'{found["differs"]}; {bandwidth()}')


if __name__ == '__main__':
    main()
