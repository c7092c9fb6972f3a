"""Role: what others feel while somebody floods a cluster of several accounts. Prints `name value unit` lines.

  log_on_flood_per_s          wrong log-ons answered a second (wanted: 1,000), over kept TLS connections of 250 addresses of 127.0.0.0/8
  log_on_flood_p99_ms         another's log-on beside them, 99th percentile; alone: comment
  log_on_flood_request_ms     a request of a logged-on user: median beside them less the median alone
  limits_bsub_p99_part        another's bsub beside one user at all limits, over alone, 99th percentiles; both in the comment
  limits_start_p99_part       submission to start of another's job, likewise
Needs: root, nginx, pam_wrapper, B (build folder); without says so and prints nothing. Callers: scripts/bench.
"""

import asyncio
import base64
import contextlib
import json
import os
import pwd
import random
import shutil
import signal
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'scripts', 'common'))
sys.dont_write_bytecode = True
from cluster.cluster import Cluster  # noqa: E402
from cluster.web import why_not  # noqa: E402

SHAPE = {'nodes': 2, 'cpus': 4, 'gpus': 0, 'mem': '', 'conf': [], 'multiuser': True, 'web': True}
MATRIX, WRAPPER = '/usr/lib/x86_64-linux-gnu/pam_wrapper/pam_matrix.so', 'libpam_wrapper.so'
LOG_ONS, WANTED_PER_S, ADDRESSES = 100, 1000, 250
SUBMISSIONS, SESSIONS, LOOPS = 200, 150, 4


class Accounts:
    """Two accounts of this run, each with a home and a password as PAM's test module has them."""

    def __init__(self, folder):
        self.names = [f'wmbench{os.getpid()}{letter}' for letter in 'ab']
        self._folder, self._made = folder, []

    def __enter__(self):
        for name in self.names:
            home = os.path.join(self._folder, name)
            subprocess.run(['useradd', '-r', '-M', '-d', home, '-s', '/bin/bash', name], check=True)
            self._made.append(name)
            os.mkdir(home, 0o700)
            entry = pwd.getpwnam(name)
            os.chown(home, entry.pw_uid, entry.pw_gid)
        service = os.path.join(self._folder, 'pam.d')
        os.mkdir(service)
        passwords = os.path.join(self._folder, 'passdb')
        with open(passwords, 'w', encoding='ascii') as out:
            out.writelines(f'{name}:secret of {name}:wm\n' for name in self.names)
        with open(os.path.join(service, 'wm'), 'w', encoding='ascii') as out:
            out.writelines(f'{kind} required {MATRIX} passdb={passwords}\n' for kind in ('auth', 'account'))
        os.environ.update(PAM_WRAPPER='1', PAM_WRAPPER_SERVICE_DIR=service)
        return self

    def __exit__(self, *_):
        for name in self._made:
            subprocess.run(['userdel', '-f', name], check=False, stderr=subprocess.DEVNULL)


def as_user(name):
    """Keywords that start a program under this account."""
    entry = pwd.getpwnam(name)
    return {'user': entry.pw_uid, 'group': entry.pw_gid, 'extra_groups': []}


def part_of(values, part):
    """The value that this part of them does not exceed."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def show(name, value, unit, more):
    """A figure, and what to know of it."""
    print(f'# {name}: {more}', file=sys.stderr)
    print(f'{name} {value:.2f} {unit}', flush=True)


class Door:
    """The web door, asked over new or kept connections from any address of loopback."""

    def __init__(self, env):
        where = urllib.parse.urlsplit(env['WM_GATEWAY_URL'])
        self.host, self.port = where.hostname, where.port
        self.trust = ssl.create_default_context(cafile=env['WM_GATEWAY_CA'])

    def line(self, address):
        """A TLS connection from that address."""
        plain = socket.create_connection((self.host, self.port), timeout=60, source_address=(address, 0))
        return self.trust.wrap_socket(plain, server_hostname=self.host)

    def ask(self, line, path, header):
        """(status, body) of a GET; the connection is kept."""
        line.sendall(f'GET {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n{header}\r\n\r\n'.encode())
        text = b''
        while b'\r\n\r\n' not in text:
            text += self._more(line)
        head, _, body = text.partition(b'\r\n\r\n')
        length = next((int(row.split(b':')[1]) for row in head.split(b'\r\n') if row.lower().startswith(b'content-length:')), 0)
        while len(body) < length:
            body += self._more(line)
        return int(head.split()[1]), body

    @staticmethod
    def _more(line):
        block = line.recv(1 << 16)
        if not block:
            raise ConnectionError('closed')
        return block

    def log_on(self, name, password, address):
        """(seconds, token or '') over a connection of its own, as a person's."""
        began = time.monotonic()
        with contextlib.closing(self.line(address)) as line:
            status, body = self.ask(line, '/auth/v1/logon', basic(name, password))
        took = time.monotonic() - began
        return took, json.loads(body)['accessToken'] if status == 200 else ''


