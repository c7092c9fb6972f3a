#!/usr/bin/env python3
"""Role: the main job in one private cluster: a decoder in bf16, compiled where torch can, trained by a plain loop with three
lines of wm_elastic (story_train.py), and the proof that nothing was lost.

  2 ranks ─► 3 ─► one is killed (-9): 2 ─► 3 ─► 2 ─► ended with a checkpoint ─► a job of 3 goes on from it
  beside it a run of fixed size: one rank from the first step to the last
  proved: every sample of a pass in one applied step, parameters alike on all members, the loss curve of the fixed run
  printed: pauses, goodput, by how much the curves differ

usage: story.py [--model small|100m] [--keep DIR]     Prints its result as the last line. Exit 0 right, 77 skipped, 1 wrong
On a machine with a GPU the ranks share it, over NCCL where that stands (--model 100m); else they train on CPUs over gloo.
Environment: B (build folder); PYTHON. Callers: scripts/gpu_acceptance, test/system/054-story.bats.
"""

import argparse
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(TOP, 'scripts', 'common'), os.path.join(TOP, 'scripts', 'demo.d'), HERE]
sys.dont_write_bytecode = True
import story_books as books  # noqa: E402
from cluster.cluster import Cluster, Failure  # noqa: E402
from evidence import History  # noqa: E402
from interpreter import PYTHON  # noqa: E402

SKIPPED = 77
SLOTS = 3
LIMIT_S = 600  # for one arrow of the story: a machine may be busy, and a compiler slow
BETWEEN = 6    # steps from one change to the next
# passes, samples of one, samples of a step, shortest step in ms
COURSES = {'small': (12, 600, 24, 80), '100m': (12, 800, 32, 0)}
SHARED = ['-gpu', 'num=1:mode=shared:gmem=12G']


class Wrong(Exception):
    """What was promised and did not happen."""


