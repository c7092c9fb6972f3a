"""Role: figures of inference services through the web door of a private cluster. Prints `name value unit` lines.

  infer_req_per_s_64           64 connections over nginx, token checked: a kernel in C++ that answers at once
  infer_static_req_per_s_64    a static file of the same nginx, in the same run; infer_of_static: the ratio
  infer_python_req_per_s_64    the example ping, unmodified, in batches of 16
  infer_python_kernel_per_s    what its kernel alone could do, by the time that it was busy for a request
  infer_overload_goodput       answered in time of what a kernel can do, at ten times that: a deadline of one second each
  infer_overload_in_time       of those answered 200, the part in time
  infer_cold_start_ms          a PyTorch model at zero kernels with a warm parent: the first request to its answer, on a slot
                               that an elastic training gives first
Clients are processes of asyncio that send the same bytes again and again; on a small machine they are the limit, and the
comment says so. Needs: B (build folder), nginx, g++, torch for the last. Callers: scripts/bench.
"""

import asyncio
import collections
import glob
import http.client
import json
import multiprocessing
import os
import shutil
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'scripts', 'common'))
sys.dont_write_bytecode = True
from cluster.cluster import Cluster  # noqa: E402
from cluster.web import why_not  # noqa: E402

CONNECTIONS, SECONDS, PROCESSES, COLD = 64, 5.0, 2, 7
QUIET = 4.0  # s, in which a warm parent is made anew
WORK, OVER_RATE = 0.01, 1000  # s of a task; requests a second, ten times what that allows
SHAPE = {'nodes': 1, 'cpus': 8, 'gpus': 0, 'mem': '', 'conf': [], 'multiuser': False, 'web': True}
NO_OP = '''
#include <cstdlib>
#include <wm/wmserve.h>
int main() {
  wm_kernel* kernel = wm_kernel_open(std::getenv("WM_SERVICE_DIR"), std::getenv("MSD_POD_NAME"), 30);
  if (!kernel) return 1;
  wm_kernel_leave_on_term(kernel);
  for (wm_batch* batch = nullptr; wm_kernel_next(kernel, &batch) > 0; wm_batch_done(batch))
    for (size_t task = 0; task < wm_batch_size(batch); ++task) wm_batch_answer(batch, task, 1, "done", 4);
  wm_kernel_close(kernel);
}
'''
SOFTMAX = '''
import torch
from redharetorch import TorchKernel

if __name__ == '__main__':
    TorchKernel().run()
'''


WORKS = f'''
import time
import redhareapiversion
from redhareapi import Kernel

class Works(Kernel):
    def on_task_invoke(self, task_context):
        time.sleep({WORK})
        task_context.set_output_data('done')

if __name__ == '__main__':
    Works().run()
'''


async def one_connection(where, context, request, until):
    """How many answers of 200 came by one connection."""
    reader, writer = await asyncio.open_connection(where.hostname, where.port, ssl=context)
    count = 0
    while time.monotonic() < until:
        writer.write(request)
        head = await reader.readuntil(b'\r\n\r\n')
        lines = head.decode().lower().split('\r\n')
        length = next((int(line.split(':')[1]) for line in lines if line.startswith('content-length:')), None)
        if length is None:  # chunked
            while (size := int((await reader.readline()).strip() or b'0', 16)) > 0:
                await reader.readexactly(size + 2)
            await reader.readline()
        else:
            await reader.readexactly(length)
        count += ' 200' in lines[0]
    writer.close()
    return count


def client(url, authority, request, connections, results):
    """A process of so many connections."""
    async def all_of_them():
        until = time.monotonic() + SECONDS
        context = ssl.create_default_context(cafile=authority)
        where = urllib.parse.urlsplit(url)
        return sum(await asyncio.gather(*(one_connection(where, context, request, until) for _ in range(connections))))
    results.put(asyncio.run(all_of_them()))


