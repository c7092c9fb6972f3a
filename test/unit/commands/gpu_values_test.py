"""Role: what a %%gpu cell and its notebook hand each other, without a GPU: tensors that were on one, names of one object, and what
cannot be handed on.
"""

import importlib.util
import os
import sys
import threading
import unittest
import unittest.mock

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), '../../..')
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, 'libwm/trainer/python'))
import wm_gpu_values as values  # noqa: E402


class OnlyThere:
    """Can be packed, but not be unpacked here."""

    def __reduce__(self):
        return __import__, ('no_such_module_here',)


class Values(unittest.TestCase):
    """Of any kind."""

    def test_names_of_one_object_are_names_of_one_object_there(self):
        """Also inside other values."""
        part = [1]
        got, left = values.unpacked(values.packed({'a': part, 'b': {'x': part}, 'os': os}, {'a', 'b', 'os', 'absent'}))
        self.assertEqual((got['a'], got['os'], left), ([1], os, {}))
        self.assertIs(got['b']['x'], got['a'])
        parts = values.packed({'a': part, 'b': [part], 'c': [1], 'd': 'word', 'e': 'word'}, 'abcde')['parts']
        self.assertEqual([names for names, _ in parts], [['a', 'b'], ['c'], ['d'], ['e']])

    def test_what_cannot_be_packed_is_named_and_the_rest_goes(self):
        """Whatever its place in the order."""
        packed, left = values.packed_what_can({'a': threading.Lock(), 'b': 1, 'c': (i for i in []), 'd': [2]}, {'a', 'b', 'c', 'd'})
        self.assertEqual(sorted(left), ['a', 'c'])
        self.assertIn('lock', left['a'])
        self.assertEqual(values.unpacked(packed), ({'b': 1, 'd': [2]}, {}))

    def test_what_does_not_exist_there_costs_no_other(self):
        """An array of a library that wants the device, say."""
        got, left = values.unpacked(values.packed({'a': 1, 'b': OnlyThere(), 'c': 3}, {'a', 'b', 'c'}))
        self.assertEqual(got, {'a': 1, 'c': 3})
        self.assertIn('no_such_module_here', left['b'])


@unittest.skipUnless(importlib.util.find_spec('torch'), 'no torch')
class Tensors(unittest.TestCase):
    """That are on a GPU, as far as one without it can tell: which are is decided in _device_of."""

    def handed(self, given, on_gpu):
        """What arrives; those tensors are on GPU 1."""
        places = {id(tensor): 1 for tensor in on_gpu}
        with unittest.mock.patch.object(values, '_device_of', lambda tensor: places.get(id(tensor))):
            packed = values.packed(given, given)
        got, left = values.unpacked(packed)
        self.assertEqual(left, {})
        return got

    def test_they_are_here_and_remembered(self):
        """A tensor of the CPU is none of them."""
        import torch
        one = torch.arange(4.0, requires_grad=True)
        got = self.handed({'one': one, 'own': torch.ones(2)}, [one])
        self.assertEqual(got['one'].tolist(), [0, 1, 2, 3])
        self.assertTrue(got['one'].requires_grad)
        self.assertEqual([values._device_of(got[name]) for name in ('one', 'own')], [1, None])
        key = id(got['one'])
        del got['one']
        self.assertNotIn(key, values._away)

    def test_an_optimizer_is_still_that_of_its_model(self):
        """Parameters stay parameters."""
        import torch
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        got = self.handed({'model': model, 'optimizer': optimizer}, list(model.parameters()))
        self.assertIsInstance(got['model'].weight, torch.nn.Parameter)
        self.assertIs(got['optimizer'].param_groups[0]['params'][0], got['model'].weight)
        self.assertEqual(values._device_of(got['model'].weight), 1)

    def test_a_stream_is_refused_by_name(self):
        """It would be made anew on the other side, where it means nothing."""
        import torch  # noqa: F401  pylint: disable=unused-import
        stream = type('Stream', (), {'__module__': 'torch.cuda.streams'})
        with self.assertRaisesRegex(TypeError, 's cannot be sent to a job: a torch.cuda.streams.Stream lives on the GPU'):
            values.packed({'s': stream()}, {'s'})


if __name__ == '__main__':
    unittest.main()
