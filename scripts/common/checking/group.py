"""Role: one program that runs tests: started in a place of its own, its cases counted, what it left named.

Every program of tests reports its cases; one that dies, hangs past its limit, runs no test, leaves something
behind, or skips without a reason counts as one failure. Callers: scripts/check.
"""

import collections
import contextlib
import os
import re
import signal
import subprocess
import threading
import time

from . import leftovers

# They find what hangs. A busy machine is no hang: nobody waits for them but who has one.
LIMIT_S = {'check': 600, 'unit': 600, 'group': 1800, 'python': 1800, 'bats': 1800}
RUNNING = set()  # processes of groups that have not ended
STARTS, ENDING = threading.Lock(), threading.Event()
REAL_PROCESSES = ('fault', 'system/')  # and every bats file


class Group:
    """One program that runs tests, and what it said. `extra`: environment that only it has."""

    def __init__(self, kind, name, command, extra=None):
        self.kind, self.name, self.command, self.extra = kind, name, command, extra or {}
        self.passed = self.failed = 0
        self.skips = collections.Counter()  # reason → cases
        self.output, self.seconds, self.note = '', 0.0, ''

    @property
    def skipped(self):
        """Cases that did not run."""
        return sum(self.skips.values())

    def run(self, own, environment, factor):
        """Runs it in its `own` place to its end or limit times `factor`, and counts its cases."""
        started, limit = time.monotonic(), LIMIT_S[self.kind] * factor
        process = begin(self.command, {**own.environment(), **environment, **self.extra})
        try:
            self.output = process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            self.output = end_group(process)
            self.note = f'killed at its limit of {limit} s'
        RUNNING.discard(process)
        self.seconds = time.monotonic() - started
        COUNT[self.kind](self)
        self.judge(process.returncode)
        self.look_behind(own)
        return self

    def skip(self, reason):
        """One case did not run."""
        self.skips[reason.strip()] += 1

    def judge(self, status):
        """A bad end that no case accounts for is a failure of its own."""
        if status and not self.failed:
            self.note = self.note or f'ended with status {status}'
            self.failed += 1
        if not self.passed + self.failed + self.skipped:
            self.note, self.failed = 'ran no test', 1
        if unexplained := self.skips.pop('', 0):
            self.note, self.failed = 'skipped without a reason', self.failed + unexplained

    def look_behind(self, own):
        """What it left is a failure of its own."""
        left = leftovers.of_group(own)
        if left:
            self.note = self.note or 'left something behind'
            self.failed += 1
            self.output += '\nleft behind:\n  ' + '\n  '.join(left)

    def again(self):
        """The same, not run yet."""
        return type(self)(self.kind, self.name, self.command, self.extra)

    def may_run_again(self):
        """Whether the machine's load can have made it fail: not so where nothing is real."""
        return self.kind == 'bats' or self.name.startswith(REAL_PROCESSES)

    def line(self):
        """Its one line of progress."""
        word = 'FAIL' if self.failed else 'ok'
        text = f'{word:<5}{self.name:<34}{self.passed:>5} passed{self.failed:>4} failed{self.skipped:>4} skipped'
        return f'{text}{self.seconds:>8.1f} s  {self.note}'.rstrip()


def begin(command, environment):
    """Starts a group's program, unless the check is to end: none begins behind interrupt's back."""
    with STARTS:
        if ENDING.is_set():
            raise InterruptedError('the check is to end')
        process = subprocess.Popen(command, env=environment, start_new_session=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
        RUNNING.add(process)
        return process


def interrupt():
    """Who runs the check wants it to end: so do those that run now, and take down what they have."""
    with STARTS:
        ENDING.set()
        for process in list(RUNNING):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)


def end_group(process):
    """Ends a program and what it started; SIGINT first, so that bats takes its clusters down."""
    os.killpg(process.pid, signal.SIGINT)
    try:
        return process.communicate(timeout=30)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0]


def count_check(group):
    """A check script is one case, judged by its exit status alone."""
    group.passed = 1


def count_gtest(group):
    """Cases by their result lines; one that began and never ended was fatal."""
    for name, text in re.findall(r'^\[ RUN      \] (\S+)$(.*?)(?=^\[ RUN      \] |\Z)', group.output, re.M | re.S):
        ended = re.search(rf'^\[\s*(OK|FAILED|SKIPPED)\s*\] {re.escape(name)}(,.*)? \(\d+ ms\)', text, re.M)
        word = ended[1] if ended else 'died'
        group.passed += word == 'OK'
        group.failed += word in ('FAILED', 'died')
        if word == 'SKIPPED':
            group.skip(''.join(re.findall(r': Skipped\n(.*)$', text, re.M)[-1:]))
        if word == 'died':
            group.note = f'died in {name}'


def count_python(group):
    """unittest -v: `name (place) ... ok`, possibly with the test's own output between."""
    for word in re.findall(r'(?:\.\.\. |^)(ok|FAIL|ERROR|skipped .*|expected failure)$', group.output, re.M):
        group.passed += word in ('ok', 'expected failure')
        group.failed += word in ('FAIL', 'ERROR')
        if word.startswith('skipped'):
            group.skip(word[len('skipped '):].strip('\'"'))


def count_bats(group):
    """TAP."""
    for word, rest in re.findall(r'^(ok|not ok) \d+(.*)$', group.output, re.M):
        if word == 'ok' and '# skip' in rest:
            group.skip(rest.rpartition('# skip')[2])
        else:
            group.passed += word == 'ok'
            group.failed += word == 'not ok'


COUNT = {'check': count_check, 'unit': count_gtest, 'group': count_gtest, 'python': count_python, 'bats': count_bats}
