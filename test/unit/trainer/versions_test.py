"""Role: tests of fabric_model/versions.py: which Python and torch are refused, in which words; torches of other
versions are stand-ins, folders with as much as is looked at."""

import os
import subprocess
import sys
import sysconfig
import tempfile
import unittest
from unittest import mock

from fabric_model import versions

OURS = os.path.dirname(os.path.dirname(os.path.abspath(versions.__file__)))
ABI = '-'.join(sysconfig.get_config_var('SOABI').split('-')[:2])
DISTRIBUTED = 'class ProcessGroupGloo:\n    pass\n'


class Unfit(unittest.TestCase):
    """An interpreter of its own imports fabric_model beside a torch that is made here."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, 'torch')

    def torch(self, files):
        for name, text in files.items():
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w', encoding='utf-8') as out:
                out.write(text)

    def said(self, task='1', flags=()):
        """(exit code, standard output, standard error) of an import."""
        env = {**os.environ, 'PYTHONPATH': os.path.dirname(self.folder) + ':' + OURS}
        env.pop('WM_TASK', None)
        if task:
            env['WM_TASK'] = task
        ran = subprocess.run([sys.executable, *flags, '-c', 'import fabric_model'], env=env, capture_output=True,
                             text=True, check=False)
        return ran.returncode, ran.stdout, ran.stderr

    def refused(self, *words):
        code, out, err = self.said()
        self.assertEqual((code, out, err.count('\n')), (1, '', 1), err)  # the first line, and the only one
        for word in ('fabric_model: ', *words):
            self.assertIn(word, err)

    def test_a_torch_that_is_too_old(self):
        self.torch({'__init__.py': "__version__ = '1.12.1+cu102'\n", 'distributed/__init__.py': DISTRIBUTED})
        self.refused('torch 1.12.1+cu102 of ' + self.folder, 'too old: 1.13 or newer')

    def test_a_torch_without_gloo(self):
        self.torch({'__init__.py': "__version__ = '2.6.0'\n", 'distributed/__init__.py': ''})
        self.refused('torch 2.6.0 of ' + self.folder, 'no gloo')

    def test_a_torch_that_is_built_for_another_python(self):
        self.torch({'__init__.py': 'from torch import _C\n', '_C.cpython-37m-x86_64-linux-gnu.so': ''})
        self.refused('torch of ' + self.folder, 'the ABI cpython-37', f'(%s) has the ABI {ABI}' % sys.executable)

    def test_a_torch_that_fails_for_another_reason(self):
        self.torch({'__init__.py': 'from torch import _C\n', f'_C.{ABI}-x86_64-linux-gnu.so.txt': ''})
        self.refused('torch of ' + self.folder, 'cannot be imported by Python', "cannot import name '_C'")

    def test_no_torch_at_all(self):
        os.mkdir(self.folder)  # a folder of that name is none
        ran = subprocess.run([sys.executable, '-I', '-S', '-c', f'import sys; sys.path.append({OURS!r}); import fabric_model'],
                             env={'WM_TASK': '1'}, capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(ran.stderr.count('\n'), 1)
        self.assertIn('has no torch: install it there', ran.stderr)

    def test_a_python_that_is_too_old(self):
        with mock.patch.object(versions.sys, 'version_info', (3, 8, 9)):
            problem = versions._problem()
        self.assertTrue(problem.startswith('Python 3.8.9 ('), problem)
        self.assertIn('too old: 3.9 or newer', problem)

    def test_outside_wm_it_is_an_import_error_which_programs_can_catch(self):
        self.torch({'__init__.py': "__version__ = '1.9.0'\n", 'distributed/__init__.py': DISTRIBUTED})
        code, _, err = self.said(task='')
        self.assertEqual(code, 1)
        self.assertIn('ImportError: fabric_model: torch 1.9.0', err)

    def test_one_that_fits_is_not_looked_at_further(self):
        self.assertIsNone(versions._problem())


class Mixed(unittest.TestCase):
    """What workers tell each other."""

    def test_the_same_ones_are_fine_whoever_has_them_and_an_earlier_wm_that_told_nothing(self):
        versions.compare(versions.told())
        versions.compare(versions.name() + '\ntask 9 on elsewhere')
        versions.compare(None)

    def test_builds_of_one_version_are_the_same(self):
        with mock.patch.object(versions.sys.modules['torch'], '__version__', '2.6.0+cu126'):
            theirs = versions.told()
        with mock.patch.object(versions.sys.modules['torch'], '__version__', '2.6.0+cpu'):
            versions.compare(theirs)

    def test_other_ones_are_refused_by_both_names(self):
        with mock.patch.dict(os.environ, {'WM_TASK': '3', 'HOSTNAME': 'nodeb'}), \
             mock.patch.object(versions.sys.modules['torch'], '__version__', '2.6.0+cpu'), \
             self.assertRaises(versions.Mixed) as refused:
            versions.compare('Python 3.8, torch 1.13.0\ntask 1 on nodea')
        own = 'Python {}.{}'.format(*sys.version_info[:2])
        self.assertEqual(str(refused.exception), 'fabric_model: mixed versions in one job: task 3 on nodeb has '
                         f'{own}, torch 2.6.0; task 1 on nodea has Python 3.8, torch 1.13.0')


if __name__ == '__main__':
    unittest.main()