def basic(name, password):
    """A header line."""
    return 'Authorization: Basic ' + base64.b64encode(f'{name}:{password}'.encode()).decode()


class Flood:
    """Wrong log-ons from many addresses at a steady rate, in a process of their own: this one's clocks are to be right."""

    def __init__(self, door, known):
        self._door, self._known = door, known
        self.counts, self._over = {}, threading.Event()

    def run(self):
        """(seconds, counts) once SIGTERM comes; counts: {status: answers}, 0 for what was not answered."""
        began = time.monotonic()
        asyncio.run(self._run())
        return time.monotonic() - began, self.counts

    async def _run(self):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._over.set)
        await asyncio.gather(*(self._one(n) for n in range(ADDRESSES)))

    async def _one(self, number):
        address, pause = f'127.77.{number // 200}.{number % 200 + 1}', ADDRESSES / WANTED_PER_S
        await asyncio.sleep(random.random() * pause)
        due, reader, writer = time.monotonic(), None, None
        while not self._over.is_set():
            try:
                if writer is None:
                    reader, writer = await asyncio.open_connection(self._door.host, self._door.port, ssl=self._door.trust,
                                                                   local_addr=(address, 0))
                name = self._known if random.random() < 0.5 else f'nobody{random.randrange(10**6)}'
                writer.write(f'GET /auth/v1/logon HTTP/1.1\r\nHost: {self._door.host}\r\n{basic(name, "wrong")}\r\n\r\n'.encode())
                status = await self._answer(reader)
            except (OSError, asyncio.IncompleteReadError):
                status, writer = 0, None
            self.counts[status] = self.counts.get(status, 0) + 1
            due = max(due + pause, time.monotonic() - 1)
            await asyncio.sleep(max(0, due - time.monotonic()))
        if writer:
            writer.close()

    @staticmethod
    async def _answer(reader):
        head = await reader.readuntil(b'\r\n\r\n')
        length = next((int(row.split(b':')[1]) for row in head.split(b'\r\n') if row.lower().startswith(b'content-length:')), 0)
        await reader.readexactly(length)
        return int(head.split()[1])


def look(door, name, token):
    """(seconds of log-ons, seconds of requests) of one who works beside whatever there is."""
    log_ons, requests, failed = [], [], 0
    line = door.line('127.66.0.1')
    for _ in range(LOG_ONS):
        took, got = door.log_on(name, f'secret of {name}', '127.66.0.2')
        log_ons.append(took)
        failed += not got
        began = time.monotonic()
        status, body = door.ask(line, '/api/v1/session', f'X-Auth-Token: {token}')
        assert status == 200, body
        requests.append(time.monotonic() - began)
        time.sleep(0.1)
    line.close()
    return log_ons, requests, failed


def flood_of_log_ons(env, names):
    """Beside 1,000 wrong log-ons a second: others' log-ons and requests."""
    door = Door(env)
    _, token = door.log_on(names[1], f'secret of {names[1]}', '127.66.0.1')
    assert token, 'the right password was refused'
    alone, asked_alone, _ = look(door, names[1], token)
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writes, json.dumps(Flood(door, names[0]).run()).encode())
        os._exit(0)
    os.close(writes)
    time.sleep(3)
    beside, asked, failed = look(door, names[1], token)
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)
    seconds, counts = json.loads(os.read(reads, 1 << 16))
    show('log_on_flood_per_s', sum(n for status, n in counts.items() if status != '0') / seconds, '1/s', f'answers by status {counts} in {seconds:.0f} s')
    show('log_on_flood_p99_ms', 1e3 * part_of(beside, 0.99), 'ms',
         f'median {1e3 * statistics.median(beside):.0f}, alone p99 {1e3 * part_of(alone, 0.99):.0f}; {failed} of {LOG_ONS} refused')
    show('log_on_flood_request_ms', 1e3 * (statistics.median(asked) - statistics.median(asked_alone)), 'ms',
         f'alone {1e3 * statistics.median(asked_alone):.1f}, p99 beside {1e3 * part_of(asked, 0.99):.0f}')


