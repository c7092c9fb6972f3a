"""Role: figures of a whole private cluster from the outside: the real daemons and commands, the
step records of real jobs. Prints `name value unit` lines, medians; on stderr, a comment line on
each with the number of measurements and their spread. Figures of pauses: elastic_pause.py.

  bsub_ms                     a trivial job by a fresh process, durable when it returns; the
                              comment compares /bin/true and a synchronized write of 4 KiB on
                              the same disk, alternating with it
  submit_to_start_ms          idle cluster: before bsub starts → the task's own first timestamp
  share_release_ms            a second bsub → the first job's surplus is proven free, so that
                              the second is dispatched onto it (SUBMIT → DISPATCH in bhist)
  shrink_request_to_step_ms, grow_cold_request_to_step_ms
                              before bresize starts → first step with the new world; cold: the
                              newcomer is a fresh Python that imports PyTorch
  grow_warm_request_to_step_ms
                              the same on hosts with a warm parent; the comment says how many of
                              the newcomers were its forks
  newcomer_import_ms          start of an added worker's process → its imports are done
  grow_beyond_import_ms       the difference, grow by grow: what WM and the epoch add
  resize_pause_shepherd_kill_ms
                              kill -9 of the shepherd of a host that is not the lead's: pause of
                              the survivors, by their step records
Needs: B (build folder). Callers: scripts/bench.
"""

import csv
import getpass
import glob
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path[:0] = [os.path.join(TOP, 'scripts', 'common'), os.path.join(TOP, 'scripts', 'demo.d')]
sys.dont_write_bytecode = True
from cluster.cluster import Cluster, Failure  # noqa: E402
from evidence import History  # noqa: E402

TRAIN = [sys.executable, os.path.join(TOP, 'test', 'support', 'timed_train.py')]
STEPS, STEP_MS = '20000', '20'
SUBMITS, STARTS, SHARES, RESIZES, KILLS = 60, 25, 7, 7, 5
SHAPE = {'nodes': 4, 'cpus': 1, 'gpus': 1, 'mem': '', 'multiuser': False}
SETTLED_STEPS = 40  # after a resize, before the next


def show(name, values, more=''):
    """A comment with the spread, and the median."""
    if len(values) < 2:
        raise Failure(f'{name}: {len(values)} measurements')
    low, _, high = statistics.quantiles(values, n=4)
    print(f'# {name}: n={len(values)} quartiles {low:.2f}..{high:.2f} least {min(values):.2f} '
          f'most {max(values):.2f}{more}', file=sys.stderr)
    print(f'{name} {statistics.median(values):.2f} ms', flush=True)


def spawned(words, env):
    """(wall, CPU) milliseconds of a process from before its start to after its end."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0)]
    began = time.monotonic()
    pid = os.posix_spawn(words[0], words, env, file_actions=quiet)
    _, status, used = os.wait4(pid, 0)
    took = (time.monotonic() - began) * 1e3
    if status:
        raise Failure(f'{" ".join(words)}: exit status {os.waitstatus_to_exitcode(status)}')
    return took, (used.ru_utime + used.ru_stime) * 1e3


def synced(path):
    """Milliseconds of a 4 KiB write and its fdatasync, over bytes that are there already."""
    with open(path, 'r+b' if os.path.exists(path) else 'w+b', buffering=0) as out:
        began = time.monotonic()
        out.write(bytes(4096))
        os.fdatasync(out.fileno())
        return (time.monotonic() - began) * 1e3


def until(condition, limit_s=60):
    """The first true value of condition()."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise Failure(f'{condition.__name__}: not within {limit_s} s')


