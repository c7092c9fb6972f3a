"""Role: tests of fabric_model/mesh.py: groups over connections of their own, by members that are threads of one process."""

import socket
import threading
import time
import unittest
import unittest.mock
from types import SimpleNamespace

import numpy

from fabric_model import mesh, versions
from fabric_model.communicator import GroupBroken

KEY = b'k' * 32
AGENT = SimpleNamespace(in_collective=lambda inside: None)


def together(*works):
    """What each gives, at once; its exception where it raises one."""
    found = [None] * len(works)

    def run(at):
        try:
            found[at] = works[at]()
        except Exception as error:  # the test looks at it
            found[at] = error

    threads = [threading.Thread(target=run, args=(at,), daemon=True) for at in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    return found


class Meshes(unittest.TestCase):
    def groups(self, world, keys=None, cancelled=lambda: False):
        """Those of the members 1…world, or what hindered them."""
        ends = [mesh.Rendezvous(key) for key in keys or [KEY] * world]
        plan = SimpleNamespace(epoch=3, lead=1, survivors=0, members=list(range(1, world + 1)), rendezvous=ends[0].address, reason='')
        found = together(*(lambda at=at: mesh.Group(plan, at + 1, ends[at], AGENT, cancelled) for at in range(world)))
        for group in found:
            if isinstance(group, mesh.Group):
                self.addCleanup(group.close)
        return found


class Sums(Meshes):
    def test_the_same_bits_on_all_for_any_length_and_kind(self):
        for world in (2, 3):
            groups = self.groups(world)
            for kind, size in (('f4', 1), ('f8', 7), ('f4', 100_003), ('f8', 400_000), ('i8', 5000), ('f4', 2), ('f4', 0)):
                parts = [numpy.random.default_rng(at).normal(size=size) * 1000 for at in range(world)]
                arrays = [part.astype(kind) for part in parts]
                wanted = arrays[0].copy()
                for array in arrays[1:]:
                    wanted += array
                self.assertEqual(together(*(lambda g=g, a=a: g.sum(a) for g, a in zip(groups, arrays))), [None] * world)
                for array in arrays:
                    numpy.testing.assert_array_equal(array, wanted)

    def test_shapes_stay_and_one_alone_sums_nothing(self):
        rows = [numpy.full((3, 2), rank, 'f8') for rank in (1, 2)]
        together(*(lambda g=g, a=a: g.sum(a) for g, a in zip(self.groups(2), rows)))
        self.assertEqual(rows[0].tolist(), [[3.0, 3.0]] * 3)
        alone, = self.groups(1)
        value = numpy.ones(4)
        alone.sum(value)
        self.assertEqual(value.tolist(), [1.0] * 4)

    def test_what_one_member_has_goes_to_all(self):
        arrays = [numpy.full(70_000, rank, 'f4') for rank in range(3)]
        together(*(lambda g=g, a=a: g.broadcast(a, 1) for g, a in zip(self.groups(3), arrays)))
        self.assertEqual({float(one) for array in arrays for one in (array[0], array[-1])}, {1.0})

    def test_messages_pass_beside_sums(self):  # a state is on its way while the others train
        one, two = self.groups(2)
        state, arrived = numpy.arange(3_000_000, dtype='u4').view('u1'), numpy.zeros(12_000_000, 'u1')
        numbers = [numpy.ones(50_000, 'f4'), numpy.ones(50_000, 'f4')]

        def sums(group, values):
            for _ in range(20):
                group.sum(values)

        self.assertEqual(together(lambda: one.send(state, 1), lambda: two.receive(arrived, 0), lambda: sums(one, numbers[0]),
                                  lambda: sums(two, numbers[1])), [None] * 4)
        numpy.testing.assert_array_equal(arrived, state)
        self.assertEqual(float(numbers[0][0]), 2.0 ** 20)


class Ends(Meshes):
    def broken(self, *works):
        """They all end in GroupBroken, soon."""
        began = time.monotonic()
        for error in together(*works):
            self.assertIsInstance(error, GroupBroken)
        self.assertLess(time.monotonic() - began, 5)

    def test_an_abort_wakes_this_member_and_its_peers(self):
        one, two, three = self.groups(3)
        threading.Timer(0.2, one.abort).start()
        self.broken(lambda: one.receive(numpy.zeros(9), 2), lambda: two.sum(numpy.zeros(9)))
        self.broken(lambda: one.sum(numpy.zeros(9)), lambda: one.send(numpy.zeros(9), 1))
        self.assertFalse(three.dead)

    def test_a_peer_that_is_gone_breaks_the_sum_it_was_wanted_for(self):
        one, two = self.groups(2)
        two.close()
        self.broken(lambda: one.sum(numpy.zeros(1_000_000)))
        two.close()  # once more, harmless

    def test_who_leaves_in_peace_lets_the_slower_read_what_it_sent(self):
        one, two = self.groups(2)
        values = [numpy.ones(9), numpy.ones(9)]

        def leave():
            one.sum(values[0])
            one.leave()

        def slow():
            time.sleep(0.3)
            two.sum(values[1])
            two.leave()

        self.assertEqual(together(leave, slow), [None, None])
        self.assertEqual(float(values[1][0]), 2.0)


class Meeting(Meshes):
    @staticmethod
    def after(seconds):
        """A connecting that is cancelled then."""
        end = time.monotonic() + seconds
        return lambda: time.monotonic() > end

    def test_who_does_not_hold_the_key_is_no_member_and_none_is_made_with_it(self):
        first, other = self.groups(2, keys=[KEY, b'x' * 32], cancelled=self.after(1))
        self.assertIsInstance(other, OSError)
        self.assertIsInstance(first, RuntimeError)

    def test_strangers_at_the_door_keep_nobody_waiting(self):
        seen, plain = [], socket.create_server

        def watched(*arguments, **options):
            listener = plain(*arguments, **options)
            for words in (b'', b'GET / HTTP/1.0\r\n\r\n', bytes(5) + b'z' * 64):
                link = socket.create_connection(listener.getsockname()[:2])
                link.sendall(words)
                seen.append(link)
            return listener

        with unittest.mock.patch.object(mesh.socket, 'create_server', watched):
            groups = self.groups(2)
        values = [numpy.ones(3), numpy.ones(3)]
        together(*(lambda g=g, a=a: g.sum(a) for g, a in zip(groups, values)))
        self.assertEqual(values[0].tolist(), [2.0] * 3)
        self.assertGreater(len(seen), 3)
        for link in seen:
            link.close()

    def test_another_version_is_told_before_the_others_count_on_it(self):
        said = iter(['Python 3.9, keras 3.1\ntask 1 on a'])
        with unittest.mock.patch.object(versions, 'told', lambda: next(said)):
            _, other = self.groups(2, cancelled=self.after(2))
        self.assertIsInstance(other, versions.Mixed)
        self.assertIn('Python 3.9, keras 3.1', str(other))


if __name__ == '__main__':
    unittest.main()