class Greedy:
    """One user at all limits: sessions that stand with half a frame, loops of queries and of submissions."""

    def __init__(self, env, name, key):
        self._env, self._name = {**os.environ, **env, 'HOME': '/nonexistent', 'USER': name, 'LOGNAME': name}, name
        self._master, self._over, self._threads, self._lines, self.calls = key, threading.Event(), [], [], 0

    def __enter__(self):
        for _ in range(SESSIONS):
            with contextlib.suppress(OSError):
                line = socket.create_connection(self._master, timeout=2)
                line.sendall(b'\x00\x00\x10')
                self._lines.append(line)
        words = (['bjobs', '-u', 'all'], ['bsub', '-H', '-J', 'more[1-100]', 'true'], ['bjobs', '-a'], ['bhosts'])
        self._threads = [threading.Thread(target=self._loop, args=(words[n % len(words)],)) for n in range(LOOPS)]
        for thread in self._threads:
            thread.start()
        return self

    def _loop(self, words):
        while not self._over.is_set():
            # Its own computing is not the cluster's: the least of weights.
            subprocess.run(['nice', '-n', '19', *words], env=self._env, cwd='/', stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           check=False, **as_user(self._name))
            self.calls += 1

    def __exit__(self, *_):
        self._over.set()
        for thread in self._threads:
            thread.join()
        for line in self._lines:
            line.close()


def submissions(env, name):
    """(seconds of bsub, seconds from bsub to start) of so many jobs."""
    mine = {**os.environ, **env, 'HOME': '/nonexistent', 'USER': name, 'LOGNAME': name}
    took, starts = [], []
    for _ in range(SUBMISSIONS):
        began = time.monotonic()
        said = subprocess.run(['bsub', 'true'], env=mine, cwd='/', capture_output=True, text=True, check=True, **as_user(name)).stdout
        took.append(time.monotonic() - began)
        job = said.split('<')[1].split('>')[0]
        subprocess.run(['bwait', '-w', f'started({job})'], env=mine, cwd='/', check=True, stdout=subprocess.DEVNULL, **as_user(name))
        starts.append(time.monotonic() - began)
    return took, starts


def one_at_all_limits(env, names):
    """Another's bsub beside one who asks for all there is."""
    submissions(env, names[1])  # everything is warm
    alone, started_alone = submissions(env, names[1])
    with open(os.path.join(env['WM_CLUSTER_DIR'], 'conf', 'wm.conf'), encoding='utf-8') as conf:
        master = dict(row.replace(' ', '').strip().split('=', 1) for row in conf if row.startswith('master_') and '=' in row)
    with Greedy(env, names[0], (master['master_host'], int(master['master_port']))) as greedy:
        beside, started = submissions(env, names[1])
    more = f'{SESSIONS} half frames, {greedy.calls} queries and arrays meanwhile'
    for name, with_it, without in (('limits_bsub_p99_part', beside, alone), ('limits_start_p99_part', started, started_alone)):
        show(name, part_of(with_it, 0.99) / part_of(without, 0.99), '',
             f'p99 {1e3 * part_of(without, 0.99):.1f} ms alone, {1e3 * part_of(with_it, 0.99):.1f} beside; medians {1e3 * statistics.median(without):.1f}, '
             f'{1e3 * statistics.median(with_it):.1f}; {more}')


def main():
    """In a temporary cluster of two accounts."""
    why = why_not() or ('' if os.geteuid() == 0 else 'needs root') or ('' if os.path.exists(MATRIX) else 'needs pam_wrapper: run scripts/bootstrap')
    if why:
        print(f'# flood: {why}', file=sys.stderr)
        return
    work = tempfile.mkdtemp(prefix='wm-bench.')
    os.chmod(work, 0o755)
    build = os.path.join(work, 'build')  # the tree may lie where other accounts cannot go
    os.makedirs(os.path.join(build, 'lib'))
    for folder in ('bin', 'sbin', 'lib/python', 'pages'):
        with contextlib.suppress(FileNotFoundError):
            shutil.copytree(os.path.join(os.environ['B'], folder), os.path.join(build, folder), symlinks=True)
    cluster = Cluster(os.path.join(work, 'cluster'), build)
    try:
        with Accounts(work) as accounts:
            os.environ['LD_PRELOAD'] = WRAPPER
            try:
                cluster.up(SHAPE)
            finally:
                del os.environ['LD_PRELOAD']
            env = cluster.exports()
            flood_of_log_ons(env, accounts.names)
            one_at_all_limits(env, accounts.names)
            cluster.down()
    finally:
        cluster.down()
        shutil.rmtree(work, ignore_errors=True)


main()