class Story:
    """Jobs on a cluster that is up."""

    def __init__(self, cluster, folder, model, has_gpu):
        self._cluster, self._folder, self._model, self._has_gpu = cluster, folder, model, has_gpu
        self._env = {**os.environ, **cluster.exports(), 'OMP_NUM_THREADS': '1', 'TORCHINDUCTOR_CACHE_DIR': os.path.join(folder, 'inductor')}
        if has_gpu:
            self._env.update(WM_NCCL='1', WM_NCCL_ONE_DEVICE='1')
        self.passes, self.samples, self.batch, self._step_ms = COURSES[model]

    # ---- what people do ------------------------------------------------------------------

    def _said(self, *words):
        done = subprocess.run(words, env=self._env, cwd=self._folder, text=True, check=False, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S)
        if done.returncode:
            raise Wrong(f'{" ".join(words[:3])}: {done.stdout.strip()}')
        return done.stdout

    def _submit(self, *words):
        return re.search(r'Job <(\d+)>', self._said('bsub', *words))[1]

    def _train(self, width, *more):
        script = [PYTHON, os.path.join(HERE, 'story_train.py'), '--model', self._model]
        for name, value in (('passes', self.passes), ('samples', self.samples), ('batch', self.batch), ('step-ms', self._step_ms)):
            script += [f'--{name}', str(value)]
        return self._submit('-app', 'training', '-ar', '-n', width, *(SHARED if self._has_gpu else []), '-o', 'out.%J', *more, *script)

    # ---- what is seen --------------------------------------------------------------------

    def result_dir(self, job):
        """RESULT_DIR of a job."""
        user = subprocess.run(['id', '-un'], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
        return os.path.join(self._env['WM_CLUSTER_DIR'], 'results', user, 'batchworkdir', job)

    def _newest(self, job):
        """The newest applied step's row; None before the first."""
        return History(self.result_dir(job)).latest()[0]

    def _world(self, job, more_than=0):
        """Members of it; 0 while its epoch is none above that."""
        row = self._newest(job)
        return row['world'] if row and row['epoch'] > more_than else 0

    def _state(self, job):
        return self._said('bjobs', '-a', '-noheader', '-o', 'wm_state', job).strip()

    def _until(self, what, condition, job, ends=('finished',)):
        """Waits for it. @errors Wrong: not in time, or the job ended otherwise"""
        deadline = time.monotonic() + LIMIT_S
        while not condition():
            state = self._state(job)
            if state in ('failed', 'killed', 'error', 'finished') and state not in ends and not condition():
                raise Wrong(f'job {job} {state} while waiting for: {what}\n{self._words(job)}')
            if time.monotonic() > deadline:
                raise Wrong(f'not within {LIMIT_S} s: {what}; job {job} {state} on {self._world(job)} ranks\n{self._words(job)}')
            time.sleep(0.1)
        print(f'  {what}', flush=True)

    def _words(self, job):
        texts = []
        for name in sorted(os.listdir(os.path.join(self.result_dir(job), 'log'))) if os.path.isdir(self.result_dir(job)) else []:
            for kind in ('stdout', 'stderr'):
                path = os.path.join(self.result_dir(job), 'log', name, kind)
                if os.path.exists(path):
                    with open(path, encoding='utf-8', errors='replace') as text:
                        texts.append(f'---- {name} {kind}\n{text.read()[-2000:]}')
        return '\n'.join(texts)

    def _steps_on(self, job, count=BETWEEN):
        """So many steps more."""
        step = self._newest(job)['step'] + count
        self._until(f'step {step}', lambda: self._newest(job)['step'] >= step, job, ends=())

    def _sized(self, job, size, epoch=0):
        self._until(f'{size} ranks train', lambda: self._world(job, epoch) == size, job, ends=())
        self._steps_on(job)

    def _follower(self, job):
        """A member that is not rank 0: its task's name."""
        history = History(self.result_dir(job))
        step = history.last_step() - 1  # of which all have their rows
        for row in history.by_step[step]:
            ledger = books.rows(os.path.join(row['folder'], 'ledger.csv'))
            if any(own['step'] == step and own['offset'] for own in ledger):
                return os.path.basename(row['folder'])
        raise Wrong(f'step {step} of job {job} has no second member')

    # ---- the story -------------------------------------------------------------------------

    def tell(self):
        """From the first submission to the last end. Returns (job, the one that went on, killed task)."""
        blocker = self._submit('sleep', '10000')
        self._until('another job holds a slot', lambda: self._state(blocker) == 'running', blocker, ends=())
        job = self._train(f'1,{SLOTS}')
        self._sized(job, SLOTS - 1)
        self._said('bkill', blocker)
        self._sized(job, SLOTS)
        killed, epoch = self._follower(job), self._newest(job)['epoch']
        self._cluster.kill(['task', f'{job}.{killed}'], signal.SIGKILL)
        print(f'  task {killed} is killed', flush=True)
        self._until('the others train on', lambda: self._world(job, epoch) > 0, job, ends=())
        self._sized(job, SLOTS, epoch)
        epoch = self._newest(job)['epoch']
        self._said('bresize', 'release', '1', job)
        self._sized(job, SLOTS - 1, epoch)
        self._said('bkill', job)
        self._until('it has ended', lambda: self._state(job) == 'killed', job, ends=('killed',))
        with open(os.path.join(self._folder, 'hurry'), 'w', encoding='ascii'):
            pass
        later = self._train(f'{SLOTS},{SLOTS}', '-resume', job)
        self._until('the job that goes on from its checkpoint is done', lambda: self._state(later) == 'finished', later)
        return job, later, killed

    def fixed(self):
        """A run of one rank, to its end."""
        job = self._train('1')
        self._until('the run of fixed size is done', lambda: self._state(job) == 'finished', job)
        return job


def carrier(folder):
    """What the ranks said of how their gradients go; over gloo nobody says it."""
    found = set()
    for log in glob.glob(os.path.join(folder, 'log', '*', 'stdout')):
        with open(log, encoding='utf-8', errors='replace') as text:
            found.update(line.strip() for line in text if line.startswith('gradients over'))
    return '; '.join(sorted(found)) or 'gradients over gloo'


def judged(story, jobs, fixed, killed, folder):
    """(problems, the line that tells the result)"""
    first, later = (story.result_dir(job) for job in jobs)
    whole = books.merged([first, later], os.path.join(folder, 'books'))
    names = [f'0-{killed}']
    found = books.problems(whole, names, story.samples)
    history, wanted = History(whole, names), books.curve(story.result_dir(fixed))
    found += books.problems(story.result_dir(fixed), (), story.samples)
    found += books.curve_problems(books.curve(whole), wanted, lacking=len(names))
    sizes = [row[0]['world'] for _, row in sorted(History(first).by_step.items())]
    seen = [size for at, size in enumerate(sizes) if at == 0 or sizes[at - 1] != size]
    ended, begun = History(first).last_step(), min(History(later).by_step, default=0)
    if seen[-5:] != [2, 3, 2, 3, 2] and seen[-4:] != [2, 3, 2, 3]:
        found.append(f'the sizes were {seen}, not 2, 3, 2, 3, 2')
    if begun != ended + 1:
        found.append(f'the first job ended with step {ended}, the second began with step {begun}')
    if len(wanted) != history.last_step():
        found.append(f'{history.last_step()} steps, of the fixed run {len(wanted)}')
    if found:
        return found, ''
    window, step = books.apart(books.curve(whole), wanted)
    share, seconds = books.goodput(History(first, [killed]))
    return [], (f'{history.last_step()} steps on {", ".join(map(str, seen))} ranks, resumed at step {begun} on {SLOTS}: {history.samples()} samples, each in one '
                f'applied step; loss {wanted[1]:.2f} to {wanted[max(wanted)]:.3f}, from a fixed run it differs by {window:.2%} over {books.WINDOW} '
                f'steps, {step:.3%} in one; pauses {books.pauses(History(first, [killed]))}; goodput {share:.1%} of {seconds:.0f} s; {carrier(first)}')


def conf_of(folder, has_gpu):
    """Files of configuration: only the GPU that is there."""
    if not has_gpu:
        return []
    path = os.path.join(folder, 'hosts.conf')
    with open(path, 'w', encoding='ascii') as out:
        out.write('[node1]\ngpus = none\n')
    return [path]


def run(folder, model, has_gpu):
    """Exit status."""
    cluster = Cluster(os.path.join(folder, 'cluster'), os.environ.get('B', os.path.join(TOP, 'build')))
    nodes = 1 if has_gpu else SLOTS
    cluster.up({'nodes': nodes, 'cpus': SLOTS // nodes, 'gpus': 0, 'mem': '', 'conf': conf_of(folder, has_gpu), 'multiuser': False})
    try:
        story = Story(cluster, folder, model, has_gpu)
        job, later, killed = story.tell()
        found, line = judged(story, (job, later), story.fixed(), killed, folder)
    except Wrong as reason:
        found, line = [str(reason)], ''
    finally:
        cluster.down()
    print('\n'.join(f'FAILED: {one}' for one in found) if found else line, flush=True)
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--model', choices=COURSES, default='small')
    parser.add_argument('--keep', help='a folder for all that is written, which stays')
    options = parser.parse_args()
    facts = subprocess.run([PYTHON, '-c', 'import torch; print(torch.cuda.is_available())'], text=True, check=False, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL)
    if facts.returncode:
        print('story: skipped: no torch')
        return SKIPPED
    folder = options.keep or tempfile.mkdtemp(prefix='wm-story.')
    os.makedirs(folder, exist_ok=True)
    os.environ.pop('WM_CLUSTER_DIR', None)
    try:
        return run(folder, options.model, facts.stdout.strip() == 'True')
    except Failure as reason:
        print(f'FAILED: {reason}')
        return 1
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
