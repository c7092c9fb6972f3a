"""Role: tests of wm_elastic and what stands below it (loaders, outermost, step_sums), without other processes.
"""

import os
import unittest
from types import SimpleNamespace
from unittest import mock

import torch
import torch.utils.checkpoint as checkpointing

import wm_elastic as wm
from fabric_model import loaders, outermost, shapes
from fabric_model.plain_loop import Loop
from fabric_model.step_sums import StepSums
from wm_elastic import parts

try:
    from flat_test import NONE, Members
except ImportError:
    NONE = Members = None

DATA = torch.utils.data.TensorDataset(torch.arange(20.0).reshape(20, 1))


def loader(**options):
    return torch.utils.data.DataLoader(DATA, **{'batch_size': 4, **options})


class Outside(unittest.TestCase):
    """Without WM a script is what it was."""

    def test_prepare_returns_what_it_was_given(self):
        given = object(), object(), object()
        self.assertEqual(wm.prepare(*given), given)
        self.assertEqual(list(wm.epochs(3)), [0, 1, 2])
        self.assertEqual((wm.rank(), wm.world(), wm.step(), wm.is_first()), (0, 1, 0, True))
        self.assertTrue(wm.counts())
        self.assertEqual((wm.total(2), wm.mean(3, 4), wm.any_of(True), wm.total(1, 2)), (2.0, 3.0, True, [1.0, 2.0]))


class Refused(unittest.TestCase):
    """What cannot be is said when prepare() is called."""

    def setUp(self):
        environment = mock.patch.dict(os.environ, RANK='0', WORLD_SIZE='2', WM_TASK='1')
        environment.start()
        self.addCleanup(environment.stop)

    def prepare(self, model=None, optimizer=None, given=None, **options):
        model = model or torch.nn.Linear(1, 1)
        return wm.prepare(model, optimizer or torch.optim.SGD(model.parameters(), lr=0.1), loader() if given is None else given, **options)

    def test_each_is_named(self):
        class Stream(torch.utils.data.IterableDataset):
            def __iter__(self):
                return iter(range(3))

        class Endless(torch.utils.data.Sampler):
            def __init__(self):
                pass

            def __iter__(self):
                while True:
                    yield 0

        model, other = torch.nn.Linear(1, 1), torch.nn.Linear(3, 1)
        for words, options in (
                ("model is 'net'", {'model': 'net', 'optimizer': torch.optim.SGD(model.parameters(), lr=0.1)}),
                ('DataParallel, which sums gradients itself', {'model': torch.nn.DataParallel(model)}),
                ("layer '0' is a SyncBatchNorm", {'model': torch.nn.Sequential(torch.nn.SyncBatchNorm(2))}),
                ('prepare: optimizer is a LBFGS', {'model': model, 'optimizer': torch.optim.LBFGS(model.parameters())}),
                (r'a parameter of shape \(1, 3\) that is in no model given', {'model': model,
                                                                             'optimizer': torch.optim.SGD(other.parameters(), lr=0.1)}),
                ('prepare: the model lies on several devices', {
                    'model': torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Linear(1, 1, device='meta'))}),
                ('loader is a list', {'given': [1]}),
                ('its data set is a stream, Stream', {'given': torch.utils.data.DataLoader(Stream())}),
                ('its sampler, Endless, has no end', {'given': loader(sampler=Endless())}),
                ('batch_size is None', {'given': torch.utils.data.DataLoader(DATA, batch_size=None)}),
                ('accumulate 0: at least 1', {'accumulate': 0}),
                ('global_batch -1: at least 1', {'global_batch': -1}),
                ("weight is 'tokens'", {'weight': 'tokens'}),
                ('a batch_sampler of the script', {'global_batch': 8, 'given': torch.utils.data.DataLoader(
                    DATA, batch_sampler=[[0, 1], [2]])})):
            with self.subTest(words), self.assertRaisesRegex((TypeError, ValueError), words):
                self.prepare(**options)


