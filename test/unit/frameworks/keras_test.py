"""Role: tests of FabricModel with models of Keras (frames/of_keras.py), one worker alone, beside what Keras's own train_on_batch makes
of the same batches."""

import contextlib
import importlib.util
import io
import os
import random
import tempfile
import unittest
from unittest import mock

import numpy

HERE = importlib.util.find_spec('tensorflow') and importlib.util.find_spec('keras')
if HERE:
    os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
    import keras
    import tensorflow as tf

    from fabric_model import FabricModel
    from fabric_model.frames import arrays

    tf.config.set_visible_devices([], 'GPU')
    keras.backend.set_floatx('float64')

    class Activity(keras.layers.Layer):
        """Adds a loss of its own."""

        def call(self, x):
            self.add_loss(0.01 * keras.ops.mean(x * x))
            return x


COUNT = 40


def numbers(width=1):
    x = numpy.random.default_rng(3).normal(size=(COUNT, 4))
    return x, numpy.sin(x.sum(1, keepdims=True)) * numpy.ones(width)


def classes():
    x, _ = numbers()
    return x, (x.sum(1) > 0).astype('i4') + (x.sum(1) > 1)


@unittest.skipUnless(HERE, 'not run: tensorflow and keras are not installed for this Python')
class Fabric(unittest.TestCase):
    """Trains in a folder of its own, with what it prints kept."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        environment = mock.patch.dict(os.environ, RESULT_DIR=folder.name)
        environment.start()
        self.addCleanup(environment.stop)
        self.base, self.printed, self.orders = folder.name, io.StringIO(), []
        for name in ('WM_ELASTIC_SOCKET', 'WM_TRAININGS_DONE', 'WM_TASK', 'WM_JOB', 'WM_RESUME_FROM', 'LOG_DIR'):
            os.environ.pop(name, None)
        keras.utils.set_random_seed(5)

    def train(self, model, data, *arguments, passes=2, batch=8, train=None, **options):
        """Returns the trained model; self.orders has the samples of each of its bites."""
        os.environ.pop('WM_TRAININGS_DONE', None)
        self.orders.clear()
        random.seed(5)  # the order of samples follows from it
        plain = arrays.Arrays.batch

        def noted(data, positions, seeds):
            self.orders.append(list(positions))
            return plain(data, positions, seeds)

        data = data if callable(data) else (lambda given: lambda: (given, None))(data)
        fabric = FabricModel(model, data, *arguments, **options)
        with mock.patch.object(arrays.Arrays, 'batch', noted), contextlib.redirect_stdout(self.printed):
            trained = fabric.train(passes, batch, **{'checkpoint_freq': 0, **(train or {})})
        del self.orders[:1]  # that was for building
        return trained


def dense(*layers, classes=1, **options):
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(6, 'tanh', **options), *layers, keras.layers.Dense(classes)])


class AsKeras(Fabric):
    def same(self, model, data, loss, optimizer, bites=1, class_weight=None, **train):
        """That both make the same parameters of the same batches."""
        other = keras.models.clone_model(model)
        other.set_weights(model.get_weights())
        other.compile(type(optimizer).from_config(optimizer.get_config()), type(loss).from_config(loss.get_config()) if hasattr(loss, 'get_config') else loss)
        trained = self.train(model, data, loss, optimizer, class_weight=class_weight, train=train, batch=8 // bites)
        x, y, *weights = data
        for at in range(0, len(self.orders), bites):
            order = sum(self.orders[at:at + bites], [])
            other.train_on_batch(x[order], y[order], *(w[order] for w in weights), class_weight=class_weight)
        other.optimizer.finalize_variable_values(other.trainable_variables)
        for mine, theirs in zip(trained.weights + trained.optimizer.variables, other.weights + other.optimizer.variables):
            numpy.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-9, atol=1e-12, err_msg=mine.path)

    def test_optimizers_keep_what_is_their_own(self):
        for optimizer in (keras.optimizers.SGD(0.1, momentum=0.9), keras.optimizers.Adam(0.01, clipnorm=0.1), keras.optimizers.Adam(0.01, global_clipnorm=0.1),
                          keras.optimizers.AdamW(0.01, use_ema=True, ema_momentum=0.9), keras.optimizers.SGD(0.1, gradient_accumulation_steps=3),
                          keras.optimizers.RMSprop(keras.optimizers.schedules.ExponentialDecay(0.01, 3, 0.5))):
            with self.subTest(optimizer=optimizer.get_config()):
                self.same(dense(), numbers(), 'mse', optimizer)

    def test_losses_of_layers_regularizers_constraints_and_running_statistics_stay(self):
        for model in (dense(Activity()), dense(kernel_regularizer='l2'), dense(kernel_constraint=keras.constraints.MaxNorm(0.5)),
                      dense(keras.layers.BatchNormalization()), dense(keras.layers.Dropout(0.4, seed=3))):
            with self.subTest(model=model.layers):
                self.same(model, numbers(), 'mse', keras.optimizers.SGD(0.1))

    def test_a_step_in_bites_is_the_step(self):
        for loss in (keras.losses.MeanSquaredError(), keras.losses.MeanSquaredError(reduction='sum')):
            self.same(dense(kernel_regularizer='l2'), numbers(), loss, keras.optimizers.SGD(0.01), bites=2, effective_batch_size=8)

    def test_samples_and_classes_weigh_what_they_are_given(self):
        x, y = numbers()
        self.same(dense(), (x, y, numpy.linspace(0, 2, COUNT)), 'mse', keras.optimizers.SGD(0.1))
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.same(dense(classes=3), classes(), loss, keras.optimizers.SGD(0.1), class_weight={0: 1.0, 1: 5.0})

    def test_half_precision_scales_its_loss_and_steps(self):
        keras.mixed_precision.set_global_policy('mixed_float16')
        self.addCleanup(keras.mixed_precision.set_global_policy, 'float64')
        model = dense()
        before = model.get_weights()[0]
        trained = self.train(model, tuple(part.astype('f4') for part in numbers()), 'mse', keras.optimizers.SGD(0.1))
        self.assertTrue(hasattr(trained.optimizer, 'inner_optimizer'))
        self.assertGreater(float(abs(trained.get_weights()[0] - before).max()), 1e-3)


class Measures(Fabric):
    def test_metrics_by_name_function_and_instance_are_of_the_whole_set(self):
        told = []

        class Logger:
            def log_test_metrics(self, metrics, iteration, epoch):
                told.append(metrics)

        def double(labels, outputs):
            return keras.ops.mean(2 * outputs, -1)

        x, y = classes()
        y = numpy.minimum(y, 1)
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, 'sigmoid')])
        self.train(model, lambda: ((x, y), (x, y)), 'binary_crossentropy', 'sgd', batch=7, driver_logger_callback=Logger(),
                   metrics=['mae', double, keras.metrics.AUC(name='auc'), keras.metrics.Precision(name='precision'), 'accuracy'])
        outputs = model.predict(x, verbose=0)
        auc, precision = keras.metrics.AUC(), keras.metrics.Precision()
        auc.update_state(y, outputs)
        precision.update_state(y, outputs)
        wanted = {'accuracy': ((outputs[:, 0] > 0.5) == y).mean(), 'mae': abs(outputs[:, 0] - y).mean(), 'double': 2 * outputs.mean(),
                  'auc': float(auc.result()), 'precision': float(precision.result())}
        self.assertEqual(set(told[-1]), {'loss', *wanted})
        for name, value in wanted.items():
            self.assertAlmostEqual(told[-1][name], value, 6, name)
        self.assertEqual(len(told), 2)

    def test_a_metric_that_cannot_be_added_up_is_refused_by_name(self):
        class Largest(keras.metrics.Metric):
            def __init__(self):
                super().__init__(name='largest')
                self.seen = self.add_variable((), 'zeros', aggregation='mean', name='seen')

            def update_state(self, y, outputs, sample_weight=None):
                self.seen.assign(keras.ops.maximum(self.seen, keras.ops.max(outputs)))

            def result(self):
                return self.seen

        with self.assertRaisesRegex(ValueError, "metric 'largest' .*: its 'seen' is no sum over samples"):
            self.train(dense(), numbers(), 'mse', 'sgd', metrics=[Largest()])


class Data(Fabric):
    def test_sets_of_tf_data_are_dealt_by_sample_whatever_batches_and_order_they_end_with(self):
        x, y = numbers()
        whole = tf.data.Dataset.from_tensor_slices((x, y))
        wanted = self.train(dense(), (x, y), 'mse', keras.optimizers.SGD(0.1)).get_weights()
        for given in (whole, whole.batch(7), whole.shuffle(9).batch(7, drop_remainder=True).prefetch(2), whole.map(lambda a, b: (a, b)).cache(),
                      whole.batch(7).map(lambda a, b: (a, b)).prefetch(1), whole.batch(7).unbatch(),
                      tf.data.Dataset.zip((whole.map(lambda a, _: a).batch(8), whole.map(lambda _, b: b).batch(8)))):
            keras.utils.set_random_seed(5)
            for mine, theirs in zip(self.train(dense(), given, 'mse', keras.optimizers.SGD(0.1)).get_weights(), wanted):
                numpy.testing.assert_array_equal(mine, theirs)

    def test_what_cannot_be_dealt_is_refused_by_name(self):
        x, y = numbers()
        whole = tf.data.Dataset.from_tensor_slices((x, y))

        class Batches(keras.utils.PyDataset):
            def __len__(self):
                return 5

            def __getitem__(self, number):
                return x[:8], y[:8]

        for refused, given in (('has no end: leave repeat', whole.repeat()), ('shuffles before it maps', whole.shuffle(9).map(lambda a, b: (a, b))),
                               ('of several shapes', tf.data.Dataset.from_generator(lambda: ((numpy.ones(n + 1), numpy.ones(1)) for n in range(3)),
                                                                                    output_signature=(tf.TensorSpec([None]), tf.TensorSpec([1])))),
                               ('is a Batches, which gives batches', Batches()), ('arrays of 40 and of 41 samples', (numpy.zeros((41, 4)), y)),
                               ('training data set of 0 samples', (x[:0], y[:0])), ('training data set of 0 samples', whole.take(0)),
                               ('training set is a int', 3), ('arrays of numbers', (numpy.array([object()] * 40), y))):
            with self.subTest(refused=refused), self.assertRaisesRegex((TypeError, ValueError), refused):
                self.train(dense(), given, 'mse', 'sgd')

    def test_samples_of_an_object_are_made_one_by_one_alike_at_any_size(self):
        class Noisy:
            def __len__(self):
                return COUNT

            def __getitem__(self, number):
                return numpy.full(4, number / COUNT) + random.random() / 9, numpy.random.normal(size=1)

        found = []
        for bites in (1, 2):
            keras.utils.set_random_seed(5)
            found.append(self.train(dense(), lambda: (Noisy(), None), 'mse', keras.optimizers.SGD(0.1), batch=8 // bites,
                                    train={'effective_batch_size': 8}).get_weights())
        for mine, theirs in zip(*found):
            numpy.testing.assert_allclose(mine, theirs, rtol=1e-9)

    def test_models_of_several_inputs_and_outputs(self):
        first, second = keras.Input((4,), name='first'), keras.Input((4,), name='second')
        both = keras.layers.Concatenate()([first, second])
        model = keras.Model({'first': first, 'second': second}, {'a': keras.layers.Dense(1, name='a')(both), 'b': keras.layers.Dense(2, name='b')(both)})
        x, y = numbers()
        _, wide = numbers(2)
        before = [w.copy() for w in model.get_weights()]
        trained = self.train(model, ({'first': x, 'second': x}, {'a': y, 'b': wide}), {'a': 'mse', 'b': 'mae'}, 'adam', metrics={'a': ['mae']})
        for mine, other in zip(trained.get_weights(), before):
            self.assertTrue((mine != other).any())


class Course(Fabric):
    def test_callbacks_and_loggers_of_both_generations_hear_of_the_training(self):
        heard = []

        class First:
            def log_train_metrics(self, loss, acc, completed_batch, worker=0):
                heard.append(('train', completed_batch, acc))

        class Callback:
            def on_train_begin(self):
                heard.append('begin')

            def on_epoch_begin(self, epoch):
                heard.append(('epoch', epoch))

            def on_epoch_end(self, epoch, save_model=False):
                heard.append(('over', epoch, save_model, float(self.params['optimizer'].learning_rate), type(self.model).__name__))

        self.train(dense(classes=3), classes(), keras.losses.SparseCategoricalCrossentropy(from_logits=True), keras.optimizers.SGD(0.5), batch=20,
                   metrics=['accuracy'], driver_logger=First(), user_callback=[Callback()])
        self.assertEqual([h for h in heard if h[0] != 'train'], ['begin', ('epoch', 0), ('over', 0, False, 0.5, 'Sequential'),
                                                                 ('epoch', 1), ('over', 1, True, 0.5, 'Sequential')])
        told = [h for h in heard if h[0] == 'train']
        self.assertEqual([one[1] for one in told], [1, 2, 3, 4])
        self.assertTrue(all(0 <= one[2] <= 100 for one in told))

    def test_a_training_goes_on_from_its_checkpoint_and_keras_reads_its_own(self):
        model, other = dense(), dense()
        other.set_weights(model.get_weights())
        wanted = self.train(model, numbers(), 'mse', keras.optimizers.Adam(0.05), passes=4)
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, RESULT_DIR=folder):
            keras.utils.set_random_seed(5)
            first = keras.models.clone_model(other)
            first.set_weights(other.get_weights())
            self.train(first, numbers(), 'mse', keras.optimizers.Adam(0.05), passes=2, train={'checkpoint_freq': 1})
            kept = keras.models.load_model(os.path.join(folder, 'checkpoint', 'checkpoint.keras'))
            numpy.testing.assert_array_equal(kept.get_weights()[0], first.get_weights()[0])
            keras.utils.set_random_seed(77)
            resumed = self.train(dense(), numbers(), 'mse', keras.optimizers.Adam(0.05), passes=4)
            with self.assertRaisesRegex(ValueError, 'shape'):
                self.train(keras.Sequential([keras.Input((4,)), keras.layers.Dense(5), keras.layers.Dense(1)]), numbers(), 'mse',
                           keras.optimizers.Adam(0.05), passes=5)
        for mine, theirs in zip(resumed.get_weights(), wanted.get_weights()):
            numpy.testing.assert_allclose(mine, theirs, rtol=1e-12)

    def test_gradients_that_are_no_numbers_end_the_training_or_are_left_out(self):
        x, y = numbers()
        y[11] = numpy.nan
        with self.assertRaisesRegex(RuntimeError, 'not finite .*rank 0'):
            self.train(dense(), (x, y), 'mse', 'sgd')
        trained = self.train(dense(), (x, y), 'mse', 'sgd', nonfinite='skip')
        self.assertTrue(all(numpy.isfinite(w).all() for w in trained.get_weights()))

    def test_a_compiled_model_needs_nothing_more(self):
        model = dense()
        model.compile('sgd', 'mse', metrics=['mae'])
        before = model.get_weights()[0]
        self.train(model, numbers())
        self.assertTrue((model.get_weights()[0] != before).any())


class Refusals(Fabric):
    def test_what_keras_models_cannot_have_here_is_refused_by_name(self):
        class Own(keras.Sequential):
            def train_step(self, data):
                return {}

        own = Own([keras.Input((4,)), keras.layers.Dense(1)])
        for refused, model, options in (
                ("fn_step_train", dense(), {'fn_step_train': print}), ("amp 'bf16'", dense(), {'amp': 'bf16'}), ('sync_bn True', dense(), {'sync_bn': True}),
                ('servers 2', dense(), {'servers': 2}), ("shard 'optimizer'", dense(), {'shard': 'optimizer'}),
                ('deterministic', dense(), {'deterministic': True}),
                ('clip_grad_norm', dense(), {'clip_grad_norm': 1.0}), ('lr_scheduler', dense(), {'lr_scheduler': object()}),
                ('save_to_onnx', dense(), {'save_to_onnx': True}), ("loss_reduction 'sum'", dense(), {'loss_reduction': 'sum'}),
                ('has a train_step of its own', own, {}), ("reduction 'none'", dense(), {'loss': keras.losses.MeanSquaredError(reduction='none')}),
                ('loss is the class', dense(), {'loss': keras.losses.MeanSquaredError}), ('optimizer is None', dense(), {'optimizer': None}),
                ('is one of keras.callbacks', dense(), {'user_callback': [keras.callbacks.EarlyStopping()]}),
                ('class_weight', dense(), {'class_weight': [1, 2]}), ("nonfinite 'x'", dense(), {'nonfinite': 'x'})):
            with self.subTest(refused=refused), self.assertRaisesRegex((TypeError, ValueError), refused):
                FabricModel(model, lambda: (numbers(), None), **{'loss': 'mse', 'optimizer': 'sgd', **options})
        with self.assertRaisesRegex(ValueError, "batch_size 'auto' is for torch's models"):
            self.train(dense(), numbers(), 'mse', 'sgd', batch='auto')
        with self.assertRaisesRegex(TypeError, 'model is a int'):
            FabricModel(3, lambda: (numbers(), None), 'mse', 'sgd')


if __name__ == '__main__':
    unittest.main()
