"""Role: tests of how positions are dealt: streams (streams.py), samplers of a DataLoader (dealing.py, loaders.py), and
what the engine makes of them.
"""

import functools
import os
import random
import unittest
from types import SimpleNamespace

import torch
from fabric_test import Fabric, Sums

from fabric_model import checkpoint, engine
from fabric_model.progress import TRAIN, Progress
from fabric_model.streams import Stream


class Numbers(torch.utils.data.IterableDataset):
    """So many, with chance in them; counts how many it has given."""

    def __init__(self, count):
        self.count, self.given = count, 0

    def __iter__(self):
        for n in range(self.count):
            self.given += 1
            yield torch.tensor([float(n)]), torch.rand(1), random.random()


class Streams(unittest.TestCase):
    def walk(self, stream, size, skip=0, number=0):
        """All samples of a pass, in steps of `size`, from step `skip` on."""
        begin, found, is_last = skip * size, [], False
        while not is_last:
            end, is_last = stream.window(3, number, begin, begin + size)
            found += [stream[at] for at in range(begin, end)]
            self.assertLessEqual(len(stream._kept), size + 1)  # memory is flat
            begin = end
        return [(x.item(), r.item(), p) for x, r, p in found]

    def test_every_sample_comes_once_and_no_more_are_kept_than_a_step_has(self):
        for count in (1, 9, 10, 11, 1000):
            self.assertEqual([n for n, _, _ in self.walk(Stream(Numbers(count)), 5)], [float(n) for n in range(count)])

    def test_chance_is_the_same_on_every_worker_and_for_a_newcomer_and_another_in_each_pass(self):
        torch.manual_seed(1)
        whole = self.walk(Stream(Numbers(40)), 5)
        torch.manual_seed(2)
        random.seed(9)
        before = torch.get_rng_state(), random.getstate()
        self.assertEqual(self.walk(Stream(Numbers(40)), 5, skip=3), whole[15:])
        self.assertTrue(torch.equal(torch.get_rng_state(), before[0]))
        self.assertEqual(random.getstate(), before[1])
        self.assertNotEqual(self.walk(Stream(Numbers(40)), 5, number=1), whole)

    def test_a_step_that_is_done_again_reads_nothing_twice(self):
        numbers = Numbers(100)
        stream = Stream(numbers)
        for _ in range(3):
            stream.window(3, 0, 10, 20)
        self.assertEqual((numbers.given, stream[19][0].item()), (21, 19.0))
        stream.window(3, 0, 20, 30)
        with self.assertRaises(IndexError):
            stream[19]

    def test_a_sample_that_fails_is_named(self):
        class Broken(Numbers):
            def __iter__(self):
                yield from super().__iter__()
                raise OSError('the bucket is gone')

        stream = Stream(Broken(12))
        stream.window(3, 0, 0, 5)
        with self.assertRaisesRegex(RuntimeError, '^data set, a stream: sample 12: OSError: the bucket is gone$'):
            stream.window(3, 0, 5, 15)

    def test_its_beginning_tells_it_from_others(self):
        class Divided(Numbers):
            def __iter__(self):
                return (x for n, x in enumerate(super().__iter__()) if n % 2 == 1)

        mark = Stream(Numbers(40)).begins_with()
        self.assertEqual(Stream(Numbers(99)).begins_with(), mark)
        self.assertNotEqual(Stream(Divided(40)).begins_with(), mark)
        self.assertEqual(Stream(Numbers(0)).begins_with(), 0)
        refuse = functools.partial(engine.Engine._refuse_other_streams, SimpleNamespace(_virtual=None))
        refuse([5.0, 5.0])
        with self.assertRaisesRegex(RuntimeError, 'the stream of rank 1 begins with other samples.*RANK'):
            refuse([5.0, 6.0])


class SumsInOrder(torch.utils.data.IterableDataset):
    """The samples of Sums."""

    def __init__(self, count=30):
        self.count = count

    def __iter__(self):
        return map(Sums(self.count).__getitem__, range(self.count))


class Trained(Fabric):
    """What the engine makes of them."""

    def in_order(self, count=30, **options):
        return torch.utils.data.DataLoader(Sums(count), **{'batch_size': 8, **options})

    def test_a_stream_is_trained_in_its_order_to_its_end_in_each_pass(self):
        seen = []

        class Callback:
            def on_epoch_end(self, epoch):
                seen.append(epoch)

        found = self.train(sets=(SumsInOrder(), None), epochs=3, user_callback=Callback())
        self.assertEqual(seen, [0, 1, 2])
        self.assertIn('completed 12 iterations', self.printed.getvalue())
        torch.testing.assert_close(found.weight, self.train(sets=(self.in_order(), None), epochs=3).weight)
        for empty in (SumsInOrder(0), Sums(0)):
            with self.assertRaisesRegex(ValueError, 'data set of 0 samples'):
                self.train(sets=(empty, None))

    def test_a_stream_is_gone_on_with_in_the_middle_of_a_pass(self):
        wanted = self.train(sets=(SumsInOrder(), None), epochs=2)

        class Stops(Exception):
            pass

        class Callback:
            def on_step_end(self, step):
                if step == 6:
                    raise Stops

        with self.assertRaises(Stops):
            self.train(sets=(SumsInOrder(), None), epochs=2, user_callback=Callback())
        found = self.train(sets=(SumsInOrder(), None), resumed=os.environ['RESULT_DIR'], epochs=2)  # after the first pass
        path = os.path.join(os.environ['RESULT_DIR'], 'checkpoint', checkpoint.NAME)
        saved = checkpoint.load(path)
        self.assertEqual(Progress.unpack(saved['progress']).step, 8)
        torch.testing.assert_close(found.weight, wanted.weight)
        progress = Progress.unpack(saved['progress'])
        progress.phase, progress.data_epoch, progress.passes_done, progress.cursor = TRAIN, 1, 1, 16
        with open(path, 'wb') as file:
            checkpoint.dump({**saved, 'progress': progress.pack()}, file)
        self.train(sets=(SumsInOrder(), None), resumed=os.environ['RESULT_DIR'], epochs=2)
        self.assertIn('completed 10 iterations', self.printed.getvalue())  # the two that were left

    def test_a_loader_brings_its_order_its_collate_function_and_its_processes(self):
        collated = []

        def collate(samples):
            collated.append(len(samples))
            return torch.utils.data.default_collate(samples)

        weights = torch.arange(1.0, 31.0)
        sampler = torch.utils.data.WeightedRandomSampler(weights, 20)
        self.train(sets=(self.in_order(sampler=sampler, collate_fn=collate), self.in_order(12)), epochs=1)
        self.assertEqual(collated, [8, 8, 4])
        found = self.train(sets=(self.in_order(num_workers=1), self.in_order(12, num_workers=1)))
        torch.testing.assert_close(found.weight, self.train(sets=(self.in_order(), None)).weight)

    def test_batches_of_the_script_s_own_sampler_are_the_steps(self):
        sizes = []

        def collate(samples):
            sizes.append(len(samples))
            return torch.utils.data.default_collate(samples)

        given = torch.utils.data.DataLoader(Sums(), batch_sampler=[[3, 4], [9], [1, 2, 5]], collate_fn=collate)
        self.train(sets=(given, None), epochs=2)
        self.assertEqual(sizes, [2, 1, 3] * 2)


if __name__ == '__main__':
    unittest.main()
