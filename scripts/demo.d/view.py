"""Role: what the demo shows while it runs: one line every two seconds with every job, and a
line for each thing that happens. The same text goes to a terminal and to a file; only a
terminal gets colour.

   12.0 s | ann #### 4 running  epoch 1 pass 3 step 212 loss 0.211 6840/s | bob - pending
Callers: story.
"""

import csv
import glob
import json
import os
import sys
import time

EVERY_S = 2.0
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
        self.row, self.rate, self.loss, self.data_pass = None, 0.0, None, 0
        applied = {}
        for path in glob.glob(os.path.join(result_dir, 'log', '*', 'steps.csv')):
            for row in csv.DictReader(tail(path)):
                row = {key: int(value) for key, value in row.items()}
                applied[row['step']] = max(row, applied.get(row['step'], row), key=lambda r: r['epoch'])
        if applied:
            self.row = applied[max(applied)]
            since = self.row['t_end'] - EVERY_S * 1e9
            self.rate = sum(r['samples'] for r in applied.values() if r['t_end'] > since) / EVERY_S
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
        self.names, self.started, self.next = names, time.monotonic(), 0.0
        self.coloured = sys.stdout.isatty()

    def happened(self, text):
        """One thing that happened, at once."""
        print(f'{self._clock()} * {text}', flush=True)

    def _clock(self):
        return f'{time.monotonic() - self.started:6.1f} s'

    def show(self, jobs, result_dirs):
        """One line of state, at most every two seconds."""
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + EVERY_S
        cells = [self._cell(name, jobs[name], result_dirs.get(name)) for name in self.names if name in jobs]
        print(f'{self._clock()} | ' + ' | '.join(cells), flush=True)

    def _cell(self, name, job, result_dir):
        slots = int(job.get('NALLOC_SLOT') or 0) if job['WM_STATE'] in ('launching', 'running') else 0
        text = f'{name} {"#" * slots or "-":<4} {slots} {job["WM_STATE"]:<9}'
        progress = Progress(result_dir) if result_dir and slots else None
        if progress and progress.row:
            loss = f'{progress.loss:.3f}' if progress.loss is not None else '-'
            text += (f' epoch {progress.row["epoch"]} step {progress.row["step"]:>4} loss {loss}'
                     f' {progress.rate:>6.0f} samples/s')
        if self.coloured:
            return f'{COLOURS.get(name, "")}{text}\033[0m'
        return text
