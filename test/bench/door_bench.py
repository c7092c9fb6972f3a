"""Role: figures of the web door of a private cluster. Prints `name value unit` lines.

  rest_logon_first_answer_ms   log-on and a first answer where the user's wuserd has to be started
  rest_exec_submit_ms          POST /execs of a code of 10 kB, durable, wuserd warm
  rest_get_per_s               GET /execs/{id} over 16 connections, TLS, token checked; rest_get_part: over nginx's own
                               static answers in the same run
  upload_1gb_mb_per_s          an upload of 1 GiB; upload_part: over cp to the same disk; upload_wuserd_mb, upload_nginx_mb: the
                               most memory of either meanwhile
  rest_execs_list_10k_ms       GET /execs where 10,000 jobs are looked through (how many of them are executions: comment); jobs and slots alike
  streams_1000_master_cpu      per cent of a core that the master takes more with 1,000 event streams, while jobs come
  wuserd_rss_mb                idle; wuserd_100_mb: proportional memory of a hundred
  pages_gzip_kb                all pages; applications_keystroke_ms, applications_change_ms: until painted, with 10,000 jobs
Needs: B (build folder), nginx, for the last chromium; without says so and prints nothing. Callers: scripts/bench.
"""

import getpass
import gzip
import http.client
import io
import json
import os
import select
import shutil
import socket
import ssl
import statistics
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import urllib.parse

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'scripts', 'common'))
sys.dont_write_bytecode = True
from cluster.cluster import Cluster  # noqa: E402
from cluster.web import why_not  # noqa: E402

SHAPE = {'nodes': 1, 'cpus': 4, 'gpus': 0, 'mem': '', 'conf': [], 'multiuser': False, 'web': True}
EXECS = '/platform/rest/deeplearning/v1/execs'
SUBMITS, JOBS, SECONDS, LINES, STREAMS, USERS = 30, 10000, 3, 16, 1000, 100
UPLOAD = 1 << 30


class Line:
    """One connection that is kept."""

    def __init__(self, env, token=None):
        where = urllib.parse.urlsplit(env['WM_GATEWAY_URL'])
        self._http = http.client.HTTPSConnection(where.hostname, where.port, timeout=120,
                                                 context=ssl.create_default_context(cafile=env['WM_GATEWAY_CA']))
        self._headers = {'X-Auth-Token': token} if token else {}

    def ask(self, method, path, body=None, headers=None):
        """(status, body)"""
        self._http.request(method, path, body, {**self._headers, **(headers or {})})
        answer = self._http.getresponse()
        return answer.status, answer.read()


def log_on(env):
    """A token."""
    status, body = Line(env).ask('POST', '/auth/v1/logon', json.dumps({'username': getpass.getuser(), 'password': env['WM_API_KEY']}))
    assert status == 200, body
    return json.loads(body)['accessToken']


def form(code):
    """(body, headers) of a file."""
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="code.modelDir.tar"\r\n\r\n'
    return head + code + b'\r\n--b--\r\n', {'Content-Type': 'multipart/form-data; boundary=b'}


def code_of(size):
    """A packed folder of so many bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w:gz') as tar:
        for name, data in (('code/main.py', b'print(1)\n'), ('code/rest.bin', os.urandom(size))):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def show(name, value, unit, more=''):
    """A figure, and what to know of it."""
    if more:
        print(f'# {name}: {more}', file=sys.stderr)
    print(f'{name} {value:.1f} {unit}', flush=True)


def per_second(env, token, path):
    """Answers a second over several connections."""
    end, counts = time.monotonic() + SECONDS, []

    def run():
        line, count = Line(env, token), 0
        while time.monotonic() < end:
            status, _ = line.ask('GET', path)
            count += status == 200
        counts.append(count)
    threads = [threading.Thread(target=run) for _ in range(LINES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / SECONDS


class MostMemory:
    """The most that processes of a name hold while it is open, MB; of several the one with the most."""

    def __init__(self, env, *programs):
        self.most, self._env, self._over = dict.fromkeys(programs, 0.0), env, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _look(self):
        while not self._over.wait(0.05):
            for name in self.most:
                self.most[name] = max([self.most[name], *(resident(pid) for pid in of_door(self._env, name))])


def of_door(env, program):
    """Processes of that name which belong to this cluster's door; nginx has no environment that is read."""
    found = subprocess.run(['pgrep', '-x', program], capture_output=True, text=True, check=False).stdout.split()
    folder = os.path.dirname(env['WM_GATEWAY_CA'])

    def words(pid):
        try:
            with open(f'/proc/{pid}/cmdline', encoding='utf-8', errors='replace') as line:
                return line.read()
        except OSError:
            return ''
    if program == 'nginx':
        mains = [pid for pid in found if folder in words(pid)]
        return [pid for pid in found if pid in mains or parent(pid) in mains]
    return [pid for pid in found if folder in words(pid)]


