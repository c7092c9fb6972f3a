"""Role: figures of starting jobs and parallel programs: the real daemons on one private host.
Prints `name value unit` lines, medians where there are several measurements; on stderr, a
comment line on each with their spread.

  mpi_hello8_pmix_ms          an MPI program of 8 ranks that the host starts itself: from the
                              job's dispatch to its end, as bhist dates them
  mpi_hello8_mpirun_ms        the same with `mpirun -n 8 --oversubscribe` as the job's command;
                              the two alternate, both with pml=ob1 and yielding ranks
  launch_64_tasks_ms          64 times /bin/true, started the same way: dispatch to end
  array_2000_true_jobs_per_s  an array of 2000 `true` on 128 slots: before bsub starts → all are in the
                              accounting, which follows the durable state
  spawn_rate_per_s            /bin/true by posix_spawn, four at a time, for comparison
  shepherd_private_kb, wnoded_rss_mb, wnoded_idle_cpu_percent
                              of the daemons, at rest with one sleeping job; CPU over 20 s
Needs: B (build folder). Callers: scripts/bench. Arguments: names of measurements below.
"""

import glob
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

from cluster_bench import TOP, Failure, run, show, until

# With 64 slots an array waits for slots, not for CPUs: a third of the time they are idle.
SHAPE = {'nodes': 1, 'cpus': 128, 'gpus': 0, 'mem': '', 'multiuser': False}
HELLOS, LAUNCHES, ELEMENTS, SPAWNS, IDLE_S = 11, 11, 2000, 1000, 20
MPI = {'OMPI_MCA_pml': 'ob1', 'OMPI_MCA_btl': 'self,vader,tcp', 'OMPI_MCA_mpi_yield_when_idle': '1',
       'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}


def submitted(bench, *words):
    """Number of a new job."""
    return re.search(r'<(\d+)>', bench.said('bsub', *words)).group(1)


def dispatch_to_end(bench, *words):
    """Milliseconds of a job that must end well."""
    job = submitted(bench, *words)

    def ended():
        return bench.time_of(job, 'END')
    end = until(ended)
    state = bench.said('bjobs', '-noheader', '-o', 'stat', job).strip()
    if state != 'DONE':
        raise Failure(f'job {job} ({" ".join(words)}): {state}')
    time.sleep(0.2)  # the host has cleaned up
    return (end - bench.time_of(job, 'DISPATCH')) * 1e3


def hello(bench):
    """mpi_hello8_pmix_ms, mpi_hello8_mpirun_ms"""
    program = os.path.join(bench.home, 'hello')
    subprocess.run(['mpicc', '-O1', '-o', program, os.path.join(TOP, 'test', 'system', 'mpi_hello.c')], check=True)
    bench.env.update(MPI)
    ours, theirs, bare = [], [], []
    for _ in range(HELLOS + 1):
        ours.append(dispatch_to_end(bench, '-mpi', 'pmix', '-n', '8', program))
        theirs.append(dispatch_to_end(bench, '-n', '8', 'mpirun', '-n', '8', '--oversubscribe', program))
        began = time.monotonic()
        subprocess.run(['mpirun', '-n', '8', '--oversubscribe', program], env={**os.environ, **MPI}, check=True,
                       stdout=subprocess.DEVNULL)
        bare.append((time.monotonic() - began) * 1e3)
    show('mpi_hello8_pmix_ms', ours[1:])
    show('mpi_hello8_mpirun_ms', theirs[1:], f'; mpirun alone, without a job, {sorted(bare[1:])[HELLOS // 2]:.0f}')


def launch(bench):
    """launch_64_tasks_ms"""
    show('launch_64_tasks_ms',
         [dispatch_to_end(bench, '-mpi', 'pmix', '-n', '64', '/bin/true') for _ in range(LAUNCHES + 1)][1:])


def spawn_rate():
    """Processes a second, the next whenever one has ended."""
    began, running, started = time.monotonic(), 0, 0
    while started < SPAWNS or running:
        while running < 4 and started < SPAWNS:
            os.posix_spawn('/bin/true', ['/bin/true'], {})
            running, started = running + 1, started + 1
        os.wait()
        running -= 1
    return SPAWNS / (time.monotonic() - began)


def array(bench):
    """array_2000_true_jobs_per_s, spawn_rate_per_s"""
    path = bench.cluster.path('state', 'master', 'acct.db')
    rate = spawn_rate()
    pids = {name: pid_of(bench, name) for name in ('wmasterd', 'node1')}
    before = {name: cpu_s(pid) for name, pid in pids.items()}
    began = time.monotonic()
    job = submitted(bench, '-J', f'a[1-{ELEMENTS}]', '/bin/true')

    def accounted():
        with sqlite3.connect(f'file:{path}?mode=ro', uri=True) as db:
            return db.execute('SELECT count(*) FROM job WHERE job = ? AND idx > 0 AND ended > 0',
                              (job,)).fetchone()[0] == ELEMENTS
    until(accounted, 300)
    took = time.monotonic() - began
    used = ', '.join(f'{name} {(cpu_s(pid) - before[name]) / ELEMENTS * 1e6:.0f}' for name, pid in pids.items())
    print(f'# array_2000_true_jobs_per_s: CPU time in us a job of {used}', file=sys.stderr)
    print(f'spawn_rate_per_s {rate:.0f} /s', flush=True)
    print(f'array_2000_true_jobs_per_s {ELEMENTS / took:.0f} jobs/s', flush=True)


def private_kb(pid):
    """Memory that only this process holds."""
    with open(f'/proc/{pid}/smaps_rollup', encoding='ascii') as text:
        return sum(int(line.split()[1]) for line in text if line.startswith('Private_'))


def field_of(pid, name):
    """A number of /proc/PID/status."""
    with open(f'/proc/{pid}/status', encoding='ascii') as text:
        return next(int(line.split()[1]) for line in text if line.startswith(name))


def cpu_s(pid):
    """CPU seconds that the living threads of a process have used, to the nanosecond."""
    used = 0
    for path in glob.glob(f'/proc/{pid}/task/*/schedstat'):
        with open(path, encoding='ascii') as text:
            used += int(text.read().split()[0])
    return used / 1e9


def pid_of(bench, daemon):
    """Of wmasterd, or of a host's wnoded."""
    with open(bench.cluster.short('run', f'{daemon}.pid'), encoding='ascii') as text:
        return int(text.read().split()[0])


def parent_of(pid):
    """Of a process."""
    return field_of(pid, 'PPid:')


def daemons(bench):
    """shepherd_private_kb, wnoded_rss_mb, wnoded_idle_cpu_percent"""
    job = submitted(bench, 'sleep', '1000')

    def pid_of_task():
        return int(bench.said('bjobs', '-noheader', '-o', 'pids', job).strip().replace('-', '0') or 0)
    shepherd = parent_of(until(pid_of_task))
    wnoded = pid_of(bench, 'node1')
    time.sleep(1)
    before = cpu_s(wnoded)
    time.sleep(IDLE_S)
    used = cpu_s(wnoded) - before
    print(f'shepherd_private_kb {private_kb(shepherd)} kB')
    print(f'wnoded_rss_mb {field_of(wnoded, "VmRSS:") / 1024:.1f} MB')
    print(f'wnoded_idle_cpu_percent {used / IDLE_S * 100:.2f} %', flush=True)
    bench.said('bkill', job)


if __name__ == '__main__':
    sys.exit(run(SHAPE, (hello, launch, array, daemons), f'[limits]\nmax_array_size = {ELEMENTS}\n'))
