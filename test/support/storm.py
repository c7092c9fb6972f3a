"""Role: a storm: one kind of fault again and again over a private cluster that works, and the books afterwards. Prints a row
of test/RESULTS.md; exit 0 only where every promise held.

  feeder ─► jobs, each of which marks its start and its end in a file ─► cluster of 3 hosts ◄─ fault, every few seconds
  promises, over every job that bsub has answered with a number:
    lost      it ends, and bhist knows it
    doubled   never two attempts at a time: each holds a lock for its life
    wrong     DONE says that the command ended with 0, EXIT with its own code that the command did so
    cut       what a job that ended by itself wrote is in its -o file, whole, and the report behind it

usage: storm.py FAULT SECONDS [DIR]     FAULT: one of FAULTS below, or all
Needs: B (build folder); root for faults of full disks, libfaketime for the clock. Callers: test/system/080-storms.bats.
"""

import collections
import contextlib
import glob
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path[:0] = [os.path.join(TOP, 'scripts', 'common')]
sys.dont_write_bytecode = True
from cluster.cluster import Cluster, Failure  # noqa: E402

NODES, CPUS, LINES = 3, 4, 200
END_LIMIT_S = 180  # after the storm, for what is left
AFTER_COPY = 700_003  # number of the storm of a job that runs for seconds
FAKETIME = ('/usr/lib/*/faketime/libfaketimeMT.so.1', '/usr/lib/faketime/libfaketimeMT.so.1')
# A job: its number of this storm is $1. Whoever finds the lock taken is a second attempt beside a first one.
SCRIPT = r'''
exec 9>lock/$1
flock -n 9 || echo $LSB_JOBID >>doubled
echo $LSB_JOBID >>started/$1
i=0; while [ $i -lt %d ]; do echo "$1 line $i"; i=$((i+1)); done
sleep 0.$(( $1 %% 9 + 1 ))
[ $(( $1 %% 7 )) != 3 ] || sleep 3
echo $(( $1 %% 5 == 4 ? 9 : 0 )) >ended/$1
exit $(( $1 %% 5 == 4 ? 9 : 0 ))
''' % LINES


