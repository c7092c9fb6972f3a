"""Role: a job's own data on a host goes with the job: the last of its tasks that ends removes it, what was killed leaves it to the next one,
and nothing else in the temporary folder is touched.
"""

import contextlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.dont_write_bytecode = True
os.environ['PYTHONDONTWRITEBYTECODE'] = '1'
sys.path.insert(0, os.path.join(TOP, 'commands'))
from fetching import connections  # pylint: disable=wrong-import-position

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
               'FETCH': WMFETCH, 'CONF': test.conf, 'SOURCES': SOURCES, 'PYTHONDONTWRITEBYTECODE': '1', **environment}
        # A shell cannot trap what was ignored when it began, as HUP is below nohup.
        words = ['env', '--default-signal', shell, '-c', PRELUDE + '{ ' + command + '; }']
        self.process = subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        start_new_session=True)
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

    def fetch(self, *words, sources=SOURCES):
        """A fetch into a cache."""
        return subprocess.run([sys.executable, WMFETCH, '--connections', self.conf, *words, sources], capture_output=True, text=True,
                              check=False, env={**os.environ, 'PATH': self.programs + ':' + os.environ['PATH']})

    def test_a_cache_that_others_may_write_to_is_refused(self):
        cache = os.path.join(self.place, 'cache')
        os.mkdir(cache)
        os.chmod(cache, 0o777)
        done = self.fetch('--cache', cache)
        self.assertEqual((done.returncode, done.stderr), (1, f'wmfetch: {cache}: it is not a folder of yours alone\n'))
        self.assertEqual(os.listdir(cache), [])

    def test_a_folder_that_is_here_is_copied_beside_what_a_server_has_and_once_for_equal_files(self):
        files, cache, told = (os.path.join(self.place, name) for name in ('files', 'cache', 'told'))
        os.makedirs(os.path.join(files, 'deep'))
        for name in ('deep/b', 'c'):
            with open(os.path.join(files, name), 'w', encoding='ascii') as file:
                file.write(name)
        os.symlink('c', os.path.join(files, 'link'))
        os.symlink('deep', os.path.join(files, 'other'))
        both = json.dumps([{'folder': files}, *json.loads(SOURCES)])
        whole = self.fetch('--cache', cache, '--progress', told, sources=both).stdout.strip()
        self.assertEqual(sorted(os.listdir(whole)), ['a', 'c', 'deep', 'link', 'other'])
        self.assertEqual((os.readlink(os.path.join(whole, 'link')), os.readlink(os.path.join(whole, 'other'))), ('c', 'deep'))
        with open(os.path.join(whole, 'deep', 'b'), encoding='ascii') as file:
            self.assertEqual(file.read(), 'deep/b')
        with open(told, encoding='ascii') as file:
            self.assertEqual(json.load(file)['state'], 'done')
        self.assertEqual(self.fetch('--cache', cache, sources=both).stdout.strip(), whole)
        with open(os.path.join(files, 'c'), 'w', encoding='ascii') as file:
            file.write('changed')
        self.assertNotEqual(self.fetch('--cache', cache, sources=both).stdout.strip(), whole)

    def test_what_is_open_is_read_by_whoever_comes_through_the_folders_above_and_nothing_else_is(self):
        files, cache = (os.path.join(self.place, name) for name in ('files', 'cache'))
        os.makedirs(os.path.join(files, 'deep'), mode=0o700)
        with open(os.path.join(files, 'deep', 'b'), 'w', encoding='ascii') as file:
            os.chmod(file.fileno(), 0o600)
        os.symlink('/etc/hostname', os.path.join(files, 'link'))
        before = os.stat('/etc').st_mode
        for more, wanted in (('--open',), (0o755, 0o755, 0o644)), ((), (0o700, 0o700, 0o600)):
            old = os.umask(0o077)
            whole = self.fetch('--cache', cache + str(len(more)), *more, sources=json.dumps([{'folder': files}])).stdout.strip()
            os.umask(old)
            modes = tuple(os.stat(os.path.join(whole, name)).st_mode & 0o777 for name in ('', 'deep', 'deep/b'))
            self.assertEqual(modes, wanted, more)
        self.assertEqual(os.stat('/etc').st_mode, before)

    def test_a_folder_without_files_or_that_is_none_is_refused(self):
        os.mkdir(os.path.join(self.place, 'none'))
        for folder, why in (('none', 'nothing is there'), ('nowhere', 'No such file or directory')):
            path = os.path.join(self.place, folder)
            done = self.fetch('--cache', os.path.join(self.place, 'cache'), sources=json.dumps([{'folder': path}]))
            self.assertEqual((done.returncode, done.stderr), (1, f'wmfetch: {path}: {why}\n'))

    def test_what_links_lead_to_stays_wherever_the_links_are(self):
        cache, links = os.path.join(self.place, 'volume', 'cache'), os.path.join(self.place, 'links')
        os.makedirs(links)
        words = ('--cache', cache, '--links', links)
        whole = self.fetch(*words, '--link', os.path.join(links, 'run')).stdout.strip()
        unused = os.path.join(cache, 'unused')
        os.mkdir(unused)
        for folder in (whole, unused):
            os.utime(folder, (1, 1))
        self.fetch(*words)
        self.assertEqual((os.path.isdir(whole), os.path.isdir(unused)), (True, False))

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


