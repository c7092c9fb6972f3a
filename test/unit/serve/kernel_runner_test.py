"""Role: run_kernel.py, which a service's kernels are run by, as libwm/serve/package.cc has it: a kernel runs as it would alone, and one that
ends before it serves leaves word.
"""

import os
import subprocess
import sys
import tempfile
import unittest

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


if __name__ == '__main__':
    unittest.main()
