"""Role: after the story: what each job did, whether that is what was promised, and the files
of DEMO_DIR.

  step records + bhist + result.json ─► Job ─► problems in words, table, summary.json
Callers: scripts/demo.
"""

import json
import math
import os
import shutil
import time

import digits
import people
import picture
from evidence import History

GLOBAL_BATCH = 128
WANTED_ACCURACY = {True: 0.97, False: 0.95}  # MNIST or not
RELEASE_LIMIT_S = 5.0  # "soon" on the slowest machine; the figure itself is printed


class Job:
    """One training job after its end."""

    def __init__(self, name, story, data_set_size):
        self.name, self.number = name, story.numbers[name]
        self.person, self.shown = story.people[name], story.jobs[name]
        self.size, self.folder = data_set_size, story.result_dir(name)
        self.history = History(self.folder)
        self.resizes = self.history.resizes()
        self.events = people.bhist(self.number, story.env)['EVENTS']
        self.result = {}
        path = os.path.join(self.folder, 'model', 'result.json')
        if os.path.exists(path):
            with open(path, encoding='utf-8') as kept:
                self.result = json.load(kept)

    def problems(self, is_mnist):
        """Everything about this job that is not as promised."""
        found = self.history.problems(self.size)
        if not self.result:
            return [f'{self.name}: no result.json', *(f'{self.name}: {p}' for p in found)]
        passes, steps = self.result['passes'], self.history.last_step()
        wanted_steps = passes * math.ceil(self.size / GLOBAL_BATCH)
        if steps != wanted_steps:
            found.append(f'{steps} steps on record, {passes} passes have {wanted_steps}')
        if self.result['applied_steps'] != wanted_steps:
            found.append(f'the optimizer applied {self.result["applied_steps"]} steps of {wanted_steps}')
        if self.history.samples() != passes * self.size:
            found.append(f'{self.history.samples()} samples used, {passes} passes have {passes * self.size}')
        if self.result['accuracy'] < WANTED_ACCURACY[is_mnist]:
            found.append(f'accuracy {self.result["accuracy"]:.4f} is below {WANTED_ACCURACY[is_mnist]}')
        if str(self.shown['ATTEMPT']) != '1':
            found.append(f'it was restarted: attempt {self.shown["ATTEMPT"]}')
        lost = sum(r.steps_lost for r in self.resizes)
        if lost:
            found.append(f'{lost} steps lost in resizes')
        return [f'{self.name}: {p}' for p in found]

    def worlds(self):
        """Sizes it trained at, in order."""
        first = self.history.by_step.get(1)
        return ([first[0]['world']] if first else []) + [r.after for r in self.resizes]

    def series(self, offset, origin):
        """[(seconds, members)] for the picture."""
        steps = self.history.by_step
        if not steps:
            return []
        points = [(steps[1][0]['t_begin'], steps[1][0]['world'])]
        points += [(r.begin_ns, r.after) for r in self.resizes]
        points.append((max(row['t_end'] for row in steps[self.history.last_step()]), 0))
        return [(ns / 1e9 + offset - origin, members) for ns, members in points]

    def summary(self, offset, origin):
        """Its part of summary.json."""
        return {'job': self.number, 'user': self.person.account or self.person.name, 'plan': self.person.plan,
                'state': self.shown['WM_STATE'], 'attempt': int(self.shown['ATTEMPT']),
                'accuracy': self.result.get('accuracy'), 'steps': self.history.last_step(),
                'samples': self.history.samples(),
                'resizes': [{'at_s': round(r.begin_ns / 1e9 + offset - origin, 3), 'from': r.before, 'to': r.after,
                             'step': r.step, 'pause_ms': round(r.pause_ms, 2), 'steps_lost': r.steps_lost}
                            for r in self.resizes]}


def in_order(wanted, found):
    """Whether `wanted` occurs within `found` in this order, perhaps with more between."""
    rest = iter(found)
    return all(any(value == w for value in rest) for w in wanted)


def release_seconds(bob):
    """From bob's submission until he holds 2 GPUs, all of which were ann's, by bhist; None when
    he never did."""
    submitted = next((e['TIME'] for e in bob.events if e['EVENT'] == 'SUBMIT'), None)
    held = [e['TIME'] for e in bob.events if e['EVENT'] in ('DISPATCH', 'RESIZE') and int(e.get('TO', 0)) >= 2]
    return min(held) - submitted if submitted and held else None


