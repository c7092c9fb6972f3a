"""Role: tests of FabricModel.train() (fabric_model/model.py, engine.py) of one worker alone."""

import contextlib
import io
import os
import tempfile
import threading
import unittest
import zipfile
from unittest import mock

import torch

from fabric_model import FabricModel, checkpoint, native
from fabric_model.progress import Progress


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
        fabric = FabricModel(model, lambda: sets or (Sums(), None), torch.nn.functional.mse_loss,
                             optimizer, **options)
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
        self.assertEqual((progress.passes_done, progress.train_samples), (1, 32))
        progress.cursor = 8
        with open(path, 'wb') as file:
            checkpoint.dump({**saved, 'progress': progress.pack()}, file)
        with self.assertRaisesRegex(ValueError, f'{path}: .*over 32 samples, the data set has 40 now'):
            self.train(resumed=folder, sets=(Sums(40), None))
        self.train(resumed=folder)

    def test_between_passes_another_data_set_is_gone_on_with(self):
        self.train(epochs=2)
        self.train(resumed=os.environ['RESULT_DIR'], epochs=3, sets=(Sums(40), None))
        self.assertIn('resumed from checkpoint at step 4', self.printed.getvalue())

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
        self.assertIn(f'resumed from checkpoint at step 4, {path}', self.printed.getvalue())


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

        def slow(path, pour):
            if path.endswith(checkpoint.NAME):
                waited.append(passed.wait(10))
            real(path, pour)

        with mock.patch.object(checkpoint, '_write', slow):
            self.train(epochs=4, user_callback=[Callback()])
        self.assertTrue(waited[0])
        self.assertIn('no checkpoint at step 8: the one before is still being written',
                      self.printed.getvalue())


if __name__ == '__main__':
    unittest.main()