class Orders(unittest.TestCase):
    """A loader's order, drawn by every worker."""

    def test_it_is_that_of_the_sampler_equal_everywhere_and_another_in_each_pass(self):
        weights = torch.arange(1.0, 21.0)
        for given in (loader(shuffle=True), loader(shuffle=True, generator=torch.Generator().manual_seed(3)),
                      loader(sampler=torch.utils.data.WeightedRandomSampler(weights, 30))):
            before = torch.get_rng_state()
            first, ends = loaders.Taken(given).order(5, 0)
            torch.rand(3)
            again, _ = loaders.Taken(given).order(5, 0)
            later, _ = loaders.Taken(given).order(5, 1)
            self.assertEqual(first, again)
            self.assertNotEqual(first, later)
            self.assertIsNone(ends)
            torch.set_rng_state(before)
        self.assertEqual(loaders.Taken(loader()).order(5, 1)[0], list(range(20)))

    def test_batches_that_a_sampler_makes_stay_together(self):
        given = torch.utils.data.DataLoader(DATA, batch_sampler=[[3, 4], [9], [1, 2, 5]])
        self.assertEqual(loaders.Taken(given).order(1, 0), ([3, 4, 9, 1, 2, 5], [2, 3, 6]))

    def test_a_loader_that_was_given_torch_s_batch_sampler_has_its_order_and_its_size(self):
        given = torch.utils.data.DataLoader(DATA, batch_sampler=torch.utils.data.BatchSampler([7, 3, 5, 1, 9], 2, drop_last=True))
        taken = loaders.Taken(given)
        self.assertEqual(taken.order(1, 0), ([7, 3, 5, 1, 9], None))
        self.assertEqual((taken.batch_size, taken.drops, taken.steps(2), taken.steps(5)), (2, True, 2, 1))
        self.assertEqual(loaders.Taken(loader()).steps(8), 3)

    def test_a_sampler_that_deals_already_is_unwrapped(self):
        for shuffle in (True, False):
            sampler = torch.utils.data.distributed.DistributedSampler(DATA, 4, 1, shuffle=shuffle)
            numbers, _ = loaders.Taken(loader(sampler=sampler)).order(1, 0)
            self.assertEqual(sorted(numbers), list(range(20)))


class Ends(unittest.TestCase):
    """Where a backward ends."""

    def ends(self, forward):
        told, model = [], torch.nn.ModuleList([torch.nn.Linear(8, 8) for _ in range(4)])
        watch = outermost.Watch(lambda: 0.5, lambda: told.append(all(p.grad is not None for p in model.parameters())))
        watch.open()
        try:
            forward(model)
        finally:
            watch.close()
        return told, model

    def test_it_is_the_outermost_one_also_with_reentrant_checkpoints(self):
        for reentrant in (None, False, True):
            def forward(model, how=reentrant):
                x = torch.ones(3, 8, requires_grad=True)
                for layer in model:
                    x = layer(x) if how is None else checkpointing.checkpoint(lambda t, l=layer: l(t), x, use_reentrant=how)
                x.sum().backward()
            self.assertEqual(self.ends(forward)[0], [True], reentrant)

    def test_what_is_differentiated_is_multiplied_once(self):
        def grads(forward):
            torch.manual_seed(1)
            return [p.grad.clone() for p in self.ends(forward)[1].parameters()]

        def once(model):
            sum(layer(torch.ones(2, 8)).sum() for layer in model).backward()

        def given(model):
            torch.autograd.backward([layer(torch.ones(2, 8)) for layer in model], [torch.ones(2, 8)] * 4)

        for found in (grads(once), grads(given)):
            for gradient in found:
                self.assertTrue((gradient == 1.0).all())  # two samples, times one half
        self.assertIs(torch.autograd.backward, outermost._real)


