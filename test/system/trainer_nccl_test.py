"""Role: elastic training in C++ over NCCL, with the stub library in NCCL's and CUDA's place and the
model on the CPU (test/support/stub): the rules of membership, and how communicators are made,
revoked, shrunk and made anew. What only a GPU can show is in test/gpu.
"""

import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
from elastic_job import BUILD  # noqa: E402
from groups_job import AwkwardPoints, Groups  # noqa: E402

PROGRAM = os.path.join(BUILD, 'stub', 'nccl_train')
NONE = 'configure found no NCCL: scripts/bootstrap nccl brings it, where pip reaches a registry'


@unittest.skipUnless(os.path.exists(PROGRAM), NONE)
class Nccl(Groups):
    program = PROGRAM

    def shrinks(self):
        """How communicators were shrunk, by all members."""
        return [line for line in self.lead.outputs().splitlines() if line.startswith('stub NCCL: shrinks')]


class Resizes(Nccl):
    def test_grows_and_shrinks_beside_the_communicator_in_use(self):
        self.resized([(0, [1]), (5, [1, 2]), (12, [1, 2, 3]), (20, [1, 3]), (25, [3])])
        self.assertEqual(self.shrinks(), [])

    def test_another_rank_0_takes_over(self):
        self.resized([(0, [1, 2]), (20, [2]), (40, [2, 3]), (60, [3, 2])], passes=4, step_ms=2)

    def test_a_withdrawn_epoch_disturbs_nobody(self):
        self.train()
        self.withdrawn()
        self.proven()


class Kills(AwkwardPoints, Nccl):
    def test_survivors_shrink_the_broken_communicator(self):
        self.killed('before', 15)
        self.assertEqual(self.shrinks(), ['stub NCCL: shrinks 3 to 2'] * 2)
        self.assertEqual(self.lead.epoch, 2)  # it was trained on to the end

    def test_one_of_two(self):
        self.killed('after', 15, of=(1, 2))
        self.assertEqual(self.shrinks(), ['stub NCCL: shrinks 2 to 1'])

    def test_where_shrinking_fails_a_fresh_one_is_made(self):
        self.killed('before', 15, WM_STUB_NCCL='noshrink')
        self.assertEqual(self.shrinks(), [])


@unittest.skipUnless(os.path.exists(PROGRAM), NONE)
class Acceptance(unittest.TestCase):
    def test_what_a_gpu_machine_runs_says_its_pauses_in_one_line(self):
        script = os.path.join(HERE, '..', 'gpu', 'nccl_resize.py')
        run = subprocess.run([sys.executable, script, PROGRAM, '1'], text=True, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertRegex(run.stdout, r'^6 resizes of 1 to 3 members on 1 GPUs: pause [\d.]+ ms \(most [\d.]+\), '
                                     r'after a killed member \d+ ms; differs from one process by \S+; all-reduce')


if __name__ == '__main__':
    unittest.main()
