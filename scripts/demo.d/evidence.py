"""Role: what the step records of a training job prove (libwm/trainer/FORMAT.md, R-1 to R-3).

RESULT_DIR/log/<task>/{steps,ledger,hash}.csv of every task ─► History ─► problems, in words
  steps      1, 2, 3 … without gap, each applied by all `world` members of one epoch
  samples    each pass covers every position of its permutation once, shares side by side
  parameters equal bit for bit on all members after each pass
  resizes    pause = first begin with the new world − last end with the old, the longest of the
             survivors, less the median gap of the 20 steps before; and the steps that were lost
A task that was ended by force (`killed`) cannot write down the step it died in, though the
survivors applied it with its samples: for such a step its row, and only its row, may lack. So may
that of a survivor to whom the last of the sum did not come any more: it has the step with the state
of one that applied it, and goes on after it in the next epoch.
Callers: scripts/demo; usable alone: evidence.py RESULT_DIR [KILLED_TASK…] prints a job's
resizes and problems.
"""

import collections
import csv
import glob
import os
import statistics
import sys
from dataclasses import dataclass

GAPS_BEFORE = 20  # steps whose median gap counts as no pause


@dataclass
class Resize:
    """One change of the number of members, as the workers saw it."""
    step: int  # first step with the new members
    epoch: int
    before: int
    after: int
    begin_ns: int
    pause_ms: float
    steps_lost: int


def rows(path):
    """Rows of a CSV file with integers in them; a file that is not there has none."""
    if not os.path.exists(path):
        return []
    with open(path, encoding='ascii') as lines:
        return [{key: int(value) for key, value in row.items()} for row in csv.DictReader(lines)]


