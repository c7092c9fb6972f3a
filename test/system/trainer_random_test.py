"""Role: random courses of resizes, withdrawals and kills of elastic training, with real processes; after
each one every sample was used once and all members' parameters are equal. One course, or with
WM_SOAK=1 thirty; WM_SEED chooses the first.
"""

import os
import random
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from elastic_job import Elastic  # noqa: E402

COURSES = 30 if os.environ.get('WM_SOAK') else 1
SEED = int(os.environ.get('WM_SEED', '1'))


class RandomCourses(Elastic):
    def ready(self):
        """Workers that can be members."""
        return [t for t, w in self.lead.workers.items() if w.alive and w.rendezvous]

    def settled(self):
        """The newest epoch is in force, or the training is over."""
        lead = self.lead
        return any(w.done for w in lead.workers.values()) or (lead.formed() and not lead._broken)

    def act(self, source, killed):
        """One random act upon a settled job."""
        lead, ready = self.lead, self.ready()
        members = [t for t in lead.members if lead.workers[t].alive]
        what = source.random()
        if what < 0.3 and len(members) > 1:
            self.kill(source.choice(members), killed)
        stay = [t for t in members if source.random() < 0.7] or members[:1]
        newcomers = [t for t in ready if t not in members and source.random() < 0.5]
        if what > 0.2:
            lead.plan(stay + newcomers)
        # never the last one that has state: then all would begin anew
        if 0.3 < what < 0.4 and (newcomers or len(stay) > 1):
            self.kill(source.choice(newcomers or stay), killed)

    def kill(self, task, killed):
        killed.append(task)
        self.lead.workers[task].process.kill()

    def course(self, seed):
        """A whole job."""
        source, killed = random.Random(seed), []
        self.job(passes=6, samples=source.choice([499, 101, 251]), effective=source.choice([24, 7, 60]),
                 step_ms=source.choice([0, 3, 8]), tests=source.choice([0, 40]))
        self.begin([1, 2], later=[3, 4, 5, 6])
        while not any(w.done for w in self.lead.workers.values()):
            goal = self.lead.step() + source.randint(1, 12)
            self.lead.run_until(lambda: self.settled() and self.lead.step() >= goal or
                                any(w.done for w in self.lead.workers.values()), what=f'seed {seed}')
            if not any(w.done for w in self.lead.workers.values()):
                self.act(source, killed)
        self.finish(killed=[t for t in killed if self.lead.workers[t].process.wait() == -9])

    def test_nothing_is_lost_in_random_courses(self):
        for seed in range(SEED, SEED + COURSES):
            with self.subTest(seed=seed):
                self.course(seed)
                self.tearDown()
                self.setUp()


if __name__ == '__main__':
    unittest.main()
