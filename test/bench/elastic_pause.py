#!/usr/bin/env python3
"""Role: figures of the elastic runtime on this machine, without daemons: what a resize costs the
members that stay, and what a step costs against plain DistributedDataParallel over gloo.
Prints `name value unit`; pauses are medians over the resizes of one job, by the workers' own
records (DESIGN 8: longest gap among survivors less the median gap before).
"""

import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'test', 'support'))
sys.path.insert(0, os.path.join(ROOT, 'scripts', 'demo.d'))
import evidence  # noqa: E402
import fake_lead  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get('B', 'build'))
SUPPORT = os.path.join(ROOT, 'test', 'support')
ENVIRONMENT = {'PYTHONPATH': os.path.join(BUILD, 'lib', 'python'), 'OMP_NUM_THREADS': '1',
               'WM_TRAINER_LIB': os.path.join(BUILD, 'lib', 'libwmtrainer.so')}
REPEATS = int(os.environ.get('WM_BENCH_REPEATS', '7'))
PAIRS = int(os.environ.get('WM_BENCH_PAIRS', '10'))
BETWEEN_STEPS = 25  # so that the median gap before a resize is known


def say(name, value, unit):
    print(f'{name} {value:.4g} {unit}', flush=True)


class Job:
    """A job of two members whose size is changed again and again."""

    def __init__(self, width, step_ms):
        self._base = tempfile.mkdtemp(prefix='wmb')
        settings = {'TEST_WIDTH': str(width), 'TEST_STEP_MS': str(step_ms), 'TEST_DTYPE': 'float32',
                    'TEST_PASSES': '100000', 'TEST_EFFECTIVE': '24', 'TEST_HASH': '0', 'TEST_LR': '0'}
        command = [sys.executable, os.path.join(SUPPORT, 'trainer_worker.py')]
        self.lead = fake_lead.FakeLead(self._base, command, {**ENVIRONMENT, **settings})
        self._next = 1

    def worker(self):
        """The number of a new worker that stands ready."""
        task, self._next = self._next, self._next + 1
        self.lead.start(task)
        self.lead.run_until(lambda: self.lead.all_ready([task]))
        return task

    def run_on(self):
        """Lets some steps go by."""
        goal = self.lead.step() + BETWEEN_STEPS
        self.lead.run_until(lambda: self.lead.step() >= goal, 120)

    def resize(self, members):
        self.lead.plan(members)
        self.lead.run_until(self.lead.formed)
        self.run_on()

    def kill(self, task):
        """kill -9 of a member; waits for the epoch of the others."""
        epoch = self.lead.planned
        self.lead.workers[task].process.kill()
        self.lead.run_until(lambda: self.lead.planned > epoch and self.lead.formed())
        self.run_on()

    def end(self):
        """{(before, after, number of resize)}: pauses in ms, oldest first."""
        resizes = evidence.History(self._base).resizes()
        self.lead.close()
        shutil.rmtree(self._base, ignore_errors=True)
        return [r.pause_ms for r in resizes]


def pauses(width, repeats, with_kills):
    """Pauses of growing, shrinking and of kills: three lists."""
    job = Job(width, 20)
    members = [job.worker(), job.worker()]
    job.resize(members)
    for _ in range(repeats):
        newcomer = job.worker()
        job.resize(members + [newcomer])
        if with_kills:
            job.resize(members)
            newcomer = job.worker()
            job.resize(members + [newcomer])
            job.kill(newcomer)
        else:
            job.resize(members)
    found = job.end()
    if not with_kills:
        return found[0::2], found[1::2], []
    return found[0::4] + found[2::4], found[1::4], found[3::4]


def copy_time_ms(size):
    """Bytes from one process to another over loopback, as the state travels."""
    script = f'''
import sys, time, torch, torch.distributed as d
store, rank = d.FileStore(sys.argv[1], 2), int(sys.argv[2])
g = d.ProcessGroupGloo(store, rank, 2)
x = torch.zeros({size}, dtype=torch.uint8)
for _ in range(5):
    g.barrier().wait(); t = time.monotonic()
    (g.send([x], 1, 0) if rank == 0 else g.recv([x], 0, 0)).wait()
    print((time.monotonic() - t) * 1e3)
'''
    with tempfile.TemporaryDirectory() as folder:
        run = [subprocess.Popen([sys.executable, '-c', script, folder + '/store', str(r)],
                                stdout=subprocess.PIPE, text=True) for r in (0, 1)]
        return statistics.median(float(v) for v in run[1].communicate()[0].split()) if not run[0].wait() else 0


def trained(arguments_of, count):
    """Runs `count` processes of bench_worker.py at once. Returns their measurements."""
    environment = {**os.environ, **ENVIRONMENT}
    processes = [subprocess.Popen([sys.executable, os.path.join(SUPPORT, 'bench_worker.py'),
                                   *arguments_of(k)], stdout=subprocess.PIPE, env=environment, text=True)
                 for k in range(count)]
    return [json.loads(p.communicate()[0].splitlines()[-1]) for p in processes]


def trained_ddp():
    with tempfile.TemporaryDirectory() as folder:
        return trained(lambda k: ['ddp', str(k), '2', folder + '/store'], 2)


def trained_fabric():
    base = tempfile.mkdtemp(prefix='wmb')
    command = [sys.executable, os.path.join(SUPPORT, 'bench_worker.py'), 'fabric']
    lead = fake_lead.FakeLead(base, command, ENVIRONMENT)
    try:
        for task in (1, 2):
            lead.start(task)
        lead.run_until(lambda: lead.all_ready([1, 2]))
        lead.plan([1, 2])
        lead.run_until(lead.finished, 120)
        found = []
        for path in glob.glob(os.path.join(base, 'log', '*', 'out')):
            with open(path, encoding='utf-8') as out:
                found += [json.loads(line) for line in out if line.startswith('{')]
        return found
    finally:
        lead.close()
        shutil.rmtree(base, ignore_errors=True)


def mean(found, key):
    return statistics.mean(f[key] for f in found)


def efficiency():
    """CPU time a step against DDP, and the share of two unrelated processes' speed."""
    ratios, ours, theirs, alone = [], [], [], []
    for _ in range(PAIRS):
        ddp, fabric = trained_ddp(), trained_fabric()
        ratios.append(mean(fabric, 'cpu_s') / mean(ddp, 'cpu_s'))
        ours.append(mean(fabric, 'wall_s'))
        theirs.append(mean(ddp, 'wall_s'))
        alone.append(mean(trained(lambda _: ['alone'], 2), 'wall_s'))
    single = statistics.median(alone)
    say('elastic_overhead_ratio', statistics.median(ratios), 'ratio')
    say('ddp_efficiency_2workers', single / statistics.median(ours), 'ratio')
    say('plain_ddp_efficiency_2workers', single / statistics.median(theirs), 'ratio')


def main():
    began = time.monotonic()
    grow, shrink, kill = pauses(26_000, REPEATS, True)  # 1 MB of parameters
    say('resize_pause_grow_ms', statistics.median(grow), 'ms')
    say('resize_pause_shrink_ms', statistics.median(shrink), 'ms')
    say('resize_pause_kill_ms', statistics.median(kill), 'ms')
    grow, _, _ = pauses(655_000, max(3, REPEATS // 2), False)  # 25 MB, and as much momentum
    say('resize_pause_grow_50mb_ms', statistics.median(grow), 'ms')
    say('state_copy_50mb_ms', copy_time_ms(50 << 20), 'ms')
    efficiency()
    print(f'elastic_pause.py took {time.monotonic() - began:.0f} s', file=sys.stderr)


if __name__ == '__main__':
    main()
