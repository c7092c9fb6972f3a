"""Role: a job's own data on a host goes with the job: the last of its tasks that ends removes it, what was killed leaves it to the next one,
and nothing else in the temporary folder is touched.
"""

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
WMFETCH = os.path.join(TOP, 'commands', 'wmfetch.py')
RCLONE = '''#!/bin/sh
[ "$1" != lsjson ] || { echo '[{"Path": "a", "Size": 2}]'; exit; }
[ -z "$SLOW" ] || { echo begun >"$SLOW"; sleep 60; }
echo 1 >"$3/a"
'''
SOURCES = json.dumps([{'connection': 'c', 'path': 'p'}])
# As wuserd's staging.cc has a task begin.
PRELUDE = ('wm_data="$TMPDIR"/wm-data-here-$(id -u)-$LSB_JOBID; trap : HUP INT QUIT TERM USR1 USR2; '
           'trap \'"$PY" "$FETCH" --drop "$wm_data" --for $$\' EXIT; '
           'DATA_DIR=$("$PY" "$FETCH" --connections "$CONF" --local "$wm_data" --for $$ "$SOURCES") && export DATA_DIR && ')


class Task:
    """One of a job, in a shell; goes on when told to."""

    def __init__(self, test, job, command, shell='sh', **environment):
        env = {'PATH': test.programs + ':' + os.environ['PATH'], 'TMPDIR': test.place, 'LSB_JOBID': str(job), 'PY': sys.executable,
               'FETCH': WMFETCH, 'CONF': test.conf, 'SOURCES': SOURCES, **environment}
        self.process = subprocess.Popen([shell, '-c', PRELUDE + '{ ' + command + '; }'], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, start_new_session=True)
        test.addCleanup(self.kill)

    def line(self):
        """What it says next."""
        return self.process.stdout.readline().strip()  # or '' when it has ended

    def go_on(self):
        """Its exit status, after its standard input has ended."""
        self.errors = self.process.communicate()[1]
        return self.process.returncode

    def signal(self, number):
        """To all of its processes, as a job's are."""
        os.killpg(self.process.pid, number)

    def kill(self):
        """At the end of the test."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            self.signal(signal.SIGKILL)
        self.process.communicate()


class LocalData(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.place, self.programs = (stack.enter_context(tempfile.TemporaryDirectory()) for _ in range(2))
        self.conf = os.path.join(self.programs, 'connections.conf')
        for path, text in ((self.conf, '[c]\ntype = http\nurl = x\n'), (os.path.join(self.programs, 'rclone'), RCLONE)):
            with open(path, 'w', encoding='ascii') as file:
                file.write(text)
        os.chmod(path, 0o755)

    def folder(self, job):
        """Of a job's data."""
        return f'wm-data-here-{os.getuid()}-{job}'

    def told(self, fifo):
        """Waits until somebody writes into it."""
        held = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
        try:
            self.assertTrue(select.select([held], [], [], 20)[0], 'nobody came as far as that')
        finally:
            os.close(held)

    def test_the_data_is_there_and_goes_with_the_task(self):
        for shell in ('sh', 'bash'):
            task = Task(self, 7, 'cat "$DATA_DIR/a"; echo "$DATA_DIR"; cat; exit 3', shell)
            self.assertEqual(task.line(), '1')
            self.assertTrue(task.line().startswith(os.path.join(self.place, self.folder(7)) + '/'))
            self.assertEqual(task.go_on(), 3, task.errors)
            self.assertEqual(os.listdir(self.place), [])

    def test_the_last_task_of_the_job_removes_it(self):
        first, second, other = (Task(self, job, 'echo ready; cat; cat "$DATA_DIR/a"') for job in (7, 7, 8))
        for task in (first, second, other):
            self.assertEqual(task.line(), 'ready')
        self.assertEqual(first.go_on(), 0)
        self.assertEqual(sorted(os.listdir(self.place)), [self.folder(7), self.folder(8)])
        self.assertEqual(second.go_on(), 0)
        self.assertEqual(os.listdir(self.place), [self.folder(8)])
        self.assertEqual(other.go_on(), 0)
        self.assertEqual(os.listdir(self.place), [])

    def test_a_task_that_is_told_to_end_removes_it_and_its_own_status_counts(self):
        script = 'trap "exit 9" TERM INT HUP USR1; echo ready; while :; do sleep 0.01; done'
        for shell in ('sh', 'bash'):
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
                task = Task(self, 7, f"sh -c '{script}'", shell)
                self.assertEqual(task.line(), 'ready')
                task.signal(number)
                self.assertEqual(task.go_on(), 9, (shell, number, task.errors))
                self.assertEqual(os.listdir(self.place), [])

    def test_a_fetch_that_is_stopped_or_fails_leaves_nothing_and_the_command_does_not_begin(self):
        os.mkfifo(os.path.join(self.programs, 'copying'))
        task = Task(self, 7, 'echo begun', SLOW=os.path.join(self.programs, 'copying'))
        self.told(os.path.join(self.programs, 'copying'))
        task.signal(signal.SIGTERM)
        self.assertEqual(task.line(), '')
        self.assertNotEqual(task.go_on(), 0)
        self.assertEqual(os.listdir(self.place), [])
        task = Task(self, 7, 'echo begun', CONF='none')
        self.assertEqual((task.line(), task.go_on()), ('', 1))
        self.assertEqual(os.listdir(self.place), [])

    def test_what_a_killed_task_left_goes_with_the_next_one(self):
        killed, running = (Task(self, job, 'echo ready; cat; cat "$DATA_DIR/a"') for job in (7, 8))
        for task in (killed, running):
            self.assertEqual(task.line(), 'ready')
        killed.kill()
        self.assertEqual(sorted(os.listdir(self.place)), [self.folder(7), self.folder(8)])
        self.assertEqual(Task(self, 9, 'true').go_on(), 0)
        self.assertEqual(os.listdir(self.place), [self.folder(8)])
        self.assertEqual(running.go_on(), 0, running.errors)

    def test_old_names_go_when_nobody_has_them_and_what_is_not_wms_stays(self):
        uid, long_ago = os.getuid(), time.time() - 90000
        stay = ['wm-data-mine', f'wm-data-{uid}-1-x', 'wm-data-12345678-4', f'wm-data-{uid}-2', f'wm-data-{uid}-3', 'else']
        for name in [*stay, f'wm-data-{uid}-1', f'wm-data-here-{uid}-5']:
            os.makedirs(os.path.join(self.place, name, 'v'))
            os.utime(os.path.join(self.place, name), (long_ago, long_ago))
        os.utime(os.path.join(self.place, f'wm-data-{uid}-2'))  # in use, or lately
        os.rename(os.path.join(self.place, 'else'), os.path.join(self.programs, 'else'))
        os.mkdir(os.path.join(self.programs, 'else', '.users'))
        os.symlink(os.path.join(self.programs, 'else'), os.path.join(self.place, f'wm-data-here-{uid}-6'))
        stay[-1:] = [f'wm-data-here-{uid}-5', f'wm-data-here-{uid}-6']
        user = subprocess.Popen(['sleep', '60'], env={**os.environ, 'DATA_DIR': os.path.join(self.place, f'wm-data-{uid}-3', 'v')})
        try:
            self.assertEqual(Task(self, 9, 'true').go_on(), 0)
        finally:
            user.kill()
            user.wait()
        self.assertEqual(sorted(os.listdir(self.place)), sorted(stay))
        self.assertTrue(os.path.isdir(os.path.join(self.programs, 'else', 'v')))

    def test_what_is_of_another_host_or_boot_is_judged_by_what_can_be_known(self):
        first = Task(self, 7, 'echo ready; cat')
        self.assertEqual(first.line(), 'ready')
        users = os.path.join(self.place, self.folder(7), '.users')
        name, = os.listdir(users)
        with open(os.path.join(users, name), encoding='utf-8') as file:
            host, boot, space = file.read().split()
        for job, text in ((1, f'elsewhere {boot} {space}'), (2, f'{host} before {space}'), (3, f'{host} {boot} pid:[1]'), (4, '')):
            os.makedirs(os.path.join(self.place, self.folder(job), '.users'))
            with open(os.path.join(self.place, self.folder(job), '.users', name), 'w', encoding='utf-8') as file:
                file.write(text)
        self.assertEqual(Task(self, 9, 'true').go_on(), 0)
        self.assertEqual(sorted(os.listdir(self.place)), [self.folder(1), self.folder(3), self.folder(7)])
        self.assertEqual(first.go_on(), 0)

    def test_a_folder_that_others_have_put_there_is_refused(self):
        elsewhere = os.path.join(self.programs, 'elsewhere')
        os.mkdir(elsewhere)
        path = os.path.join(self.place, self.folder(7))
        for plant in (lambda: os.symlink(elsewhere, path), lambda: (os.mkdir(path), os.chmod(path, 0o777)), lambda: open(path, 'x').close()):
            plant()
            task = Task(self, 7, 'echo begun')
            self.assertEqual((task.line(), task.go_on()), ('', 1))
            self.assertIn('not a folder of yours alone', task.errors)
            self.assertEqual((os.listdir(elsewhere), os.listdir(self.place)), ([], [self.folder(7)]))
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)

    def test_a_task_that_an_earlier_wm_has_written_down_still_finds_its_data(self):
        folder = os.path.join(self.place, f'wm-data-{os.getuid()}-7')
        words = [sys.executable, WMFETCH, '--connections', self.conf, '--local', folder, SOURCES]
        env = {**os.environ, 'PATH': self.programs + ':' + os.environ['PATH']}
        said = subprocess.run(words, env=env, capture_output=True, text=True, check=True).stdout.strip()
        self.assertEqual(os.listdir(said), ['a'])


if __name__ == '__main__':
    unittest.main()
