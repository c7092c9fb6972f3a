"""Role: has badmin ckconfig read what was made, and takes out, with a line of the report, what it refuses.

  files ─► badmin ckconfig ─► "queues.conf:14: text" ─► that line is taken out ─┐
    ▲                                                                           │
    └───────────────────────────────────────────────────────────────────────────┘ until it refuses nothing

A queue whose users or hosts cannot be said is taken out whole: without that line it would be open to all.
"""

import os
import re
import shutil
import subprocess
import sys

GUARDS = {'users', 'hosts'}
MOST_ROUNDS = 100


def find_badmin(program):
    """Beside the converter, else on PATH; None where it is nowhere."""
    beside = os.path.join(os.path.dirname(os.path.realpath(program)), 'badmin')
    return beside if os.access(beside, os.X_OK) else shutil.which('badmin')


def refused(badmin, folder):
    """(file, line, text) of each thing that ckconfig refuses."""
    done = subprocess.run([badmin, 'ckconfig'], env={**os.environ, 'WM_CONF_DIR': folder, 'LC_ALL': 'C'}, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    for line in done.stdout.splitlines():
        found = re.search(r'\b([a-z]+)\.conf:(\d+): (.*)', line)
        if found:
            yield found.group(1), int(found.group(2)), found.group(3)
        elif "wm.conf: default_queue: no queue 'normal'" in line:
            yield 'wm', 0, line


def take_out(site, file, at, text):
    """The line out of what was made; false where it is none of ours."""
    if (file, at) == ('wm', 0):  # the queue of that name was taken out
        return choose_default(site)
    marks = site.text(file)[1] if file in site.files else []
    mark = marks[at - 1] if 0 < at <= len(marks) else None
    if not mark:
        return False
    section, key = mark
    where = f'{file}.conf: {section.heading or "cluster"}'
    if key is None or key in GUARDS:
        site.lost(where, f'{key} = {section.keys[key]}' if key else 'the whole section', f'taken out: ckconfig says {text}')
        site.drop(file, section)
    elif key in section.keys:
        site.lost(where, f'{key} = {section.keys[key]}', f'ckconfig says {text}')
        del section.keys[key]
    return True


def choose_default(site):
    """The first queue; false where there is one already, or no queue."""
    queues, cluster = site.headings('queues'), site.section('wm', 'cluster')
    if not queues or 'default_queue' in cluster.keys:
        return False
    cluster.keys['default_queue'] = queues[0]
    site.lost('wm.conf', 'no queue normal', f'queue {queues[0]} is the default')
    return True


def judge(site, folder, program):
    """Until ckconfig refuses nothing that was made here."""
    badmin = find_badmin(program)
    if not badmin:
        print(f'{site.maker}: badmin was not found: run WM_CONF_DIR={folder} badmin ckconfig', file=sys.stderr)
        return
    for _ in range(MOST_ROUNDS):
        # From the last line up, so that the numbers of those above stay right.
        problems = sorted(set(refused(badmin, folder)), key=lambda one: (one[0], -one[1]))
        if not [take_out(site, *problem) for problem in problems].count(True):
            return
        site.write(folder)
