"""Role: the pages are built where node and its modules are; where they are not, one line says so and nothing is made."""

import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
TOOLS = ('bash', 'dirname', 'readlink', 'realpath', 'env')


class Built(unittest.TestCase):
    """scripts/common/build_pages"""

    def test_without_node_it_says_so_and_succeeds(self):
        with tempfile.TemporaryDirectory() as folder:
            tools = os.path.join(folder, 'tools')
            os.mkdir(tools)
            for name in TOOLS:
                found = next(f for f in (f'/usr/bin/{name}', f'/bin/{name}') if os.path.exists(f))
                os.symlink(found, os.path.join(tools, name))
            out, made = os.path.join(folder, 'pages'), os.path.join(folder, 'made')
            done = subprocess.run([os.path.join(ROOT, 'scripts/common/build_pages'), out, made], env={'PATH': tools},
                                  capture_output=True, text=True, check=False, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, 'pages: not built: no node (scripts/bootstrap web)\n')
            self.assertFalse(os.path.exists(out) or os.path.exists(made))


if __name__ == '__main__':
    unittest.main()
