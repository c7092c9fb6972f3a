"""Role: tests of what scripts bring that the engine could be wrong about without a word: each is right, as plain PyTorch
is for one worker, or refused by name.
"""

import dataclasses
import os
import tempfile
import unittest
from collections import UserDict, namedtuple

import torch
from fabric_test import Fabric, Sums

from fabric_model import FabricModel, chance, checkpoint, compute, metrics, plain, state
from fabric_model.progress import Progress

try:
    import torchmetrics
except ImportError:
    torchmetrics = None


def plain_loop(model, loss, optimizer, passes=1, batch=8):
    """What a script without WM does, in the order that the ledger deals: a whole pass a step has no order."""
    for _ in range(passes):
        inputs, labels = torch.utils.data.default_collate([Sums()[n] for n in range(batch)])
        optimizer.zero_grad()
        loss(model(inputs), labels).backward()
        optimizer.step()


def linear():
    torch.manual_seed(1)
    return torch.nn.Linear(4, 1)


class Scaled(torch.nn.Module):
    """A loss that learns."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor(2.0))

    def forward(self, outputs, labels):
        return ((outputs - labels) * self.weight).square().mean() + (self.weight - 1).square()


class Losses(Fabric):
    def test_a_loss_with_parameters_of_its_own_is_trained_as_plain_pytorch_does(self):
        wanted, found = (linear(), Scaled()), (linear(), Scaled())
        plain_loop(*wanted, torch.optim.SGD([*wanted[0].parameters(), *wanted[1].parameters()], lr=0.05), passes=10, batch=32)
        self.train(model=found[0], loss=found[1], epochs=10, batch_size=32,
                   optimizer=torch.optim.SGD([*found[0].parameters(), *found[1].parameters()], lr=0.05))
        torch.testing.assert_close(found[1].weight, wanted[1].weight)
        torch.testing.assert_close(found[0].weight, wanted[0].weight)

    def test_what_is_trained_beside_the_model_travels(self):
        def script(seed):
            torch.manual_seed(seed)
            model, loss, loose = torch.nn.Linear(2, 1), Scaled(), torch.nn.Parameter(torch.randn(3))
            loss.weight.data.fill_(seed)
            optimizer = torch.optim.SGD([*model.parameters(), *loss.parameters(), loose], lr=0.1)
            return state.Script(model=model, optimizer=optimizer, loss=loss, lr_scheduler=None, callbacks=[], extras={},
                                driver_logger=None, worker_logger=None), loose

        (source, wanted), (target, found) = script(1), script(2)
        target.take_over(source.state(Progress()))
        self.assertEqual(target.loss.weight.item(), 1.0)
        self.assertTrue(torch.equal(found, wanted))


class StepFunctions(Fabric):
    """What fn_step_train may not do."""

    def refused(self, step, words, **options):
        model = options.pop('model', None) or linear()
        with self.assertRaisesRegex((ValueError, RuntimeError), words):
            self.train(model=model, fn_step_train=step, **options)

    def test_a_second_optimizer_that_the_function_names_is_refused_when_the_model_is_made(self):
        other = torch.optim.Adam(torch.nn.Linear(1, 1).parameters())

        def step(model, data, eva, train_loader, fn_args):
            other.step()
            return 0.0, 0.0

        with self.assertRaisesRegex(ValueError, "fn_step_train uses 'other', a Adam that is not the optimizer given.*wm_elastic"):
            FabricModel(linear(), lambda: (Sums(), None), torch.nn.functional.mse_loss,
                        torch.optim.SGD(linear().parameters(), lr=0.1), fn_step_train=step)
        self.assertNotIn('START', self.printed.getvalue())

    def test_one_that_is_found_elsewhere_is_refused_before_it_steps(self):
        hidden, model = [], linear()
        discriminator = torch.nn.Linear(1, 1)
        before = [p.clone() for p in [*discriminator.parameters(), *model.parameters()]]

        class Keeper:
            def __init__(self):
                hidden.append(torch.optim.Adam(discriminator.parameters()))

            def get(self):
                for p in discriminator.parameters():
                    p.grad = torch.ones_like(p)
                return hidden[0]

        keeper = Keeper()

        def step(model, data, eva, train_loader, fn_args):
            keeper.get().step()
            model.get_optimizer().step()
            return 0.0, 0.0

        self.refused(step, 'fn_step_train steps a Adam that FabricModel was not given', model=model)
        for p, value in zip([*discriminator.parameters(), *model.parameters()], before):
            self.assertTrue(torch.equal(p, value))
        hidden[0].step()  # outside it is its script's own

    def test_accumulation_that_the_function_shows_is_refused_when_the_model_is_made(self):
        calls = []

        def step(model, data, eva, train_loader, fn_args):
            model.get_loss_function()(model(data[0]), data[1]).backward()
            calls.append(1)
            if len(calls) % 4 == 0:
                model.get_optimizer().step()
                model.get_optimizer().zero_grad()
            return 0.0, 0.0

        self.refused(step, r'steps in some calls only \(if len\(calls\) % 4 == 0\).*effective_batch_size')
        self.assertNotIn('START', self.printed.getvalue())

    def test_accumulation_that_it_does_not_show_is_refused_when_it_comes(self):
        turns = iter([False, True] * 50)

        def step(model, data, eva, train_loader, fn_args):
            model.get_loss_function()(model(data[0]), data[1]).backward()
            if next(turns):
                model.get_optimizer().step()
            return 0.0, 0.0

        self.refused(step, 'steps in some calls and not in others')


class Gradients(Fabric):
    def test_hooks_of_parameters_see_what_they_see_in_plain_pytorch(self):
        def seen_by(train):
            seen, model = [], linear()
            model.weight.register_hook(lambda g: seen.append(g.clone()))
            train(model)
            return seen

        wanted = seen_by(lambda model: plain_loop(model, torch.nn.functional.mse_loss,
                                                  torch.optim.SGD(model.parameters(), lr=0.01), passes=2, batch=32))
        found = seen_by(lambda model: self.train(model=model, epochs=2, batch_size=32))
        self.assertEqual(len(found), 2)
        for a, b in zip(found, wanted):
            torch.testing.assert_close(a, b)

    def test_layers_that_a_callback_has_frozen_are_frozen_for_a_newcomer(self):
        def script():
            model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
            return state.Script(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1), lr_scheduler=None, callbacks=[],
                                extras={}, driver_logger=None, worker_logger=None)

        source, target = script(), script()
        source.model[0].requires_grad_(False)
        head, tensors = plain.pack(source.state(Progress()))
        target.take_over(plain.Head(head).tree([plain.memory(t).clone() for t in tensors]))
        self.assertEqual([p.requires_grad for p in target.model.parameters()], [False, False, True, True])


class Draws(unittest.TestCase):
    def test_members_drop_other_units_and_rank_0_those_of_the_script(self):
        drawn = {}
        for rank in range(3):
            torch.manual_seed(5)
            own = chance.Chance(torch.device('cpu'))
            own.enter(7, 1, rank)
            with own.drawing():
                first = torch.rand(4)
            between = torch.rand(2)
            with own.drawing():
                second = torch.rand(4)
            drawn[rank] = (first, between, second)
        torch.manual_seed(5)
        self.assertTrue(torch.equal(drawn[0][0], torch.rand(4)))
        for rank in (1, 2):
            torch.manual_seed(5)
            self.assertTrue(torch.equal(drawn[rank][1], torch.rand(2)))  # user code draws alike everywhere
        whole = [tuple(part.tolist()) for rank in drawn for part in (drawn[rank][0], drawn[rank][2])]
        self.assertEqual(len(set(whole)), 6)


def precision(outputs, labels):
    guess, true = outputs[:, 0] > 0, labels[:, 0] > 0
    return ((guess & true).sum() / guess.sum().clamp(min=1)).item()


class Signs(Sums):
    """Sums with the sign as the label."""

    def __getitem__(self, number):
        x, label = super().__getitem__(number)
        return x, (label > 0).float()


class Told:
    """A logger that keeps what it is told."""

    def __init__(self):
        self.tested = []

    def log_test_metrics(self, metrics, iteration, epoch):
        self.tested.append(metrics)


class Metrics(Fabric):
    def test_a_function_that_is_no_mean_is_refused_by_name_before_a_step(self):
        model = linear()
        model.bias.data.zero_()  # about half of the samples are above 0
        before = model.weight.clone()
        with self.assertRaisesRegex(metrics.NotAMean, "metric 'precision' is no mean over samples"):
            self.train(model=model, sets=(Signs(), Signs()), metrics=precision, batch_size=32)
        self.assertTrue(torch.equal(model.weight, before))

    def test_one_that_is_wanted_as_the_mean_over_batches_says_so(self):
        def of_batches(outputs, labels):
            return precision(outputs, labels)

        of_batches.of_batches = True
        self.train(sets=(Signs(), Signs()), metrics=[of_batches])

    def test_means_are_taken_as_ever_also_by_name(self):
        def error(outputs, labels):
            return (outputs - labels).abs().mean().item()

        told = Told()
        model = self.train(sets=(Sums(), Sums(20)), metrics={'mae': error, 'again': error}, driver_logger_callback=told)
        inputs, labels = torch.utils.data.default_collate([Sums()[n] for n in range(20)])
        self.assertEqual(list(told.tested[-1]), ['loss', 'accuracy', 'mae', 'again'])
        self.assertAlmostEqual(told.tested[-1]['mae'], error(model(inputs), labels), places=5)

    @unittest.skipUnless(torchmetrics, 'no torchmetrics on this Python')
    def test_counts_are_summed_before_they_are_computed(self):
        class Of(torchmetrics.classification.BinaryPrecision):
            def update(self, outputs, labels):
                super().update((outputs[:, 0] > 0).int(), labels[:, 0].int())

        told = Told()
        model = self.train(sets=(Signs(), Signs(27)), metrics=torchmetrics.MetricCollection({'precision': Of()}),
                           driver_logger_callback=told, batch_size=4)
        inputs, labels = torch.utils.data.default_collate([Signs()[n] for n in range(27)])
        self.assertAlmostEqual(told.tested[-1]['precision'], precision(model(inputs), labels), places=6)

    @unittest.skipUnless(torchmetrics, 'no torchmetrics on this Python')
    def test_lists_of_samples_are_refused_by_name(self):
        for metric in (torchmetrics.classification.BinaryAUROC(), {'auc': torchmetrics.classification.BinaryAUROC()}):
            with self.assertRaisesRegex(ValueError, "metric '(BinaryAUROC|auc)'.*its state 'preds' is no sum.*thresholds="):
                self.train(metrics=metric)
        self.assertNotIn('START', self.printed.getvalue())


class Batch(UserDict):
    """As the collators of transformers make them."""

    def to(self, device):
        raise AssertionError('tensors are moved one by one')


class Batches(Fabric):
    def test_any_mapping_and_named_tuples_are_batches(self):
        pair = namedtuple('pair', 'inputs labels')

        class Named(torch.nn.Linear):
            def forward(self, inputs):
                return super().forward(inputs)

        def named():
            torch.manual_seed(1)
            return Named(4, 1)

        wanted = self.train(model=named())
        for collate in (lambda s: Batch(zip(('inputs', 'labels'), torch.utils.data.default_collate(s))),
                        lambda s: pair(*torch.utils.data.default_collate(s))):
            found = self.train(model=named(), fn_batch_collate=collate)
            torch.testing.assert_close(found.weight, wanted.weight)
        with self.assertRaisesRegex(ValueError, 'batch: a Batch with inputs; one of labels, '):
            self.train(fn_batch_collate=lambda s: Batch(inputs=torch.ones(1)))


    def test_dataclasses_are_batches_and_what_moves_itself_is_one_thing(self):
        @dataclasses.dataclass(frozen=True)
        class Pair:
            input: torch.Tensor
            labels: torch.Tensor

        moves = []

        class Graph:
            def __init__(self, rows, labels):
                self.rows, self.labels = rows, labels

            def to(self, device):
                moves.append(device)
                return self

        def step(model, data, eva, train_loader, fn_args):
            model.get_optimizer().zero_grad()
            loss = torch.nn.functional.mse_loss(model(data.rows), data.labels)
            loss.backward()
            model.get_optimizer().step()
            return 0.0, loss.item()

        wanted = self.train()
        found = self.train(fn_batch_collate=lambda s: Pair(*torch.utils.data.default_collate(s)))
        torch.testing.assert_close(found.weight, wanted.weight)
        found = self.train(fn_batch_collate=lambda s: Graph(*torch.utils.data.default_collate(s)), fn_step_train=step)
        torch.testing.assert_close(found.weight, wanted.weight)
        self.assertEqual(moves, [torch.device('cpu')] * 8)
        packed = torch.nn.utils.rnn.pack_sequence([torch.ones(2, 1), torch.ones(1, 1)])
        moved = compute._to(torch.device('meta'), {'x': (Pair(torch.ones(1), torch.ones(2)), packed)})['x']
        self.assertEqual([moved[0].input.device.type, moved[1].data.device.type, moved[1].batch_sizes.device.type], ['meta', 'meta', 'cpu'])


class Models(Fabric):
    def test_one_on_several_devices_and_one_without_shapes_are_refused_when_the_model_is_made(self):
        apart = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1, device='meta'))
        for model, said in ((apart, "lies on several devices, '0.weight' on cpu and '1.weight' on meta: a worker has one here"),
                            (torch.nn.LazyLinear(1), "parameter 'weight' has no shape yet")):
            with self.assertRaisesRegex(ValueError, f'^FabricModel: .*{said}'):
                self.train(model=model, optimizer=torch.optim.SGD(apart[0].parameters(), lr=0.1))
        self.assertNotIn('START', self.printed.getvalue())

    def test_a_checkpoint_of_another_one_is_refused_by_its_name(self):
        self.train(epochs=1)
        first = os.environ['RESULT_DIR']
        path = os.path.join(first, 'checkpoint', checkpoint.NAME)
        with self.assertRaisesRegex(ValueError, f'^checkpoint {path}: of another training than this: the state of the model does not fit: .*size mismatch '
                                    'for weight'):
            self.train(epochs=2, model=torch.nn.Linear(4, 3),
                       train={'resume_from': first})
        model = linear()
        with self.assertRaisesRegex(ValueError, 'the state of the optimizer does not fit: loaded state dict'):
            self.train(epochs=2, model=model, optimizer=torch.optim.SGD([{'params': [model.weight]}, {'params': [model.bias]}], lr=0.1),
                       train={'resume_from': first})


class Optimizers(Fabric):
    def test_those_that_need_a_function_are_refused_when_the_model_is_made(self):
        class Sharp(torch.optim.SGD):
            def first_step(self):
                pass

        model = linear()
        for optimizer in (torch.optim.LBFGS(model.parameters()), Sharp(model.parameters(), lr=0.1)):
            with self.assertRaisesRegex(TypeError, 'FabricModel: optimizer is a (LBFGS|Sharp), which computes the loss several times'):
                self.train(model=model, optimizer=optimizer)
        self.assertNotIn('START', self.printed.getvalue())

    def test_a_chained_scheduler_is_stepped_and_goes_on(self):
        schedulers = torch.optim.lr_scheduler

        def run(epochs, resumed=None):
            model = linear()
            optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
            chained = schedulers.ChainedScheduler([schedulers.ExponentialLR(optimizer, 0.5), schedulers.ExponentialLR(optimizer, 0.1)])
            self.train(epochs=epochs, model=model, optimizer=optimizer, resumed=resumed, lr_scheduler=chained)
            return optimizer.param_groups[0]['lr']

        self.assertAlmostEqual(run(2), 0.05 ** 2)
        self.assertAlmostEqual(run(3, os.environ['RESULT_DIR']), 0.05 ** 3)


class Ended(Fabric):
    """The last pass is in a checkpoint."""

    def test_a_training_of_more_passes_does_none_twice(self):
        self.train(epochs=1)
        first = os.environ['RESULT_DIR']
        again = self.train(epochs=2, train={'resume_from': first})
        self.assertIn('resumed from checkpoint at step 4, ', self.printed.getvalue())
        torch.testing.assert_close(again.weight, self.train(epochs=2).weight)

    def test_one_of_as_many_ends_at_once_with_the_same_model(self):
        seen = []

        class Callback:
            def on_epoch_end(self, epoch):
                seen.append(epoch)

        wanted = self.train(epochs=2, user_callback=[Callback()])
        found = self.train(epochs=2, resumed=os.environ['RESULT_DIR'], user_callback=[Callback()])
        self.assertTrue(torch.equal(found.weight, wanted.weight))
        self.assertEqual(seen, [0, 1])

    def test_none_is_written_where_none_is_wanted(self):
        self.train(epochs=1, train={'checkpoint_freq': 0})
        self.assertNotIn('checkpoint', os.listdir(os.environ['RESULT_DIR']))


class Flipped(unittest.TestCase):
    """A bit of a checkpoint that has changed."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.kept = checkpoint.Checkpoints(folder.name)

    def save(self, step):
        self.kept.save({'format': state.FORMAT, 'progress': [float(step)], 'parts': {'w': torch.ones(1000)}}, wait=True)

    def flip(self, path):
        with open(path, 'r+b') as file:
            file.seek(-1000, os.SEEK_END)
            byte = file.read(1)[0]
            file.seek(-1000, os.SEEK_END)
            file.write(bytes([byte ^ 4]))

    def test_it_is_refused_by_name(self):
        self.save(1)
        self.flip(self.kept.path)
        with self.assertRaisesRegex(plain.Damaged, f'checkpoint {self.kept.path}: its sum is another'):
            self.kept.load()

    def test_the_one_before_it_is_gone_on_from(self):
        self.save(1)
        self.save(2)
        self.flip(self.kept.path)
        self.assertEqual(self.kept.load()['progress'], [1.0])
        self.flip(self.kept.path + checkpoint.BEFORE)
        with self.assertRaises(plain.Damaged):
            self.kept.load()


if __name__ == '__main__':
    unittest.main()