def story_problems(ann, bob):
    """Whether the two shared as told, by their step records and bhist."""
    if not in_order([4, 2, 4, 2], ann.worlds()):
        yield f'ann trained at sizes {ann.worlds()}, promised were 4, 2, 4, 2'
    if 2 not in bob.worlds():
        yield f'bob trained at sizes {bob.worlds()}, promised was 2'
    released = release_seconds(bob)
    if released is None:
        yield 'bhist shows no time at which bob held 2 GPUs'
    elif released > RELEASE_LIMIT_S:
        yield f'ann gave her GPUs up {released:.1f} s after bob submitted, promised is at most {RELEASE_LIMIT_S:.0f}'


def rigid_series(events, origin):
    """[(seconds, slots)] of the job that cannot be resized."""
    start = next((e['TIME'] for e in events if e['EVENT'] in ('START', 'DISPATCH')), None)
    end = next((e['TIME'] for e in events if e['EVENT'] == 'END'), None)
    return [(start - origin, 2), (end - origin, 0)] if start and end else []


def table(jobs, summaries, released):
    """What the demo prints at the end."""
    print(f'\n{"job":<5}{"of":<12}{"plan":<7}{"state":<10}{"accuracy":>9}{"steps":>7}{"samples":>9}{"attempts":>10}')
    for name, job in jobs.items():
        s = summaries[name]
        accuracy = f'{s["accuracy"]:.4f}' if s['accuracy'] is not None else '-'
        print(f'{s["job"]:<5}{s["user"]:<12}{s["plan"]:<7}{s["state"]:<10}{accuracy:>9}{s["steps"]:>7}'
              f'{s["samples"]:>9}{s["attempt"]:>10}')
        for r in s['resizes']:
            print(f'       {r["at_s"]:7.2f} s  {r["from"]} -> {r["to"]} at step {r["step"]:<5} pause '
                  f'{r["pause_ms"]:6.1f} ms   steps lost {r["steps_lost"]}')
    if released is not None:
        print(f'from bob\'s submission until he holds 2 of ann\'s GPUs: {released * 1e3:.0f} ms')
    print()


def copy_steps(jobs, out):
    """steps.csv of every task."""
    for name, job in jobs.items():
        for folder in job.history.folders:
            source = os.path.join(folder, 'steps.csv')
            if os.path.exists(source):
                os.makedirs(os.path.join(out, 'steps', name), exist_ok=True)
                shutil.copy(source, os.path.join(out, 'steps', name, os.path.basename(folder) + '.csv'))


def write_json(path, value):
    """Readable JSON."""
    with open(path, 'w', encoding='utf-8') as kept:
        json.dump(value, kept, indent=1)
        kept.write('\n')


def collect(story, folder, out, capacity, reason=''):
    """Writes DEMO_DIR, prints the table; returns what is not as promised, `reason` first."""
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    records = {name: people.bhist(number, story.env) for name, number in story.numbers.items()}
    write_json(os.path.join(out, 'bhist.json'), records)
    images = digits.load(folder, 'train')[0]
    jobs = {name: Job(name, story, len(images)) for name in ('ann', 'bob') if name in story.jobs}
    offset, origin = time.time() - time.monotonic(), min(story.marks.values(), default=0)
    summaries = {name: job.summary(offset, origin) for name, job in jobs.items()}
    copy_steps(jobs, out)
    is_mnist = images.shape[-1] == 28
    problems = [reason] if reason else []
    problems += [p for job in jobs.values() if job.shown['WM_STATE'] == 'finished' for p in job.problems(is_mnist)]
    released = None
    if len(jobs) == 2:
        problems += [] if reason else story_problems(jobs['ann'], jobs['bob'])
        released = release_seconds(jobs['bob'])
    series = {name: job.series(offset, origin) for name, job in jobs.items() if job.history.by_step}
    if 'urgent' in records:
        series['urgent'] = rigid_series(records['urgent']['EVENTS'], origin)
    if any(series.values()):
        picture.draw(os.path.join(out, 'slots.svg'), {n: s for n, s in series.items() if s}, capacity)
    table(jobs, summaries, released)
    write_json(os.path.join(out, 'summary.json'), {
        'digits': 'MNIST' if is_mnist else 'sklearn', 'release_ms': released and round(released * 1e3, 1),
        'jobs': summaries, 'problems': problems, 'marks': {k: v - origin for k, v in story.marks.items()}})
    return problems
