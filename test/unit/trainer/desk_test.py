"""Role: tests of fabric_model/servers/desk.py: every sample of a pass is in one commit, whatever becomes of those who work on them."""

import copy
import random
import unittest

from fabric_model.servers.desk import Desk, factor, joined, rest_of

COURSE = {'epochs': 3, 'samples': 53, 'size': 4, 'tests': 10, 'test_size': 4, 'validation_freq': 2}


class Rig(unittest.TestCase):
    """A desk and its copy, which gets the same calls."""

    def setUp(self):
        self.desk, self.copy, self.used, self.tested = Desk(), Desk(), {}, {}
        self.call('begin', course=COURSE, kept=None)
        self.number = 0

    def call(self, name, **values):
        answer = self.desk.call(name, copy.deepcopy(values))
        self.copy.call(name, copy.deepcopy(values))
        self.assertEqual(self.copy.contents(), self.desk.contents())
        return answer

    def next(self, who, ready=0, **more):
        return self.call('next', who=who, ready=ready, **more)

    def commit(self, who, deal, base=0, staleness=2):
        self.number += 1
        answer = self.call('commit', who=who, n=self.number, base=base, how={'groups': [{'lr': 1.0}]}, weight=deal[2] - deal[1],
                           sums=[1.0], staleness=staleness)
        if 'step' in answer:
            self.used.setdefault(deal[0], []).extend(range(deal[1], deal[2]))
        return answer

    def train(self, who):
        """One deal of a worker, if there is any."""
        answer = self.next(who)
        if 'train' in answer:
            self.commit(who, answer['train'])
        elif 'valid' in answer:
            number, begin, end = answer['valid']
            self.tested.setdefault(number, []).extend(range(begin, end))
            self.call('validated', who=who, weight=end - begin, sums=[1.0])
        return answer


class Deals(Rig):
    def test_every_sample_is_in_one_commit_through_any_losses_and_interleavings(self):
        for seed in range(60):
            self.setUp()
            self.any_course(random.Random(seed))
            self.assertEqual({p: sorted(found) for p, found in self.used.items()}, {p: list(range(53)) for p in range(3)}, f'seed {seed}')
            self.assertEqual({p: sorted(found) for p, found in self.tested.items()}, {1: list(range(10)), 2: list(range(10))})

    def any_course(self, chance):
        """To the end; now and then somebody is lost, another comes, and the desk itself is restored from its copy."""
        members, holds = [1, 2, 3], {}
        self.call('enter', members=members)
        while True:
            who = chance.choice(members)
            if chance.random() < 0.05:
                members, holds = chance.sample(range(1, 9), chance.randint(1, 4)), {}
                tree, self.desk = self.copy.contents(), Desk()
                self.desk.fill(copy.deepcopy(tree))
                self.call('enter', members=members)
            elif who in holds:
                self.finish(who, *holds.pop(who))
            else:
                answer = self.next(who)
                if 'end' in answer:
                    return
                holds.update({who: (kind, answer[kind]) for kind in ('train', 'valid') if kind in answer})

    def finish(self, who, kind, deal):
        if kind == 'train':
            self.commit(who, deal)
            return
        self.tested.setdefault(deal[0], []).extend(range(deal[1], deal[2]))
        self.call('validated', who=who, weight=deal[2] - deal[1], sums=[1.0])

    def test_nobody_waits_for_a_straggler_but_at_the_end(self):
        self.call('begin', course={**COURSE, 'tests': 0}, kept=None)
        self.call('enter', members=[1, 2])
        slow = self.next(2)['train']
        seen = [self.train(1) for _ in range(60)]
        passes = [one['train'][0] for one in seen if 'train' in one]
        self.assertEqual(passes, sorted(passes))
        self.assertEqual(set(passes), {0, 1, 2})  # on to the passes behind, while one of the first is open
        self.assertEqual(seen[-1]['view']['passes_done'], 0)
        self.assertIn('wait', seen[-1])
        self.commit(2, slow)
        self.assertEqual(self.next(2)['view']['passes_done'], 3)
        self.assertIn('end', self.next(1))
        self.assertEqual(sorted(self.used[0]), list(range(53)))

    def test_a_commit_that_is_repeated_is_the_first_one_and_who_has_no_deal_commits_nothing(self):
        self.call('enter', members=[1])
        deal = self.next(1)['train']
        first = self.commit(1, deal)
        self.number -= 1
        self.assertEqual(self.commit(1, deal), first)
        self.assertEqual(self.desk.commits, 1)
        self.assertEqual(self.commit(1, deal), {'void': 1})
        self.next(1)
        self.call('enter', members=[2])  # the deal is another's now
        self.assertEqual(self.commit(1, deal), {'void': 1})
        self.assertEqual(self.desk.commits, 1)

    def test_what_was_committed_and_perhaps_not_applied_is_told_to_who_puts_it_right(self):
        self.call('enter', members=[1, 2])
        for who in (1, 2):
            self.commit(who, self.next(who)['train'])
        self.next(1)  # it says by that that it has applied it
        unapplied = self.call('enter', members=[1])
        self.assertEqual(list(unapplied), ['2'])
        self.assertEqual((unapplied['2']['begin'], unapplied['2']['end'], unapplied['2']['step']), (4, 8, 2))
        self.assertEqual(self.call('enter', members=[1]), unapplied)  # the epoch before broke at its beginning
        self.call('settled', commits={'2': unapplied['2']['n'] - 1, '7': 1})  # others
        self.assertEqual(self.call('enter', members=[1]), unapplied)
        self.call('settled', commits={'2': unapplied['2']['n']})
        self.assertEqual(self.call('enter', members=[1]), {})

    def test_while_a_checkpoint_is_made_nothing_is_committed(self):
        self.call('enter', members=[1])
        deal = self.next(1)['train']
        self.assertEqual(self.call('freeze', on=True)['unapplied'], 0)
        self.assertEqual(self.commit(1, deal), {'again': 1})
        self.number -= 1
        self.call('freeze', on=False)
        self.assertEqual(self.commit(1, deal)['step'], 1)

    def test_a_training_that_goes_on_from_a_checkpoint_deals_what_was_not_done(self):
        self.call('enter', members=[1, 2])
        self.next(2)  # [4, 8) stays open
        for _ in range(5):
            self.train(1)
        kept = self.call('look')['keep']
        self.call('begin', course={**COURSE, 'size': 7}, kept=copy.deepcopy(kept))
        self.call('enter', members=[5])
        while 'end' not in self.train(5):
            pass
        self.assertEqual({p: sorted(found) for p, found in self.used.items()}, {p: list(range(53)) for p in range(3)})


