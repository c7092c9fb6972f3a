"""Role: tests of control=, servers=, staleness= and shard= (fabric_model/control.py), and of what FabricModel makes of them in one process."""

import os
import unittest
from unittest import mock

import torch

from fabric_model import control, unsynced
from fabric_test import Fabric, Sums, own_step


HALF = torch.__version__ >= '2.4'  # an older one has fp16 on GPUs alone


class Chosen(unittest.TestCase):
    def test_what_is_said_and_what_follows(self):
        for said, wanted in (((None, None, None), control.Control()), ((None, 2, None), control.Control('sync', 2)),
                             (('sync', 2, 0), control.Control('sync', 2)), (('async', 3, 5), control.Control('async', 3, 5)),
                             (('async', 3, 0), control.Control('sync', 3)), (('async', 3, None), control.Control('async', 3, 8))):
            self.assertEqual(control.chosen(*said, {}), wanted)
        self.assertEqual(control.chosen(None, None, None, {'WM_PARAMETER_SERVERS': '2'}), control.Control('sync', 2))
        self.assertEqual(control.chosen('async', None, 1, {'WM_PARAMETER_SERVERS': '2'}), control.Control('async', 2, 1))
        self.assertEqual(control.chosen(None, 4, None, {'WM_PARAMETER_SERVERS': '2'}).servers, 4)

    def test_what_cannot_be_is_refused_by_name(self):
        for said, why in (((None, 0, None), 'servers 0: at least 1'), ((None, -1, None), 'servers -1: at least 1'),
                          ((None, '2', None), "servers '2': a whole number"), ((None, True, None), 'servers True: a whole number'),
                          (('both', 2, None), "control 'both': 'sync' or 'async'"), (('async', None, None), "control 'async' is of parameter"),
                          ((None, None, 3), 'staleness 3 is of parameter servers'), (('async', 2, -1), 'staleness -1: at least 0'),
                          (('sync', 2, 3), "staleness 3 is of control='async'"), (('async', 2, 1.5), 'staleness 1.5: a whole number')):
            with self.assertRaisesRegex(ValueError, why):
                control.chosen(*said, {})
        with self.assertRaisesRegex(ValueError, "servers 'x': a whole number"):
            control.chosen(None, None, None, {'WM_PARAMETER_SERVERS': 'x'})


class Bad(Sums):
    """One sample is no number."""

    def __getitem__(self, number):
        x, label = super().__getitem__(number)
        return (x * float('nan') if number == 5 else x), label


class Given(Fabric):
    def test_what_does_not_go_together_is_refused_by_name(self):
        asynchronous = {'control': 'async', 'servers': 2}
        for options, why in (({'servers': 9}, 'servers 9: the model has 5 parameters'), ({'servers': 2, 'deterministic': True}, 'servers and deterministic'),
                             ({**asynchronous, 'sync_bn': True}, "control='async' and sync_bn"),
                             ({**asynchronous, 'clip_grad_norm': 1.0}, "control='async' and clip_grad_norm"),
                             ({**asynchronous, 'amp': 'fp16'}, "fp16"), ({**asynchronous, 'batch_size': 'auto'}, "batch_size 'auto' and control='async'"),
                             ({'shard': 'optimizer', 'servers': 1}, "shard='optimizer' and servers 1"),
                             ({'shard': 'parameters'}, "shard='parameters': parameters are whole"), ({'shard': 'x'}, "shard 'x'")):
            with self.assertRaisesRegex(ValueError, why):
                self.train(**options)

    def test_an_optimizer_of_which_it_is_not_known_is_refused_before_anything_begins(self):
        class Own(torch.optim.SGD):
            pass

        model = torch.nn.Linear(4, 1)
        for options in ({'servers': 1}, {'shard': 'optimizer'}):
            with self.assertRaisesRegex(ValueError, 'of optimizer Own .* it is not known how its state may be cut'):
                self.train(model=model, optimizer=Own(model.parameters(), lr=0.1), **options)
        self.assertNotIn('START TRAINING', self.printed.getvalue())


