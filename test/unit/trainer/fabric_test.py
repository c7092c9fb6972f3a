"""Role: tests of FabricModel.train() (fabric_model/model.py, engine.py) of one worker alone."""

import contextlib
import io
import multiprocessing
import os
import random
import signal
import tempfile
import threading
import unittest
import zipfile
from unittest import mock

import torch

from fabric_model import FabricModel, arguments, checkpoint, native, syncbn, trouble
from fabric_model import metrics as metrics_of
from fabric_model import model as model_of
from fabric_model.progress import TRAIN, Progress


class Sums(torch.utils.data.Dataset):
    """Samples x with their sum as the label."""

    def __init__(self, count=32):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, number):
        x = torch.randn(4, generator=torch.Generator().manual_seed(number))
        return x, x.sum().reshape(1)


class Fabric(unittest.TestCase):
    """Trains in a folder of its own, with what it prints kept."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base, self.printed = folder.name, io.StringIO()
        environment = mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)
        for name in ('WM_ELASTIC_SOCKET', 'WM_TRAININGS_DONE', 'WM_TASK', 'WM_JOB', 'WM_RESUME_FROM'):
            os.environ.pop(name, None)

    def train(self, *, epochs=2, batch_size=8, sets=None, model=None, lr=0.01, train=None,
              resumed=None, **options):
        """Returns the trained model. Each begins afresh, in a folder of its own, or
        with what is in `resumed`."""
        os.environ['RESULT_DIR'] = resumed or tempfile.mkdtemp(dir=self.base)
        torch.manual_seed(1)
        model = model or torch.nn.Linear(4, 1)
        os.environ.pop('WM_TRAININGS_DONE', None)
        optimizer = options.pop('optimizer', None) or torch.optim.SGD(model.parameters(), lr=lr)
        fabric = FabricModel(model, options.pop('datasets', lambda: sets or (Sums(), None)),
                             options.pop('loss', torch.nn.functional.mse_loss), optimizer, **options)
        with contextlib.redirect_stdout(self.printed):
            return fabric.train(epochs, batch_size, **(train or {}))


def own_step(model, data, eva, train_loader, fn_args):
    """fn_step_train as scripts write it; newer torch clears gradients like that by default."""
    model.get_optimizer().zero_grad(set_to_none=True)
    inputs, labels = data
    loss = model.get_loss_function()(model(inputs), labels)
    loss.backward()
    model.get_optimizer().step()
    return 0.0, loss.item()


class Reads(Fabric):
    """How often a step waits for the device."""

    def test_a_worker_alone_reads_once_in_however_many_bites(self):
        seen, at = [], []

        class Callback:
            def on_step_end(self, step):
                at.append(len(seen))

        def counting(name):
            real = getattr(torch.Tensor, name)
            return lambda tensor, *rest: seen.append(name) or real(tensor, *rest)

        class Classes(Sums):
            def __getitem__(self, number):
                x, label = super().__getitem__(number)
                return x, int(label > 0)

        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
        with mock.patch.multiple(torch.Tensor, **{name: counting(name) for name in ('item', 'tolist', '__float__', '__bool__')}):
            self.train(model=model, sets=(Classes(), None), loss=torch.nn.functional.cross_entropy, user_callback=[Callback()], batch_size=4,
                       epochs=1, train={'effective_batch_size': 8, 'checkpoint_freq': 0})
        self.assertEqual(at[2] - at[1], 1, seen[at[1]:at[2]])  # losses, metrics, and whether all gradients are finite


class Fails(Fabric):
    def test_a_training_that_has_failed_leaves_nothing_behind_and_another_goes_on_from_its_checkpoint(self):
        steps = []

        def loss(outputs, labels):
            steps.append(1)
            if len(steps) == 6:
                raise torch.cuda.OutOfMemoryError('CUDA out of memory. Tried')
            return torch.nn.functional.mse_loss(outputs, labels)
        before = signal.getsignal(signal.SIGTERM)
        with self.assertRaisesRegex(RuntimeError, "^rank 0: this host's memory is full in step 6: CUDA out of memory. Tried. This worker ends. "
                                    'It computes 8 samples at once: a smaller batch_size needs less$'):
            self.train(loss=loss, train={'num_dataloader_threads': 2})
        self.assertEqual(multiprocessing.active_children(), [])
        self.assertIs(signal.getsignal(signal.SIGTERM), before)
        self.train(loss=loss, resumed=os.environ['RESULT_DIR'])
        self.assertIn('resumed from checkpoint at step 4\n', self.printed.getvalue())

    def test_what_a_device_says_is_told_by_its_kind(self):
        for error, kind in ((torch.cuda.OutOfMemoryError('x'), 'full'), (MemoryError(), 'full'), (RuntimeError("[enforce fail at alloc_cpu.cpp:75] "
                            "DefaultCPUAllocator: can't allocate memory: you tried"), 'full'), (RuntimeError('CUDA error: device-side assert triggered'),
                            'lost'), (RuntimeError('cuDNN error: CUDNN_STATUS_EXECUTION_FAILED'), 'lost'), (RuntimeError('shapes differ'), None),
                            (ValueError('out of memory'), None)):
            self.assertEqual(trouble.kind(error), kind, error)


class OwnStep(Fabric):
    def test_it_trains_as_fast_as_the_steps_of_the_trainer(self):
        for effective in (0, 16):
            how = {'train': {'effective_batch_size': effective}, 'lr': 0.1}
            plain, own = self.train(**how), self.train(fn_step_train=own_step, **how)
            torch.testing.assert_close(own.weight, plain.weight)


class Arguments(Fabric):
    def test_numbers_with_which_nothing_could_be_trained_are_refused_by_name(self):
        for refused, arguments in (('epoch_number 0: at least 1', {'epochs': 0}),
                                   ('batch_size 0: at least 1', {'batch_size': 0}),
                                   ('effective_batch_size -1: at least 0',
                                    {'train': {'effective_batch_size': -1}}),
                                   ('checkpoint_freq -2: at least 0',
                                    {'train': {'checkpoint_freq': -2}}),
                                   ('data set of 0 samples: at least 1', {'sets': (Sums(0), None)}),
                                   ('data set of 0 samples: at least 1',
                                    {'sets': (Sums(0), None), 'batch_size': 'auto'})):
            with self.assertRaisesRegex(ValueError, refused):
                self.train(**arguments)


    def test_numbers_that_are_none_are_refused_and_whole_floats_are_taken(self):
        for refused, arguments in (("epoch_number 2.5: a whole number", {'epochs': 2.5}),
                                   ("batch_size '8': a whole number", {'batch_size': '8'}),
                                   ('batch_size None: a whole number', {'batch_size': None}),
                                   ('engines_number -1: at least 1', {'train': {'engines_number': -1}}),
                                   ('num_dataloader_threads -1: at least 0', {'train': {'num_dataloader_threads': -1}}),
                                   (r'validation_freq \[1\]: a whole number', {'train': {'validation_freq': [1]}}),
                                   ('effective_batch_size 16 and engines_number 4: give one of them',
                                    {'train': {'effective_batch_size': 16, 'engines_number': 4}})):
            with self.assertRaisesRegex(ValueError, refused):
                self.train(**arguments)
        self.assertNotIn('START TRAINING', self.printed.getvalue())
        self.train(epochs=1.0, batch_size=8.0, train={'checkpoint_freq': None, 'engines_number': None})

    def test_who_asks_for_several_workers_where_nobody_starts_them_is_told_in_a_line(self):
        for engines, lines in ((4, 1), (1, 0)):
            self.printed.truncate(0)
            with mock.patch('sys.argv', ['place/train.py']):
                self.train(epochs=1, train={'engines_number': engines})
            said = [line for line in self.printed.getvalue().splitlines() if 'alone' in line]
            self.assertEqual(len(said), lines)
        with mock.patch('sys.argv', ['place/train.py']):
            self.assertIn('bsub -app training -ar -n 1,8 python3 train.py', model_of._alone(8))
        for argv in (['-c'], []):
            with mock.patch('sys.argv', argv):
                self.assertIn('engines_number 8, but this is no elastic job of WM: one worker trains alone', model_of._alone(8))
                self.assertTrue(model_of._alone(8).endswith('python3 SCRIPT'))

    def test_an_unknown_keyword_of_train_is_refused_and_those_of_wmlas_clusters_are_taken(self):
        with self.assertRaisesRegex(TypeError, "train: unexpected keyword 'epochs'; it takes epoch_number, "):
            self.train(train={'epochs': 3})
        self.train(train={'worker_memory': '16G', 'driver_memory': '1G'})

    def test_what_is_of_a_wrong_kind_is_named_with_what_is_wanted(self):
        class Nothing:
            pass

        for refused, options in (('loss is the class MSELoss; .*MSELoss\\(\\)', {'loss': torch.nn.MSELoss}),
                                 ("loss is 'mse'; it has to be a function \\(outputs, labels\\)", {'loss': 'mse'}),
                                 ('loss is a NoneType', {'loss': None}),
                                 ("optimizer is 'sgd'; .*torch.optim.SGD", {'optimizer': 'sgd'}),
                                 ('optimizer is the class SGD', {'optimizer': torch.optim.SGD}),
                                 ('driver_logger is the class Nothing; .*log_train', {'driver_logger': Nothing}),
                                 ('worker_logger is a Nothing', {'worker_logger_callback': Nothing()}),
                                 ("user_callback is 'x'; .*on_epoch_end", {'user_callback': ['x']}),
                                 ('fn_step_train is a int', {'fn_step_train': 3}),
                                 ('clip_grad_norm 0: more than 0', {'clip_grad_norm': 0}),
                                 ('datasets_function is a tuple', {'datasets': (Sums(), None)}),
                                 ('datasets_function returned 3 values', {'sets': (Sums(), None, None)}),
                                 ('datasets_function returned no training set', {'sets': (None, Sums())}),
                                 ('test set is a int; .*__getitem__', {'sets': (Sums(), 3)}),
                                 ('training set: batch_size is None',
                                  {'sets': (torch.utils.data.DataLoader(Sums(), batch_size=None), None)})):
            with self.assertRaisesRegex((TypeError, ValueError), refused):
                self.train(**options)
        self.assertNotIn('START TRAINING', self.printed.getvalue())


class Named(torch.utils.data.Dataset):
    """Sums as dicts."""

    def __len__(self):
        return 32

    def __getitem__(self, number):
        x, label = Sums()[number]
        return {'left': x[:2], 'right': x[2:], 'labels': label}


class Halves(torch.nn.Linear):
    """The model of train(), with two inputs."""

    def __init__(self):
        torch.manual_seed(1)
        super().__init__(4, 1)

    def forward(self, left, right):
        return super().forward(torch.cat([left, right], dim=1))


class Data(Fabric):
    def test_batches_may_be_dicts_or_have_several_inputs(self):
        plain = self.train()
        named = self.train(model=Halves(), sets=(Named(), Named()))
        several = self.train(model=Halves(),
                             sets=([(s['left'], s['right'], s['labels']) for s in map(Named().__getitem__, range(32))],
                                   None))
        for trained in (named, several):
            torch.testing.assert_close(trained.weight, plain.weight)
        for sets, refused in (([{'a': torch.ones(4)}], "dict with a; one of labels, "),
                              ([torch.ones(4)], r'a Tensor; it has to be \(inputs'),
                              ([(torch.ones(4),)], r'a list; it has to be \(inputs')):
            with self.assertRaisesRegex(ValueError, refused):
                self.train(sets=(sets, None))

    def test_sets_that_are_read_from_front_to_end_are_trained_like_others(self):
        class Stream(torch.utils.data.IterableDataset):
            def __iter__(self):
                return map(Sums().__getitem__, range(32))

        in_order = torch.utils.data.DataLoader(Sums(), batch_size=1)
        torch.testing.assert_close(self.train(sets=(Stream(), Stream())).weight, self.train(sets=(in_order, None)).weight)

    def test_chance_in_such_a_set_is_the_same_on_all_workers_and_disturbs_no_generator(self):
        class Noise(torch.utils.data.IterableDataset):
            def __iter__(self):
                return iter([(torch.rand(1).item(), random.random()) for _ in range(3)])

        read = []
        for seed in (1, 2):
            torch.manual_seed(seed)
            random.seed(seed)
            wanted = torch.get_rng_state(), random.getstate()
            read.append(arguments.data_sets(lambda: (Sums(), Noise()))[1])
            self.assertTrue(torch.equal(torch.get_rng_state(), wanted[0]))
            self.assertEqual(random.getstate(), wanted[1])
        self.assertEqual(read[0], read[1])


class Metrics(unittest.TestCase):
    def names(self, metrics):
        return [name for name, _ in metrics_of.named_metrics(metrics)]

    def test_one_alone_needs_no_list_and_all_have_names_of_their_own(self):
        class Spread:
            def __call__(self, outputs, labels):
                return 0.0

        def loss(outputs, labels):
            return 0.0

        self.assertEqual(self.names(None), ['accuracy'])
        self.assertEqual(self.names('accuracy'), ['accuracy'])
        self.assertEqual(self.names(loss), ['accuracy', 'loss_2'])
        self.assertEqual(self.names([lambda o, t: 0.0, 'acc', lambda o, t: 1.0, Spread(), Spread(), loss]),
                         ['accuracy', 'metric', 'metric_2', 'Spread', 'Spread_2', 'loss_2'])
        for wrong in (['f1'], Spread):
            with self.assertRaisesRegex(ValueError, 'f.outputs, labels'):
                self.names(wrong)


class Steps(Fabric):
    def test_callbacks_hear_of_every_step_and_gradients_are_clipped(self):
        seen, weights = [], []
        model = torch.nn.Linear(4, 1)

        class Callback:
            def on_step_end(self, step):
                seen.append(step)
                weights.append(torch.cat([p.detach().clone().flatten() for p in model.parameters()]))

        self.train(epochs=2, model=model, lr=1.0, clip_grad_norm=0.01, user_callback=Callback())
        self.assertEqual(seen, list(range(1, 9)))
        for before, after in zip(weights, weights[1:]):
            self.assertLess((after - before).norm().item(), 0.0101)

    def test_a_scheduler_may_be_stepped_after_every_step_also_after_a_resume(self):
        rates = []

        class Callback:
            def on_step_end(self, step):
                rates.append(self.params['optimizer'].param_groups[0]['lr'])

        def run(epochs, resumed=None):
            model = torch.nn.Linear(4, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
            self.train(epochs=epochs, model=model, optimizer=optimizer, resumed=resumed, lr_scheduler_each='step',
                       lr_scheduler=torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5), user_callback=[Callback()])

        run(2)
        run(3, os.environ['RESULT_DIR'])  # goes on after the second pass
        self.assertEqual(rates, [0.5 ** n for n in range(12)])
        optimizer = torch.optim.SGD(torch.nn.Linear(1, 1).parameters(), lr=1.0)
        for scheduler, each, refused in (
                (torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer), 'step', "goes by the loss of passes"),
                (torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5), 'batch', "'batch': 'pass' or 'step'")):
            with self.assertRaisesRegex(ValueError, refused):
                self.train(lr_scheduler=scheduler, lr_scheduler_each=each)

    def test_batch_normalisation_that_sees_one_worker_is_warned_of_once(self):
        with contextlib.redirect_stdout(self.printed):
            syncbn.warn_of_norms(torch.nn.Sequential(torch.nn.BatchNorm1d(2), torch.nn.BatchNorm2d(2)))
            syncbn.warn_of_norms(torch.nn.Linear(1, 1))
        self.assertEqual(self.printed.getvalue().count('warning: 2 batch normalisations'), 1)
        self.assertEqual(self.printed.getvalue().count('sync_bn=True'), 1)


class Schedulers(Fabric):
    def plateau(self, sets):
        """The losses by which one is stepped."""
        seen, model = [], torch.nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

        class Noting(torch.optim.lr_scheduler.ReduceLROnPlateau):
            def step(self, metrics):
                seen.append(metrics)
                super().step(metrics)

        scheduler = Noting(optimizer)
        self.train(sets=sets, model=model, optimizer=optimizer, lr_scheduler=scheduler)
        return seen, model

    def test_plateaus_are_seen_in_the_loss_of_validation_or_of_the_passes(self):
        seen, model = self.plateau((Sums(), Sums(8)))
        inputs, labels = torch.utils.data.default_collate([Sums()[n] for n in range(8)])
        self.assertAlmostEqual(seen[1], (model(inputs) - labels).square().mean().item(), places=5)
        seen, _ = self.plateau((Sums(), None))
        self.assertEqual(len(seen), 2)
        self.assertLess(seen[1], seen[0])

    def test_a_scheduler_that_cannot_be_stepped_is_refused_at_once(self):
        class Wanting:
            last_epoch = 0

            def step(self, something):
                pass

        for scheduler, why in ((object(), "object has no 'step'"),
                               (Wanting(), "Wanting.step.. cannot be called.*'something'")):
            with self.assertRaisesRegex(ValueError, why):
                self.train(lr_scheduler=scheduler)


class Refused(Fabric):
    def test_a_callback_whose_state_cannot_travel_is_named_before_the_training_begins(self):
        class Callback:
            def state_dict(self):
                return {'mine': object()}

            def load_state_dict(self, values):
                pass

        with self.assertRaisesRegex(TypeError, r"state of callback 0\['mine'\] is a builtins.object"):
            self.train(user_callback=[Callback()])
        self.assertNotIn('START TRAINING', self.printed.getvalue())


class Resumed(Fabric):
    def test_in_the_middle_of_a_pass_another_data_set_is_refused_with_both_sizes(self):
        self.train(epochs=2)
        folder = os.environ['RESULT_DIR']
        path = os.path.join(folder, 'checkpoint', checkpoint.NAME)
        saved = checkpoint.load(path)
        progress = Progress.unpack(saved['progress'])
        self.assertEqual((progress.passes_done, progress.train_samples), (2, 32))
        progress.cursor, progress.phase = 8, TRAIN
        with open(path, 'wb') as file:
            checkpoint.dump({**saved, 'progress': progress.pack()}, file)
        with self.assertRaisesRegex(ValueError, f'{path}: .*over 32 samples, the data set has 40 now'):
            self.train(resumed=folder, sets=(Sums(40), None), epochs=3)
        self.train(resumed=folder, epochs=3)

    def test_between_passes_another_data_set_is_gone_on_with(self):
        self.train(epochs=2)
        self.train(resumed=os.environ['RESULT_DIR'], epochs=3, sets=(Sums(40), None))
        self.assertIn('resumed from checkpoint at step 8', self.printed.getvalue())

    def test_a_new_job_trains_all_its_passes_whatever_one_of_its_number_left(self):
        os.environ['WM_JOB'] = 'c:1:5'
        self.train(epochs=2)
        folder, os.environ['WM_JOB'] = os.environ['RESULT_DIR'], 'c:1:9'
        self.train(resumed=folder, epochs=2)
        self.assertEqual(self.printed.getvalue().count('completed 8 iterations'), 2)
        self.assertIn('is of another job: kept as ', self.printed.getvalue())

    def test_another_job_is_gone_on_from_where_that_is_asked_for(self):
        self.train(epochs=2)
        path = os.path.join(os.environ['RESULT_DIR'], 'checkpoint', checkpoint.NAME)
        self.train(epochs=3, train={'resume_from': os.environ['RESULT_DIR']})
        self.assertIn(f'resumed from checkpoint at step 8, {path}', self.printed.getvalue())


class Download(Fabric):
    def names(self, results):
        self.base = os.path.realpath(self.base)
        model = torch.nn.Linear(4, 1)
        os.environ.update(RESULT_DIR=results, DLI_EXECID='12')
        fabric = FabricModel(model, lambda: (Sums(), None), torch.nn.functional.mse_loss,
                             torch.optim.SGD(model.parameters(), lr=0.01))
        with self.assertRaisesRegex(RuntimeError, 'nothing is trained yet'):
            fabric.download(self.base)
        with contextlib.redirect_stdout(self.printed):
            fabric.train(1, 8)
            path = fabric.download(os.path.join(self.base, 'out'))
        self.assertEqual(os.listdir(os.path.join(self.base, 'out')), ['12.zip'])
        self.assertIn(f'Save model:  {path}\n', self.printed.getvalue())
        with zipfile.ZipFile(path) as archive, archive.open('saved_model.pt') as file:
            self.assertTrue(torch.equal(torch.load(io.BytesIO(file.read()))['weight'], model.weight))
            return archive.namelist()

    def test_the_trained_model_comes_as_one_zip_named_by_the_job(self):
        saved = ['saved_model.pt', 'train/model_epoch_final.pth', 'train/model_epoch_final_optimizer_state.pth']
        self.assertEqual(self.names(''), saved)
        self.assertEqual(self.names(os.path.join(self.base, 'results')), saved)


class OnnxFile(Fabric):
    """save_to_onnx."""

    def save(self, *layers):
        """Returns the folder with the model."""
        stderr = io.StringIO()
        with contextlib.redirect_stderr(stderr):
            self.train(model=torch.nn.Sequential(torch.nn.Linear(4, 1), *layers), save_to_onnx=True)
        self.errors = stderr.getvalue()
        return os.path.join(os.environ['RESULT_DIR'], 'model')

    def test_it_is_loaded_by_onnx_and_takes_batches_of_any_size(self):
        import onnx
        made = onnx.load(os.path.join(self.save(torch.nn.BatchNorm1d(1), torch.nn.Dropout()), 'model.onnx'))
        onnx.checker.check_model(made)
        batch, width = made.graph.input[0].type.tensor_type.shape.dim
        self.assertEqual((batch.dim_param, width.dim_value), ('batch', 4))
        self.assertEqual([node.op_type for node in made.graph.node if node.op_type == 'Dropout'], [])

    def test_a_model_that_onnx_has_no_words_for_is_trained_and_saved_all_the_same(self):
        class Unsayable(torch.nn.Module):
            def forward(self, x):
                return torch.special.i0(x)

        folder = self.save(Unsayable())
        self.assertIn('save_to_onnx: no ONNX file is written: ', self.errors)
        self.assertEqual(sorted(os.listdir(folder)), ['saved_model.pt', 'train'])


class Saving(Fabric):
    def test_hooks_at_the_end_of_a_pass_and_saving_do_not_count_as_hanging(self):
        inside, seen = [0], []

        class Callback:
            def on_epoch_end(self, epoch, save_model=False):
                seen.append((epoch, save_model, inside[0]))

        with mock.patch.object(native.Agent, 'in_collective', lambda _, now: inside.__setitem__(0, now)):
            self.train(user_callback=[Callback()])
        self.assertEqual(seen, [(0, False, 1), (1, True, 1)])
        self.assertEqual(inside, [0])

    def test_training_does_not_wait_for_a_checkpoint_that_is_still_being_written(self):
        passed = threading.Event()

        class Callback:
            def on_epoch_end(self, epoch, save_model=False):
                if epoch == 2:
                    passed.set()

        real, waited = checkpoint._write, []

        def slow(path, pour, **how):
            if path.endswith(checkpoint.NAME):
                waited.append(passed.wait(10))
            real(path, pour, **how)

        with mock.patch.object(checkpoint, '_write', slow):
            self.train(epochs=4, user_callback=[Callback()])
        self.assertTrue(waited[0])
        self.assertIn('no checkpoint at step 8: the one before is still being written',
                      self.printed.getvalue())


if __name__ == '__main__':
    unittest.main()
