"""Role: tests of fabric_model/shards.py: members are threads, what they train is compared with one plain optimizer."""

import contextlib
import queue
import random
import sys
import threading
import unittest
from types import SimpleNamespace

import torch

from fabric_model import shards
from fabric_model.flat import FIXED, FlatModel
from fabric_model.group import GroupBroken
from fabric_model.servers.places import Lost


class Group:
    """A member's side of a group of threads. `breaks`: after so many broadcasts of this member it fails."""

    def __init__(self, hub, rank):
        self.hub, self.rank, self.world, self.members, self.epoch = hub, rank, len(hub.members), hub.members, hub.epoch
        self.dead, self.breaks, self.budget = False, None, None

    def spend(self):
        """One more thing is done over the group, which breaks when this member has done as much as it can."""
        if self.budget == 0:
            self.hub.fail()
            raise GroupBroken('this member fails')
        self.budget = None if self.budget is None else self.budget - 1

    def sum(self, tensor):
        self.spend()
        self.hub.meet(self.rank, tensor, lambda given: sum(g.clone() for g in given))

    def broadcast(self, tensor, rank):
        self.spend()
        if self.breaks == 0:
            self.hub.stop(self.rank)
        self.breaks = None if self.breaks is None else self.breaks - 1
        self.hub.meet(self.rank, tensor, lambda given: given[rank].clone())

    def send(self, tensor, rank):
        self.spend()
        self.hub.mail[self.rank, rank].put(tensor.clone())

    def receive(self, tensor, rank):
        self.spend()
        while not self.hub.broken:
            with contextlib.suppress(queue.Empty):
                tensor.copy_(self.hub.mail[rank, self.rank].get(timeout=0.01))
                return
        raise GroupBroken('lost')

    def abort(self):
        self.dead = True


class Hub:
    """What the members of an epoch share. Collectives have numbers: those before the one that a member does not come to succeed everywhere."""

    def __init__(self, members, epoch):
        self.members, self.epoch = list(members), epoch
        self.changed, self.given, self.count, self.last = threading.Condition(), {}, [0] * len(members), None
        self.broken = False
        self.mail = {(a, b): queue.Queue() for a in range(len(members)) for b in range(len(members))}

    def fail(self):
        with self.changed:
            self.broken = True
            self.changed.notify_all()

    def stop(self, rank):
        with self.changed:
            self.last = self.count[rank]
            self.changed.notify_all()

    def meet(self, rank, tensor, made):
        with self.changed:
            number, self.count[rank] = self.count[rank], self.count[rank] + 1
            given = self.given.setdefault(number, {})
            given[rank] = tensor.clone()
            self.changed.notify_all()
            self.changed.wait_for(lambda: len(given) == len(self.members) or self.broken or (self.last is not None and number >= self.last), 20)
            if self.last is not None and number >= self.last or len(given) < len(self.members):
                raise GroupBroken('lost')
        tensor.copy_(made([given[r] for r in range(len(self.members))]))


def model_of(kind):
    torch.manual_seed(1)
    layers = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.Tanh(), torch.nn.Linear(7, 2)).double()
    return layers, kind([{'params': layers[0].parameters()}, {'params': layers[2].parameters(), 'lr': 0.02}], lr=0.01)


class Member:
    """A worker, as far as its steps are concerned."""

    def __init__(self, kind):
        self.model, self.optimizer = model_of(kind)
        script = SimpleNamespace(model=self.model, optimizer=self.optimizer, scaler=None, joined=[], clip_grad_norm=None)
        script.state = lambda progress: {'optimizer': self.optimizer.state_dict()}
        self.flat = FlatModel(self.model, 0)
        self.stepping = shards.Sharded(script, self.flat, SimpleNamespace(scale=1.0))
        self.progress = SimpleNamespace(step=0)

    def step(self, group, seed):
        self.flat.begin()
        source = torch.Generator().manual_seed(seed)
        sum((p * torch.randn(p.shape, generator=source, dtype=p.dtype)).sum() for p in self.model.parameters()).backward()
        tail = self.stepping.sum(group, self.progress, 1, True, [0.0] * (FIXED - 1) + [0.0])
        self.stepping.apply(tail)
        self.progress.step += 1

    def copy_from(self, other):
        """What a state that is handed out gives."""
        self.model.load_state_dict(other.model.state_dict())
        self.progress.step = other.progress.step


