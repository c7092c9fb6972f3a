"""Role: tests of scripts/join_changes and scripts/common/changes.py."""

import os
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path.insert(0, os.path.join(TOP, 'scripts/common'))
import changes  # noqa: E402

CHANGELOG = '# Changelog\n\n## Unreleased\n\n- Old.\n\n## 1.0\n\n- Older.\n'


class Joining(unittest.TestCase):
    """A release takes what lies in etc/changes."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        os.makedirs(os.path.join(self.folder.name, changes.FOLDER))
        self.write('CHANGELOG.md', CHANGELOG)
        self.write(f'{changes.FOLDER}/README.md', '# etc/changes\n')

    def write(self, name, text):
        """Makes a file of the tree."""
        with open(os.path.join(self.folder.name, name), 'w', encoding='utf-8') as file:
            file.write(text)

    def read(self, name):
        """Reads one."""
        with open(os.path.join(self.folder.name, name), encoding='utf-8') as file:
            return file.read()

    def join(self):
        """Runs the script."""
        return subprocess.run([sys.executable, f'{TOP}/scripts/join_changes', self.folder.name],
                              capture_output=True, text=True, check=False)

    def test_changes_stand_below_the_topmost_heading_by_name_and_their_files_are_gone(self):
        self.write(f'{changes.FOLDER}/b.md', '- Second.\n')
        self.write(f'{changes.FOLDER}/a.md', '- First,\n  of two lines.\n')
        ended = self.join()
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(self.read('CHANGELOG.md'), CHANGELOG.replace(
            '- Old.\n', '- First,\n  of two lines.\n- Second.\n- Old.\n'))
        self.assertEqual(os.listdir(os.path.join(self.folder.name, changes.FOLDER)), ['README.md'])

    def test_one_that_is_damaged_leaves_everything_as_it_was(self):
        self.write(f'{changes.FOLDER}/a.md', '- Good.\n')
        self.write(f'{changes.FOLDER}/b.md', 'No dash.\n')
        ended = self.join()
        self.assertEqual(ended.returncode, 1)
        self.assertIn('etc/changes/b.md', ended.stderr)
        self.assertEqual(self.read('CHANGELOG.md'), CHANGELOG)
        self.assertTrue(os.path.exists(os.path.join(self.folder.name, changes.FOLDER, 'a.md')))

    def test_none_is_no_failure(self):
        self.assertEqual(self.join().returncode, 0)
        self.assertEqual(self.read('CHANGELOG.md'), CHANGELOG)


class Faults(unittest.TestCase):
    """What is no change."""

    def test_each_fault_is_named(self):
        self.assertEqual(changes.faults('- Good.\n  More.\n'), [])
        for bad in ('', '\n', 'x\n', '- x', '- x\ny\n', '- ' + 'x' * 200 + '\n', '- x\n' * 7):
            self.assertTrue(changes.faults(bad), bad)

    def test_a_changelog_without_a_heading_is_refused(self):
        with self.assertRaises(ValueError):
            changes.joined('# Changelog\n', ['- x\n'])


if __name__ == '__main__':
    unittest.main()
