"""Role: what the records of the story's jobs show: one training of two jobs, its loss curve beside that of a run of fixed
size, pauses and goodput. Pure but for reading and writing files below the folders it is given.

A curve is {step: mean loss over the samples of the step}. A member that was killed did not write its part of the step it died
in: such steps are in no curve.
"""

import csv
import glob
import math
import os
import statistics

from evidence import History, rows

# Gradients of two shares are rounded to bf16 (8 bits) each and then added; those of one worker are rounded once, of the sum.
# AdamW divides by the gradient's own size, so this noise of 2^-9 of each number does not fade where gradients are small. A
# step that was lost, done twice or of other samples moves a step's loss by as much as batches differ, some per cent.
WINDOW = 10         # steps
MOST_OF_WINDOW = 0.01   # relative
MOST_OF_STEP = 0.005    # relative, of the median


def merged(folders, into):
    """The records of one training that several jobs did one after the other, as of one job: `into`/log/<at>-<task>."""
    for at, folder in enumerate(folders):
        for log in sorted(glob.glob(os.path.join(folder, 'log', '*'))):
            out = os.path.join(into, 'log', f'{at}-{os.path.basename(log)}')
            os.makedirs(out)
            for name in ('steps.csv', 'ledger.csv', 'losses.csv', 'hash.csv'):
                _copy(os.path.join(log, name), os.path.join(out, name), at)
    return into


def _copy(path, out, at):
    """A record; the epochs of later jobs are above those of the ones before."""
    if not os.path.exists(path):
        return
    with open(path, encoding='ascii') as source, open(out, 'w', encoding='ascii', newline='') as target:
        lines, writer = csv.reader(source), csv.writer(target, lineterminator='\n')
        head = next(lines) if os.path.basename(path) in ('steps.csv', 'ledger.csv') else None
        if head:
            writer.writerow(head)
        for line in lines:
            if head:
                line[head.index('epoch')] = str(int(line[head.index('epoch')]) + at * 1_000_000)
            writer.writerow(line)


def curve(folder):
    """The losses of a training. A row that repeats a step is of an iteration that did not count."""
    shares = {}
    for log in glob.glob(os.path.join(folder, 'log', '*')):
        for row in rows(os.path.join(log, 'ledger.csv')):
            shares.setdefault(row['step'], []).append((row['epoch'], log, row['size'], row['end'] - row['begin']))
    told = {log: _losses(os.path.join(log, 'losses.csv')) for log in glob.glob(os.path.join(folder, 'log', '*'))}
    found = {}
    for step, parts in shares.items():
        newest = max(epoch for epoch, *_ in parts)
        parts = [(told[log].get(step), size, whole) for epoch, log, size, whole in parts if epoch == newest and size]
        if all(loss is not None for loss, *_ in parts) and sum(size for _, size, _ in parts) == parts[0][2]:
            found[step] = sum(loss * size for loss, size, _ in parts) / parts[0][2]
    return found


def _losses(path):
    found = {}
    if os.path.exists(path):
        with open(path, encoding='ascii') as lines:
            for step, _, loss in csv.reader(lines):
                found.setdefault(int(step), float(loss))
    return found


def apart(found, wanted):
    """(most that a window's mean differs, the median that a step does), relative, over the steps that both have."""
    both = sorted(set(found) & set(wanted))
    steps = [abs(found[s] - wanted[s]) / wanted[s] for s in both]
    windows = [both[at:at + WINDOW] for at in range(0, len(both) - WINDOW + 1, WINDOW)]
    means = [abs(sum(found[s] for s in w) - sum(wanted[s] for s in w)) / sum(wanted[s] for s in w) for w in windows]
    return max(means), statistics.median(steps)


def curve_problems(found, wanted, lacking):
    """Why these are not the curves of one training. `lacking`: steps that may be in no curve."""
    missing = sorted(set(wanted) - set(found))
    if len(missing) > lacking or set(found) - set(wanted):
        return [f'{len(missing)} of {len(wanted)} steps have no loss, the first is {missing[:1]}; {len(set(found) - set(wanted))} are too many']
    if not all(math.isfinite(loss) for loss in [*found.values(), *wanted.values()]):
        return ['a loss is no number']
    window, step = apart(found, wanted)
    if not (window <= MOST_OF_WINDOW and step <= MOST_OF_STEP):
        return [f'the loss differs from that of a fixed run by {window:.2%} over {WINDOW} steps (at most {MOST_OF_WINDOW:.1%}) and by {step:.2%} in a '
                f'step (median; at most {MOST_OF_STEP:.1%})']
    if min(wanted.values()) > 0.5 * max(wanted.values()):
        return ['the fixed run has learned nothing: its loss does not show what the other one should be']
    return []


def goodput(history):
    """(share of the time in which applied steps were made, that time in s), of one job. The longest of each step's members counts."""
    steps = history.by_step.values()
    begin = min(row['t_begin'] for found in steps for row in found)
    end = max(row['t_end'] for found in steps for row in found)
    useful, at = 0, begin
    for step in sorted(history.by_step):
        found = history.by_step[step]
        first, last = max(at, min(row['t_begin'] for row in found)), max(row['t_end'] for row in found)
        useful, at = useful + max(0, last - first), max(at, last)
    return useful / (end - begin), (end - begin) / 1e9


def pauses(history):
    """Each change of size, in words."""
    return ', '.join(f'{r.before}->{r.after} {r.pause_ms:.1f} ms' + (f' ({r.steps_lost} step redone)' if r.steps_lost else '')
                     for r in history.resizes())


def problems(folder, killed, samples):
    """What is wrong with the steps, samples and parameters of a training."""
    return History(folder, killed).problems(samples)
