"""Role: what the demo shows while it runs: every two seconds a line for each job that is not
over, and a line for each thing that happens, 80 columns wide. The same text goes to a terminal
and to a file; only a terminal gets colour. Epoch is the training's: passes over the data.

   time    job     GPUs  state      epoch   step    loss  samples/s
   8.6 s   ann     ##    running        8     88   1.680       1709
           bob     ##    running        2     13   2.292        783
Callers: story.
"""

import csv
import glob
import json
import os
import sys
import textwrap
import time

EVERY_S = 2.0
WIDTH = 80
HEAD = '    time   job     GPUs  state      epoch   step    loss  samples/s'
HEAD_EVERY = 20  # rows
TAIL_BYTES = 32768
COLOURS = {'ann': '\033[36m', 'bob': '\033[33m', 'urgent': '\033[35m'}


def tail(path):
    """Whole lines among the last bytes of a file, the header line first."""
    with open(path, encoding='ascii', errors='replace') as lines:
        head = lines.readline().strip()
        size = os.path.getsize(path)
        if size > TAIL_BYTES:
            lines.seek(size - TAIL_BYTES)
            lines.readline()
        body = lines.read()
    return [head, *body[:body.rfind('\n') + 1].splitlines()]


class Progress:
    """How far one job's training is, from the last lines that its tasks wrote."""

    def __init__(self, result_dir):
        self.row, self.rate, self.loss, self.data_epoch = None, 0.0, None, 0
        applied = {}
        for path in glob.glob(os.path.join(result_dir, 'log', '*', 'steps.csv')):
            for row in csv.DictReader(tail(path)):
                row = {key: int(value) for key, value in row.items()}
                applied[row['step']] = max(row, applied.get(row['step'], row), key=lambda r: r['epoch'])
        if applied:
            self.row = applied[max(applied)]
            since = self.row['t_end'] - EVERY_S * 1e9
            self.rate = sum(r['samples'] for r in applied.values() if r['t_end'] > since) / EVERY_S
        for path in glob.glob(os.path.join(result_dir, 'log', '*', 'ledger.csv')):
            passes = [int(row['data_epoch']) for row in csv.DictReader(tail(path))]
            self.data_epoch = max([self.data_epoch, *passes])
        self._read_metrics(result_dir)

    def _read_metrics(self, result_dir):
        """Loss from the metrics that rank 0 writes (the emetrics format), newest first."""
        paths = glob.glob(os.path.join(result_dir, 'log', '*', 'evaluation-metrics.txt'))
        for path in sorted(paths, key=os.path.getmtime, reverse=True):
            for line in reversed(tail(path)):
                try:
                    values = json.loads(line)['values']
                    self.loss = float(next(values[k]['value'] for k in ('loss', 'train_loss') if k in values))
                    return
                except (ValueError, KeyError, StopIteration, TypeError):
                    continue


class View:
    """Prints the demo's lines."""

    def __init__(self, names):
        self.names, self.started, self.next, self.rows = names, time.monotonic(), 0.0, 0
        self.coloured = sys.stdout.isatty()

    def happened(self, text):
        """One thing that happened, at once; what is too long goes on below."""
        print(textwrap.fill(text, WIDTH, initial_indent=f'{self._clock()} * ', subsequent_indent=' ' * 11), flush=True)

    def _clock(self):
        return f'{time.monotonic() - self.started:6.1f} s'

    def show(self, jobs, result_dirs):
        """A line for each job that is not over, at most every two seconds."""
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + EVERY_S
        clock = self._clock()
        for name in self.names:
            if name not in jobs or jobs[name]['WM_STATE'] == 'finished':
                continue
            if self.rows % HEAD_EVERY == 0:
                print(HEAD)
            self.rows += 1
            print(f'{clock:<11}{self._row(name, jobs[name], result_dirs.get(name))}', flush=True)
            clock = ''

    def _row(self, name, job, result_dir):
        slots = int(job.get('NALLOC_SLOT') or 0) if job['WM_STATE'] in ('launching', 'running') else 0
        text = f'{name:<8}{"#" * slots or "-":<6}{job["WM_STATE"]:<9}'
        progress = Progress(result_dir) if result_dir and slots else None
        if progress and progress.row:
            loss = f'{progress.loss:.3f}' if progress.loss is not None else '-'
            text += f'{progress.data_epoch:>7}{progress.row["step"]:>7}{loss:>8}{progress.rate:>11.0f}'
        if self.coloured:
            return f'{COLOURS.get(name, "")}{text}\033[0m'
        return text
