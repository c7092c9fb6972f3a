"""Role: the package that dlim sends: a whole tar of the length that was told, made piece by piece."""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import tarfile
import tempfile
import tracemalloc
import unittest

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', '..', '..')
SPEC = importlib.util.spec_from_file_location('dlim', os.path.join(TOP, 'commands', 'dlim.py'))
dlim = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(dlim)


class Package(unittest.TestCase):
    """Of a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name, text in (('model.json', '{"name": "a"}'), ('kernel.py', 'x' * 700), ('README.md', '')):
            self.write(name, text.encode())

    def write(self, name, data):
        """A file of the package."""
        with open(os.path.join(self.folder, name), 'wb') as out:
            out.write(data)

    def test_it_is_what_was_told_each_time_it_is_sent(self):
        """Also with names that a head has no room for, links and an odd letter."""
        long = 'd' * 120
        os.mkdir(os.path.join(self.folder, long))
        weight = os.urandom(1000)
        self.write(os.path.join(long, 'w\u00e9ight'), weight)
        os.symlink('kernel.py', os.path.join(self.folder, 'link'))
        os.link(os.path.join(self.folder, 'kernel.py'), os.path.join(self.folder, 'hard'))
        name, package, files, python = dlim.package_of(self.folder, '/opt/py/bin/python3')
        self.assertEqual((name, len(files), python), ('a', 6, '/opt/py/bin/python3'))
        sent = b''.join(package)
        self.assertEqual(len(sent), package.size)
        self.assertEqual(b''.join(package), sent)
        with tarfile.open(fileobj=io.BytesIO(sent)) as tar:
            self.assertEqual(tar.extractfile(f'{long}/w\u00e9ight').read(), weight)
            self.assertEqual(tar.extractfile('hard').read(), b'x' * 700)
            self.assertEqual(tar.getmember('link').linkname, 'kernel.py')
            self.assertIn('/opt/py/bin', json.load(tar.extractfile('model.json'))['mk_environments'][0]['value'])

    def test_no_more_of_it_than_a_piece_is_in_memory(self):
        """Of a file much longer than that."""
        self.write('weights', bytes(64 << 20))
        _, package, _, _ = dlim.package_of(self.folder)
        tracemalloc.start()
        try:
            self.assertEqual(sum(len(piece) for piece in package), package.size)
            self.assertLess(tracemalloc.get_traced_memory()[1], 8 << 20)
        finally:
            tracemalloc.stop()

    def test_a_file_that_shrinks_meanwhile_is_told(self):
        """Rather than sent as something else."""
        _, package, _, _ = dlim.package_of(self.folder)
        self.write('kernel.py', b'x')
        with self.assertRaisesRegex(dlim.Refused, 'shorter'):
            b''.join(package)


class StatusDoor:
    """Answers what a service looks like."""

    def __init__(self, routers, kernels):
        kernel = {'container_uid': 'k', 'container_host': 'h', 'container_status': 'IDLE', 'finished_task': 0, 'failed_task': 0}
        one = {'isd_uid': 'u', 'job_id': '7', 'client_number': 0, 'pending_tasks': 0, 'request_per_sec': 0.0}
        one.update({'data_size_per_sec': 0.0, 'routers': routers, 'isd_container': [kernel] * kernels})
        self.says = {
            '/model/ping/instance': {'name': 'ping', 'state': 'Started', 'instances': [one] if routers is not None else []},
            '/model/ping/appprofile': {'replica': 3, 'kernel': {'gpu': 'no'}},
        }

    def json(self, path):
        """What stands there."""
        return self.says[path]


class Status(unittest.TestCase):
    """model view -s."""

    def shown(self, routers, kernels):
        """Its lines, by their names."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            dlim.view_status(StatusDoor(routers, kernels), argparse.Namespace(model='ping', all=False))
        return dict(line.split(':\t') for line in said.getvalue().splitlines() if ':\t' in line)

    def test_replicas_are_routers_that_run_and_no_kernels(self):
        """Of three that were asked for two are there."""
        shown = self.shown(2, 5)
        self.assertEqual((shown['Serving replica'], shown['Kernel started']), ('2', '5'))
        self.assertEqual(self.shown(0, 0)['Serving replica'], '0')
        self.assertEqual(self.shown(None, 0)['Serving replica'], '0')


if __name__ == '__main__':
    unittest.main()
