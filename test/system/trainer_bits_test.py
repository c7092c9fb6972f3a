"""Role: deterministic=True on real worker processes: batch normalisation, dropout and momentum in single precision, resized and
with a member lost, end with the bits of a run of one worker.
"""

import os
import sys
import unittest

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import bits_models  # noqa: E402
from elastic_job import Elastic  # noqa: E402


class Bits(Elastic):
    settings = {'passes': 3, 'samples': 230, 'deterministic': 4, 'dtype': 'float32', 'step_ms': 2}

    def proved(self, **settings):
        settings = {**self.settings, **settings}
        wanted = self.parameters_after(lambda: self.begin([1]), **settings)
        self.job(**settings)
        self.begin([1, 2], later=[3])
        self.at_step(5)
        self.resize([1, 2, 3])
        self.at_step(self.lead.step() + 5)
        self.lead.workers[2].process.kill()
        self.finish(killed=[2])
        found = torch.load(os.path.join(self.base, 'returned.pt'))
        for name, value in wanted.items():
            self.assertTrue(torch.equal(value, found[name]), name)

    def test_any_sequence_of_sizes_gives_the_same_bits(self):
        self.proved(norm=1)

    @unittest.skipUnless(os.environ.get('WM_SOAK'), 'not run: the long form alone has them; virtual_bits_test.py has all in one process')
    def test_models_of_other_kinds_give_them_too(self):
        for kind in bits_models.KINDS:
            with self.subTest(kind):
                self.proved(model=kind)
                self.tearDown()
                self.setUp()


if __name__ == '__main__':
    unittest.main()
