"""Role: what the demo says of a job that failed is what the job said, not WM's report of it."""

import os
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path.insert(0, os.path.join(TOP, 'scripts', 'demo.d'))
sys.dont_write_bytecode = True
from last_words import last_words  # noqa: E402

REPORT = '\n' + '-' * 60 + '\nSender: LSF System <ann@node1>\n\nResource usage summary:\n\n    CPU time : 0.1 sec.\n'


class LastWordsTest(unittest.TestCase):
    """A result folder and an output file, made by hand."""

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.out = os.path.join(self.place.name, 'out.1')

    def write(self, path, text):
        path = os.path.join(self.place.name, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)

    def words(self, events=()):
        return last_words(self.place.name, {'EVENTS': list(events)}, self.out)

    def test_a_missing_module_is_named_by_the_task(self):
        self.write('log/1/stderr', "Traceback\nModuleNotFoundError: No module named 'torch'\n")
        self.write('log/1/stdout', 'begun\n')
        self.write('out.1', 'nothing of use\n' + REPORT)
        self.assertEqual(self.words(), "Traceback\nModuleNotFoundError: No module named 'torch'")

    def test_the_report_is_not_what_the_job_said(self):
        self.write('out.1', 'sh: 1: exec: python3: Permission denied\n' + REPORT)
        self.assertEqual(self.words(), 'sh: 1: exec: python3: Permission denied')

    def test_what_only_the_history_has_is_told_once(self):
        self.write('out.1', REPORT)
        ended = {'EVENT': 'TASK_END', 'TEXT': 'its stderr ended: exec "python3": Permission denied'}
        self.assertEqual(self.words([ended, {'EVENT': 'ATTEMPT', 'WHY': dict(ended)}]).count('Permission denied'), 1)

    def test_a_job_that_said_nothing(self):
        self.assertEqual(self.words(), 'no output')


if __name__ == '__main__':
    unittest.main()
