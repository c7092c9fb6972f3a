"""Role: run_kernel.py, which a service's kernels are run by, as libwm/serve/package.cc has it: a kernel runs as it would alone, and one that
ends before it serves leaves word.
"""

import os
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def runner():
    """The program's text."""
    with open(os.path.join(ROOT, 'libwm/serve/package.cc'), encoding='utf-8') as source:
        return source.read().split('R"py(', 1)[1].split(')py"', 1)[0]


class Runner(unittest.TestCase):
    """Each in a folder of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(os.path.join(self.folder.name, 'run_kernel.py'), 'w', encoding='utf-8') as out:
            out.write(runner())
        self.package = os.path.join(self.folder.name, 'm-1')
        os.mkdir(self.package)

    def run_it(self, text):
        """(exit code, what it printed, the word it left or None)"""
        path = os.path.join(self.package, 'kernel.py')
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
        done = subprocess.run([sys.executable, os.path.join(self.folder.name, 'run_kernel.py'), path], capture_output=True, text=True, check=False)
        try:
            with open(os.path.join(self.folder.name, 'kernel.failed'), encoding='utf-8') as word:
                return done.returncode, done.stdout, word.read()
        except FileNotFoundError:
            return done.returncode, done.stdout, None

    def test_a_kernel_is_the_main_program_in_its_own_folder(self):
        """As python3 kernel.py has it."""
        with open(os.path.join(self.package, 'beside.py'), 'w', encoding='utf-8') as out:
            out.write('WORD = "beside"\n')
        code, said, word = self.run_it('import sys, beside, __main__\nprint(__name__, beside.WORD, sys.argv[0] == __file__, __main__.__file__ == __file__)')
        self.assertEqual((code, said, word), (0, '__main__ beside True True\n', None))

    def test_what_it_cannot_import_is_left_in_one_line(self):
        """The newest counts."""
        self.assertEqual(self.run_it('import nowhere_at_all')[2], "ModuleNotFoundError: No module named 'nowhere_at_all'\n")
        code, _, word = self.run_it('raise ValueError("a\\nb")')
        self.assertEqual((code, word), (1, 'ValueError: a b\n'))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ['kernel.failed', 'm-1', 'run_kernel.py'])

    def test_an_exit_code_is_kept_and_told_unless_it_is_zero(self):
        """Of sys.exit."""
        self.assertEqual(self.run_it('import sys; sys.exit(0)')[::2], (0, None))
        self.assertEqual(self.run_it('import sys; sys.exit(3)')[::2], (3, 'it ended with 3\n'))
        self.assertEqual(self.run_it('import sys; sys.exit("no weights")')[::2], (1, 'no weights\n'))

    def test_one_that_does_not_report_in_time_is_ended_wherever_it_hangs(self):
        """Here in a call that lets no other thread of its Python run."""
        hangs = 'import ctypes\nctypes.PyDLL(None).sleep(60)'
        with unittest.mock.patch.dict(os.environ, WM_CONNECTION_TIMEOUT='1'):
            code, _, word = self.run_it(hangs)
        self.assertEqual((code, word), (-signal.SIGKILL, 'it did not report within the connection_timeout of 1 s\n'))

    def test_one_that_reports_runs_on_and_has_no_child(self):
        """As wm_kernel_open says it."""
        with unittest.mock.patch.dict(os.environ, WM_CONNECTION_TIMEOUT='1'):
            reports = 'import os, time\nos.write(int(os.environ["WM_KERNEL_REPORTS"]), b"1")\ntime.sleep(1.5)\n'
            self.assertEqual(self.run_it(reports + 'try:\n    os.wait()\nexcept ChildProcessError:\n    print("alone")'), (0, 'alone\n', None))


if __name__ == '__main__':
    unittest.main()