class History:
    """The step records of all tasks of one job."""

    def __init__(self, result_dir, killed=()):
        self.killed = set(killed)  # names of tasks
        self.folders = sorted(glob.glob(os.path.join(result_dir, 'log', '*')))
        self.steps = {f: rows(os.path.join(f, 'steps.csv')) for f in self.folders}
        self.by_step = collections.defaultdict(list)  # step → rows of its highest epoch
        for folder, found in self.steps.items():
            for row in found:
                self.by_step[row['step']].append({**row, 'folder': folder})
        for step, found in self.by_step.items():
            last = max(row['epoch'] for row in found)
            self.by_step[step] = [row for row in found if row['epoch'] == last]

    def last_step(self):
        """Number of the last applied step."""
        return max(self.by_step, default=0)

    def samples(self):
        """Samples of all applied steps."""
        return sum(found[0]['samples'] for found in self.by_step.values())

    def world_at(self, ns):
        """Members of the step that was last ended at monotonic time `ns`; 0 before the first."""
        ended = [found[0] for found in self.by_step.values() if found[0]['t_end'] <= ns]
        return max(ended, key=lambda row: row['step'])['world'] if ended else 0

    def latest(self, seconds=2.0):
        """(newest row, samples a second over the last `seconds`); (None, 0) before the first."""
        if not self.by_step:
            return None, 0.0
        newest = self.by_step[self.last_step()][0]
        since = newest['t_end'] - seconds * 1e9
        done = sum(found[0]['samples'] for found in self.by_step.values() if found[0]['t_end'] > since)
        return newest, done / seconds

    # ---- resizes -----------------------------------------------------------------------

    def resizes(self):
        """Every change of membership but the first forming."""
        found, previous = [], None
        for step in sorted(self.by_step):
            row = self.by_step[step][0]
            if previous and row['epoch'] != previous['epoch']:
                pause = self._pause_ms(step)
                found.append(Resize(step, row['epoch'], previous['world'], row['world'], row['t_begin'], pause,
                                    self._lost_before(step)))
            previous = row
        return found

    def _pause_ms(self, step):
        """Longest added gap before `step` among those who applied the one before, too."""
        old = {row['folder']: row for row in self.by_step.get(step - 1, [])}
        pauses = [row['t_begin'] - old[row['folder']]['t_end'] - self._usual_gap(row['folder'], step)
                  for row in self.by_step[step] if row['folder'] in old]
        return max(pauses, default=0) / 1e6

    def _usual_gap(self, folder, step):
        mine = {row['step']: row for row in self.steps[folder]}
        gaps = [mine[s]['t_begin'] - mine[s - 1]['t_end'] for s in range(step - GAPS_BEFORE, step)
                if s in mine and s - 1 in mine]
        return statistics.median(gaps) if gaps else 0

    def _lost_before(self, step):
        """Steps that some task applied in an older epoch and the history does not hold so."""
        epoch = self.by_step[step][0]['epoch']
        return len({row['step'] for found in self.steps.values() for row in found
                    if row['step'] >= step and row['epoch'] < epoch})

    def _died_in(self, step):
        """How many of the killed tasks have records that end right before `step`."""
        ends = [max((row['step'] for row in found), default=0) for folder, found in self.steps.items()
                if os.path.basename(folder) in self.killed]
        return ends.count(step - 1)

    def _took_over(self, step):
        """How many survivors of a break have `step` by the state of another, not by their own hand."""
        broken = self.by_step[step][0]['epoch']
        count = 0
        for found in self.steps.values():
            epochs = {row['step']: row['epoch'] for row in found}
            was_there = step not in epochs and step - 1 in epochs
            count += was_there and epochs.get(step + 1, broken) > broken
        return count

    def _may_lack(self, step):
        """Members that may have no record of `step`; none if nobody died in it."""
        died = self._died_in(step)
        return died + self._took_over(step) if died else 0

    # ---- proofs ------------------------------------------------------------------------

    def step_problems(self):
        """What is wrong with the chain of steps."""
        wanted = set(range(1, self.last_step() + 1))
        missing = sorted(wanted - set(self.by_step))
        if not self.by_step:
            yield 'no optimizer step on record'
        if missing:
            yield f'{len(missing)} optimizer steps are missing, the first is {missing[0]}'
        for step, found in sorted(self.by_step.items()):
            world = found[0]['world']
            lacking = world - len(found)
            if not 0 <= lacking <= self._may_lack(step) or any(row['world'] != world for row in found):
                yield f'step {step} was applied by {len(found)} of {world} members'
                return

    def sample_problems(self, data_set_size):
        """What is wrong with the use of samples."""
        last_epoch = {step: found[0]['epoch'] for step, found in self.by_step.items()}
        shares = collections.defaultdict(list)
        for folder in self.folders:
            for row in rows(os.path.join(folder, 'ledger.csv')):
                if row['epoch'] == last_epoch.get(row['step']):
                    shares[row['step']].append(row)
        yield from _gaps_in_passes(shares, data_set_size)
        for step in sorted(shares):
            if not _covers([(r['offset'], r['offset'] + r['size']) for r in shares[step]],
                           shares[step][0]['end'] - shares[step][0]['begin'], self._may_lack(step)):
                yield f'step {step}: the members\' shares do not add up to its samples'
                return

    def redone_problems(self):
        """Work done again. A break may lose the one step under way; more is a training that
        nobody had the state of any more."""
        redone = collections.defaultdict(set)
        for found in self.steps.values():
            for row in found:
                last = self.by_step[row['step']][0]['epoch']
                if row['epoch'] < last:
                    redone[last].add(row['step'])
        for epoch, steps in sorted(redone.items()):
            if len(steps) > 1:
                yield f'steps {min(steps)} to {max(steps)} were lost and done again in epoch {epoch}'
                return

    def _undone_passes(self, folder):
        """Passes that this task ended with a step that was lost afterwards."""
        ends = {row['data_epoch']: row for row in rows(os.path.join(folder, 'ledger.csv'))}
        return {passed for passed, row in ends.items()
                if row['epoch'] < self.by_step.get(row['step'], [row])[0]['epoch']}

    def hash_problems(self):
        """Members whose parameters differed after a pass."""
        seen = collections.defaultdict(set)
        for folder in self.folders:
            path = os.path.join(folder, 'hash.csv')
            if os.path.exists(path):
                undone = self._undone_passes(folder)
                with open(path, encoding='ascii') as lines:
                    for passed, value in csv.reader(lines):
                        seen[int(passed)].update(set() if int(passed) in undone else {value})
        if not seen:
            yield 'no parameter hashes on record'
        for passed, values in sorted(seen.items()):
            if len(values) > 1:
                yield f'after pass {passed} the members\' parameters differ: {" ".join(sorted(values))}'
                return

    def problems(self, data_set_size):
        """All of it."""
        return [*self.step_problems(), *self.redone_problems(), *self.sample_problems(data_set_size),
                *self.hash_problems()]


def _covers(pieces, size, holes=0):
    """Whether half-open pieces lie side by side from 0 to `size`, with at most so many holes."""
    at = 0
    for begin, end in sorted(p for p in pieces if p[0] != p[1]):
        if begin < at:
            return False
        holes -= begin > at
        at = end
    return at <= size and holes >= (at < size)


def _gaps_in_passes(shares, data_set_size):
    """Passes whose steps' ranges do not cover the data set exactly."""
    passes = collections.defaultdict(list)
    for found in shares.values():
        passes[found[0]['data_epoch']].append((found[0]['begin'], found[0]['end']))
    if not passes:
        yield 'no sample ledger on record'
    for number, pieces in sorted(passes.items()):
        if _covers(pieces, data_set_size):
            continue
        used = collections.Counter(p for begin, end in pieces for p in range(begin, end))
        skipped = sum(1 for p in range(data_set_size) if not used[p])
        twice = sum(1 for count in used.values() if count > 1)
        yield f'pass {number}: {skipped} samples skipped, {twice} used twice'
        return


if __name__ == '__main__':
    history = History(sys.argv[1], sys.argv[2:])
    for resize in history.resizes():
        print(resize)
    size = max((r['end'] for f in history.folders for r in rows(os.path.join(f, 'ledger.csv'))), default=0)
    print('\n'.join(history.problems(size)) or f'{history.last_step()} steps, {history.samples()} samples, all in order')