class Storm:
    """A cluster, what was submitted to it, and what became of that."""

    def __init__(self, folder, build):
        self.folder = folder
        self.cluster = Cluster(os.path.join(folder, 'c'), build)
        self.random = random.Random(1)
        self.jobs = {}  # number of this storm → job number
        self.refused = 0
        self.words = collections.Counter()  # what refused ones were told
        self.over = threading.Event()
        self.calm = threading.Event()  # set: the feeder may submit
        self.calm.set()
        self.struck = 0
        for name in ('lock', 'started', 'ended', 'out'):
            os.makedirs(os.path.join(folder, name))
        with open(os.path.join(folder, 'job.sh'), 'w', encoding='ascii') as text:
            text.write(SCRIPT)

    def up(self, conf=''):
        """Starts the cluster. conf: lines of wm.conf."""
        files = []
        if conf:
            files = [os.path.join(self.folder, 'wm.conf')]
            with open(files[0], 'w', encoding='ascii') as out:
                out.write(conf)
        self.cluster.up({'nodes': NODES, 'cpus': CPUS, 'gpus': 0, 'mem': '', 'conf': files, 'multiuser': False})
        self.env = {**os.environ, **self.cluster.exports()}

    def said(self, *words, limit_s=60):
        """(status, output) of a command; 124 where it did not answer in time."""
        try:
            done = subprocess.run(words, env=self.env, cwd=self.folder, capture_output=True, text=True, check=False,
                                  timeout=limit_s, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return 124, ''
        return done.returncode, done.stdout + done.stderr

    # ---- load ------------------------------------------------------------------------

    def feed(self):
        """Submits until the storm is over; a bsub that is refused or cut off is no promise."""
        number = 0
        while not self.over.is_set():
            self.calm.wait()
            number += 1
            self.submit(number)
            time.sleep(0.05)

    def submit(self, number):
        """One job of that number of this storm."""
        _, text = self.said('bsub', '-r', '-o', f'out/{number}', f'sh {self.folder}/job.sh {number}')
        job = re.search(r'Job <(\d+)>', text)
        if job:
            self.jobs[number] = job.group(1)
        else:
            self.refused += 1
            self.words[text.strip()[-100:]] += 1

    def running(self):
        """(job, host) of what runs now."""
        _, text = self.said('bjobs', '-r', '-noheader', '-o', 'jobid exec_host', limit_s=20)
        found = [line.split() for line in text.splitlines()]
        return [(words[0], re.sub(r'^\d+\*', '', words[1])) for words in found if len(words) == 2 and 'node' in words[1]]

    # ---- books -----------------------------------------------------------------------

    def settle(self):
        """Waits until all has ended; returns {job number: (state, exit code)}."""
        deadline = time.monotonic() + END_LIMIT_S
        ends = {}
        while time.monotonic() < deadline:
            _, text = self.said('bjobs', '-a', '-noheader', '-o', 'jobid stat exit_code')
            ends = {w[0]: (w[1], w[2]) for w in (line.split() for line in text.splitlines()) if len(w) == 3}
            if all(ends.get(job, ('?',))[0] in ('DONE', 'EXIT') for job in self.jobs.values()):
                break
            time.sleep(0.5)
        return ends

    def book(self):
        """Counts what was promised and what held, with a line on each promise that did not."""
        ends, count, why = self.settle(), collections.Counter(), []
        for number, job in self.jobs.items():
            state, code = ends.get(job, ('missing', '-'))
            fault = self.judge(number, job, state, code)
            count[state] += 1
            if fault:
                count[fault] += 1
                why.append(f'job {job} ({number}): {fault}: {state} {code}')
        with contextlib.suppress(FileNotFoundError), open(self.path('doubled'), encoding='ascii') as text:
            count['doubled'] = len(text.read().split())
        return count, why

    def judge(self, number, job, state, code):
        """What is wrong with one job's end; nothing: ''."""
        if state not in ('DONE', 'EXIT'):
            return 'lost'
        wanted = 9 if number % 5 == 4 else 0
        by_itself = os.path.exists(self.path('ended', str(number)))
        if state == 'DONE' and (not by_itself or wanted != 0):
            return 'wrong'
        if state == 'EXIT' and code == str(wanted) and not by_itself:
            return 'wrong'
        if state == 'DONE' or code == '9':
            with open(self.path('out', str(number)), encoding='ascii', errors='replace') as text:
                said = text.read()
            whole = all(f'{number} line {i}\n' in said for i in (0, LINES // 2, LINES - 1))
            if not whole or 'Subject: Job' not in said:
                return 'cut'
        return '' if self.said('bhist', job)[0] == 0 else 'lost'

    def path(self, *parts):
        """Below the storm's folder."""
        return os.path.join(self.folder, *parts)

    def pause(self, seconds):
        """Between faults, so that something happens."""
        time.sleep(seconds)


# ---- faults: one stroke each; what was taken is given back before it returns ----------------

def kill_master(storm):
    storm.cluster.kill(['wmasterd'], signal.SIGKILL)
    storm.pause(storm.random.choice([0, 0.5, 2]))
    storm.cluster.start('wmasterd')


def kill_wnoded(storm):
    node = storm.random.choice(storm.cluster.nodes())
    storm.cluster.kill(['wnoded', node], signal.SIGKILL)
    storm.pause(storm.random.choice([0, 1]))
    storm.cluster.start(node)


def kill_host(storm):
    node = storm.random.choice(storm.cluster.nodes())
    storm.cluster.kill([node], signal.SIGKILL)
    storm.pause(storm.random.choice([0, 2]))
    storm.cluster.start(node)


def kill_shepherd(storm):
    for job, node in storm.running()[:1]:
        with contextlib.suppress(Failure):
            storm.cluster.kill(['shepherd', f'{job}@{node}'], signal.SIGKILL)


def _stand(storm, what, seconds):
    """Stopped for a while: sick, not dead."""
    with contextlib.suppress(Failure):
        storm.cluster.kill(what, signal.SIGSTOP)
        try:
            storm.pause(seconds)
        finally:
            storm.cluster.kill(what, signal.SIGCONT)


def stop_master(storm):
    _stand(storm, ['wmasterd'], storm.random.choice([1, 4, 12]))


def stop_wnoded(storm):
    _stand(storm, ['wnoded', storm.random.choice(storm.cluster.nodes())], storm.random.choice([1, 4, 14]))


def stop_shepherd(storm):
    for job, node in storm.running()[:1]:
        _stand(storm, ['shepherd', f'{job}@{node}'], storm.random.choice([1, 4]))


def _fill(storm, folder, seconds):
    """No byte is left in that file system for a while."""
    ballast = os.path.join(folder, 'ballast')
    with contextlib.suppress(OSError), open(ballast, 'wb', buffering=0) as out:
        while out.write(bytes(1 << 16)):
            pass
    storm.pause(seconds)
    os.unlink(ballast)


def fill_master(storm):
    _fill(storm, storm.small['master'], storm.random.choice([1, 4]))


def fill_node(storm):
    _fill(storm, storm.small['node1'], storm.random.choice([1, 4]))


def step_clock(storm):
    """A day ahead for some seconds, then mended: the machine's clock, so that of its daemons and of what they start."""
    with open(storm.path('clock'), 'w', encoding='ascii') as out:
        out.write('+86400\n')
    storm.pause(6)
    with open(storm.path('clock'), 'w', encoding='ascii') as out:
        out.write('+0\n')


def _until(true, otherwise):
    deadline = time.monotonic() + 60
    while not true():
        if time.monotonic() > deadline:
            raise Failure(otherwise)
        time.sleep(0.1)


def _starts(storm):
    """The one that has been told to stop may still be at it."""
    try:
        storm.cluster.start('wmasterd')
    except Failure:
        return False
    return True


def restore(storm):
    """The master's folder is lost; a copy takes over and adopts the one job that was submitted and started since."""
    storm.calm.clear()
    storm.pause(1)
    copy = storm.path(f'copy{storm.struck}.tar')
    status, text = storm.said('badmin', 'backup', copy)
    if status:
        raise Failure(f'backup: {text}')
    newer = AFTER_COPY + 7 * storm.struck
    storm.submit(newer)
    _until(lambda: os.path.exists(storm.path('started', str(newer))), 'a job that the copy does not know has not started')
    storm.cluster.kill(['wmasterd'], signal.SIGKILL)
    state = storm.cluster.path('state', 'master')
    for name in glob.glob(os.path.join(state, '*.db*')):
        os.unlink(name)
    subprocess.run(['tar', '-xf', copy, '-C', state], check=True)
    with contextlib.suppress(Failure):
        storm.cluster.start('wmasterd')
    _until(lambda: os.path.exists(os.path.join(state, 'outranked')), 'no host has said that it obeyed a newer state')
    status, text = storm.said('badmin', 'take-over', '-C', 'storm')
    if status:
        raise Failure(f'take-over: {text}')
    _until(lambda: _starts(storm), 'the master that was taken over does not start')
    storm.calm.set()


# ---- what a fault needs before the cluster is up ---------------------------------------------

@contextlib.contextmanager
def small_disks(storm):
    """The folders of master and node1 are file systems of a few MiB."""
    if os.geteuid() != 0:
        raise Failure('needs root to mount a small file system')
    storm.small = {}
    try:
        for name in ('master', 'node1'):
            folder = storm.cluster.path('state', name)
            os.makedirs(folder, exist_ok=True)
            subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=48m,mode=700', 'none', folder], check=True)
            storm.small[name] = folder
        yield
    finally:
        for folder in storm.small.values():
            subprocess.run(['umount', '-l', folder], check=False)


@contextlib.contextmanager
def own_clock(storm):
    """What is started now reads a clock that the storm sets; time that is only measured goes on."""
    library = next((path for pattern in FAKETIME for path in glob.glob(pattern)), None)
    if not library:
        raise Failure('libfaketime is missing: apt install faketime')
    with open(storm.path('clock'), 'w', encoding='ascii') as out:
        out.write('+0\n')
    mine = {'LD_PRELOAD': library, 'FAKETIME_TIMESTAMP_FILE': storm.path('clock'), 'FAKETIME_NO_CACHE': '1',
            'FAKETIME_DONT_FAKE_MONOTONIC': '1'}
    before = {name: os.environ.get(name) for name in mine}
    os.environ.update(mine)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


# name → (stroke, seconds between, needs, lines of wm.conf)
FAULTS = {
    'kill -9 master': (kill_master, 4, contextlib.nullcontext, ''),
    'kill -9 wnoded': (kill_wnoded, 2, contextlib.nullcontext, ''),
    'kill -9 host': (kill_host, 5, contextlib.nullcontext, ''),
    'kill -9 shepherd': (kill_shepherd, 1, contextlib.nullcontext, ''),
    'SIGSTOP master': (stop_master, 3, contextlib.nullcontext, ''),
    'SIGSTOP wnoded': (stop_wnoded, 3, contextlib.nullcontext, ''),
    'SIGSTOP shepherd': (stop_shepherd, 1, contextlib.nullcontext, ''),
    'full disk of master': (fill_master, 6, small_disks, ''),
    'full disk of host': (fill_node, 4, small_disks, ''),
    'clock a day ahead': (step_clock, 6, own_clock, ''),
    'restored store': (restore, 8, contextlib.nullcontext, '[master]\nunknown_jobs = adopt\n'),
}


def strike(storm, fault, gap_s, seconds):
    """The storm itself: a stroke every gap_s seconds while jobs come and go."""
    feeder = threading.Thread(target=storm.feed)
    feeder.start()
    try:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            storm.pause(gap_s)
            fault(storm)
            storm.struck += 1
    finally:
        storm.calm.set()
        storm.over.set()
        feeder.join()


def run(name, seconds, folder, build):
    """One storm; returns whether every promise held, and prints its row."""
    fault, gap_s, needs, conf = FAULTS[name]
    needs_it = needs if needs is not contextlib.nullcontext else lambda _storm: contextlib.nullcontext()
    storm = Storm(folder, build)
    with needs_it(storm):
        try:
            storm.up(conf)
            strike(storm, fault, gap_s, seconds)
            count, why = storm.book()
        finally:
            storm.cluster.down()
    broken = sum(count[word] for word in ('lost', 'doubled', 'wrong', 'cut'))
    print(f'| {name} | {storm.struck} | {len(storm.jobs)} | {count["DONE"]} | {count["EXIT"]} | {storm.refused} | {count["lost"]} '
          f'| {count["doubled"]} | {count["wrong"]} | {count["cut"]} |', flush=True)
    for line in why[:20]:
        print(line, file=sys.stderr)
    for words, times in storm.words.most_common(3):
        print(f'refused {times} times: {words}', file=sys.stderr)
    return broken == 0 and count['DONE'] > 0


def main():
    """Storms one after another."""
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in ('all', *FAULTS):
        sys.exit('usage: storm.py FAULT SECONDS [DIR]\nFAULT: all, ' + ', '.join(FAULTS))
    names = list(FAULTS) if sys.argv[1] == 'all' else [sys.argv[1]]
    build = os.environ.get('B', os.path.join(TOP, 'build'))
    held = True
    for name in names:
        folder = tempfile.mkdtemp(prefix='wm-storm-', dir=sys.argv[3] if len(sys.argv) == 4 else None)
        try:
            good = run(name, float(sys.argv[2]), folder, build)
            if good or 'KEEP' not in os.environ:
                shutil.rmtree(folder, ignore_errors=True)
            else:
                print(f'kept: {folder}', file=sys.stderr)
            held = held and good
        except Failure as failure:
            print(f'{name}: {failure}', file=sys.stderr)
            held = False
    sys.exit(0 if held else 1)


if __name__ == '__main__':
    main()
