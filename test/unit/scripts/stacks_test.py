"""Role: which tests scripts/check runs on Python's own packages, in what environment, and what it says where they are
not there.
"""

import os
import shutil
import sys
import tempfile
import unittest
from unittest import mock

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path.insert(0, os.path.join(TOP, 'scripts', 'common'))
from checking import stacks  # noqa: E402
from checking.place import Own  # noqa: E402

CASES = """import os, shutil, sys, unittest
class Case(unittest.TestCase):
    def test_python_is_the_stacks(self):
        self.assertEqual(os.environ['PYTHON'], PYTHON)
        self.assertEqual(shutil.which('python3'), PYTHON)
        self.assertEqual(os.environ['VIRTUAL_ENV'], os.path.dirname(os.path.dirname(PYTHON)))
    def test_another(self):
        pass
"""
BATS = '@test "one" {\n  true\n}\n'


class Stacks(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.place)
        self.test = f'{self.place}/test'
        environment = mock.patch.dict(os.environ, XDG_CACHE_HOME=f'{self.place}/cache')
        environment.start()
        self.addCleanup(environment.stop)
        self.python = stacks.interpreter.ask('--venv')
        self.write('python/lock.txt', '# of\ntorch==9.8.7\n')
        self.write('unit/serve/a_test.py', CASES.replace('PYTHON)', f'{self.python!r})').replace('(PYTHON', f'({self.python!r}'))
        self.write('unit/serve/b_test.py', CASES.replace('    def test_python', '    def _other'))
        self.write('system/070-demo.bats', BATS)

    def write(self, name, text):
        """A file below test/."""
        path = os.path.join(self.test, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)

    def bring(self):
        """What scripts/bootstrap python would have made."""
        os.makedirs(os.path.dirname(self.python))
        with open(self.python, 'w', encoding='utf-8') as out:
            out.write(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        os.chmod(self.python, 0o755)
        with open(os.path.join(os.path.dirname(self.python), '..', 'made'), 'w', encoding='utf-8'):
            pass

    def run_group(self, group):
        """It, run."""
        return group.run(Own(f'{self.place}/own', 'stackstest'), {}, 1)

    def test_groups_name_their_stack_and_the_long_ones_are_for_soak(self):
        self.assertEqual([g.name for g in stacks.Stack(self.test, False).groups()], ['unit/serve on torch 9.8.7'])
        self.assertEqual([(g.kind, g.name) for g in stacks.Stack(self.test, True).groups()],
                         [('python', 'unit/serve on torch 9.8.7'), ('bats', '070-demo.bats on torch 9.8.7')])

    def test_where_it_is_not_there_each_case_is_skipped_with_the_reason(self):
        found = [self.run_group(g) for g in stacks.Stack(self.test, True).groups()]
        self.assertEqual([dict(g.skips) for g in found], [{stacks.NOT_THERE: 3}, {stacks.NOT_THERE: 1}])
        self.assertEqual([(g.passed, g.failed) for g in found], [(0, 0), (0, 0)])

    def test_where_it_is_there_they_run_in_its_environment(self):
        self.bring()
        group = self.run_group(stacks.Stack(self.test, False).groups()[0])
        self.assertEqual((group.passed, group.failed, group.skipped), (3, 0, 0), group.output)
        self.assertEqual(group.again().extra, group.extra)

    def test_what_runs_by_it_already_is_not_run_twice(self):
        with mock.patch.object(stacks.interpreter, 'PYTHON', self.python):
            self.assertEqual(stacks.Stack(self.test, True).groups(), [])

    def test_each_name_in_its_lists_is_there(self):
        for name in stacks.QUICK + stacks.LONG:
            self.assertTrue(os.path.exists(os.path.join(TOP, 'test', name)), name)


if __name__ == '__main__':
    unittest.main()
