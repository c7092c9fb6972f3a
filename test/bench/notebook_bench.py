"""Role: figures of notebooks through the web door of a private cluster. Prints `name value unit` lines.

  notebook_ready_ms      before POST /api/v1/notebooks → the first page by the apps origin, beyond what Jupyter needs from
                         its own start to its first answer; the comment has that
  notebook_request_ms    a small answer of Jupyter through the door
Needs: B (build folder), nginx, jupyter-notebook; without them it says so and prints nothing. Callers: scripts/bench.
"""

import base64
import getpass
import http.client
import json
import os
import shutil
import ssl
import statistics
import sys
import tempfile
import time
import urllib.parse

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'scripts', 'common'))
sys.dont_write_bytecode = True
from cluster.cluster import Cluster  # noqa: E402
from cluster.web import why_not  # noqa: E402

STARTS, REQUESTS = 5, 60
SHAPE = {'nodes': 1, 'cpus': 8, 'gpus': 0, 'mem': '', 'conf': [], 'multiuser': False, 'web': True}


class Door:
    """Requests to both origins, each over its own connection."""

    def __init__(self, env):
        self._env = env
        self._context = ssl.create_default_context(cafile=env['WM_GATEWAY_CA'])
        word = base64.b64encode(f'{getpass.getuser()}:{env["WM_API_KEY"]}'.encode()).decode()
        self._basic = {'Authorization': f'Basic {word}'}
        self._cookies = {}

    def _ask(self, url, method, path, headers, body=None):
        where = urllib.parse.urlsplit(url)
        connection = http.client.HTTPSConnection(where.hostname, where.port, timeout=60, context=self._context)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    def api(self, method, path, body=None):
        """JSON of the pages' origin."""
        _, text = self._ask(self._env['WM_GATEWAY_URL'], method, path, self._basic, json.dumps(body) if body is not None else None)
        return json.loads(text or b'{}')

    def enter(self, job):
        """A cookie for that job."""
        form = urllib.parse.urlencode({'ticket': self.api('POST', '/auth/v1/app', {'job': job})['ticket']})
        answer, _ = self._ask(self._env['WM_APPS_URL'], 'POST', '/_open', {'Origin': self._env['WM_GATEWAY_URL']}, form)
        self._cookies[job] = answer.headers['Set-Cookie'].split(';')[0]

    def visit(self, job, path):
        """Status of a page of that job."""
        return self._ask(self._env['WM_APPS_URL'], 'GET', f'/{job}/{path}', {'Cookie': self._cookies[job]})[0].status


def show(name, values, more):
    """A comment with the spread, and the median."""
    print(f'# {name}: n={len(values)} least {min(values):.1f} most {max(values):.1f}; {more}', file=sys.stderr)
    print(f'{name} {statistics.median(values):.1f} ms', flush=True)


def one_start(door):
    """(all, Jupyter's own) milliseconds of one notebook, and its number."""
    began = time.time()
    job = door.api('POST', '/api/v1/notebooks', {})['id']
    door.enter(job)
    while door.visit(job, 'api/status') != 200:
        time.sleep(0.02)
    took = time.time() - began
    web = door.api('GET', f'/api/v1/notebooks/{job}')['web']
    return took * 1e3, (web['ready'] - web['started']) * 1e3, job


def measure(cluster):
    """Both figures."""
    door = Door({**os.environ, **cluster.exports()})
    starts = [one_start(door) for _ in range(STARTS)]
    own = statistics.median(s[1] for s in starts)
    show('notebook_ready_ms', [s[0] - s[1] for s in starts], f'Jupyter itself {own:.0f} ms')
    job, took = starts[-1][2], []
    for _ in range(REQUESTS):
        began = time.monotonic()
        door.visit(job, 'api/status')
        took.append((time.monotonic() - began) * 1e3)
    show('notebook_request_ms', took, 'a new connection each, with TLS')


def main():
    """In a temporary cluster."""
    lacks = why_not() or ('' if shutil.which('jupyter-notebook') else 'jupyter-notebook is not installed')
    if lacks:
        print(f'# notebooks: {lacks}', file=sys.stderr)
        return
    work = tempfile.mkdtemp(prefix='wm-bench.')
    cluster = Cluster(os.path.join(work, 'cluster'), os.environ['B'])
    try:
        cluster.up(SHAPE)
        measure(cluster)
    finally:
        cluster.down()
        shutil.rmtree(work, ignore_errors=True)


main()
