"""Role: everything that is checked of the pages without a browser: their types, their rules of style, who imports
whom, and their own tests, which node runs. Where node or its modules are not there it is said.
"""

import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PAGES = os.path.join(ROOT, 'daemons/wgatewayd/pages')
NODE = shutil.which('node')
WHY_NOT = 'no node on this machine (scripts/bootstrap web)' if not NODE else 'no modules of node (scripts/bootstrap web)'
READY = NODE and os.path.isdir(os.path.join(PAGES, 'node_modules/esbuild'))
B = os.environ.get('B', os.path.join(ROOT, 'build'))
WUSERD = os.path.join(B, 'sbin/wuserd')
OUT = os.path.join(B, 'pages-test')


@unittest.skipUnless(READY, WHY_NOT)
class Pages(unittest.TestCase):
    """build/check.mjs, one check at a time."""

    def holds(self, check, **more):
        """A check passes."""
        done = subprocess.run([NODE, os.path.join(PAGES, 'build/check.mjs'), OUT, check],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=1500, env={**os.environ, **more})
        self.assertEqual(done.returncode, 0, done.stdout[-8000:])
        self.assertIn(f'PASS {check}', done.stdout)

    def test_types_hold(self):
        self.holds('types')

    @unittest.skipUnless(os.access(WUSERD, os.X_OK), 'wuserd, which has the document, is not built')
    def test_the_pages_read_what_the_document_of_the_interface_says(self):
        with tempfile.NamedTemporaryFile(suffix='.json') as document:
            subprocess.run([WUSERD, '--openapi'], stdout=document, check=True, timeout=600)
            self.holds('drift', WM_OPENAPI=document.name)

    def test_rules_of_style_hold(self):
        self.holds('lint')

    def test_folders_import_in_their_order(self):
        self.holds('layers')

    def test_their_own_tests_pass(self):
        self.holds('unit')


if __name__ == '__main__':
    unittest.main()
