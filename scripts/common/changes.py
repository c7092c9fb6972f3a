"""Role: the changes in etc/changes, one file each, and how they join CHANGELOG.md.

Callers: scripts/check_changes, scripts/join_changes.
"""

import os
import re

FOLDER = 'etc/changes'
LONGEST = 160  # of a line, as CHANGELOG.md has them
MOST = 6  # lines of one change


def faults(text):
    """What is wrong with one change, in words; empty: nothing."""
    lines = text.split('\n')
    found = []
    if lines[-1] or not text.strip():
        found.append('ends without a newline, or is empty')
    lines = lines[:-1]
    if not lines or not re.match(r'- \S', lines[0]):
        found.append("its first line begins with '- '")
    if any(not re.match(r'(- |  )\S', line) for line in lines[1:]):
        found.append("a further line begins with two blanks, or with '- ' for another change")
    if any(len(line) > LONGEST for line in lines):
        found.append(f'a line has more than {LONGEST} characters')
    if len(lines) > MOST:
        found.append(f'has {len(lines)} lines; at most {MOST}')
    return found


def names(top):
    """Paths of the changes below `top`, by name."""
    folder = os.path.join(top, FOLDER)
    listed = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [f'{FOLDER}/{name}' for name in listed if name != 'README.md']


def joined(changelog, changes):
    """The changelog with these texts below its topmost heading. ValueError: it has none."""
    heading = re.search(r'^## .*\n\n?', changelog, re.M)
    if heading is None:
        raise ValueError('CHANGELOG.md: no heading')
    return changelog[:heading.end()] + ''.join(changes) + changelog[heading.end():]
