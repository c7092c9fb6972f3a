"""Role: tests of scripts/common/mutations.py."""

import os
import sys
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path.insert(0, os.path.join(TOP, 'scripts/common'))
import mutations  # noqa: E402


def broken(text):
    """Every mutant of a text."""
    return [mutations.applied(text, site) for site in mutations.sites(text)]


class Mutations(unittest.TestCase):
    """What counts as a slip, and what is left alone."""

    def test_comparisons_move_by_one_and_turn_round(self):
        self.assertEqual(broken('if (a < b) f();'), ['if (a <= b) f();', 'if (a > b) f();'])

    def test_templates_and_shifts_are_no_comparisons(self):
        self.assertEqual(broken('std::vector<int> a; s << x >> y;'), [])

    def test_comments_strings_and_includes_are_left_alone(self):
        self.assertEqual(broken('#include <a>  // a < b\nf("a < b", true_name); /* true */'), [])

    def test_signs_are_no_subtractions(self):
        self.assertEqual(broken('x = -1 + a - -b;'), ['x = -1 - a - -b;', 'x = -1 + a + -b;'])

    def test_a_lost_negation_and_a_lost_continue(self):
        self.assertEqual(broken('if (!found) continue;'), ['if (found) continue;', 'if (!found) ;'])

    def test_declarations_of_operators_are_left_alone(self):
        self.assertEqual(broken('bool operator == (X);'), [])

    def test_a_slip_is_told_with_file_and_line(self):
        text = 'a();\n  b = std::min(c, d);\n'
        site = next(iter(mutations.sites(text)))
        self.assertEqual(mutations.told('x.cc', text, site), "x.cc:2: 'std::min' -> 'std::max' | b = std::min(c, d);")

    def test_the_first_test_that_fails_has_killed(self):
        self.assertEqual(mutations.judged([('a', 'passed'), ('b', 'failed'), ('c', 'failed')]), 'b')

    def test_one_that_does_not_end_has_killed_nothing_but_a_later_one_may(self):
        self.assertEqual(mutations.judged([('a', 'late'), ('b', 'passed')]), mutations.LATE)
        self.assertEqual(mutations.judged([('a', 'late'), ('b', 'failed')]), 'b')

    def test_without_a_test_nobody_has_killed(self):
        self.assertEqual(mutations.judged([]), mutations.NOBODY)
        self.assertEqual(mutations.judged([('a', 'unbuilt')]), mutations.NOBODY)

    def test_time_outs_are_a_row_of_their_own_and_no_kills(self):
        lines, share = mutations.account([('a', '1'), ('a', '2'), (mutations.LATE, '3'), (mutations.NOBODY, '4')], 5)
        self.assertEqual(share, 50)
        self.assertEqual(lines, ['survived  4', 'timed out 3', '2 of 4 killed (50 %), 1 timed out, seed 5'])

    def test_a_list_has_rooms_with_their_aims_and_one_seed(self):
        text = '# a comment\nseed 7\n\nlibwm/http 40 80  # why\ndaemons/wlogind\t80 90\n'
        self.assertEqual(mutations.listed(text), (7, [('libwm/http', 40, 80), ('daemons/wlogind', 80, 90)]))
        self.assertEqual(mutations.listed('libwm/http 40 80'), (None, [('libwm/http', 40, 80)]))

    def test_a_list_that_does_not_read_has_no_rooms(self):
        for text in ('', '# none', 'libwm/http 40', 'libwm/http 40 eighty', 'libwm/http 0 80', 'seed x\nlibwm/http 40 80',
                     'libwm/http 40 80\nrubbish'):
            self.assertEqual(mutations.listed(text)[1], [], text)

    def test_the_list_of_the_soak_names_rooms_that_there_are(self):
        with open(os.path.join(TOP, 'test/mutants.rooms'), encoding='utf-8') as file:
            seed, rooms = mutations.listed(file.read())
        self.assertTrue(seed)
        for room, _, _ in rooms:
            self.assertTrue(os.path.isdir(os.path.join(TOP, 'test/unit', room.split('/')[1])), room)


if __name__ == '__main__':
    unittest.main()