@unittest.skipUnless(Members, 'flat_test is not here')
class Sums(unittest.TestCase):
    """What a backward sums."""

    FLAGS = NONE and NONE[:]

    def test_gradients_that_were_there_are_not_summed_again(self):
        model = torch.nn.Linear(2, 1, bias=False)
        sums = StepSums(model, list(model.parameters()))
        group = Members(world=2)
        group.sum = lambda tensor: tensor.mul_(2)
        for _ in range(2):
            sums.begin_step()
            sums.begin()
            model(torch.ones(1, 2)).sum().backward()
            sums.sum(group, 1, True, self.FLAGS)
        self.assertEqual(model.weight.grad.tolist(), [[4.0, 4.0]])

    def test_one_read_says_whether_all_gradients_are_finite_in_whatever_dtype(self):
        model = torch.nn.ModuleList([torch.nn.Linear(2, 2), torch.nn.Linear(2, 2).to(torch.bfloat16), torch.nn.Linear(2, 2).double(), torch.nn.Linear(1, 1)])
        sums, seen = StepSums(model, list(model.parameters())), []
        self.assertTrue(sums.is_finite())
        for p in list(model.parameters())[:-1]:
            p.grad = torch.full_like(p, 1e38)  # of which a sum of two is none of half precision
        real = torch.Tensor.item
        with mock.patch.object(torch.Tensor, 'item', lambda tensor: seen.append(1) or real(tensor)):
            self.assertTrue(sums.is_finite())
        self.assertEqual(len(seen), 1)
        model[2].bias.grad[1] = float('nan')
        self.assertFalse(sums.is_finite())

    def test_means_of_unequal_weights_are_divided_by_their_sum(self):
        model = torch.nn.Linear(2, 1, bias=False)
        for world in (1, 2):
            sums, group = StepSums(model, list(model.parameters())), Members(world=world)
            group.sum = lambda tensor: tensor.mul_(2)
            model.zero_grad(set_to_none=True)
            sums.begin_step()
            sums.begin()
            (model(torch.ones(1, 2)).sum() * 3).backward()
            tail = sums.sum(group, 3, True, self.FLAGS, divides=True)
            self.assertEqual(tail.exact_weight, 3.0 * world)
            self.assertEqual(model.weight.grad.tolist(), [[1.0, 1.0]])


    def test_a_step_in_which_nothing_counts_is_nothing_and_no_nan(self):
        model = torch.nn.Linear(2, 1, bias=False)
        for world in (1, 2):
            sums, group = StepSums(model, list(model.parameters())), Members(world=world)
            group.sum = lambda tensor: tensor.mul_(2)
            sums.begin_step()
            sums.begin()
            (model(torch.ones(1, 2)).sum() * 0).backward()
            sums.sum(group, 0.0, True, self.FLAGS, divides=True)
            self.assertEqual(model.weight.grad.tolist(), [[0.0, 0.0]])


class Alone:
    """A group of one."""
    rank, world, epoch, members, joined, dead = 0, 1, 1, [1], True, False


class Shares(unittest.TestCase):
    """What a worker's part of a step counts by."""

    def loop(self, weight, of_window):
        """A loop within an iteration in which this worker has no sample: it was handed one of others."""
        made = Loop.__new__(Loop)
        made._options = SimpleNamespace(weight=weight, of_window=of_window, accumulate=1, scalers=[])
        made._window = SimpleNamespace(size=0, offset=4, shares=[0], backs=1, sums=0, begun=True, tail=None, begin=0, end=4)
        made._open, made._failed, made._muted, made._batch_weight = True, False, False, 5.0
        made.group, asked = Alone(), []
        made._sums = SimpleNamespace(is_finite=lambda: True, begin=lambda: None,
                                     sum=lambda _group, weight, *_rest: asked.append((weight, _rest[-1])) or SimpleNamespace(suspects=[], switch=False))
        made._flags = lambda finite=True: []
        return made, asked

    def test_a_worker_without_a_sample_counts_nothing_however_is_counted(self):
        for weight, of_window, divides in ((lambda batch: 5, lambda: None, True), (None, lambda: 7.0, True), (None, lambda: None, False)):
            made, asked = self.loop(weight, of_window)
            self.assertEqual(made._before_backward(), 0.0)
            made._after_backward()
            self.assertEqual(asked, [(0, divides)])

    def test_what_is_done_counts_unless_the_step_failed_or_others_have_applied_it(self):
        made, _ = self.loop(None, lambda: None)
        self.assertTrue(made.counts)
        made._failed = True
        self.assertFalse(made.counts)
        made._open = False
        self.assertTrue(made.counts)
        made._muted = True
        self.assertFalse(made.counts)


    def test_a_step_that_others_applied_is_not_done_again_and_leaves_scalers_as_theirs(self):
        for applied in (True, False):
            made, _ = self.loop(None, lambda: None)
            scaler = Scaler()
            made._options.scalers, made._scales, made._failed = [scaler], [], True
            made.progress, made._close_broken = SimpleNamespace(step=4), lambda _text: setattr(made, '_open', False)

            def joins(made=made, scaler=scaler, applied=applied):
                made.progress.step, scaler.scale = (5, 2.0) if applied else (4, 8.0)
            made._keep_group = joins
            self.assertEqual((made.again(), made.counts), (not applied, not applied))
            scaler.scale /= 2  # as the script does in what is left of the iteration
            made._set_scalers(made._scales)
            self.assertEqual(scaler.scale, 2.0 if applied else 4.0)