def parent(pid):
    """Its parent's number."""
    try:
        with open(f'/proc/{pid}/stat', encoding='ascii') as stat:
            return stat.read().rpartition(')')[2].split()[1]
    except OSError:
        return ''


def resident(pid):
    """MB."""
    try:
        with open(f'/proc/{pid}/status', encoding='ascii') as status:
            return int(next(line for line in status if line.startswith('VmRSS')).split()[1]) / 1024
    except (OSError, StopIteration):
        return 0


def uploads(env, token, folder):
    """A large file, sent as it is read, against cp of it."""
    big = os.path.join(folder, 'big')
    block = os.urandom(1 << 20)
    with open(big, 'wb') as out:
        for _ in range(UPLOAD >> 20):
            out.write(block)
    began = time.monotonic()
    shutil.copy(big, big + '.copy')
    copied = UPLOAD / 1e6 / (time.monotonic() - began)
    os.unlink(big + '.copy')
    head, tail = form(b'')[0].split(b'\r\n\r\n', 1)
    head, (_, headers) = head + b'\r\n\r\n', form(b'')
    headers['Content-Length'] = str(len(head) + UPLOAD + len(tail))

    def pieces():
        yield head
        with open(big, 'rb') as data:
            while piece := data.read(1 << 18):
                yield piece
        yield tail
    with MostMemory(env, 'wuserd', 'nginx') as memory:
        began = time.monotonic()
        status, said = Line(env, token).ask('POST', f'{EXECS}?args=--exec-start%20PyTorch%20--user-cmd%20--%20true', pieces(), headers)
        rate = UPLOAD / 1e6 / (time.monotonic() - began)
    assert status == 200, said
    show('upload_1gb_mb_per_s', rate, 'MB/s', f'cp {copied:.0f} MB/s')
    show('upload_part', 100 * rate / copied, '%')
    for name, most in memory.most.items():
        show(f'upload_{name}_mb', most, 'MB')


def lists(env, line, folder):
    """Lists with many jobs that wait."""
    with open(os.path.join(folder, 'pack'), 'w', encoding='ascii') as pack:
        pack.writelines(f'-J many{n} -n 1 -H true\n' for n in range(JOBS))
    subprocess.run(['bsub', '-pack', pack.name], env={**os.environ, **env}, check=True, stdout=subprocess.DEVNULL)
    for name, path in (('rest_execs_list_10k_ms', EXECS), ('rest_jobs_list_ms', '/api/v1/jobs'), ('rest_slots_ms', '/api/v1/slots')):
        took, size = [], 0
        for _ in range(5):
            began = time.monotonic()
            _, said = line.ask('GET', path)
            took.append((time.monotonic() - began) * 1e3)
            size = len(json.loads(said)) if path == EXECS else size
        show(name, statistics.median(took), 'ms', f'{JOBS} jobs wait, {size} executions in the list' if size else f'{JOBS} jobs wait')