class Connections(unittest.TestCase):
    """What a connection may say."""

    def setUp(self):
        self.place = self.enterContext(tempfile.TemporaryDirectory())
        self.log = os.path.join(self.place, 'asked')
        with open(os.path.join(self.place, 'rclone'), 'w', encoding='ascii') as file:
            file.write(f'#!/bin/sh\nenv >>"{self.log}"\n')
        os.chmod(os.path.join(self.place, 'rclone'), 0o755)

    def asked(self, *lines):
        """Of --test: its status, what it says, and what it leaves behind for pages."""
        conf, progress = os.path.join(self.place, 'conf'), os.path.join(self.place, 'progress')
        with open(conf, 'w', encoding='ascii') as file:
            file.write('\n'.join(('[c]', *lines)) + '\n')
        words = [sys.executable, WMFETCH, '--connections', conf, '--progress', progress, '--test', 'c']
        env = {**os.environ, 'PATH': self.place + ':' + os.environ['PATH']}
        done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
        with open(progress, encoding='utf-8') as file:
            return done.returncode, done.stderr, json.load(file)

    def test_a_key_that_its_type_has_not_is_refused_by_name_and_nothing_is_asked(self):
        for kind, key in (('webdav', 'bearer_token_command'), ('sftp', 'ssh'), ('s3', 'env_auth'), ('s3', 'shared_credentials_file'),
                          ('postgresql', 'driver'), ('mariadb', 'INITSTMT'), ('azureblob', 'use_msi')):
            status, said, progress = self.asked(f'type = {kind}', f'{key} = /x')
            self.assertEqual(status, 1)
            self.assertIn(f'connection c: {key}: not a key of {kind}', said)
            self.assertEqual(progress['state'], 'failed')
            self.assertIn(key, progress['error'])
        self.assertFalse(os.path.exists(self.log))

    def test_a_driver_is_the_name_of_an_installed_one(self):
        status, said, _ = self.asked('type = odbc', 'driver = /x.so')
        self.assertEqual(status, 1)
        self.assertRegex(said, "'/x.so' is not installed|pyodbc is not installed")

    def test_what_is_listed_reaches_the_server_and_the_end_is_told(self):
        status, said, progress = self.asked('type = webdav', 'url = http://h', 'bucket = b')
        self.assertEqual((status, said, progress['state']), (0, '', 'done'))
        with open(self.log, encoding='utf-8') as file:
            asked = file.read()
        self.assertIn('RCLONE_CONFIG_WM_URL=http://h', asked)
        self.assertNotIn('RCLONE_CONFIG_WM_BUCKET', asked)

    def test_both_tables_of_keys_say_the_same(self):
        with open(os.path.join(TOP, 'libwm', 'rest', 'data_sources.cc'), encoding='utf-8') as file:
            table = file.read().partition('TypeKeys kTypes[] = {')[2].partition('\n};')[0]
        rows = [''.join(re.findall(r'"([^"]*)"', row)[1:]) for row in table.split('},')[:-1]]
        names = [re.findall(r'"([^"]*)"', row)[0] for row in table.split('},')[:-1]]
        self.assertEqual(dict(zip(names, rows)), connections.KEYS)
        self.assertEqual(set(names), {*connections.STORES, *connections.DATABASES, *connections.DOCUMENTS})

    def test_sources_nested_without_end_are_refused_in_a_line(self):
        done = subprocess.run([sys.executable, WMFETCH, '--cache', self.place, '[' * 100000], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, 'wmfetch: SOURCES: a JSON list of objects is wanted\n'))


