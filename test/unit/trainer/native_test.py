"""Role: tests of fabric_model/native.py: what it does where the library is not there."""

import unittest

from fabric_model.native import Ledger


class LedgerTest(unittest.TestCase):
    def test_any_seed_gives_a_pass_its_order(self):
        for seed in (0, (1 << 52) - 1):
            numbers, seeds = Ledger(None, 50, seed).samples(1, 0, 50)
            self.assertEqual(sorted(numbers), list(range(50)))
            self.assertNotEqual(numbers, Ledger(None, 50, seed).samples(2, 0, 50)[0])
            self.assertLess(max(seeds), 1 << 64)


if __name__ == '__main__':
    unittest.main()
