#!/usr/bin/env python3
"""Role: figures of parameter servers and of shard='optimizer' on this machine, without daemons: what a step costs with servers, what async
gains when a worker is slow, what the loss of a server costs, how much of the optimizer's state a worker has. The model is a perceptron of
trainer_worker.py, on one CPU thread a worker; servers and workers share the machine. Prints `name value unit`.
"""

import os
import re
import shutil
import signal
import statistics
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'test', 'support'))
import fake_lead  # noqa: E402
import torch  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get('B', 'build'))
ENVIRONMENT = {'PYTHONPATH': os.path.join(BUILD, 'lib', 'python'), 'OMP_NUM_THREADS': '1',
               'WM_TRAINER_LIB': os.path.join(BUILD, 'lib', 'libwmtrainer.so')}
REPEATS = int(os.environ.get('WM_BENCH_REPEATS', '5'))
_SERVER = re.compile(r'parameter servers, epoch (\d+): 0 beside task \d+ \(pid (\d+)\)')


def say(name, value, unit):
    print(f'{name} {value:.4g} {unit}', flush=True)


class Job:
    """Workers of trainer_worker.py. `settings`: TEST_* variables; `of_task`: those of one more."""

    def __init__(self, tasks, of_task=None, **settings):
        self._base = tempfile.mkdtemp(prefix='wmb')
        settings = {'dtype': 'float32', 'hash': 0, 'lr': 0.001, 'effective': 24, **settings}
        environment = {f'TEST_{k.upper()}': str(v) for k, v in settings.items()}
        command = [sys.executable, os.path.join(ROOT, 'test', 'support', 'trainer_worker.py')]
        self.lead, self.tasks = fake_lead.FakeLead(self._base, command, {**ENVIRONMENT, **environment}), tasks
        for task in tasks:
            self.lead.start(task, **(of_task or {}).get(task, {}))
        self.lead.run_until(lambda: self.lead.all_ready(tasks))
        self.lead.plan(tasks)
        self.lead.run_until(self.lead.formed)

    def steps(self, task):
        return fake_lead.rows(self._base, task, 'steps.csv')

    def gaps_ms(self, task):
        ends = [row['t_end'] for row in self.steps(task)]
        return [(b - a) / 1e6 for a, b in zip(ends, ends[1:])]

    def to_the_end(self):
        """Seconds from the first step to the last, of any worker."""
        self.lead.run_until(self.lead.finished, 600)
        rows = [row for task in self.tasks for row in self.steps(task)]
        return (max(row['t_end'] for row in rows) - min(row['t_begin'] for row in rows)) / 1e9

    def kill_a_server(self):
        epoch = self.lead.epoch
        told = [int(pid) for number, pid in _SERVER.findall(self.lead.outputs()) if int(number) == epoch]
        os.kill(told[-1], signal.SIGKILL)
        self.lead.run_until(lambda: self.lead.epoch > epoch and self.lead.formed())
        goal = self.lead.step() + 20
        self.lead.run_until(lambda: self.lead.step() >= goal)

    def end(self):
        self.lead.close()
        shutil.rmtree(self._base, ignore_errors=True)


def step_ms(**settings):
    job = Job([1, 2], passes=8, step_ms=2, width=20_000, **settings)
    job.to_the_end()
    found = statistics.median(job.gaps_ms(1)[5:])
    job.end()
    return found


def straggler():
    """How much sooner async ends when one of two workers needs three times as long."""
    took = {}
    for control in ('sync', 'async'):
        # A step of sync is of both workers; the same samples are as many steps of one.
        size = {'sync': 16, 'async': 8}[control]
        job = Job([1, 2], {2: {'TEST_STEP_MS': '90'}}, passes=2, step_ms=30, servers=2, control=control, effective=size,
                  **({'staleness': 4} if control == 'async' else {}))
        took[control] = job.to_the_end()
        job.end()
    return took['sync'] / took['async']


def server_loss():
    job = Job([1, 2], passes=10_000, step_ms=10, servers=2, width=20_000)
    goal = job.lead.step() + 30
    job.lead.run_until(lambda: job.lead.step() >= goal)
    for _ in range(REPEATS):
        job.kill_a_server()
    gaps = sorted(job.gaps_ms(1))
    job.end()
    return statistics.median(gaps[-REPEATS:]) - statistics.median(gaps)


def memory():
    """Of the state that four workers have, the largest part that one has."""
    sys.path.insert(0, ENVIRONMENT['PYTHONPATH'])
    from fabric_model.servers.cut import cut
    from fabric_model.shards import Shard, duties
    model = torch.nn.Sequential(torch.nn.Linear(300, 500), torch.nn.Linear(500, 200))
    parameters, optimizer = list(model.parameters()), torch.optim.Adam(model.parameters())
    for p in parameters:
        p.grad = torch.randn_like(p)
    intervals = cut([p.numel() for p in parameters], 4)

    def bytes_of(ranges):
        found = [Shard(parameters, optimizer, *one) for one in ranges]
        for shard in found:
            shard.step([{k: v for k, v in group.items() if k != 'params'} for group in optimizer.param_groups])
        return sum(shard.bytes for shard in found)
    whole = bytes_of([(0, intervals[-1][1])])
    return max(bytes_of([intervals[n] for n in duties(4, rank)]) for rank in range(4)) / whole


def main():
    began = time.monotonic()
    say('shard_optimizer_memory_ratio', memory(), 'ratio')
    say('ps_sync_over_allreduce', step_ms(servers=2) / step_ms(), 'ratio')
    say('shard_optimizer_over_allreduce', step_ms(shard='optimizer', adam=1) / step_ms(adam=1), 'ratio')
    say('ps_async_straggler_speedup', straggler(), 'ratio')
    say('server_loss_pause_ms', server_loss(), 'ms')
    print(f'servers_bench.py took {time.monotonic() - began:.0f} s', file=sys.stderr)


if __name__ == '__main__':
    main()
