"""Role: tests of fabric_model/virtual.py: one order of addition for any division among members, and what deterministic
training refuses.
"""

import unittest

import torch
from fabric_test import Fabric, own_step

from fabric_model import virtual


class Trees(unittest.TestCase):
    def test_any_division_among_members_gives_the_same_bits(self):
        for count in range(1, 13):
            parts = torch.randn(count, 64, generator=torch.Generator().manual_seed(count)) * 10.0 ** torch.arange(count).view(-1, 1)
            seen = set()
            for world in range(1, 8):
                nodes, tree = [], virtual.Tree()
                for rank in range(world):
                    own = virtual.Tree()
                    for v in range(*virtual.span(count, world, rank)):
                        own.add(v, 1, [parts[v].clone()])
                    self.assertEqual([(b, s) for b, s, _ in own.sums], list(virtual.blocks(*virtual.span(count, world, rank))))
                    nodes += own.sums
                for node in nodes:
                    tree.add(*node)
                seen.add(tree.total()[0].numpy().tobytes())
            self.assertEqual(len(seen), 1, count)

    def test_a_plain_sum_would_differ(self):
        parts = torch.randn(6, 64, generator=torch.Generator().manual_seed(1)) * 10.0 ** torch.arange(6).view(-1, 1)
        tree = virtual.Tree()
        for v in range(6):
            tree.add(v, 1, [parts[v].clone()])
        self.assertFalse(torch.equal(tree.total()[0], sum(parts)))


class Trained(Fabric):
    def tearDown(self):
        torch.use_deterministic_algorithms(False)

    def test_it_trains_as_ever_and_what_is_drawn_follows_from_the_step(self):
        def model():
            torch.manual_seed(1)
            return torch.nn.Linear(4, 1)

        def dropping():
            torch.manual_seed(1)
            return torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))

        wanted = self.train(model=model())
        torch.testing.assert_close(self.train(model=model(), deterministic=2).weight, wanted.weight)
        first, second = (self.train(model=dropping(), deterministic=True, batch_size=16).state_dict() for _ in range(2))
        for name, value in first.items():
            self.assertTrue(torch.equal(value, second[name]), name)
        self.assertEqual(first['1.num_batches_tracked'].item(), 4)

    def test_what_depends_on_the_workers_is_refused_by_name(self):
        for options, words in (({'sync_bn': True}, 'deterministic and sync_bn'), ({'fn_step_train': own_step}, 'deterministic and fn_step_train'),
                               ({'batch_size': 'auto'}, "batch_size 'auto' and deterministic")):
            with self.assertRaisesRegex(ValueError, words):
                self.train(deterministic=True, **options)


if __name__ == '__main__':
    unittest.main()
