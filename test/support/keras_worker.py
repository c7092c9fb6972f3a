"""Role: the training script of the tests of Keras and JAX: a small model, data that are made up, faults on demand. What it is
told comes in TEST_* variables; torch is hidden where TEST_TORCH is not set.

  TEST_FRAME=keras | keras2 | jax    TEST_SAMPLES, TEST_PASSES, TEST_BATCH, TEST_EFFECTIVE, TEST_STEP_MS, TEST_TESTS, TEST_CHECKPOINTS
  TEST_TRAININGS=N          calls train() so often
  TEST_NORM=1               batch normalisation and dropout (keras)
  TEST_KILL=WHERE:STEP      kill -9 of this worker: before | inside | after the sum that makes STEP, connect, switch

Writes $LOG_DIR/hash.csv: step, epoch, hash of all parameters after it, and $RESULT_DIR/returned.npz.
"""

import hashlib
import importlib
import os
import random
import signal
import sys
import tempfile
import time


def setting(name, default):
    return type(default)(os.environ.get('TEST_' + name, default))


class Hidden:
    """There is no torch here, whatever is installed."""

    @staticmethod
    def find_spec(name, *_):
        if name.partition('.')[0] == 'torch':
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)


if not setting('TORCH', 0):
    sys.meta_path.insert(0, Hidden)

import numpy  # noqa: E402

# TensorFlow keeps files until it ends, and a worker may be killed: they lie in the test's own folder.
tempfile.tempdir = os.environ['LOG_DIR']

WHERE, _, AT = setting('KILL', '').partition(':')
FRAME = setting('FRAME', 'keras')


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def samples(count):
    x = numpy.random.default_rng(3).normal(size=(count, 8))
    return x, numpy.sin(x.sum(1, keepdims=True))


def of_keras(name='keras'):
    os.environ.update(TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='-1')
    import tensorflow as tf
    keras = importlib.import_module(name)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    keras.backend.set_floatx('float64')
    keras.utils.set_random_seed(7 if setting('SEEDED', 1) else os.getpid())
    extra = [keras.layers.BatchNormalization(), keras.layers.Dropout(0.3)] if setting('NORM', 0) else []
    model = keras.Sequential([keras.layers.Dense(16, 'tanh'), *extra, keras.layers.Dense(1)])
    return model, 'mse', keras.optimizers.SGD(0.05, momentum=0.9), ['mae']


def of_jax():
    os.environ['JAX_PLATFORMS'] = 'cpu'
    random.seed(7)  # the job's seed, from which the order of samples follows, is drawn from this
    import jax
    import jax.numpy as jnp
    jax.config.update('jax_enable_x64', True)
    keys = jax.random.split(jax.random.key(7), 2)
    parameters = {'first': {'w': jax.random.normal(keys[0], (8, 16)) / 3, 'b': jnp.zeros(16)},
                  'second': {'w': jax.random.normal(keys[1], (16, 1)) / 4, 'b': jnp.zeros(1)}}

    def predict(p, x):
        return jnp.tanh(x @ p['first']['w'] + p['first']['b']) @ p['second']['w'] + p['second']['b']

    def loss(p, batch):
        return jnp.mean((predict(p, batch[0]) - batch[1]) ** 2)

    def mae(p, batch):
        return jnp.mean(jnp.abs(predict(p, batch[0]) - batch[1]))

    return parameters, loss, Momentum(0.05, 0.9), [mae]


class Momentum:
    """As optax has them: init and update."""

    def __init__(self, rate, decay):
        self._rate, self._decay = rate, decay

    @staticmethod
    def init(parameters):
        import jax
        return jax.tree.map(lambda p: p * 0, parameters)

    def update(self, gradients, state, _parameters=None):
        import jax
        state = jax.tree.map(lambda s, g: self._decay * s + g, state, gradients)
        return jax.tree.map(lambda s: -self._rate * s, state), state


def plant_faults():
    """Puts the wanted fault and the hash record into the engine."""
    from fabric_model import engine, mesh
    plain_sum, plain_record, plain_enter = mesh.Group.sum, engine.Engine._record, engine.Engine._enter
    plain_connect, plain_exchange = mesh._connect, mesh.Group._exchange
    running, hashes = [], open(os.path.join(os.environ['LOG_DIR'], 'hash.csv'), 'a', encoding='ascii', buffering=1)
    calls = [0]

    def hit(self, where):
        step = running[0].progress.step + 1 if running else 0
        return WHERE == where and step == int(AT) and self.joined and running[0].progress.phase == 0

    def faulty_sum(self, array):
        if hit(self, 'before'):
            die()
        plain_sum(self, array)
        if hit(self, 'after') and array is running[0]._flat._rest:
            die()

    def faulty_exchange(self, *arguments):
        if hit(self, 'inside'):
            calls[0] += 1
            if calls[0] == 2:  # the gradients are summed, the numbers behind them not
                die()
        plain_exchange(self, *arguments)

    def record(self, step):
        plain_record(self, step)
        text = hashlib.sha256()
        for _, value in self.script.trained.state()['weights']:
            text.update(numpy.ascontiguousarray(value).tobytes())
        hashes.write(f'{step.step},{step.epoch},{text.hexdigest()}\n')
        time.sleep(setting('STEP_MS', 5) / 1000)

    def connect(plan, *arguments):
        if WHERE == 'connect' and plan.epoch >= int(AT):
            die()
        return plain_connect(plan, *arguments)

    def enter(self, entered):
        running[:] = [self]
        if WHERE == 'switch' and entered.epoch >= int(AT):
            die()
        plain_enter(self, entered)

    mesh.Group.sum, mesh.Group._exchange, engine.Engine._record = faulty_sum, faulty_exchange, record
    mesh._connect, engine.Engine._enter = connect, enter


def main():
    model, loss, optimizer, metrics = {'keras': of_keras, 'keras2': lambda: of_keras('tf_keras'), 'jax': of_jax}[FRAME]()
    from fabric_model import FabricModel
    plant_faults()
    tests = samples(setting('TESTS', 0)) if setting('TESTS', 0) else None
    for number in range(setting('TRAININGS', 1)):
        if number:
            print(f'training {number} returned', flush=True)
        fabric = FabricModel(model, lambda: (samples(setting('SAMPLES', 499)), tests), loss, optimizer, metrics=metrics)
        trained = fabric.train(setting('PASSES', 3), setting('BATCH', 8), checkpoint_freq=setting('CHECKPOINTS', 0),
                               effective_batch_size=setting('EFFECTIVE', 0) or None)
    assert setting('TORCH', 0) or 'torch' not in sys.modules
    values = [numpy.asarray(w) for w in trained.weights] if FRAME != 'jax' else leaves(trained)
    numpy.savez(os.path.join(os.environ['RESULT_DIR'], 'returned.npz'), *values)
    print('train returned', flush=True)


def leaves(tree):
    import jax
    return [numpy.asarray(leaf) for leaf in jax.tree.leaves(tree)]


main()
