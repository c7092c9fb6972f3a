"""Role: what happens in the demo, in order, and how long each thing may take.

  ann submits ─► she trains on 4 ─► bob submits ─► 2 and 2 ─► bob is done ─► ann on 4
  ─► an urgent rigid job takes 2 ─► ann on 2, alive ─► it is done ─► ann on 4 ─► done
Each arrow is a wait with a limit; what does not happen in time is the demo's failure.
Callers: scripts/demo.
"""

import os
import time

import people
from evidence import History
from interpreter import PYTHON
from last_words import last_words
from view import Progress

STEPS = {'ann': int(os.environ.get('DEMO_STEPS_ANN', 2200)), 'bob': int(os.environ.get('DEMO_STEPS_BOB', 600))}
RIGID_SECONDS = int(os.environ.get('DEMO_RIGID_S', 6))
WARM_STEPS = 60  # that ann applies on 4 before bob comes
LIMIT_S = {'start': 300, 'resize': int(os.environ.get('DEMO_RESIZE_LIMIT_S', 120)), 'train': 600, 'rigid': 120}


class DemoFailed(Exception):
    """What was promised and did not happen."""


class Story:
    """Runs the story on a cluster that is up."""

    def __init__(self, view, environment, scripts, digits):
        self.view, self.env, self.scripts, self.digits = view, environment, scripts, digits
        self.numbers, self.people, self.jobs = {}, {}, {}
        self.marks = {}  # what happened → wall time

    # ---- what people do ----------------------------------------------------------------

    def submit_training(self, name, person, width):
        """An elastic training job on 1 to 4 GPUs (or `width`)."""
        script = os.path.join(self.scripts, 'train.py')
        self._submit(name, person, ['-app', 'training', '-ar', '-n', width, '-gpu', 'num=1', '-J', f'{name}-digits',
                                    '-o', 'out.%J', PYTHON, script, '--digits', self.digits, '--steps', str(STEPS[name])])

    def submit_rigid(self, person):
        """Two tasks that cannot be resized, in a queue that goes first."""
        script = os.path.join(self.scripts, 'rigid.py')
        self._submit('urgent', person, ['-q', 'urgent', '-app', 'training', '-n', '2', '-gpu', 'num=1', '-J', 'urgent',
                                        '-o', 'out.%J', PYTHON, script, str(RIGID_SECONDS)])

    def _submit(self, name, person, words):
        self.marks[f'{name} submits'] = time.time()
        self.numbers[name] = person.bsub(words, self.env)
        self.people[name] = person
        self.view.happened(f'{person.account or person.name} submits job {self.numbers[name]} to plan {person.plan}: '
                           f'bsub {" ".join(words[:-1])[:55]}…')

    # ---- what is seen --------------------------------------------------------------------

    def look(self):
        """Asks bjobs, shows a line when it is time to."""
        found = people.bjobs(self.numbers.values(), self.env)
        self.jobs = {name: found[number] for name, number in self.numbers.items() if number in found}
        self.view.show(self.jobs, {name: self.result_dir(name) for name in STEPS})

    def result_dir(self, name):
        """RESULT_DIR of a job."""
        person = self.people.get(name)
        if not person:
            return None
        user = person.account or os.environ.get('USER') or os.popen('id -un').read().strip()
        return os.path.join(self.env['WM_CLUSTER_DIR'], 'results', user, 'batchworkdir', str(self.numbers[name]))

    def state(self, name):
        """Our word for a job's state."""
        return self.jobs.get(name, {}).get('WM_STATE', '')

    def world(self, name):
        """Members of the newest applied step."""
        row = Progress(self.result_dir(name)).row
        return row['world'] if row else 0

    def until(self, what, condition, limit_s):
        """Looks until `condition()`; refuses to wait longer than the limit or for the dead."""
        deadline = time.monotonic() + limit_s
        while True:
            self.look()
            if condition():
                self.view.happened(what)
                self.marks[what] = time.time()
                return
            self._check_alive(what)
            if time.monotonic() > deadline:
                shown = ', '.join(f'{n} {self.state(n)} on {self.world(n) if n in STEPS else "-"}' for n in self.numbers)
                raise DemoFailed(f'not within {limit_s} s: {what} ({shown})')
            time.sleep(0.2)

    def _check_alive(self, what):
        bad = [n for n in self.numbers if self.state(n) in ('failed', 'killed', 'error')]
        if bad:
            reason = self.jobs[bad[0]].get('PEND_REASON', '')
            raise DemoFailed(f'job of {bad[0]} {self.state(bad[0])} {reason} while waiting for: {what}\n{self._words(bad[0])}')
        if 'ann' in self.numbers and self.state('ann') == 'finished' and 'urgent' not in self.numbers:
            raise DemoFailed(f'ann was done too early while waiting for: {what} (raise DEMO_STEPS_ANN)')

    def _words(self, name):
        """What a job said last, for the reason of a failure."""
        number = self.numbers[name]
        return last_words(self.result_dir(name), people.bhist(number, self.env),
                          os.path.join(self.people[name].home, f'out.{number}'))

    # ---- the story -------------------------------------------------------------------------

    def tell(self, ann, bob, sabotage):
        """From the first submission to the end of the last job."""
        self.submit_training('ann', ann, '4,4' if sabotage == 'no-shrink' else '1,4')
        self.until('ann trains on 4 GPUs', lambda: self.world('ann') == 4, LIMIT_S['start'])
        started = History(self.result_dir('ann')).last_step()
        self.until(f'ann has applied {WARM_STEPS} steps more',
                   lambda: Progress(self.result_dir('ann')).row['step'] >= started + WARM_STEPS, LIMIT_S['train'])
        self.submit_training('bob', bob, '1,4')
        self.until('ann trains on 2, she gave 2 GPUs up', lambda: self.world('ann') == 2, LIMIT_S['resize'])
        self.until('bob trains on the other 2', lambda: self.world('bob') == 2, LIMIT_S['start'])
        self.until('bob is done', lambda: self.state('bob') == 'finished', LIMIT_S['train'])
        self.until('ann trains on 4 again', lambda: self.world('ann') == 4, LIMIT_S['resize'])
        self.submit_rigid(bob)
        self.until('the urgent job runs on 2', lambda: self.state('urgent') in ('running', 'finished'), LIMIT_S['resize'])
        self.until('ann shrank for it and trains on 2', lambda: self.world('ann') == 2, LIMIT_S['resize'])
        self.until('the urgent job is done', lambda: self.state('urgent') == 'finished', LIMIT_S['rigid'])
        self.until('ann is done', lambda: self.state('ann') == 'finished', LIMIT_S['train'])
