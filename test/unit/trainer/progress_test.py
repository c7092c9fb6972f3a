"""Role: tests of fabric_model/progress.py: where the training stands, for all courses of resizes."""

import itertools
import random
import unittest

from fabric_model.native import part
from fabric_model.progress import END, FINISH, TRAIN, VALID, Course, Progress


def course(**values):
    return Course(**{'epochs': 2, 'batch_size': 4, 'train_samples': 23, 'test_samples': 7, **values})


def to_the_end(plan, world_of, progress=None):
    """Runs all rounds; returns [(phase, data_epoch, begin, end)] of them."""
    progress, rounds = progress or Progress(), []
    while progress.phase != END:
        world = world_of(len(rounds))
        if progress.phase == FINISH:
            progress.commit_finish()
            continue
        begin, end = progress.next_batch(plan, world)
        rounds.append((progress.phase, progress.data_epoch, begin, end))
        commit = progress.commit_train if progress.phase == TRAIN else progress.commit_valid
        commit(plan, end, end - begin, [1.0 * (end - begin), 0.5 * (end - begin)])
    return rounds


class ProgressTest(unittest.TestCase):
    def test_every_sample_of_every_pass_is_used_once_whatever_the_worlds(self):
        for samples, seed in itertools.product((1, 2, 3, 5, 7, 23, 97, 101), range(20)):
            source = random.Random(seed)
            rounds = to_the_end(course(train_samples=samples), lambda _: source.randint(1, 7))
            for data_epoch in (0, 1):
                used = [r[2:] for r in rounds if r[:2] == (TRAIN, data_epoch)]
                self.assertEqual([begin for begin, _ in used], [0] + [end for _, end in used[:-1]])
                self.assertEqual(used[-1][1], samples)

    def test_validation_follows_a_pass_when_it_is_due_and_after_the_last(self):
        plan = course(epochs=5, validation_freq=3)
        tested = {passed for phase, passed, _, _ in to_the_end(plan, lambda _: 2) if phase == VALID}
        self.assertEqual(tested, {2, 4})

    def test_it_is_known_which_pass_was_validated_last(self):
        plan, progress, known = course(epochs=5, validation_freq=3), Progress(), {}
        while progress.phase != FINISH:
            begin, end = progress.next_batch(plan, 2)
            commit = progress.commit_train if progress.phase == TRAIN else progress.commit_valid
            commit(plan, end, end - begin, [1.0])
            known[progress.passes_done] = progress.passes_validated
        self.assertEqual(known, {0: 0, 1: 0, 2: 0, 3: 3, 4: 3, 5: 5})

    def test_no_validation_without_test_samples_or_when_switched_off(self):
        for plan in (course(test_samples=0), course(validation_freq=0)):
            self.assertNotIn(VALID, {r[0] for r in to_the_end(plan, lambda _: 2)})

    def test_a_fixed_global_batch_does_not_follow_the_world(self):
        plan = course(effective_batch_size=6)
        self.assertEqual(Progress().next_batch(plan, 1), Progress().next_batch(plan, 5))
        self.assertEqual(Progress().next_batch(course(), 5), (0, 20))

    def test_packing_keeps_everything_exactly(self):
        progress = Progress(seed=(1 << 52) - 1)
        for _ in range(3):
            begin, end = progress.next_batch(course(), 1)
            progress.commit_train(course(), end, end - begin, [0.1, 0.2])
        progress.batch = 48
        self.assertEqual(Progress.unpack(progress.pack()), progress)
        self.assertEqual(Progress.unpack(progress.pack()[:-4]).batch, 0)  # before there were the last four

    def test_another_data_set_is_taken_between_passes_only(self):
        for old, wanted in ((Progress(), True), (Progress(cursor=4), True),
                            (Progress(cursor=4, train_samples=23), False),
                            (Progress(train_samples=23), True),
                            (Progress(phase=VALID, train_samples=23), True)):
            before = old.train_samples
            self.assertEqual(old.goes_on_with(20), wanted)
            self.assertEqual(old.train_samples, 20 if wanted else before)
        self.assertTrue(Progress(cursor=4, train_samples=23).goes_on_with(23))

    def test_a_batch_that_was_chosen_counts_only_where_one_is_chosen(self):
        fixed = Course(epochs=1, batch_size=8, effective_batch_size=24, train_samples=100)
        auto = Course(epochs=1, batch_size=8, effective_batch_size=24, train_samples=100, chooses=True)
        progress = Progress(batch=48)
        self.assertEqual(progress.next_batch(fixed, 2), (0, 24))
        self.assertEqual(progress.next_batch(auto, 2), (0, 48))

    def test_means_are_of_the_pass_under_way(self):
        progress, plan = Progress(), course(train_samples=8, test_samples=0)
        for loss in (4.0, 2.0, 10.0):
            begin, end = progress.next_batch(plan, 1)
            progress.commit_train(plan, end, end - begin, [loss * (end - begin)])
        self.assertEqual(progress.trained.means(), [10.0])

    def test_parts_lie_side_by_side_and_differ_by_at_most_one(self):
        for whole in range(30):
            for parts in range(1, 8):
                found = [part(whole, parts, k) for k in range(parts)]
                self.assertEqual([f for f, _ in found], [sum(c for _, c in found[:k]) for k in range(parts)])
                self.assertEqual(sum(c for _, c in found), whole)
                self.assertLessEqual(max(c for _, c in found) - min(c for _, c in found), 1)


if __name__ == '__main__':
    unittest.main()
