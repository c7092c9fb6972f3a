"""Role: what wm-curves makes of what trainings write: series by name, whatever is torn or odd left out, and a page of
them that shows no file and runs nothing.
"""

import importlib.machinery
import importlib.util
import json
import os
import struct
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
PATH = os.path.join(os.path.dirname(os.path.realpath(__file__)), '../../../commands/wm-curves.py')
LOADER = importlib.machinery.SourceFileLoader('wm_curves', PATH)
curves = importlib.util.module_from_spec(importlib.util.spec_from_loader('wm_curves', LOADER))
LOADER.exec_module(curves)


def varint(value):
    """As protocol buffers write it."""
    out = b''
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def field(number, kind, data):
    """A field with its tag."""
    return varint(number << 3 | kind) + data


def record(step, tag, value):
    """A scalar of TensorBoard as its writer leaves it."""
    return record_of(step, tag, field(2, 5, struct.pack('<f', value)))


def tensor(step, tag, *parts):
    """A scalar as TensorFlow 2 and Keras write it: field 8, a tensor of these fields."""
    data = b''.join(parts)
    return record_of(step, tag, field(8, 2, varint(len(data)) + data))


def record_of(step, tag, value):
    """An event of one value, in its record."""
    scalar = field(1, 2, varint(len(tag)) + tag) + value
    summary = field(1, 2, varint(len(scalar)) + scalar)
    event = field(1, 1, struct.pack('<d', 1.0)) + field(2, 0, varint(step)) + field(5, 2, varint(len(summary)) + summary)
    return struct.pack('<Q', len(event)) + b'crc!' + event + b'crc!'


class Curves(unittest.TestCase):
    """Files to series."""

    def setUp(self):
        """A folder of runs."""
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def put(self, path, data):
        """A file of a run."""
        path = os.path.join(self.folder.name, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    def series(self, run):
        """What was reported there."""
        return curves.series_of(os.path.join(self.folder.name, run))

    def test_emetrics_without_what_is_torn_or_no_number(self):
        """Lines of JSON."""
        lines = [{'etimes': {'iteration': {'value': i}}, 'grouplabel': 'train', 'values': {'loss': {'value': str(v)}}}
                 for i, v in ((2, 0.5), (1, 1), (3, 'nan'), (4, 'odd'))]
        self.put('7/log/1/evaluation-metrics.txt', '\n'.join(map(json.dumps, lines)) + '\n[3]\n{"etimes": {"it')
        self.assertEqual(self.series('7'), {'train/loss': [(1, 1), (2, 0.5)]})

    def test_results_and_steps(self):
        """val_dict_list.json and steps.csv."""
        self.put('7/val_dict_list.json', '[{"steps": 5, "acc": 0.5}, 3, {"acc": 0.75}]')
        self.put('7/log/1/steps.csv', 'step,epoch,world,samples,t_begin,t_end\n1,1,1,8,0,1000000000\n2,1,1,8,0,1500000000\ntorn,')
        self.assertEqual(self.series('7'), {'acc': [(3, 0.75), (5, 0.5)], 'steps per second': [(2, 2)]})
        self.put('8/val_dict_list.json', '{"acc"')
        self.assertEqual(self.series('8'), {})

    def test_scalars_of_tensorboard_up_to_where_the_file_ends(self):
        """Records."""
        whole = record(1, b'lr', 0.5) + record(300, b'lr', 0.25)
        self.put('7/events.out.tfevents.1.host', whole + record(301, b'lr', 0.125)[:-3])
        self.assertEqual(self.series('7'), {'lr': [(1, 0.5), (300, 0.25)]})
        self.put('8/events.out.tfevents.1', struct.pack('<Q', 3) + b'crc!' + b'\xff\xff\xff' + b'crc!' + record(1, b'lr', 1))
        self.assertEqual(self.series('8'), {'lr': [(1, 1)]})

    def test_scalars_that_are_tensors_as_tensorflow_and_keras_write_them(self):
        """A number whole, one by one, as a double, left out as zero; nothing of other tensors."""
        real, double, text = b'\x08\x01', b'\x08\x02', b'\x08\x07'
        self.put('7/events.out.tfevents.1', b''.join([
            tensor(1, b'loss', real, field(4, 2, b'\x04' + struct.pack('<f', 0.5))),
            tensor(2, b'loss', real, field(2, 2, b'\x00'), field(5, 2, b'\x04' + struct.pack('<f', 0.25))),
            tensor(3, b'loss', double, field(6, 2, b'\x08' + struct.pack('<d', 0.125))),
            tensor(4, b'loss', real),
            tensor(5, b'loss', real, field(2, 2, b'\x02\x12\x00'), field(4, 2, b'\x04' + struct.pack('<f', 7))),
            tensor(6, b'loss', real, field(4, 2, b'\x02ab')),
            tensor(7, b'loss', text, field(8, 2, b'\x04words'[:5])),
            tensor(8, b'loss', real, field(4, 2, b'\x09'))]))
        self.assertEqual(self.series('7'), {'loss': [(1, 0.5), (2, 0.25), (3, 0.125), (4, 0.0)]})

    def test_many_points_keep_their_spikes(self):
        """Thinned."""
        points = [(i, 9 if i == 777 else 0) for i in range(10000)]
        self.assertIn((777, 9), curves.thinned(points))
        self.assertLessEqual(len(curves.thinned(points)), curves.MOST_POINTS + 2)

    def test_a_page_escapes_what_it_shows_and_takes_no_other_folder(self):
        """Names of metrics and runs."""
        self.put('<b>&/val_dict_list.json', '[{"steps": 1, "<script>": 1}, {"steps": 2, "<script>": 1}]')
        page = curves.page(self.folder.name, ['<b>&', '../..', '/etc'])
        self.assertNotIn('<script', page)
        self.assertNotIn('<b>', page)
        self.assertEqual(page.count('<polyline'), 1)
        self.assertIn('Nothing was reported', curves.page('/nowhere', []))


if __name__ == '__main__':
    unittest.main()
