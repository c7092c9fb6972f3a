"""Role: the tests that run once more, on Python's own packages: in the virtual environment that
`scripts/bootstrap python` makes from test/python/lock.txt. Where it is not there they count as skipped.

  a group's name   `system/trainer_kill_test.py on torch 2.13.0`; of a folder: `unit/trainer on torch 2.13.0`
  its environment  as a user has it who has activated it, and PYTHON names its interpreter
Callers: scripts/check.
"""

import glob
import os
import re

import interpreter

from .group import Group

# Below test/. What meets torch, or is run by a user's own Python; a folder is one process, which imports torch once.
# The quick ones together cost a minute of both cores: each worker process of the others imports torch for seconds.
QUICK = ('unit/trainer', 'unit/frameworks', 'unit/serve', 'unit/commands', 'unit/clients', 'system/trainer_fixed_test.py', 'system/trainer_frames_test.py',
         'system/trainer_huggingface_test.py', 'system/trainer_lightning_test.py')  # these three have their packages nowhere else
LONG = (*(f'system/trainer_{name}_test.py' for name in ('again', 'checkpoint', 'kill', 'random', 'resize')),
        'system/wmla_script_test.py', 'system/050-elastic.bats', 'system/054-story.bats', 'system/063-ways.bats', 'system/070-demo.bats')
NOT_THERE = "Python's own packages are not there: scripts/bootstrap python says why"
CASE = re.compile(r'^(?:    def test_|@test )', re.M)


class Absent(Group):
    """A group whose stack is not there: its cases are counted, none is run."""

    def run(self, own, environment, factor):
        """In place of running. `command`: the files with the cases."""
        for path in self.command:
            with open(path, encoding='utf-8') as script:
                self.skips[NOT_THERE] += len(CASE.findall(script.read()))
        own.remove()
        return self


def _files(path):
    return sorted(glob.glob(f'{path}/*_test.py')) if os.path.isdir(path) else [path]


class Stack:
    """Python's own packages. `test`: the folder of the tests; `soak`: with the long ones."""

    def __init__(self, test, soak):
        self._test, self._soak = test, soak
        self.python = interpreter.ask('--venv')
        self.is_there = os.path.exists(os.path.join(os.path.dirname(os.path.dirname(self.python)), 'made'))
        with open(os.path.join(test, 'python', 'lock.txt'), encoding='utf-8') as lock:
            self.name = 'torch ' + re.search(r'^torch==([\w.]+)', lock.read(), re.M)[1]

    def _environment(self):
        folder = os.path.dirname(self.python)
        return {'PYTHON': self.python, 'VIRTUAL_ENV': os.path.dirname(folder),
                'PATH': folder + os.pathsep + os.environ.get('PATH', os.defpath)}

    def _group(self, path):
        name = f'{os.path.basename(path) if path.endswith(".bats") else os.path.relpath(path, self._test)} on {self.name}'
        kind = 'bats' if path.endswith('.bats') else 'python'
        if not self.is_there:
            return Absent(kind, name, _files(path))
        if kind == 'bats':
            return Group(kind, name, ['bats', '--tap', path], self._environment())
        folder, pattern = (path, '*_test.py') if os.path.isdir(path) else os.path.split(path)
        command = [self.python, '-m', 'unittest', 'discover', '-v', '-s', folder, '-p', pattern]
        return Group(kind, name, command, self._environment())

    def groups(self):
        """All of them, those of bats last; none where its Python runs the other tests already."""
        if self.python == interpreter.PYTHON:
            return []
        words = QUICK + LONG if self._soak else QUICK
        paths = [path for word in words for path in sorted(glob.glob(f'{self._test}/{word}'))]
        return [self._group(path) for path in dict.fromkeys(paths)]
