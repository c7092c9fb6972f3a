"""Role: figures of the web door of a private cluster. Prints `name value unit` lines.

  rest_logon_first_answer_ms   log-on and a first answer where the user's wuserd has to be started
  rest_exec_submit_ms          POST /execs of a code of 10 kB, durable, wuserd warm
  rest_get_per_s               GET /execs/{id} over 16 connections, TLS, token checked; rest_get_part: over nginx's own
                               static answers in the same run
  upload_mb_per_s              an upload of 256 MB; upload_part: over cp to the same disk; upload_wuserd_mb: its memory then
  rest_execs_list_ms           GET /execs with as many executions as there are (comment); jobs and slots alike
  wuserd_rss_mb                idle
Needs: B (build folder), nginx; without it says so and prints nothing. Callers: scripts/bench.
"""

import getpass
import http.client
import io
import json
import os
import shutil
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
SUBMITS, JOBS, SECONDS, LINES = 30, 2000, 3, 16
UPLOAD = 256 << 20


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


def rss(program):
    """MB of the cluster's process of that name that was started last."""
    pids = subprocess.run(['pgrep', '-n', '-x', program], capture_output=True, text=True, check=False).stdout.split()
    with open(f'/proc/{pids[0]}/status', encoding='ascii') as status:
        return int(next(line for line in status if line.startswith('VmRSS')).split()[1]) / 1024


def uploads(env, token, folder):
    """A large file, against cp."""
    big = os.path.join(folder, 'big')
    with open(big, 'wb') as out:
        for _ in range(UPLOAD >> 20):
            out.write(os.urandom(1 << 20))
    began = time.monotonic()
    shutil.copy(big, big + '.copy')
    copied = UPLOAD / 1e6 / (time.monotonic() - began)
    with open(big, 'rb') as data:
        body, headers = form(data.read())
    began = time.monotonic()
    Line(env, token).ask('POST', f'{EXECS}?args=--exec-start%20PyTorch%20--model-main%20big%20--user-cmd%20--%20true', body, headers)
    rate = UPLOAD / 1e6 / (time.monotonic() - began)
    show('upload_mb_per_s', rate, 'MB/s', f'cp {copied:.0f} MB/s')
    show('upload_part', 100 * rate / copied, '%')
    show('upload_wuserd_mb', rss('wuserd'), 'MB')


def lists(env, line):
    """Lists with many jobs that have ended."""
    subprocess.run(['bsub', '-J', f'many[1-{JOBS}]', '-n', '1', '-H', 'true'], env={**os.environ, **env}, check=True, stdout=subprocess.DEVNULL)
    for name, path in (('rest_execs_list_ms', EXECS), ('rest_jobs_list_ms', '/api/v1/jobs'), ('rest_slots_ms', '/api/v1/slots')):
        took = []
        for _ in range(5):
            began = time.monotonic()
            line.ask('GET', path)
            took.append((time.monotonic() - began) * 1e3)
        show(name, statistics.median(took), 'ms', f'{JOBS} elements wait besides')


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
    mine, nginx = per_second(env, token, f'{EXECS}/{name}'), per_second(env, None, '/s/app.js')
    show('rest_get_per_s', mine, '1/s', f'nginx alone {nginx:.0f}')
    show('rest_get_part', 100 * mine / nginx, '%')
    lists(env, line)
    uploads(env, token, folder)
    show('wuserd_rss_mb', rss('wuserd'), 'MB')


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