def together(*calls):
    found, failures = {}, []

    def run(at, call):
        try:
            found[at] = call()
        except BaseException as error:
            failures.append(error)
    threads = [threading.Thread(target=run, args=one, daemon=True) for one in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if failures:
        raise failures[0]
    return [found.get(at) for at in range(len(calls))]


class Job(unittest.TestCase):
    """Members by their tasks, and one plain optimizer beside them."""

    kind = torch.optim.Adam

    def setUp(self):
        self.members, self.epoch, self.step, self.tasks, self.hub = {}, 0, 0, [], None
        self.plain, self.optimizer = model_of(self.kind)

    def enter(self, tasks, fails=None):
        """`fails`: (rank, after how many words over the group) that breaks it; those who are through are, the others are not."""
        old, self.tasks, self.epoch = self.tasks, list(tasks), self.epoch + 1
        for task in tasks:
            self.members.setdefault(task, Member(self.kind))
        self.hub = Hub(tasks, self.epoch)
        self.groups = [Group(self.hub, rank) for rank in range(len(tasks))]
        source = max(range(len(tasks)), key=lambda rank: (self.members[tasks[rank]].progress.step, -rank))
        fresh = not old

        def enter(member, group):
            try:
                member.stepping.enter(group, source, fresh, lambda: member.progress, self.lost)
            except GroupBroken:
                self.assertIsNotNone(fails)
                self.hub.fail()
        if fails:
            self.groups[fails[0]].budget = fails[1]
        together(*[lambda m=self.members[task], g=group: enter(m, g) for task, group in zip(tasks, self.groups)])
        if fails:
            return
        for task in tasks:
            if self.members[task].progress.step < self.members[tasks[source]].progress.step:
                self.members[task].copy_from(self.members[tasks[source]])

    def lost(self, why):
        raise Lost(why)

    def leave(self, tasks):
        """All agree that these go on."""
        together(*[lambda m=self.members[task], g=group: m.stepping.part(g, tasks) for task, group in zip(self.tasks, self.groups)])
        self.enter(tasks)

    def train(self, steps=1):
        for _ in range(steps):
            self.seed = 100 * self.step
            together(*[lambda m=self.members[task], g=group: m.step(g, self.seed + g.rank) for task, group in zip(self.tasks, self.groups)])
            self.train_plainly(len(self.tasks))
        self.check()

    def train_plainly(self, world):
        total = [0.0] * 4
        for rank in range(world):
            source = torch.Generator().manual_seed(self.seed + rank)
            total = [t + torch.randn(p.shape, generator=source, dtype=p.dtype) for t, p in zip(total, self.plain.parameters())]
        for p, gradient in zip(self.plain.parameters(), total):
            p.grad = gradient
        self.optimizer.step()
        self.step += 1

    def check(self):
        for task in self.tasks:
            for p, q in zip(self.members[task].model.parameters(), self.plain.parameters()):
                torch.testing.assert_close(p.detach(), q.detach(), rtol=1e-12, atol=1e-12)

    def state(self):
        """As a checkpoint has it."""
        found = together(*[lambda m=self.members[task]: m.stepping.state(m.progress) for task in self.tasks])
        return found[0]['optimizer']['state']


class Steps(Job):
    def test_any_members_take_the_steps_of_one(self):
        chance = random.Random(4)
        self.enter([1])
        self.train(2)
        for _ in range(12):
            stay = chance.sample(self.tasks, chance.randint(1, len(self.tasks)))
            come = [t for t in chance.sample(range(20, 40), chance.randint(0, 3)) if t not in self.members]
            self.leave(stay + come)
            self.train(2)
        found = self.state()
        for at, q in enumerate(self.plain.parameters()):
            for name, value in self.optimizer.state[q].items():
                torch.testing.assert_close(found[at][name], value, rtol=1e-12, atol=1e-12)

    def test_one_that_is_killed_between_steps_loses_nothing(self):
        for victim in (0, 1, 2):
            with self.subTest(rank=victim):
                self.setUp()
                self.enter([1, 2, 3])
                self.train(3)
                self.enter([t for at, t in enumerate([1, 2, 3]) if at != victim])
                self.train(2)

    def test_one_that_is_killed_in_the_middle_of_the_broadcasts_loses_nothing(self):
        for breaks in range(3):
            with self.subTest(broadcasts=breaks):
                self.setUp()
                self.enter([1, 2, 3])
                self.train(2)
                self.groups[1].breaks = breaks
                self.seed = 100 * self.step
                together(*[lambda m=self.members[t], g=g: m.step(g, self.seed + g.rank) for t, g in zip(self.tasks, self.groups)])
                self.train_plainly(3)
                self.enter([1, 3])
                self.check()
                self.train(2)

    def test_a_survivor_that_did_not_hear_of_the_sum_makes_the_step_by_its_gradient(self):
        self.enter([1, 2, 3])
        self.train(2)
        late = self.members[3]  # the copy of interval 1, the owner of which is lost, is with task 3
        self.seed = 100 * self.step

        def never(_tail):
            raise GroupBroken('told broken')
        late.stepping.apply = never

        def step(member, group):
            with contextlib.suppress(GroupBroken):
                member.step(group, self.seed + group.rank)
        for group in self.groups[:2]:
            group.breaks = 0
        together(*[lambda m=self.members[t], g=g: step(m, g) for t, g in zip(self.tasks, self.groups)])
        self.assertEqual([m.progress.step for _, m in sorted(self.members.items())], [3, 3, 2])
        del late.stepping.apply
        self.train_plainly(3)
        self.enter([1, 3])
        self.check()
        self.train(2)

    def test_an_epoch_that_breaks_at_its_beginning_loses_nothing(self):
        for rank in range(3):
            for words in range(24):
                with self.subTest(rank=rank, words=words):
                    self.setUp()
                    self.enter([1])
                    self.enter([1, 2, 3])
                    self.train(2)
                    self.enter([2, 3, 4], (rank, words))
                    self.enter([3, 4, 2])
                    self.train(2)

    def test_neither_does_the_first_one(self):
        for words in range(12):
            self.setUp()
            self.enter([1, 2], (0, words))
            self.enter([1, 2])
            self.train(2)

    def test_two_neighbours_killed_at_once_are_told(self):
        self.enter([1, 2, 3])
        self.train(1)
        with self.assertRaisesRegex(Lost, "the optimizer's state of elements .* at step 1: no member has it"):
            self.enter([1])

    def test_four_members_have_half_of_the_state_each(self):
        self.enter([1])
        self.train(1)
        whole = self.members[1].stepping.bytes
        self.leave([1, 2, 3, 4])
        self.train(1)
        for task in self.tasks:
            self.assertLess(self.members[task].stepping.bytes / whole, 0.6)


class OfOthers(Steps):
    kind = staticmethod(lambda groups, lr: torch.optim.SGD(groups, lr=lr, momentum=0.9))


class Plans(unittest.TestCase):
    def test_a_member_takes_what_it_has_itself_and_a_step_that_is_made_before_one_that_is_not(self):
        held = [shards.Held(5, [(0, 10)]), shards.Held(5, [(10, 20), (0, 10)]), shards.Held(4, [(20, 30), (10, 20)])]
        self.assertEqual(shards.plan(held, 5, 0, 10, 1), [shards.Move(1, 0, 10, False)])
        self.assertEqual(shards.plan(held, 5, 5, 25, 2), [shards.Move(0, 5, 10, False), shards.Move(1, 10, 20, False),
                                                          shards.Move(2, 20, 25, True)])
        with self.assertRaises(Lost):
            shards.plan(held, 5, 25, 31)
        with self.assertRaises(Lost):
            shards.plan([None, held[2]], 6, 20, 21)

    def test_intervals_whose_both_holders_go_are_kept_by_one_that_stays(self):
        self.assertEqual(shards.to_keep([1, 2, 3, 4], [1, 4]), [(1, 0)])
        self.assertEqual(shards.to_keep([1, 2, 3, 4], [1, 3]), [])
        self.assertEqual(shards.to_keep([1, 2, 3, 4], [3]), [(0, 2), (3, 2)])
        self.assertEqual(shards.to_keep([1, 2], [3]), [])


if __name__ == '__main__':
    sys.exit(unittest.main())
