"""Role: which files the check scripts look at: those git tracks or would track.

`WM_CHECK_ROOT` names another tree, so that tests can point a script at a bad one.
Callers: every scripts/check_*.
"""

import os
import pathlib
import subprocess


def root():
    """Top of the tree to check."""
    named = os.environ.get('WM_CHECK_ROOT')
    return pathlib.Path(named) if named else pathlib.Path(__file__).resolve().parents[2]


def files(*suffixes):
    """Relative paths, sorted; with `suffixes` only names that end so."""
    top = root()
    listed = subprocess.run(['git', '-C', str(top), 'ls-files', '-co', '--exclude-standard'],
                            capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        names = listed.stdout.splitlines()
    else:  # not a repository: a release archive or a test's small tree
        names = [str(p.relative_to(top)) for p in top.rglob('*') if p.is_file()]
    chosen = [n for n in names if not suffixes or n.endswith(suffixes)]
    return sorted(n for n in chosen if (top / n).is_file() and not n.startswith('build'))


def read(name):
    """Text of one file of the tree."""
    return (root() / name).read_text(encoding='utf-8', errors='replace')


def report(script, problems, checked):
    """Prints problems, one a line, and returns the exit status."""
    for problem in problems:
        print(f'{script}: {problem}')
    print(f'{script}: {checked} files, {len(problems)} problems')
    if not checked:
        print(f'{script}: nothing to check is a failure: wrong folder?')
    return 1 if problems or not checked else 0