class Agreement(Rig):
    def test_all_switch_or_none(self):
        self.call('enter', members=[1, 2])
        self.assertNotIn('switch', self.next(1, ready=7))
        self.assertNotIn('switch', self.next(2, ready=8))
        self.assertEqual(self.next(1, ready=8).get('switch'), 8)
        self.assertEqual(self.next(2, ready=0).get('switch'), 8)  # it was withdrawn meanwhile: decided is decided
        self.call('enter', members=[1])
        self.assertNotIn('switch', self.next(1))

    def test_who_is_told_the_end_is_not_left_alone_there(self):
        self.call('enter', members=[1, 2])
        while 'end' not in self.train(1):
            pass
        self.assertNotIn('switch', self.next(1, ready=9))
        self.assertIn('end', self.next(2, ready=9))

    def test_the_end_is_told_when_all_that_was_committed_is_applied(self):
        self.call('begin', course={**COURSE, 'tests': 0, 'samples': 8, 'epochs': 1}, kept=None)
        self.call('enter', members=[1, 2])
        for who in (1, 2):
            self.commit(who, self.next(who)['train'])
        self.assertIn('wait', self.next(1))  # 2 may not have applied its commit yet
        self.assertIn('end', self.next(2))
        self.assertIn('end', self.next(1))

    def test_a_switch_that_was_decided_before_the_end_comes_first(self):
        self.call('begin', course={**COURSE, 'tests': 0}, kept=None)
        self.call('enter', members=[1])
        for _ in range(3 * 14 - 1):
            self.train(1)
        last = self.next(1)['train']
        self.assertEqual(last, [2, 52, 53])
        self.assertEqual(self.next(1, ready=4).get('switch'), 4)
        self.commit(1, last)
        self.assertEqual(self.next(1, ready=4)['view']['passes_done'], 3)
        self.assertEqual(self.next(1, ready=4).get('switch'), 4)

    def test_a_checkpoint_that_one_wants_is_told_to_all_until_it_is_there(self):
        self.call('enter', members=[1, 2])
        self.assertFalse(self.next(1)['checkpoint'])
        self.next(2, wanted=True)
        answer = self.next(1)
        self.assertTrue(answer['checkpoint'])
        self.call('saved')
        after = self.next(1)
        self.assertEqual((after['checkpoint'], after['saved']), (False, answer['saved'] + 1))


class Age(Rig):
    def test_gradients_that_are_too_old_are_applied_at_a_smaller_learning_rate(self):
        self.assertEqual([factor(age, 2) for age in (0, 1, 2, 4, 8)], [1.0, 1.0, 1.0, 0.5, 0.25])
        self.call('enter', members=[1, 2])
        slow = self.next(2)['train']
        for step in range(4):
            answer = self.commit(1, self.next(1)['train'], base=step)
            self.assertEqual((answer['age'], answer['factor']), (0, 1.0))
        answer = self.commit(2, slow, base=0)
        self.assertEqual((answer['age'], answer['factor']), (4, 0.5))
        self.assertEqual(self.call('enter', members=[1])['2']['how'], {'groups': [{'lr': 0.5}]})


class Ranges(unittest.TestCase):
    def test_done_and_rest_are_the_whole(self):
        chance = random.Random(1)
        for _ in range(200):
            total = chance.randint(1, 40)
            done = sorted(chance.sample(range(total), chance.randint(0, total)))
            ranges = joined([[n, n + 1] for n in done])
            found = sorted(n for begin, end in ranges for n in range(begin, end))
            self.assertEqual(found, done)
            rest = [n for begin, end in rest_of(ranges, total) for n in range(begin, end)]
            self.assertEqual(sorted(found + rest), list(range(total)))


if __name__ == '__main__':
    unittest.main()
