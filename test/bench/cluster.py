"""Role: figures that need a whole cluster, from the outside: only the commands and the step
records are used. Prints `name value unit` lines.

  bsub_ms                      a trivial job by a fresh process, durable when it returns (median)
  submit_to_start_ms           submission to start of the task, idle cluster (median, bhist)
  share_release_ms             a second submission → the first job has released its surplus
  resize_pause_grow_ms, resize_pause_shrink_ms, resize_pause_kill_ms   seen by survivors
  shrink_request_to_step_ms, grow_request_to_step_ms    bresize → first step with the new members
Needs: B (build folder). Callers: scripts/bench.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path[:0] = [os.path.join(TOP, 'scripts', 'common'), os.path.join(TOP, 'scripts', 'demo.d')]
sys.dont_write_bytecode = True
from cluster.cluster import Cluster  # noqa: E402
from evidence import History  # noqa: E402

PYTHON = '/usr/bin/python3'
SCRIPT = os.path.join(TOP, 'test', 'system', 'small_train.py')
REPEATS = 5
STEP_MS = 20


class Bench:
    """A cluster and short words for its commands."""

    def __init__(self, cluster, home):
        self.cluster, self.home = cluster, home
        self.env = {**os.environ, **cluster.exports()}
        self.offset = time.time() - time.monotonic()
        # The wrapper for host names would be measured too; the commands use addresses.
        self.bare = {k: v for k, v in self.env.items() if k != 'LD_PRELOAD'}

    def said(self, *words):
        """Output of a command that must succeed."""
        return subprocess.run(words, env=self.bare, cwd=self.home, capture_output=True, text=True, check=True).stdout

    def submit(self, *words):
        """Number of a new job."""
        return int(re.search(r'<(\d+)>', self.said('bsub', *words)).group(1))

    def train(self, steps=4000):
        """An elastic job on 1 to 4 GPUs with steps of about 20 ms."""
        return self.submit('-app', 'training', '-ar', '-n', '1,4', '-gpu', 'num=1', PYTHON, SCRIPT, str(steps), str(STEP_MS))

    def history(self, job):
        """Its step records."""
        user = subprocess.run(['id', '-un'], capture_output=True, text=True, check=True).stdout.strip()
        return History(self.cluster.path('results', user, 'batchworkdir', str(job)))

    def events(self, job):
        """Its history as bhist tells it."""
        return json.loads(self.said('bhist', '-json', str(job)))['RECORDS'][0]['EVENTS']

    def until(self, condition, limit_s=60):
        """Waits for it; None when it never came."""
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        raise TimeoutError(f'not within {limit_s} s')

    def at_world(self, job, world):
        """Waits until the job trains with so many members and has done so for a second."""
        def there():
            row, _ = self.history(job).latest()
            return row and row['world'] == world and row['step']
        step = self.until(there)
        self.until(lambda: (there() or 0) > step + 40)

    def end(self, *jobs):
        """Ends jobs and waits until their GPUs are free."""
        subprocess.run(['bkill', *map(str, jobs)], env=self.bare, capture_output=True, check=False)
        self.until(lambda: all(r['NGPUS_ALLOC'] == '0' for r in json.loads(self.said('bhosts', '-json'))['RECORDS']))


def show(name, values, unit='ms'):
    """One line: the median."""
    if values:
        print(f'{name} {statistics.median(values):.2f} {unit}', flush=True)


def submission(bench):
    """bsub_ms, submit_to_start_ms"""
    times, jobs = [], []
    for _ in range(40):
        began = time.monotonic()
        jobs.append(bench.submit('true'))
        times.append((time.monotonic() - began) * 1e3)
    show('bsub_ms', times[5:])
    starts = []
    for _ in range(15):
        job = bench.submit('true')
        bench.until(lambda: any(e['EVENT'] == 'END' for e in bench.events(job)))
        at = {e['EVENT']: e['TIME'] for e in bench.events(job)}
        starts.append((at['START'] - at['SUBMIT']) * 1e3)
    show('submit_to_start_ms', starts)


def by_request(bench, job):
    """Pauses and times of resizes by bresize."""
    took = {'shrink': [], 'grow': []}
    bench.at_world(job, 4)
    for _ in range(REPEATS):
        for kind, words, world in (('shrink', ('release', '2'), 2), ('grow', ('request', '2'), 4)):
            asked = time.monotonic()
            bench.said('bresize', *words, str(job))
            bench.at_world(job, world)
            first = [r for r in bench.history(job).resizes() if r.begin_ns / 1e9 >= asked and r.after == world]
            took[kind] += [(first[0].begin_ns / 1e9 - asked) * 1e3] if first else []
    resizes = bench.history(job).resizes()
    show('resize_pause_grow_ms', [r.pause_ms for r in resizes if r.after > r.before])
    show('resize_pause_shrink_ms', [r.pause_ms for r in resizes if r.after < r.before])
    show('shrink_request_to_step_ms', took['shrink'])
    show('grow_request_to_step_ms', took['grow'])


def by_death(bench, job):
    """resize_pause_kill_ms"""
    pauses = []
    for _ in range(REPEATS):
        bench.at_world(job, 4)
        before = len(bench.history(job).resizes())
        task = max(int(os.path.basename(f)) for f in bench.history(job).folders)
        bench.cluster.kill(['task', f'{job}.{task}'], 9)
        bench.until(lambda: len(bench.history(job).resizes()) > before)
        pauses.append(bench.history(job).resizes()[before].pause_ms)
    show('resize_pause_kill_ms', pauses)


def by_share(bench, job):
    """share_release_ms"""
    took = []
    for _ in range(REPEATS):
        bench.at_world(job, 4)
        second = bench.train()
        bench.until(lambda: any(e['EVENT'] == 'RESIZE' and int(e['TO']) <= 2 for e in bench.events(job)[-3:]))
        submitted = next(e['TIME'] for e in bench.events(second) if e['EVENT'] == 'SUBMIT')
        given = min(e['TIME'] for e in bench.events(job) if e['EVENT'] == 'RESIZE' and e['TIME'] >= submitted)
        took.append((given - submitted) * 1e3)
        subprocess.run(['bkill', str(second)], env=bench.bare, capture_output=True, check=False)
    show('share_release_ms', took)


def main():
    """One cluster for all of it."""
    work = tempfile.mkdtemp(prefix='wm-bench.')
    cluster = Cluster(os.path.join(work, 'c'), os.environ.get('B', os.path.join(TOP, 'build')))
    failed = 0
    try:
        cluster.up({'nodes': 4, 'cpus': 1, 'gpus': 1, 'mem': '', 'conf': [], 'multiuser': False})
        bench = Bench(cluster, work)
        submission(bench)
        for measure in (by_request, by_share, by_death):
            job = bench.train()
            try:
                measure(bench, job)
            except (TimeoutError, subprocess.CalledProcessError) as problem:
                print(f'bench: {measure.__name__}: {problem}', file=sys.stderr)
                failed = 1
            bench.end(job)
    finally:
        cluster.down()
        shutil.rmtree(work, ignore_errors=True)
    return failed


if __name__ == '__main__':
    sys.exit(main())
