"""Role: deterministic=True on real worker processes: batch normalisation, dropout and momentum in single precision, resized and
with a member lost, end with the bits of a run of one worker.
"""

import os
import sys
import unittest

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from elastic_job import Elastic  # noqa: E402


class Bits(Elastic):
    settings = {'passes': 3, 'samples': 230, 'deterministic': 4, 'norm': 1, 'dtype': 'float32', 'step_ms': 2}

    def test_any_sequence_of_sizes_gives_the_same_bits(self):
        wanted = self.parameters_after(lambda: self.begin([1]), **self.settings)
        self.job(**self.settings)
        self.begin([1, 2], later=[3])
        self.at_step(5)
        self.resize([1, 2, 3])
        self.at_step(self.lead.step() + 5)
        self.lead.workers[2].process.kill()
        self.finish(killed=[2])
        found = torch.load(os.path.join(self.base, 'returned.pt'))
        for name, value in wanted.items():
            self.assertTrue(torch.equal(value, found[name]), name)


if __name__ == '__main__':
    unittest.main()
