"""Role: tests of fabric_model/plain.py: what travels, what is refused, that reading runs nothing."""

import json
import math
import unittest
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple

import numpy
import torch

from fabric_model import plain


def through(tree):
    """The tree as a reader finds it."""
    head, tensors = plain.pack(tree)
    return plain.Head(head).tree([plain.memory(t).clone() for t in tensors])


def reads(head, *blocks):
    return plain.Head(json.dumps(head).encode()).tree(list(blocks))


class PackTest(unittest.TestCase):
    def test_plain_data_arrives_as_it_was(self):
        tree = {'none': None, 'yes': True, 3: -2 ** 80, 'f': 0.1, 'inf': math.inf, 'c': 1 + 2j, 'text': 'ä\0"',
                'bytes': b'\0\xff', 'list': [1, [2, ()]], 'tuple': (1, (2, [3])), (1, 'k'): {4, 5},
                'frozen': frozenset([1]), 'ordered': OrderedDict(b=1, a=2), 'count': Counter({7: 2}),
                'queue': deque([1, 2], maxlen=2), 'size': torch.Size([2, 3]), 'dtype': torch.bfloat16,
                'device': torch.device('cpu'), 'tensor': {'tensor': 0}}
        read = through(tree)
        self.assertEqual(read, tree)
        for name, value in tree.items():
            self.assertIs(type(read[name]), type(value), name)
        self.assertEqual(list(read['ordered']), ['b', 'a'])
        self.assertEqual(read['queue'].maxlen, 2)
        self.assertTrue(math.isnan(through([math.nan])[0]))

    def test_tensors_arrive_with_their_type_shape_and_bits(self):
        kinds = [torch.float64, torch.float32, torch.bfloat16, torch.float16, torch.int64, torch.uint8, torch.bool,
                 torch.complex64]
        for kind in kinds:
            for tensor in (torch.randn(3, 2).to(kind), torch.ones((), dtype=kind), torch.ones(0, 4, dtype=kind),
                           torch.ones(4, 6, dtype=kind)[::2, 1::3], torch.nn.Parameter(torch.ones(2)).t()):
                read = through({'here': [tensor]})['here'][0]
                self.assertEqual((read.dtype, read.shape, read.requires_grad), (tensor.dtype, tensor.shape, False))
                self.assertTrue(torch.equal(read, tensor))
        self.assertTrue(torch.equal(through(torch.tensor([1j]).conj()), torch.tensor([-1j])))

    def test_numpy_arrays_arrive_and_numpy_numbers_become_plain_ones(self):
        array = numpy.arange(6, dtype='>u4').reshape(2, 3).T
        read = through({'a': array, 'none': numpy.zeros((0, 2)), 'n': numpy.float32(0.5), 'i': numpy.int64(3)})
        self.assertEqual((read['a'].dtype, read['a'].tolist()), (array.dtype, array.tolist()))
        self.assertEqual((read['none'].shape, read['n'], type(read['i'])), ((0, 2), 0.5, int))
        state = numpy.random.get_state()
        numpy.random.set_state(through(state))
        self.assertTrue((numpy.random.get_state()[1] == state[1]).all())

    def test_a_defaultdict_arrives_as_a_dict(self):
        tree = defaultdict(list, a=[1])
        self.assertEqual(type(through(tree)), dict)
        self.assertEqual(through(tree), {'a': [1]})

    def test_what_is_not_plain_is_refused_by_its_name_and_place(self):
        pair = namedtuple('Pair', 'a b')
        refused = [(object(), 'builtins.object'), (lambda: 0, 'builtins.function'), (pair(1, 2), 'Pair'),
                   (numpy.array([None]), 'numpy.ndarray'), (torch.nn.Linear(1, 1), 'Linear'),
                   (torch.ones(2, 2).to_sparse(), 'sparse')]
        for value, name in refused:
            with self.assertRaisesRegex(plain.NotPlain, rf"mine\['deep'\]\[1\] is a .*{name}"):
                plain.pack({'deep': [0, value]}, 'mine')
        loop = []
        loop.append(loop)
        with self.assertRaisesRegex(plain.NotPlain, 'holds itself'):
            plain.pack(loop)


class ReadTest(unittest.TestCase):
    def test_damaged_or_hostile_bytes_are_refused(self):
        block = torch.zeros(8, dtype=torch.uint8)
        for head in ([], {'tree': 1}, {'tree': 1, 'blocks': [['tensor', 'load', [1]]]},
                     {'tree': 1, 'blocks': [['tensor', 'float64', [-1]]]},
                     {'tree': 1, 'blocks': [['tensor', 'float64', [True]]]},
                     {'tree': 1, 'blocks': [['array', 'O', [1]]]}, {'tree': 1, 'blocks': [['array', 'V8', [1]]]},
                     {'tree': 1, 'blocks': [['array', 'no', [1]]]}, {'tree': {'eval': '1'}, 'blocks': []},
                     {'tree': {'a': 1, 'b': 2}, 'blocks': []}, {'tree': {'tensor': 4}, 'blocks': []},
                     {'tree': {'dtype': 'load'}, 'blocks': []}, {'tree': {'dict': [[[1], 2]]}, 'blocks': []}):
            with self.assertRaises(plain.Damaged, msg=head):
                reads(head, block)
        for bytes_ in (b'', b'\x80\x04N.', b'{"tree":' + b'[' * 100000):
            with self.assertRaises(plain.Damaged):
                plain.Head(bytes_)
        self.assertEqual(plain.Head(b'{"tree":1,"blocks":[["tensor","float64",[2,3]]]}').sizes, [48])


if __name__ == '__main__':
    unittest.main()