class Trains(Fabric):
    """One worker, with real server processes where there are servers: what it trains is what plain training trains."""

    def model(self):
        torch.manual_seed(1)
        return torch.nn.Sequential(torch.nn.Linear(4, 6, bias=False), torch.nn.BatchNorm1d(6), torch.nn.Tanh(), torch.nn.Linear(6, 1))

    def trained(self, **options):
        model = self.model()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        self.train(model=model, optimizer=optimizer, **options)
        return model, optimizer

    def test_all_ways_make_the_steps_of_plain_training_and_the_optimizer_has_its_state_afterwards(self):
        for more in ({}, {'clip_grad_norm': 0.1}, {'amp': 'bf16'}, {'loss_reduction': 'sum', 'loss': torch.nn.MSELoss(reduction='sum')},
                     {'fn_step_train': own_step}, {'sync_bn': True}, *([{'amp': 'fp16'}] if HALF else [])):
            plain, optimizer = self.trained(**more)
            for way in ({'servers': 1}, {'servers': 3}, {'shard': 'optimizer'}, {'servers': 2, 'control': 'async'}):
                if 'control' in way and (set(more) & {'clip_grad_norm', 'sync_bn'} or more.get('amp') == 'fp16'):
                    continue  # refused by name
                model, own = self.trained(**more, **way)
                for name, value in plain.state_dict().items():
                    torch.testing.assert_close(model.state_dict()[name], value, rtol=1e-5, atol=1e-7, msg=f'{name} with {more} {way}')
                for p, q in zip(optimizer.param_groups[0]['params'], own.param_groups[0]['params']):
                    for key, value in optimizer.state[p].items():
                        torch.testing.assert_close(torch.as_tensor(own.state[q][key]), torch.as_tensor(value), rtol=1e-4, atol=1e-6)

    def test_each_way_goes_on_from_the_checkpoint_of_each_other(self):
        ways = ({}, {'servers': 2}, {'shard': 'optimizer'}, {'servers': 2, 'control': 'async'})
        plain, _ = self.trained(epochs=4)
        for first in ways:
            for then in ways:
                self.trained(epochs=2, **first)
                folder = os.environ['RESULT_DIR']
                model, _ = self.trained(epochs=4, resumed=folder, **then)
                for name, value in plain.state_dict().items():
                    torch.testing.assert_close(model.state_dict()[name], value, rtol=1e-5, atol=1e-7)

    def test_a_gradient_that_is_not_finite_is_named_and_not_applied_in_sync(self):
        for way in ({'servers': 2}, {'shard': 'optimizer'}):
            with self.assertRaisesRegex(RuntimeError, 'not finite .*rank 0'):
                self.train(sets=(Bad(), None), **way)
            model = self.train(sets=(Bad(), None), nonfinite='skip', **way)
            plain = self.train(sets=(Bad(), None), nonfinite='skip')
            torch.testing.assert_close(model.weight, plain.weight)
            self.assertTrue(bool(torch.isfinite(model.weight).all()))

    def test_a_gradient_that_is_not_finite_is_named_and_not_applied_in_async(self):
        with self.assertRaisesRegex(RuntimeError, 'a gradient of rank 0 is not applied: push .* has a NaN or inf'):
            self.train(sets=(Bad(), None), servers=1, control='async')
        model = self.train(sets=(Bad(), None), servers=1, control='async', nonfinite='skip')
        self.assertTrue(bool(torch.isfinite(model.weight).all()))
        self.assertIn('a gradient of rank 0 is not applied', self.printed.getvalue())

    def test_what_does_not_count_in_async_leaves_running_statistics_as_they_were(self):
        asked, real = [], unsynced.Unwaited._commit

        def voided_once(stepping, *arguments):
            asked.append(1)
            return {'void': 1} if len(asked) == 2 else real(stepping, *arguments)

        plain, _ = self.trained()
        with mock.patch.object(unsynced.Unwaited, '_commit', voided_once):
            model, _ = self.trained(servers=2, control='async')
        self.assertEqual(len(asked), 9)
        for name, value in plain.state_dict().items():
            torch.testing.assert_close(model.state_dict()[name], value, rtol=1e-5, atol=1e-7, msg=name)
        model, _ = self.trained(sets=(Bad(), None), servers=1, control='async', nonfinite='skip')
        self.assertTrue(all(bool(torch.isfinite(value).all()) for value in model.state_dict().values()))
        self.assertEqual(int(model.state_dict()['1.num_batches_tracked']), 6)  # of 8 steps, two had the NaN


if __name__ == '__main__':
    unittest.main()
