"""Role: why a job of the demo failed, in its own words: a module that is missing, an interpreter that cannot be started.

  result folder: log/TASK/stderr, else stdout ─┐
  else its -o file up to WM's report of it    ─┴─► the last lines, and what bhist knows of the end of its stderr
Callers: story, web_story.
"""

import glob
import json
import os
import re

LINES = 12
REPORT = '-' * 60 + '\nSender: '  # what stands below it is the same for every job


def last_words(result_dir, history, out=''):
    """The end of what a job said. @param history its record of bhist   @param out path of its -o file"""
    said = _of_tasks(result_dir) or _end(_read(out).partition(REPORT)[0])
    known = re.findall(r'its stderr ended: (?:[^"\\]|\\.)*', json.dumps(history, ensure_ascii=False))
    return '\n'.join(dict.fromkeys([*said, *known])) or 'no output'


def _of_tasks(result_dir):
    """Lines of the task that spoke last, of its stderr if it has any."""
    for name in ('stderr', 'stdout'):
        paths = glob.glob(os.path.join(result_dir, 'log', '*', name))
        lines = _end(_read(max(paths, key=os.path.getmtime, default='')))
        if lines:
            return lines
    return []


def _read(path):
    if not os.path.isfile(path):
        return ''
    with open(path, encoding='utf-8', errors='replace') as text:
        return text.read()


def _end(text):
    return text.strip().splitlines()[-LINES:]