class Bench:
    """A cluster and short words for its commands."""

    def __init__(self, cluster, home):
        self.cluster, self.home = cluster, home
        self.env = {**os.environ, **cluster.exports()}
        del self.env['LD_PRELOAD']  # host names' wrapper would be measured too; addresses do

    def said(self, *words):
        """Output of a command that must succeed."""
        done = subprocess.run(words, env=self.env, cwd=self.home, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(f'{" ".join(words)}: {done.stderr.strip()}')
        return done.stdout

    def train(self, least, *before):
        """Number of a new elastic job on `least` to 4 GPUs. `before`: words before its command."""
        return re.search(r'<(\d+)>', self.said('bsub', '-app', 'training', '-ar', '-n', f'{least},4', '-gpu', 'num=1',
                                               *before, *TRAIN, STEPS, STEP_MS)).group(1)

    def warm_words(self, job):
        """What the job's warm parents have printed, all hosts together."""
        words = ''
        for path in glob.glob(self.cluster.path('**', f'{job}-0.1.d', 'warm.log'), recursive=True):
            with open(path, encoding='utf-8') as text:
                words += text.read()
        return words

    def log(self, job):
        """Where its tasks' folders lie."""
        return os.path.join(self.cluster.path('results', getpass.getuser(), 'batchworkdir', job), 'log')

    def events(self, job):
        """Its history as bhist tells it."""
        return json.loads(self.said('bhist', '-json', job))['RECORDS'][0]['EVENTS']

    def time_of(self, job, event):
        """Wall-clock time of its last such event; None as long as there is none."""
        return max((e['TIME'] for e in self.events(job) if e['EVENT'] == event), default=None)

    def settle(self, job, world):
        """Waits until the job has applied some steps with so many members."""
        def at_world():
            step, now = last_row(self.log(job))
            return step if now == world else 0
        first = until(at_world)

        def settled():
            return at_world() > first + SETTLED_STEPS
        until(settled)

    def end(self, job):
        """Ends a job and waits until its GPUs are free."""
        self.said('bkill', job)

        def ended():
            return self.time_of(job, 'END')
        until(ended)


def last_row(log):
    """(step, world) of the newest applied step of all tasks; reads the files' ends only."""
    newest = (0, 0)
    for path in glob.glob(os.path.join(log, '*', 'steps.csv')):
        with open(path, 'rb') as steps:
            steps.seek(max(0, os.path.getsize(path) - 200))
            whole = [r.split(b',') for r in steps.read().split(b'\n')[1:-1]]
        newest = max([newest, *((int(r[0]), int(r[2])) for r in whole[-1:] if r[0].isdigit())])
    return newest


# ---- batch -----------------------------------------------------------------------------


def submission(bench):
    """bsub_ms"""
    bsub, floor, cpu, disk = [], [], [], []
    program = os.path.join(bench.cluster.build, 'bin', 'bsub')
    for _ in range(SUBMITS + 5):
        wall, used = spawned([program, 'true'], bench.env)
        bsub.append(wall)
        cpu.append(used)
        time.sleep(0.1)  # the job is over
        floor.append(spawned(['/bin/true'], bench.env)[0])
        disk.append(synced(os.path.join(bench.home, 'synced')))
    show('bsub_ms', bsub[5:], f'; its CPU time {statistics.median(cpu):.2f}; /bin/true {statistics.median(floor):.2f}, '
         f'4 KiB synchronized {statistics.median(disk):.2f}')


def start(bench):
    """submit_to_start_ms"""
    took, stamp = [], os.path.join(bench.home, 'stamp')

    def stamped():
        return os.path.exists(stamp) and os.path.getsize(stamp)
    for _ in range(STARTS + 2):
        began = time.time()
        bench.said('bsub', f'date +%s.%N > {stamp}')
        until(stamped)
        with open(stamp, encoding='ascii') as text:
            took.append((float(text.read()) - began) * 1e3)
        os.unlink(stamp)
        time.sleep(0.2)
    show('submit_to_start_ms', took[2:])


# ---- elastic ---------------------------------------------------------------------------


def share(bench):
    """share_release_ms"""
    first, took, formed = bench.train(1), [], []
    for _ in range(SHARES):
        bench.settle(first, 4)
        second = bench.train(2)

        def dispatched(job=second):
            return bench.time_of(job, 'DISPATCH')
        submitted = bench.time_of(second, 'SUBMIT')
        took.append((until(dispatched) - submitted) * 1e3)
        formed.append((bench.time_of(first, 'EPOCH') - submitted) * 1e3)
        bench.end(second)
    bench.end(first)
    show('share_release_ms', took, f'; the smaller epoch in force after {statistics.median(formed):.0f}')


def first_steps(bench, job, asked):
    """For each (monotonic time of a request, world): milliseconds to the first step with it."""
    resizes = History(os.path.dirname(bench.log(job))).resizes()
    firsts = [next((r for r in resizes if r.begin_ns > at * 1e9 and r.after == world), None) for at, world in asked]
    return [r.begin_ns / 1e6 - at * 1e3 for r, (at, _) in zip(firsts, asked) if r]


def imports(bench, job):
    """Import times of the workers that came after the first four, in the order they came."""
    tasks = sorted(int(os.path.basename(folder)) for folder in glob.glob(os.path.join(bench.log(job), '*')))
    took = []
    for task in tasks[SHAPE['nodes']:]:
        with open(os.path.join(bench.log(job), str(task), 'import.csv'), encoding='ascii') as text:
            took += [float(row['wall_ms']) for row in csv.DictReader(text)]
    return took


def resize(bench, job):
    """Asks 4 → 3 → 2 → 3 → 2 …; returns times of shrinks, of grows, and newcomers' import times."""
    shrinks, grows = [], []
    for _ in range(RESIZES):
        for kind, verb, world in ((shrinks, 'release', 2), (grows, 'request', 3)):
            kind.append((time.monotonic(), world))
            bench.said('bresize', verb, '1', job)
            bench.settle(job, world)
    bench.end(job)
    return first_steps(bench, job, shrinks), first_steps(bench, job, grows), imports(bench, job)


def at_three(bench, job):
    """A job that has had a worker on each host, and has three now."""
    bench.settle(job, 4)
    bench.said('bresize', 'release', '1', job)
    bench.settle(job, 3)
    return job


def resizes(bench):
    """The figures of bresize. A shell's word before the command keeps its newcomers cold."""
    shrinks, grows, took = resize(bench, at_three(bench, bench.train(1, 'exec')))
    show('shrink_request_to_step_ms', shrinks)
    show('grow_cold_request_to_step_ms', grows)
    show('newcomer_import_ms', took)
    if len(grows) == len(took):
        show('grow_beyond_import_ms', [g - i for g, i in zip(grows, took)])


def warm_resizes(bench):
    """grow_warm_request_to_step_ms"""
    job, forks = at_three(bench, bench.train(1)), 0

    def all_warm():
        return bench.warm_words(job).count(': ready, ') >= SHAPE['nodes']
    until(all_warm)
    grows = []
    for _ in range(RESIZES):
        bench.said('bresize', 'release', '1', job)
        bench.settle(job, 2)
        before = bench.warm_words(job).count('forked')
        grows.append((time.monotonic(), 3))
        bench.said('bresize', 'request', '1', job)
        bench.settle(job, 3)
        forks += bench.warm_words(job).count('forked') - before
    bench.end(job)
    show('grow_warm_request_to_step_ms', first_steps(bench, job, grows), f'; {forks} of {len(grows)} were forks')


def shepherd_kills(bench):
    """resize_pause_shepherd_kill_ms"""
    job = bench.train(1)

    def shrinks():
        return [r.pause_ms for r in History(os.path.dirname(bench.log(job))).resizes() if r.after < r.before]
    for kills in range(KILLS):
        bench.settle(job, 4)
        hosts = re.findall(r'node\d+', bench.said('bjobs', '-noheader', '-o', 'exec_host', job))
        bench.cluster.kill(['shepherd', f'{job}@{hosts[-1]}'], signal.SIGKILL)
        until(lambda: len(shrinks()) > kills)  # a newcomer may be there before anybody looks  # noqa: B023
    pauses = shrinks()
    bench.end(job)
    show('resize_pause_shepherd_kill_ms', pauses)


def run(shape, measures, conf=''):
    """One cluster for all of it, with `conf` in its wm.conf; a figure that cannot be had does not keep the
    others back. Only the measures that the command line names, if it names any. Returns the exit status."""
    work, failed = tempfile.mkdtemp(prefix='wm-bench.'), 0
    cluster = Cluster(os.path.join(work, 'c'), os.environ.get('B', os.path.join(TOP, 'build')))
    wanted = sys.argv[1:]
    overlay = os.path.join(work, 'wm.conf')
    with open(overlay, 'w', encoding='ascii') as text:
        text.write(conf)
    try:
        cluster.up({**shape, 'conf': [overlay] if conf else []})
        bench = Bench(cluster, work)
        for measure in measures:
            if wanted and measure.__name__ not in wanted:
                continue
            try:
                measure(bench)
            except Failure as problem:
                print(f'{os.path.basename(sys.argv[0])}: {measure.__name__}: {problem}', file=sys.stderr)
                failed = 1
    finally:
        cluster.down()
        shutil.rmtree(work, ignore_errors=True)
    return failed


if __name__ == '__main__':
    sys.exit(run(SHAPE, (submission, start, share, resizes, warm_resizes, shepherd_kills)))