def rate(env, request):
    """Answers a second."""
    results = multiprocessing.Queue()
    share = CONNECTIONS // PROCESSES
    processes = [multiprocessing.Process(target=client, args=(env['WM_GATEWAY_URL'], env['WM_GATEWAY_CA'], request, share, results)) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    answered = sum(results.get() for _ in processes)
    for process in processes:
        process.join()
    return answered / SECONDS


class Bench:
    """A cluster, and packages below `work`."""

    def __init__(self, cluster, work):
        os.makedirs(work, exist_ok=True)
        self.cluster, self.work, self.env = cluster, work, {**os.environ, **cluster.exports(), 'HOME': work}
        self.token = ''

    def run(self, *words):
        """What a command prints."""
        return subprocess.run(words, env=self.env, cwd=self.work, capture_output=True, text=True, check=True).stdout

    def package(self, name, kernel, policy, **files):
        """A folder, deployed and started."""
        folder = os.path.join(self.work, name)
        os.makedirs(folder)
        texts = {'README.md': name, 'kernel.py': kernel, 'model.json': json.dumps({'name': name, 'kernel_path': 'kernel.py', **files}),
                 'profile.json': json.dumps({'policy': {'schedule_interval': 1, **policy}})}
        for file, text in texts.items():
            with open(os.path.join(folder, file), 'w', encoding='utf-8') as out:
                out.write(text)
        return folder

    def serve(self, folder):
        """Its first answer has come when this returns."""
        name = os.path.basename(folder)
        self.run('dlim', 'model', 'deploy', '-p', folder)
        self.run('dlim', 'model', 'start', name)
        self.run('dlim', 'model', 'infer', name, '[[1, 2]]')

    def request(self, path, body=None):
        """The bytes of one, with a token."""
        token = self.run('dlim', 'config', '-s').strip()
        host = urllib.parse.urlsplit(self.env['WM_GATEWAY_URL']).netloc
        head = f'{"GET" if body is None else "POST"} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n'
        return (head + (f'Content-Length: {len(body)}\r\n' if body is not None else '') + '\r\n' + (body or '')).encode()

    def throughput(self):
        """C++, static, Python."""
        program = os.path.join(self.work, 'no-op')
        include = os.path.join(self.work, 'include', 'wm')
        os.makedirs(include)
        shutil.copy(os.path.join(TOP, 'libwm/kernel/wmserve.h'), include)
        lib = os.path.join(self.cluster.build, 'lib')
        with open(program + '.cc', 'w', encoding='utf-8') as out:
            out.write(NO_OP)
        self.run('g++', '-O2', '-I', os.path.dirname(include), program + '.cc', '-o', program, f'-L{lib}', '-lwmserve', f'-Wl,-rpath,{lib}')
        policy = {'kernel_min': 1, 'kernel_max': 1, 'task_batch_size': 16, 'task_pipe_size': 4}
        self.serve(self.package('noop', f'import os\nos.execv({program!r}, ["no-op"])\n', policy))
        ours = rate(self.env, self.request('/dlim/v1/inference/noop', 'x'))
        static = rate(self.env, self.request('/icon.svg'))
        print(f'# clients: {PROCESSES} processes on {os.cpu_count()} CPUs, which everything here shares', file=sys.stderr)
        print(f'infer_req_per_s_64 {ours:.0f} 1/s\ninfer_static_req_per_s_64 {static:.0f} 1/s\ninfer_of_static {ours / static:.2f} -', flush=True)
        with open(os.path.join(TOP, 'libwm/kernel/examples/ping/kernel.py'), encoding='utf-8') as text:
            self.serve(self.package('ping', text.read(), policy))
        print(f'infer_python_req_per_s_64 {rate(self.env, self.request("/dlim/v1/inference/ping", "x")):.0f} 1/s', flush=True)
        self.token = self.run('dlim', 'config', '-s').strip()
        cost = json.loads(self.door('GET', '/api/v1/services/ping'))['router']['task_us']
        print(f'infer_python_kernel_per_s {1e6 / max(1, cost):.0f} 1/s', flush=True)

    def training(self):
        """Elastic, on every slot that is left; returns its step and size, which is read anew at each call."""
        shutil.copy(os.path.join(TOP, 'test/system/small_train.py'), self.work)
        self.run('bsub', '-app', 'training', '-ar', '-n', '1,3', sys.executable, 'small_train.py', '10000000', '20')

        def standing():
            rows = []
            for path in glob.glob(os.path.join(self.cluster.path('results'), '**', 'steps.csv'), recursive=True):
                with open(path, encoding='ascii') as lines:
                    rows += [row for row in (line.split(',') for line in lines.read().splitlines()[-1:]) if row[0].isdigit()]
            return max(((int(row[0]), int(row[2])) for row in rows), default=(0, 0))
        return standing

    def lost_steps(self):
        """Of all resizes of the training, by its own account."""
        events = json.loads(self.door('GET', '/api/v1/jobs/2/timeline'))['events']
        return sum(event.get('steps_lost') or 0 for event in events if event['event'] == 'EPOCH')

    def door(self, method, path, body=None):
        """The body of an answer, over a connection of its own."""
        where = urllib.parse.urlsplit(self.env['WM_GATEWAY_URL'])
        link = http.client.HTTPSConnection(where.hostname, where.port, context=ssl.create_default_context(cafile=self.env['WM_GATEWAY_CA']), timeout=120)
        link.request(method, path, body, {'Authorization': 'Bearer ' + self.token})
        reply = link.getresponse()
        if reply.status != 200:
            raise RuntimeError(f'{path}: {reply.status} {reply.read()[:200]}')
        return reply.read()

    def cold_start(self):
        """At zero kernels, again and again, each time on a slot that the training has to give first."""
        try:
            subprocess.run([sys.executable, '-c', 'import torch; torch.jit.save(torch.jit.trace(torch.nn.Softmax(1), torch.zeros(1, 2)), "m.pt")'], cwd=self.work, check=True, capture_output=True)
        except subprocess.CalledProcessError:
            print('# infer_cold_start_ms: no torch', file=sys.stderr)
            return
        folder = self.package('cold', SOFTMAX, {'kernel_min': 0, 'kernel_max': 1, 'kernel_delay_release_time': 1}, weight_path='m.pt')
        shutil.copy(os.path.join(self.work, 'm.pt'), folder)
        self.run('dlim', 'model', 'deploy', '-p', folder)
        self.run('dlim', 'model', 'start', 'cold')
        self.token = self.run('dlim', 'config', '-s').strip()
        standing, times = self.training(), []
        while len(times) < COLD:
            while standing()[1] != 3 or 'Kernel started:\t0' not in self.run('dlim', 'model', 'view', 'cold', '-s'):
                time.sleep(0.2)
            time.sleep(QUIET)
            began = time.monotonic()
            self.door('POST', '/dlim/v1/inference/cold', '[[1, 2]]')
            times.append((time.monotonic() - began) * 1000)
        print(f'# infer_cold_start_ms: n={len(times)} least {min(times):.0f} most {max(times):.0f}; a training of 3 gave the slot each time and lost {self.lost_steps()} steps', file=sys.stderr)
        print(f'infer_cold_start_ms {statistics.median(times):.0f} ms', flush=True)

    def overload(self):
        """Ten times what a kernel can do, each request with a deadline: task_execution_timeout."""
        self.serve(self.package('busy', WORKS, {'kernel_min': 1, 'kernel_max': 1, 'task_execution_timeout': 1}))
        token = self.run('dlim', 'config', '-s').strip()
        results = multiprocessing.Queue()
        args = (self.env['WM_GATEWAY_URL'], self.env['WM_GATEWAY_CA'], token, OVER_RATE / PROCESSES, results)
        processes = [multiprocessing.Process(target=open_loop, args=args) for _ in range(PROCESSES)]
        for process in processes:
            process.start()
        answers = [one for _ in processes for one in results.get()]
        for process in processes:
            process.join()
        good = sum(1 for status, took in answers if status == 200 and took <= 1.2)
        admitted = [took for status, took in answers if status == 200]
        print(f'# overload: {len(answers)} sent at {OVER_RATE}/s to a kernel of {1 / WORK:.0f}/s: {sorted(collections.Counter(status for status, _ in answers).items())}', file=sys.stderr)
        print(f'infer_overload_goodput {100 * good / SECONDS * WORK:.0f} %\ninfer_overload_in_time {100 * good / max(1, len(admitted)):.1f} %', flush=True)


def open_loop(url, authority, token, per_second, results):
    """Sends at a rate, whatever comes back; (status, seconds) of each."""
    where = urllib.parse.urlsplit(url)
    context = ssl.create_default_context(cafile=authority)
    head = f'POST /dlim/v1/inference/busy HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: Bearer {token}\r\nContent-Length: 1\r\n\r\nx'.encode()
    idle, answers = [], []

    async def one():
        began = time.monotonic()
        reader, writer = idle.pop() if idle else await asyncio.open_connection(where.hostname, where.port, ssl=context)
        writer.write(head)
        lines = (await reader.readuntil(b'\r\n\r\n')).decode().lower().split('\r\n')
        length = next((int(line.split(':')[1]) for line in lines if line.startswith('content-length:')), 0)
        await reader.readexactly(length)
        idle.append((reader, writer))
        answers.append((int(lines[0].split()[1]), time.monotonic() - began))

    async def all_of_them():
        began, tasks = time.monotonic(), []
        while time.monotonic() - began < SECONDS:
            due = int((time.monotonic() - began) * per_second) - len(tasks)
            tasks += [asyncio.create_task(one()) for _ in range(due)]
            await asyncio.sleep(0.01)
        await asyncio.gather(*tasks)
    asyncio.run(all_of_them())
    results.put(answers)


def main():
    """One cluster for all."""
    reason = why_not()
    if reason:
        print(f'# infer_bench: {reason}', file=sys.stderr)
        return
    work = tempfile.mkdtemp(prefix='wm-bench.')
    cluster = Cluster(os.path.join(work, 'cluster'), os.path.abspath(os.environ.get('B') or 'build'))
    try:
        cluster.up(SHAPE)
        bench = Bench(cluster, work)
        bench.throughput()
        bench.overload()
    finally:
        cluster.down()
    cluster = Cluster(os.path.join(work, 'small'), os.path.abspath(os.environ.get('B') or 'build'))
    try:
        cluster.up({**SHAPE, 'nodes': 2, 'cpus': 2})
        Bench(cluster, os.path.join(work, 'again')).cold_start()
    finally:
        cluster.down()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == '__main__':
    main()
