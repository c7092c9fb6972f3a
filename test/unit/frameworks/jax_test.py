"""Role: tests of FabricModel with parameters of JAX (frames/of_jax.py), one worker alone; and that scripts of other frameworks need no torch."""

import contextlib
import importlib.util
import io
import os
import random
import subprocess
import sys
import tempfile
import unittest
from types import SimpleNamespace
from unittest import mock

import numpy

HERE = importlib.util.find_spec('jax')
if HERE:
    os.environ['JAX_PLATFORMS'] = 'cpu'
    import jax
    import jax.numpy as jnp

    from fabric_model import FabricModel

    jax.config.update('jax_enable_x64', True)

COUNT = 40
# What is not installed here, whatever is.
HIDE = '''
import importlib.util, sys
class Hidden:
    @staticmethod
    def find_spec(name, *_):
        if name.partition('.')[0] in HIDDEN:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Hidden)
plain = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in HIDDEN else plain(name, *more)
'''


class Descent:
    """As optax has them."""

    def __init__(self, rate):
        self._rate = rate

    @staticmethod
    def init(_parameters):
        return {'count': jnp.zeros((), 'int32')}

    def update(self, gradients, state, _parameters=None):
        return jax.tree.map(lambda g: -self._rate * g, gradients), {'count': state['count'] + 1}


class State:
    """As flax's TrainState."""

    def __init__(self, params, tx, opt_state, step=0):
        self.params, self.tx, self.opt_state, self.step = params, tx, opt_state, step

    def replace(self, **changes):
        return State(**{'params': self.params, 'tx': self.tx, 'opt_state': self.opt_state, 'step': self.step, **changes})


def numbers():
    x = numpy.random.default_rng(3).normal(size=(COUNT, 4))
    return x, x.sum(1)


def parameters():
    return {'w': jnp.ones(4) / 3, 'b': (jnp.zeros(()), jnp.ones(2, 'float32'))}


def loss(p, batch):
    x, y = batch
    return jnp.mean((x @ p['w'] + p['b'][0] - y) ** 2) + jnp.sum(p['b'][1].astype(float) ** 2)


