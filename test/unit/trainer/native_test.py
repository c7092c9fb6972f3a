"""Role: tests of fabric_model/native.py: what it does where the library is not there, or its files cannot be written."""

import contextlib
import io
import os
import resource
import tempfile
import unittest

from fabric_model import native
from fabric_model.native import Ledger, Step


class LedgerTest(unittest.TestCase):
    def test_any_seed_gives_a_pass_its_order(self):
        for seed in (0, (1 << 52) - 1):
            numbers, seeds = Ledger(None, 50, seed).samples(1, 0, 50)
            self.assertEqual(sorted(numbers), list(range(50)))
            self.assertNotEqual(numbers, Ledger(None, 50, seed).samples(2, 0, 50)[0])
            self.assertLess(max(seeds), 1 << 64)


class RecordsTest(unittest.TestCase):
    def test_a_full_disk_ends_no_training_and_is_said_once(self):
        lib = native.load()
        self.assertIsNotNone(lib)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        for full_from_the_first in (True, False):
            with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as said:
                if full_from_the_first:
                    os.symlink('/dev/full', os.path.join(folder, 'steps.csv'))
                records = native.Records(lib, folder)
                self.addCleanup(records.close)
                if not full_from_the_first:
                    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
                try:
                    pauses = [records.step(Step(step=n, epoch=1 + n // 6, world=1, samples=8, t_begin_ns=n * 1000, t_end_ns=n * 1000 + 500))
                              for n in range(1, 9)]
                finally:
                    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
                records.close()
            self.assertEqual(said.getvalue().count('from here on no steps of this worker are recorded; the training goes on'), 1, said.getvalue())
            self.assertIn('steps.csv', said.getvalue())
            self.assertEqual(pauses[0], -1)
            self.assertGreaterEqual(pauses[5], 0)  # the first step of an epoch, nevertheless


if __name__ == '__main__':
    unittest.main()
