"""Role: tests of fabric_model/servers/cut.py and places.py: intervals cover every element once, and a copy is never beside its original."""

import random
import unittest

from fabric_model.servers import cut, places


class Cuts(unittest.TestCase):
    def sizes(self, chance):
        return [chance.choice([0, 1, 2, 7, 100]) for _ in range(chance.randint(1, 12))]

    def check(self, intervals, total):
        self.assertEqual((intervals[0][0], intervals[-1][1]), (0, total))
        for (begin, end), following in zip(intervals, intervals[1:] + [(total, 0)]):
            self.assertLess(begin, end)
            self.assertEqual(end, following[0])

    def test_intervals_cover_every_element_once_and_none_is_empty(self):
        chance = random.Random(1)
        for _ in range(1000):
            sizes = self.sizes(chance)
            filled = [size for size in sizes if size]
            if not filled:
                continue
            even = cut.cut(sizes, chance.randint(1, min(9, sum(sizes))))
            self.check(even, sum(sizes))
            self.assertLessEqual(max(b - a for a, b in even) - min(b - a for a, b in even), 1)
            whole = cut.cut(sizes, chance.randint(1, len(filled)), whole=True)
            self.check(whole, sum(sizes))
            self.assertLessEqual({begin for begin, _ in whole}, set(cut.starts(sizes)))

    def test_pieces_of_all_intervals_are_the_parameters(self):
        chance = random.Random(2)
        for _ in range(300):
            sizes = self.sizes(chance)
            if not sum(sizes):
                continue
            found = [[] for _ in sizes]
            for begin, end in cut.cut(sizes, chance.randint(1, min(9, sum(sizes)))):
                at = 0
                for piece in cut.pieces(sizes, begin, end):
                    self.assertEqual(piece.at, at)
                    at += piece.size
                    found[piece.parameter].append((piece.begin, piece.end))
                self.assertEqual(at, end - begin)
            for size, ranges in zip(sizes, found):
                self.assertEqual([n for begin, end in ranges for n in range(begin, end)], list(range(size)))

    def test_more_intervals_than_there_is_to_cut_are_refused(self):
        with self.assertRaisesRegex(ValueError, '4 intervals of 3 elements'):
            cut.cut([2, 1], 4)
        with self.assertRaisesRegex(ValueError, '3 intervals of 2 parameters'):
            cut.cut([2, 0, 1], 3, whole=True)
        with self.assertRaisesRegex(ValueError, '0 intervals'):
            cut.cut([2], 0)


class Places(unittest.TestCase):
    def test_through_any_changes_of_members_copies_are_elsewhere_and_nobody_has_two_more_than_another(self):
        chance = random.Random(3)
        for servers in range(1, 7):
            seats = {}
            for _ in range(200):
                members = chance.sample(range(8), chance.randint(1, 6))
                before, seats = seats, places.settle(seats, members, places.processes(servers))
                self.assertEqual(sorted(seats), list(range(places.processes(servers))))
                load = [list(seats.values()).count(member) for member in members]
                self.assertLessEqual(max(load) - min(load), 1)
                for interval, copy in enumerate(places.copies(seats, servers)):
                    self.assertNotEqual(interval, copy)
                    if len(members) > 1:
                        self.assertNotEqual(seats[interval], seats[copy])
                if set(before.values()) <= set(members) and len(members) >= len(seats) and len(set(before.values())) == len(before) > 0:
                    self.assertEqual(before, seats)  # nothing moves that need not

    def test_every_interval_and_the_desk_have_one_owner_and_one_copy(self):
        seats = places.settle({}, [5, 6], 3)
        duties = places.duties(seats, 3, has_desk=True)
        for name in (0, 1, 2, places.DESK):
            told = [mine[name] for mine in duties.values() if name in mine]
            self.assertEqual(len(told), 2)
            self.assertEqual(told.count(None), 1)

    def test_an_interval_is_restored_from_whoever_can_come_to_the_step(self):
        self.assertEqual(places.source(0, {0: {0: (7, True, {})}, 1: {0: (8, True, {})}}, 8), (1, None))
        self.assertEqual(places.source(0, {1: {0: (9, True, {})}}, 8), (1, 'undo'))
        self.assertEqual(places.source(0, {1: {0: (7, False, {'1': 8})}}, 8), (1, 'redo'))
        self.assertEqual(places.source(0, {0: {0: (7, True, {})}, 1: {0: (9, True, {})}}, None), (1, None))
        for held, why in (({1: {0: (9, False, {})}}, '1 at step 9'), ({1: {0: (7, True, {})}}, 'at step 7'),
                          ({1: {1: (8, True, {})}}, 'nobody has it'), ({}, 'nobody has it')):
            with self.assertRaisesRegex(places.Lost, f'interval 0 of the parameters at step 8: .*{why}'):
                places.source(0, held, 8)
        with self.assertRaisesRegex(places.Lost, 'the desk: nobody has it'):
            places.source(places.DESK, {1: {0: (8, True, {})}}, None)


if __name__ == '__main__':
    unittest.main()