def cpu_of(pid):
    """Seconds that a process has computed."""
    with open(f'/proc/{pid}/stat', encoding='ascii') as stat:
        words = stat.read().rpartition(')')[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf('SC_CLK_TCK')


def streams(env, token):
    """What many event streams cost the master while a job comes each second."""
    with open(os.path.join(env['WM_CLUSTER_DIR'], 'run', 'wmasterd.pid'), encoding='ascii') as kept:
        master = kept.read().split()[0]

    def part(seconds=10):
        before, began = cpu_of(master), time.monotonic()
        for _ in range(seconds):
            subprocess.run(['bsub', '-J', 'streamed', 'true'], env={**os.environ, **env}, check=True, stdout=subprocess.DEVNULL)
            time.sleep(max(0, 1 - (time.monotonic() - began) % 1))
        return 100 * (cpu_of(master) - before) / (time.monotonic() - began)
    alone = part()
    where = urllib.parse.urlsplit(env['WM_GATEWAY_URL'])
    trust, lines = ssl.create_default_context(cafile=env['WM_GATEWAY_CA']), []
    for _ in range(STREAMS):
        line = trust.wrap_socket(socket.create_connection((where.hostname, where.port)), server_hostname=where.hostname)
        line.sendall(f'GET /api/v1/stream HTTP/1.1\r\nHost: {where.netloc}\r\nX-Auth-Token: {token}\r\n\r\n'.encode())
        lines.append(line)
    over = threading.Event()

    def drain():
        looked = select.epoll()
        by_number = {line.fileno(): line for line in lines}
        for line in lines:
            line.setblocking(False)
            looked.register(line, select.EPOLLIN)
        while not over.is_set():
            for number, _ in looked.poll(0.2):
                try:
                    heard[number] = heard.get(number, 0) + len(by_number[number].recv(1 << 16))
                except (BlockingIOError, ssl.SSLError):
                    continue
    heard = {}
    reader = threading.Thread(target=drain)
    reader.start()
    time.sleep(3)
    with_them = part()
    over.set()
    reader.join()
    show('streams_1000_master_cpu', with_them - alone, '%', f'alone {alone:.1f} %, {sum(1 for n in heard.values() if n > 300)} of {STREAMS} heard')
    for line in lines:
        line.close()


def memories(env, folder):
    """A hundred wuserd, none of them asked anything."""
    sbin, agents, sum_kb = os.path.join(os.environ['B'], 'sbin'), [], 0
    for n in range(USERS):
        agents.append(subprocess.Popen([f'{sbin}/wuserd', '--socket', os.path.join(folder, f'u{n}'), '--token-key',
                                        os.path.join(os.path.dirname(env['WM_GATEWAY_CA']), 'token.pub')],
                                       env={**os.environ, **env}, stderr=subprocess.DEVNULL))
    while not all(os.path.exists(os.path.join(folder, f'u{n}')) for n in range(USERS)):
        time.sleep(0.1)
    for agent in agents:
        with open(f'/proc/{agent.pid}/smaps_rollup', encoding='ascii') as rollup:
            sum_kb += int(next(line for line in rollup if line.startswith('Pss:')).split()[1])
        agent.kill()
        agent.wait()
    show('wuserd_100_mb', sum_kb / 1024, 'MB')


def pages(env):
    """Bytes on the way to a browser; how soon it paints."""
    folder = os.path.join(os.environ.get('B', os.path.join(TOP, 'build')), 'pages')
    files = [os.path.join(folder, 'index.html'), *(os.path.join(folder, 's', name) for name in os.listdir(os.path.join(folder, 's')))]
    size = 0
    for path in files:
        with open(path, 'rb') as text:
            size += len(gzip.compress(text.read()))
    show('pages_gzip_kb', size / 1000, 'kB')
    if not shutil.which('chromium'):
        print('# applications_…: no chromium', file=sys.stderr)
        return
    said = subprocess.run([sys.executable, os.path.join(TOP, 'test/system/pages_check.py'), 'many', str(JOBS)],
                          env={**os.environ, **env}, capture_output=True, text=True, check=True).stdout.split()
    show('applications_keystroke_ms', float(said[1]), 'ms', f'most {said[3]}')
    show('applications_change_ms', float(said[5]), 'ms', f'most {said[7]}')


def measure(cluster, folder):
    """All figures."""
    env = cluster.exports()
    began = time.monotonic()
    token = log_on(env)
    line = Line(env, token)
    assert line.ask('GET', '/api/v1/session')[0] == 200
    show('rest_logon_first_answer_ms', (time.monotonic() - began) * 1e3, 'ms')
    body, headers = form(code_of(10_000))
    took, name = [], ''
    for _ in range(SUBMITS):
        began = time.monotonic()
        status, answer = line.ask('POST', f'{EXECS}?args=--exec-start%20PyTorch%20--user-cmd%20--%20true', body, headers)
        took.append((time.monotonic() - began) * 1e3)
        assert status == 200, answer
        name = json.loads(answer)['id']
    show('rest_exec_submit_ms', statistics.median(took), 'ms', f'n={SUBMITS} least {min(took):.0f} most {max(took):.0f}')
    mine, nginx = per_second(env, token, f'{EXECS}/{name}'), per_second(env, None, '/icon.svg')
    show('rest_get_per_s', mine, '1/s', f'nginx alone {nginx:.0f}')
    show('rest_get_part', 100 * mine / nginx, '%')
    show('wuserd_rss_mb', max(resident(pid) for pid in of_door(env, 'wuserd')), 'MB')
    uploads(env, token, folder)
    memories(env, folder)
    streams(env, token)
    lists(env, line, folder)
    pages(env)


def main():
    """In a temporary cluster."""
    if why_not():
        print(f'# the web door: {why_not()}', file=sys.stderr)
        return
    work = tempfile.mkdtemp(prefix='wm-bench.')
    cluster = Cluster(os.path.join(work, 'cluster'), os.environ['B'])
    try:
        cluster.up(SHAPE)
        measure(cluster, work)
    finally:
        cluster.down()
        shutil.rmtree(work, ignore_errors=True)


main()
