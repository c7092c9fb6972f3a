"""Role: scripts/common/venv, which `scripts/bootstrap python` runs, with stand-ins for the system's Python and pip:
nothing is installed, no network is asked. With WM_SOAK=1 the real pip asks a registry that never answers.
"""

import glob
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
VENV, NAMES = (os.path.join(TOP, 'scripts', 'common', name) for name in ('venv', 'python'))

# Makes an environment of the stand-ins beside it.
SYSTEM = """echo "venv $3" >>"$PLACE/said"
mkdir -p "$3/bin" "$3/lib"
cp "$PLACE/pip" "$3/bin/pip"
cp "$PLACE/python3" "$3/bin/python3"
"""
PIP = 'echo "pip $*" >>"$PLACE/said"\n'
NO_REGISTRY = """echo 'WARNING: Retrying'
echo 'ERROR: Could not find a version' >&2
echo 'ERROR: No matching distribution found' >&2
exit 1
"""
# Its torch is one for GPUs until pip has brought the libraries.
FOR_GPUS = """case $* in *import*) grep -q 'pip .* torch==' "$PLACE/said" || { echo 'no libcudart' >&2; exit 1; } ;; esac"""


class Venv(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.place)
        self.system = self.program('python3.99', SYSTEM)
        self.program('pip', PIP)
        self.program('python3', ':')
        self.environment = {**os.environ, 'XDG_CACHE_HOME': f'{self.place}/cache', 'PLACE': self.place}
        self.folder = os.path.dirname(os.path.dirname(self.named('--venv').stdout.strip()))

    def program(self, name, text):
        """A stand-in's path."""
        path = os.path.join(self.place, name)
        with open(path, 'w', encoding='utf-8') as out:
            out.write(f'#!/bin/bash\n{text}\n')
        os.chmod(path, 0o755)
        return path

    def named(self, *words, **environment):
        """What scripts/common/python answers."""
        return subprocess.run([NAMES, *words, self.system], env={**self.environment, **environment}, check=False,
                              capture_output=True, text=True)

    def start(self, **environment):
        """One that makes it, begun."""
        return subprocess.Popen([VENV, self.system], env={**self.environment, **environment}, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def make(self, **environment):
        """Its exit status, and what it said after where it is made."""
        run = self.start(**environment)
        said = run.communicate()[0]
        head = f"bootstrap: Python's own packages, 4 GB into {self.folder}, which takes minutes: "
        return run.returncode, said.removeprefix(head)

    def asked(self):
        """What the stand-ins were called with."""
        with open(f'{self.place}/said', encoding='utf-8') as said:
            return said.read().splitlines()

    def left(self):
        """What is in the folder of all of them."""
        return [name for name in os.listdir(os.path.dirname(self.folder)) if not name.endswith('.lock')]

    def test_is_made_once_of_what_the_lock_names(self):
        status, said = self.make()
        self.assertEqual(status, 0, said)
        self.assertRegex(said, r'^there, after \d+ s\n$')
        self.assertEqual(self.make(), (0, ''))
        venv, pip = self.asked()
        self.assertEqual(venv, f'venv {self.folder}')
        self.assertRegex(pip, r' --retries 2 --no-deps -r \S+test/python/lock.txt$')

    def test_the_lock_names_one_version_of_everything_that_is_asked_for(self):
        names = {}
        for file in ('packages.txt', 'lock.txt'):
            with open(os.path.join(TOP, 'test', 'python', file), encoding='utf-8') as lines:
                names[file] = [line.strip() for line in lines if not line.startswith('#')]
            self.assertEqual([line for line in names[file] if line.count('==') != 1], [])
        self.assertLessEqual(set(names['packages.txt']), set(names['lock.txt']))

    def test_another_release_of_python_has_another(self):
        before, self.system = self.folder, self.program('python3.98', SYSTEM)
        after = os.path.dirname(os.path.dirname(self.named('--venv').stdout.strip()))
        self.assertEqual(before.replace('3.99', '3.98'), after)

    def test_what_somebody_did_not_finish_is_made_anew(self):
        os.makedirs(f'{self.folder}/torn')
        self.assertEqual(self.make()[0], 0)
        self.assertEqual(sorted(os.listdir(self.folder)), ['bin', 'lib', 'made'])

    def test_without_a_registry_is_one_line_and_nothing_is_left(self):
        self.program('pip', NO_REGISTRY)
        self.assertEqual(self.make(), (1, 'not there, pip wants a registry that it reaches: ERROR: No matching '
                                          'distribution found\n'))
        self.assertEqual(self.left(), [])

    def test_pip_that_does_not_end_is_ended(self):
        self.program('pip', 'exec sleep 3600')
        self.assertEqual(self.make(WM_VENV_LIMIT_S='1'), (1, 'not there, pip has not ended within 1 s\n'))
        self.assertEqual(self.left(), [])

    def test_a_second_one_waits_for_the_first(self):
        os.mkfifo(f'{self.place}/go')
        self.program('pip', PIP + 'cat "$PLACE/go"')
        first = self.start()
        with open(f'{self.place}/go', 'w', encoding='utf-8'):  # opened: the first one's pip runs
            second = self.start()
            head = second.stdout.read(len('bootstrap: '))  # it has seen that there is none
        said = [run.communicate()[0] for run in (first, second)]
        self.assertEqual((first.returncode, second.returncode), (0, 0), said)
        self.assertEqual((head, len(self.asked())), ('bootstrap: ', 2))

    def test_a_torch_for_gpus_gets_its_libraries(self):
        self.program('python3', FOR_GPUS)
        status, said = self.make()
        self.assertEqual(status, 0, said)
        self.assertRegex(self.asked()[-1], r' --retries 2 torch==[\d.]+$')

    def test_a_torch_that_cannot_be_imported_is_named_and_nothing_is_left(self):
        self.program('python3', 'case $* in *import*) echo "ImportError: libc is too old" >&2; exit 1 ;; esac')
        self.assertEqual(self.make(), (1, 'not there, its torch cannot be imported: ImportError: libc is too old\n'))
        self.assertEqual(self.left(), [])

    def test_those_that_nobody_has_asked_for_in_a_month_go(self):
        for name, days in (('old-python3.11', 40), ('other-python3.11', 4)):
            path = os.path.join(os.path.dirname(self.folder), name)
            os.makedirs(path)
            os.utime(path, times=(time.time() - days * 86400,) * 2)
        self.assertEqual(self.make()[0], 0)
        self.assertEqual(sorted(self.left()), sorted([os.path.basename(self.folder), 'other-python3.11']))

    def test_python_venv_names_it_or_says_what_makes_it(self):
        said = self.named(PYTHON='venv')
        self.assertEqual((said.returncode, said.stdout), (1, ''))
        self.assertIn('scripts/bootstrap python makes it', said.stderr)
        self.make()
        self.assertEqual(self.named(PYTHON='venv').stdout, f'{self.folder}/bin/python3\n')

    @unittest.skipUnless(os.environ.get('WM_SOAK'), 'long: make soak')
    @unittest.skipUnless(importlib.util.find_spec('ensurepip'), 'no python3-venv: scripts/bootstrap python installs it')
    def test_a_registry_that_never_answers_is_asked_three_times(self):
        asked = []

        def serve():
            while True:
                try:
                    asked.append(silent.accept()[0])
                except OSError:
                    return

        self.system = sys.executable
        with socket.create_server(('127.0.0.1', 0)) as silent:
            thread = threading.Thread(target=serve)
            thread.start()
            registry = f'http://127.0.0.1:{silent.getsockname()[1]}/simple'
            status, said = self.make(WM_VENV_ANSWER_S='1', PIP_INDEX_URL=registry, PIP_EXTRA_INDEX_URL='', PIP_FIND_LINKS='',
                                     PIP_CONFIG_FILE=os.devnull, NO_PROXY='*')
            silent.shutdown(socket.SHUT_RDWR)
            thread.join()
        for connection in asked:
            connection.close()
        self.assertEqual((status, len(asked)), (1, 3), said)
        self.assertIn('not there, pip wants a registry that it reaches: ERROR: No matching distribution', said)
        self.assertEqual(len(glob.glob(f'{self.place}/cache/wm/python/*')), 1)  # the lock


if __name__ == '__main__':
    unittest.main()
