"""Role: %%gpu without a cluster: what of a notebook goes with a cell and comes back, with a bsub that runs its command
at once.
"""

import contextlib
import importlib.util
import io
import os
import stat
import sys
import tempfile
import threading
import unittest
import unittest.mock

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), '../../..')
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, 'libwm/trainer/python'))
import wm_gpu_cell as cell  # noqa: E402

BSUB = '#!/bin/sh\nfor last; do :; done\necho "$@" >"$SAID"\nexec sh -c "$last"\n'


class GpuCell(unittest.TestCase):
    """A cell goes to a job and comes back."""

    def setUp(self):
        """A folder with such a bsub."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.said = os.path.join(folder.name, 'said')
        path = os.path.join(folder.name, 'bsub')
        with open(path, 'w', encoding='ascii') as file:
            file.write(BSUB)
        os.chmod(path, stat.S_IRWXU)
        env = {'PATH': folder.name + ':' + os.environ['PATH'], 'SAID': self.said, 'RESULT_DIR': folder.name}
        patch = unittest.mock.patch.dict(os.environ, env)
        patch.start()
        self.addCleanup(patch.stop)
        self.cells = os.path.join(folder.name, 'cells')

    def test_names_go_with_it_and_what_it_assigns_comes_back(self):
        """Values, a module, the last expression."""
        space = {'x': 20, 'os': os, 'unused': lambda: 0}
        self.assertEqual(cell.gpu('num=2 -q short', 'import json\nx += 1\ny = json.dumps([x])\nlen(os.sep)', space), 1)
        self.assertEqual((space['x'], space['y'], space['json'].__name__), (21, '[21]', 'json'))
        with open(self.said, encoding='utf-8') as file:
            self.assertTrue(file.read().startswith('-I -J gpu-cell -gpu num=2 -q short '))
        self.assertEqual(os.listdir(self.cells), [])

    def test_one_that_fails_changes_nothing(self):
        """And leaves nothing."""
        space = {'x': 1}
        with self.assertRaisesRegex(RuntimeError, 'the cell failed'):
            cell.gpu('', 'x = 2\nraise ValueError("no")', space)
        self.assertEqual(space['x'], 1)
        with self.assertRaisesRegex(RuntimeError, 'exit code 9'):
            cell.gpu('', 'import os; os._exit(9)', space)
        with self.assertRaises(SyntaxError):
            cell.gpu('', 'x = (', space)
        self.assertEqual(os.listdir(self.cells), [])

    def test_where_every_cell_has_a_gpu_it_is_those_that_compute(self):
        """Not imports and definitions, magics, or what is no Python."""
        change = cell.with_gpu('num=1 -W 0:30')
        for lines in (['y = f(x)\n', 'y'], ['import torch\n', 'x = torch.ones(3)\n']):
            self.assertEqual(change(lines), ['%%gpu num=1 -W 0:30\n', *lines])
        for lines in (['import torch\n', 'def f(x):\n', '    return x\n'], ['%%time\n', 'f(1)\n'], ['!ls'], ['x = ('], ['# a word'], []):
            self.assertEqual(change(lines), lines)

    def test_a_top_level_await_has_an_event_loop(self):
        """In statements and in the last expression."""
        space = {}
        self.assertEqual(cell.gpu('', 'import asyncio\nx = await asyncio.sleep(0, 3)\nawait asyncio.sleep(0, x + 1)', space), 4)
        self.assertEqual(space['x'], 3)

    @unittest.skipUnless(importlib.util.find_spec('IPython'), 'no IPython (scripts/bootstrap)')
    def test_lines_of_notebooks_act_in_the_job(self):
        """!command, its output as a value, %magic and what it assigns and reads, %%magic."""
        space = {'n': 20, 'get_ipython': lambda: threading.Lock(), 'lock': threading.Lock()}
        with contextlib.redirect_stdout(io.StringIO()) as told:
            cell.gpu('', '!echo of $n\n%time m = n + 1\nwords = !echo a b\nm', space)
        self.assertIn('of 20', told.getvalue())
        self.assertEqual((space['m'], list(space['words'])), (21, ['a b']))
        with contextlib.redirect_stdout(io.StringIO()) as told:
            cell.gpu('', '%%bash\necho whole cell', space)
        self.assertIn('whole cell', told.getvalue())
        change = cell.with_gpu('num=1')
        self.assertEqual(change(['x = f(1)\n', '!nvidia-smi\n'])[0], '%%gpu num=1\n')

    def test_without_ipython_such_a_line_is_no_python(self):
        """And is the kernel's to complain about where every cell has a GPU."""
        with unittest.mock.patch.dict(sys.modules, {'IPython.core.inputtransformer2': None}):
            with self.assertRaises(SyntaxError):
                cell.gpu('', 'x = 1\n!ls', {})
            self.assertEqual(cell.with_gpu('num=1')(['x = 1\n', '!ls']), ['x = 1\n', '!ls'])

    def test_what_cannot_be_pickled_is_named(self):
        """Going, and coming back."""
        with self.assertRaisesRegex(TypeError, 'lock cannot be sent'):
            cell.gpu('', 'lock', {'lock': __import__('threading').Lock()})
        space = {}
        self.assertIn('generator', cell.gpu('', 'g = (i for i in [1])\nn = 1\ng', space))
        self.assertEqual(space['n'], 1)
        self.assertNotIn('g', space)

    def test_the_first_word_is_the_request(self):
        """Else one GPU."""
        self.assertEqual(cell.options_of('')[-1], 'num=1')
        self.assertEqual(cell.options_of('-W 0:10')[-3:], ['num=1', '-W', '0:10'])


if __name__ == '__main__':
    unittest.main()
