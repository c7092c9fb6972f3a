"""Role: the Python that users' programs are run with, as scripts/common/python names it; children of this process
know it as $PYTHON.

Callers: scripts/check, checking/stacks.py, scripts/demo, scripts/demo-web.
"""

import os
import subprocess
import sys


def ask(*words):
    """What scripts/common/python says; where it knows none, it has said so and this program ends."""
    said = subprocess.run([os.path.join(os.path.dirname(os.path.realpath(__file__)), 'python'), *words],
                          stdout=subprocess.PIPE, text=True, check=False)
    return said.stdout.strip() if said.returncode == 0 else sys.exit(said.returncode)


PYTHON = ask()
os.environ['PYTHON'] = PYTHON


def run_by_it():
    """From here on this program itself is run by it."""
    if os.environ.get('WM_RUN_BY') == PYTHON:
        return
    os.environ['WM_RUN_BY'] = PYTHON
    try:
        os.execvp(PYTHON, [PYTHON, *sys.argv])
    except OSError as problem:
        sys.exit(f'{PYTHON} cannot be started: {problem.strerror}; PYTHON=… names another')


def put_first(folder):
    """It is python3 for all programs that this process starts; no link, since a virtual environment knows itself by
    the path that it is started with."""
    os.mkdir(folder)
    path = os.path.join(folder, 'python3')
    with open(path, 'w', encoding='utf-8') as out:
        out.write(f'#!/bin/sh\nexec "{PYTHON}" "$@"\n')
    os.chmod(path, 0o755)
    os.environ['PATH'] = folder + os.pathsep + os.environ.get('PATH', os.defpath)