@unittest.skipUnless(HERE, 'not run: jax is not installed for this Python')
class Fabric(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        environment = mock.patch.dict(os.environ, RESULT_DIR=folder.name)
        environment.start()
        self.addCleanup(environment.stop)
        self.base, self.printed = folder.name, io.StringIO()
        for name in ('WM_ELASTIC_SOCKET', 'WM_TRAININGS_DONE', 'WM_TASK', 'WM_JOB', 'WM_RESUME_FROM', 'LOG_DIR'):
            os.environ.pop(name, None)

    def train(self, model, *, data=None, passes=2, batch=8, function=loss, optimizer=None, train=None, **options):
        os.environ.pop('WM_TRAININGS_DONE', None)
        random.seed(5)  # the order of samples follows from it
        fabric = FabricModel(model, data or (lambda: (numbers(), numbers())), function, optimizer or Descent(0.05), **options)
        with contextlib.redirect_stdout(self.printed):
            return fabric.train(passes, batch, **{'checkpoint_freq': 0, **(train or {})})


class Training(Fabric):
    def test_a_step_in_bites_is_the_step_and_dtypes_stay(self):
        whole = self.train(parameters())
        parts = self.train(parameters(), batch=4, train={'effective_batch_size': 8})
        self.assertEqual(whole['b'][1].dtype, jnp.float32)
        for one, other in zip(jax.tree.leaves(whole), jax.tree.leaves(parts)):
            numpy.testing.assert_allclose(one, other, rtol=1e-6)
        numpy.testing.assert_allclose(whole['w'], parts['w'], rtol=1e-9)
        sums = self.train(parameters(), batch=4, train={'effective_batch_size': 8}, loss_reduction='sum', optimizer=Descent(0.05 / 8),
                          function=lambda p, batch: loss({**p, 'b': (p['b'][0], p['b'][1] * 0)}, batch) * len(batch[1]))
        numpy.testing.assert_allclose(whole['w'], sums['w'], rtol=1e-9)

    def test_the_same_as_a_loop_of_jax_alone(self):
        seen, data = [], numbers()

        class Items:
            def __len__(self):
                return COUNT

            def __getitem__(self, number):
                seen.append(number)
                return tuple(part[number] for part in data)

        found = self.train(parameters(), data=lambda: (Items(), None))
        wanted, order = parameters(), seen[1:]  # the first was for building
        for at in range(0, len(order), 8):
            grown = jax.grad(loss)(wanted, tuple(part[numpy.array(order[at:at + 8])] for part in data))
            wanted = jax.tree.map(lambda p, g: p - 0.05 * g, wanted, grown)
        self.assertEqual(sorted(order[:COUNT]), list(range(COUNT)))
        numpy.testing.assert_allclose(found['w'], wanted['w'], rtol=1e-9)

    def test_metrics_and_hooks_are_told_and_parameters_are_the_newest(self):
        told, models = [], []

        class Logger:
            def log_test_metrics(self, metrics, iteration, epoch):
                told.append(metrics)

        class Callback:
            def on_epoch_end(self, epoch):
                models.append(self.model)

        def near_accuracy(p, batch):
            return jnp.mean(jnp.abs(batch[0] @ p['w'] - batch[1]) < 1)

        trained = self.train(parameters(), metrics={'near_accuracy': near_accuracy, 'loss_again': loss}, driver_logger_callback=Logger(),
                             user_callback=Callback(), batch=7)
        self.assertEqual(set(told[-1]), {'loss', 'accuracy', 'loss_again'})
        self.assertAlmostEqual(told[-1]['loss'], float(loss(trained, numbers())), 6)
        self.assertAlmostEqual(told[-1]['loss_again'], told[-1]['loss'], 6)
        self.assertAlmostEqual(told[-1]['accuracy'], float(near_accuracy(trained, numbers())), 6)
        numpy.testing.assert_array_equal(models[-1]['w'], trained['w'])
        with numpy.load(os.path.join(self.base, 'model', 'parameters.npz')) as file:
            numpy.testing.assert_array_equal(file["['w']"], trained['w'])

    def test_a_state_of_flax_comes_back_trained(self):
        optimizer, first = Descent(0.05), parameters()
        trained = self.train(State(first, optimizer, optimizer.init(first)))
        self.assertEqual((trained.step, int(trained.opt_state['count'])), (10, 10))
        numpy.testing.assert_array_equal(trained.params['w'], self.train(first)['w'])

    def test_a_loss_may_draw_and_each_bite_draws_anew(self):
        keys = []

        def noisy(p, batch, key):
            jax.debug.callback(lambda k: keys.append(tuple(numpy.asarray(k).tolist())), key)
            return loss(p, batch)

        self.train(parameters(), function=noisy, data=lambda: (numbers(), None))
        jax.effects_barrier()
        self.assertEqual((len(keys), len(set(keys))), (10, 10))

    def test_a_training_goes_on_from_its_checkpoint_only_with_the_same_parameters(self):
        wanted = self.train(parameters(), passes=4)
        self.train(parameters(), train={'checkpoint_freq': 1})
        resumed = self.train(jax.tree.map(lambda p: p * 9, parameters()), passes=4)
        numpy.testing.assert_array_equal(resumed['w'], wanted['w'])
        for changed in ({**parameters(), 'more': jnp.ones(2)}, {**parameters(), 'w': jnp.ones(5)}):
            with self.assertRaisesRegex(ValueError, 'state of '):
                self.train(changed, passes=5)

    def test_gradients_that_are_no_numbers_end_the_training(self):
        with self.assertRaisesRegex(RuntimeError, 'not finite .*rank 0'):
            self.train(parameters(), function=lambda p, batch: loss(p, batch) / 0)


class Refusals(Fabric):
    def test_what_cannot_be_is_named(self):
        for refused, options in (('optimizer is a function', {'optimizer': print}), ('a parameter of int', {'model': {'n': jnp.arange(3)}}),
                                 ("amp 'bf16'", {'amp': 'bf16'}), ('servers 2', {'servers': 2}), ("shard 'optimizer'", {'shard': 'optimizer'}),
                                 ('deterministic', {'deterministic': True}), ('clip_grad_norm 1.0', {'clip_grad_norm': 1.0}),
                                 ("loss is 'mse'", {'function': 'mse'}),
                                 ('class_weight', {'class_weight': {0: 1}}), ("a metric is 'acc'", {'metrics': ['acc']}),
                                 ("batch_size 'auto'", {'batch': 'auto'}),
                                 ('names of their own', {'metrics': [loss, loss]}), ("loss_reduction 'x'", {'loss_reduction': 'x'}),
                                 ('model is a dict', {'model': {}})):
            with self.subTest(refused=refused), self.assertRaisesRegex((TypeError, ValueError), refused.replace('a function', 'a builtin_function_or_method')):
                self.train(**{'model': parameters(), **options})


class Alone(unittest.TestCase):
    """Which framework is imported, and which is not."""

    def run_it(self, text, hidden=()):
        run = subprocess.run([sys.executable, '-c', HIDE.replace('HIDDEN', repr(hidden)) + text], capture_output=True, text=True, timeout=120, check=False,
                             env={**os.environ, 'JAX_PLATFORMS': 'cpu', 'TF_CPP_MIN_LOG_LEVEL': '3'})
        return run.returncode, run.stdout, run.stderr

    @unittest.skipUnless(HERE, 'not run: jax is not installed for this Python')
    def test_a_script_that_has_imported_another_framework_gets_no_torch(self):
        self.assertEqual(self.run_it('import jax, fabric_model\nprint("torch" in sys.modules)')[1], 'False\n')

    def test_without_torch_and_any_other_the_refusal_is_as_ever(self):
        status, _, said = self.run_it('import fabric_model', ('torch', 'jax', 'keras', 'tensorflow'))
        self.assertEqual(status, 1)
        self.assertIn('has no torch: install it there', said)

    @unittest.skipUnless(HERE, 'not run: jax is not installed for this Python')
    def test_whoever_comes_first_a_model_of_jax_is_one(self):
        for hidden in ((), ('torch', )):
            status, said, why = self.run_it('import fabric_model, jax\nf = fabric_model.FabricModel({"w": jax.numpy.ones(3)}, lambda: None, lambda p, b: 0, '
                                            'type("O", (), {"init": dict, "update": id})())\nprint(f._frame.name)', hidden)
            self.assertEqual((status, said), (0, 'JAX\n'), why)

    def test_what_is_no_model_is_refused(self):
        from fabric_model import FabricModel
        with self.assertRaisesRegex(TypeError, 'model is a SimpleNamespace; it has to be a torch.nn.Module, a keras.Model, or parameters of JAX'):
            FabricModel(SimpleNamespace(), lambda: None, print, None)


if __name__ == '__main__':
    unittest.main()