class Cache(unittest.TestCase):
    """What was fetched is kept as long as somebody may ask for it."""

    def setUp(self):
        self.place, programs = (self.enterContext(tempfile.TemporaryDirectory()) for _ in range(2))
        self.conf, self.cache = os.path.join(programs, 'conf'), os.path.join(self.place, 'cache')
        for path, text in ((self.conf, '[c]\ntype = http\nurl = x\n'), (os.path.join(programs, 'rclone'), RCLONE)):
            with open(path, 'w', encoding='ascii') as file:
                file.write(text)
        os.chmod(path, 0o755)
        self.env = {**os.environ, 'PATH': programs + ':' + os.environ['PATH']}

    def fetch(self):
        """Its folder."""
        words = [sys.executable, WMFETCH, '--connections', self.conf, '--cache', self.cache, '--link', os.path.join(self.place, 'b1'), SOURCES]
        return subprocess.run(words, env=self.env, capture_output=True, text=True, check=True).stdout.strip()

    def old(self, name, days):
        """A folder of the cache that nobody has touched for so long."""
        path = os.path.join(self.cache, name)
        os.makedirs(path)
        os.utime(path, (time.time() - days * 86400,) * 2)
        return path

    def test_what_nobody_leads_to_goes_in_time_and_what_an_execution_has_stays(self):
        gone = [self.old('a' * 32, 31), self.old('q1-2', 2), self.old('.draft-x', 31)]
        stays = [self.old('b' * 32, 29), self.old('q3-4', 0), self.old('.draft-y', 2), self.old('c' * 32, 400)]
        os.symlink(stays[-1], os.path.join(self.place, 'b0'))
        whole = self.fetch()
        self.assertEqual([p for p in gone if os.path.exists(p)], [])
        self.assertEqual([p for p in stays if not os.path.exists(p)], [])
        self.assertTrue(os.path.isfile(os.path.join(whole, 'a')))

    def test_what_it_has_started_ends_with_it_when_it_is_killed(self):
        pid_file = os.path.join(self.place, 'pid')
        with open(os.path.join(os.path.dirname(self.conf), 'rclone'), 'w', encoding='ascii') as file:
            file.write(RCLONE.replace('sleep 60', 'exec sleep 60').replace('echo begun', 'echo $$'))
        words = [sys.executable, WMFETCH, '--connections', self.conf, '--cache', self.cache, SOURCES]
        with subprocess.Popen(words, env={**self.env, 'SLOW': pid_file}, stderr=subprocess.DEVNULL) as fetch:
            until = time.monotonic() + 30
            while not (os.path.exists(pid_file) and os.path.getsize(pid_file)) and time.monotonic() < until:
                time.sleep(0.02)
            with open(pid_file, encoding='ascii') as file:
                child = int(file.read())
            fetch.kill()
        while os.path.exists(f'/proc/{child}') and time.monotonic() < until:
            with open(f'/proc/{child}/stat', encoding='ascii') as file:
                if file.read().rpartition(')')[2].split()[0] == 'Z':
                    break
            time.sleep(0.02)
        self.assertLess(time.monotonic(), until, 'it fetches on for nobody')

    def test_what_is_asked_for_again_is_young_again(self):
        whole = self.fetch()
        os.utime(whole, (0, 0))
        self.assertEqual(self.fetch(), whole)
        self.assertGreater(os.stat(whole).st_mtime, time.time() - 600)


if __name__ == '__main__':
    unittest.main()