@unittest.skipUnless(hasattr(torch, 'compile'), 'not run: this torch compiles nothing')
class Compiled(unittest.TestCase):
    """Models of torch.compile in a loop that moves and cuts its batches."""

    def graphs(self, told):
        torch._dynamo.reset()
        found = []
        model = torch.compile(torch.nn.Linear(2, 1), backend=lambda graph, _inputs: found.append(graph) or graph.forward)
        if told:
            shapes.mark_whenever_called(model)
        for size in (5, 3, 8, 2):
            model(torch.ones(9, 2)[:size])
        model(input=torch.ones(9, 2)[:4])
        return len(found)

    def test_shares_of_other_sizes_compile_nothing_anew(self):
        self.assertLess(self.graphs(told=True), self.graphs(told=False))

    def test_others_are_left_alone(self):
        model = torch.nn.Linear(2, 1)
        shapes.mark_whenever_called(model)
        self.assertFalse(model._forward_pre_hooks)


class Scaler:
    """A GradScaler's state."""
    scale = 8.0

    def state_dict(self):
        return {'scale': self.scale}

    def load_state_dict(self, values):
        self.scale = values['scale']


class Found(unittest.TestCase):
    """Schedulers, averages and scalers of a script."""

    def test_those_of_our_optimizers_are_found_wherever_they_are(self):
        model, other = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
        ours, theirs = torch.optim.SGD(model.parameters(), lr=0.1), torch.optim.SGD(other.parameters(), lr=0.1)
        kept = {'one': torch.optim.lr_scheduler.ExponentialLR(ours, 0.5), 'not': torch.optim.lr_scheduler.ExponentialLR(theirs, 0.5),
                'chain': torch.optim.lr_scheduler.ChainedScheduler([torch.optim.lr_scheduler.ExponentialLR(ours, 0.5)]),
                'plateau': torch.optim.lr_scheduler.ReduceLROnPlateau(ours), 'average': torch.optim.swa_utils.AveragedModel(model)}
        schedulers, averages, _ = parts.found([ours], [model])
        self.assertEqual({id(one) for one in schedulers}, {id(kept[name]) for name in ('one', 'chain', 'plateau')})
        self.assertIn(kept['average'], averages)

    def test_those_of_an_optimizer_that_a_library_has_put_another_around_are_ours_too(self):
        class Outer(torch.optim.SGD):
            """As accelerate's."""

        model = torch.nn.Linear(1, 1)
        ours = torch.optim.SGD(model.parameters(), lr=0.1)
        outer = Outer(model.parameters(), lr=0.1)
        outer.optimizer = ours
        kept = torch.optim.lr_scheduler.ExponentialLR(outer, 0.5)
        self.assertEqual([id(one) for one in parts.found([ours], [model])[0]], [id(kept)])


if __name__ == '__main__':
    unittest.main()
