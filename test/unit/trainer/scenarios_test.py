"""Role: the Python engine's side of membership held to test/scenarios/membership, as the C++ one is by
test/unit/groups/scenarios_test.cc. The agent and the communicator are played by the scenario.
"""

import glob
import os
import queue
import threading
import unittest
from types import SimpleNamespace

from fabric_model import membership, native

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
FILES = sorted(glob.glob(os.path.join(TOP, 'test/scenarios/membership/*.txt')))
PATIENCE_S = 20
TOLD = {'plan': native.PLAN, 'withdrawn': native.WITHDRAWN, 'broken': native.BROKEN, 'leave': native.LEAVE,
        'stand': native.STAND, 'checkpoint': native.CHECKPOINT}


class Agent:
    """Says what it is told to; notes what it hears. Task 1."""

    task = 1

    def __init__(self):
        self.events, self.said = queue.Queue(), []

    def wait(self):
        return self.events.get()

    def key(self, _timeout_ms):
        return bytes(32)

    def ready(self, address):
        pass

    def connected(self, epoch):
        self.said.append(f'connected {epoch}')

    def connect_failed(self, epoch, _text):
        self.said.append(f'failed {epoch}')

    def stop(self):
        self.events.put(SimpleNamespace(kind=native.CLOSED))

    def close(self):
        pass


class Wire:
    """The communicator: groups stand when the scenario says so."""

    def __init__(self):
        self.changed, self.stands, self.fails = threading.Condition(), set(), set()
        self.alive, self.given_up = set(), set()

    def group(self, plan, _task, _rendezvous, _agent, cancelled):
        wire = self
        with wire.changed:
            while plan.epoch not in wire.stands | wire.fails:
                if cancelled():
                    wire.given_up.add(plan.epoch)
                    raise RuntimeError('cancelled')
                wire.changed.wait(0.01)
            if plan.epoch in wire.fails:
                raise RuntimeError('no route')
            wire.alive.add(plan.epoch)

        class Group:
            """One that stands."""

            epoch, joined, dead = plan.epoch, False, False

            def close(self):
                self.dead = True
                with wire.changed:
                    wire.alive.discard(self.epoch)

            abort = leave = close

        return Group()


class Player:
    """One scenario on one Membership."""

    def __init__(self, rig):
        self.rig, self.agent, self.wire = rig, Agent(), Wire()
        carrier = SimpleNamespace(Group=self.wire.group, Rendezvous=lambda key: SimpleNamespace(key=key, address='a:1'))
        self.members = membership.Membership(self.agent, carrier)
        self.current, self.replaced, self.told, self.wanted = None, None, [], []

    def play(self, line):
        verb, *words = line.split()
        if verb in TOLD:
            self.agent.events.put(self.event(verb, words))
        else:
            getattr(self, f'do_{verb}')(*words)

    def event(self, verb, words):
        number = int(words[0]) if words and words[0].isdigit() else 0
        members = [int(task) for task in words[1].split(',')] if verb == 'plan' else []
        return SimpleNamespace(kind=TOLD[verb], epoch=number, members=members, reason='', flag=words == ['on'])

    def until(self, check, what):
        deadline = threading.Event()
        for _ in range(PATIENCE_S * 200):
            if check():
                return
            deadline.wait(0.005)
        self.rig.fail(what)

    def do_connects(self, epoch):
        with self.wire.changed:
            self.wire.stands.add(int(epoch))
            self.wire.changed.notify_all()

    def do_fails(self, epoch):
        with self.wire.changed:
            self.wire.fails.add(int(epoch))
            self.wire.changed.notify_all()
        self.until(lambda: f'failed {epoch}' in self.agent.said, f'failed {epoch}')

    def do_enter(self, epoch):
        self.current = self.members.wait_group(self.told.append)
        self.rig.assertEqual(self.current.epoch, int(epoch))

    def do_joined(self):
        self.current.joined = True

    def do_left(self):
        with self.rig.assertRaises(membership.Left):
            self.members.wait_group(self.told.append)

    def do_take(self, epoch, none=None):
        pending = self.members.take(int(epoch))
        self.rig.assertEqual(pending is None, none == 'none')
        if pending and pending.group:
            self.replaced, self.current = self.current, pending.group
        elif pending:
            self.replaced = self.current

    def do_retire(self):
        self.members.retire(self.replaced)

    def do_drop(self):
        self.members.drop_withdrawn()

    def do_forget(self):
        self.members.forget_current()

    def do_ready(self, epoch):
        self.until(lambda: self.members.ready_epoch == int(epoch), f'ready {epoch}')

    def do_stands(self, how):
        def stands():
            thread = threading.Thread(target=self.members.check, daemon=True)
            thread.start()
            thread.join(0.2)
            return thread.is_alive()
        self.until(lambda: stands() == (how == 'on'), f'stands {how}')

    def do_wanted(self):
        self.until(lambda: self.members.checkpoint_wanted, 'wanted')

    def do_alive(self, epoch):
        self.rig.assertIn(int(epoch), self.wire.alive)

    def do_gone(self, epoch):
        self.until(lambda: int(epoch) not in self.wire.alive, f'gone {epoch}')

    def do_given_up(self, epoch):
        self.until(lambda: int(epoch) in self.wire.given_up, f'given_up {epoch}')

    def do_told(self, epoch):
        self.rig.assertIn(int(epoch), self.told)

    def do_said(self, *words):
        self.wanted.append(' '.join(words))

    def end(self):
        self.members.close()
        self.rig.assertEqual(self.agent.said, self.wanted)


class ScenarioTest(unittest.TestCase):
    def test_there_are_scenarios(self):
        self.assertGreater(len(FILES), 10)


def steps_of(path):
    """The lines of a scenario."""
    with open(path, encoding='utf-8') as file:
        return [line for line in (raw.split('#')[0].strip() for raw in file) if line]


def add_scenario(path):
    """One test of that file's name."""
    def test(self):
        player = Player(self)
        for line in steps_of(path):
            with self.subTest(step=line):
                player.play(line)
        player.end()
    setattr(ScenarioTest, 'test_' + os.path.basename(path)[:-4], test)


for name in FILES:
    add_scenario(name)

if __name__ == '__main__':
    unittest.main()
