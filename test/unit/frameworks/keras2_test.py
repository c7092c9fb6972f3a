"""Role: tests of FabricModel with models of Keras 2 (tf_keras, frames/keras2.py), one worker alone, beside what tf_keras's own train_on_batch
makes of the same batches. What is of_keras.py's own, as data sets, keras_test.py has.
"""

import importlib.util
import os
import tempfile
import unittest
from unittest import mock

import numpy

import keras_test
from keras_test import COUNT, classes, numbers

HERE = keras_test.HERE and importlib.util.find_spec('tf_keras')
if HERE:
    import tensorflow as tf
    import tf_keras
    from tf_keras import layers, losses, optimizers

    from fabric_model import FabricModel

    tf_keras.backend.set_floatx('float64')

    class Activity(layers.Layer):
        """Adds a loss of its own."""

        def call(self, x):
            self.add_loss(0.01 * tf.reduce_mean(x * x))
            return x

    class Own(tf_keras.Model):
        """A model that computes its loss itself."""

        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(1)

        def call(self, x):
            return self.dense(x)

        def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None):
            return tf.reduce_mean(tf.abs(y - y_pred))


def dense(*more, classes=1, **options):
    return tf_keras.Sequential([layers.Input((4,)), layers.Dense(6, 'tanh', **options), *more, layers.Dense(classes)])


@unittest.skipUnless(HERE, 'not run: tf_keras is not installed for this Python')
class Fabric(keras_test.Fabric):
    """Seeded as keras_test's."""

    def setUp(self):
        super().setUp()
        tf_keras.utils.set_random_seed(5)


class AsKeras(Fabric):
    def same(self, model, data, loss, optimizer, bites=1, class_weight=None, **train):
        """That both make the same parameters of the same batches."""
        other = tf_keras.models.clone_model(model)
        other.set_weights(model.get_weights())
        other.compile(type(optimizer).from_config(optimizer.get_config()), type(loss).from_config(loss.get_config()) if hasattr(loss, 'get_config') else loss)
        trained = self.train(model, data, loss, optimizer, class_weight=class_weight, train=train, batch=8 // bites)
        x, y, *weights = data
        for at in range(0, len(self.orders), bites):
            order = sum(self.orders[at:at + bites], [])
            other.train_on_batch(x[order], y[order], *(w[order] for w in weights), class_weight=class_weight)
        other.optimizer.finalize_variable_values(other.trainable_variables)
        self.assertGreater(len(trained.optimizer.variables), 1)
        for mine, theirs in zip([*trained.weights, *trained.optimizer.variables], [*other.weights, *other.optimizer.variables]):
            numpy.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-9, atol=1e-12, err_msg=mine.name)

    def test_optimizers_keep_what_is_their_own(self):
        for optimizer in (optimizers.SGD(0.1, momentum=0.9), optimizers.Adam(0.01, clipnorm=0.1), optimizers.Adam(0.01, global_clipnorm=0.1),
                          optimizers.AdamW(0.01, use_ema=True, ema_momentum=0.9),
                          optimizers.RMSprop(optimizers.schedules.ExponentialDecay(0.01, 3, 0.5))):
            with self.subTest(optimizer=optimizer.get_config()):
                self.same(dense(), numbers(), 'mse', optimizer)

    def test_losses_of_layers_regularizers_constraints_and_running_statistics_stay(self):
        for model in (dense(Activity()), dense(kernel_regularizer='l2'), dense(kernel_constraint=tf_keras.constraints.MaxNorm(0.5)),
                      dense(layers.BatchNormalization())):
            with self.subTest(model=model.layers):
                self.same(model, numbers(), 'mse', optimizers.SGD(0.1))

    def test_a_step_in_bites_is_the_step(self):
        for loss in (losses.MeanSquaredError(), losses.MeanSquaredError(reduction='sum')):
            self.same(dense(kernel_regularizer='l2'), numbers(), loss, optimizers.SGD(0.01), bites=2, effective_batch_size=8)

    def test_samples_and_classes_weigh_what_they_are_given(self):
        x, y = numbers()
        self.same(dense(), (x, y, numpy.linspace(0, 2, COUNT)), 'mse', optimizers.SGD(0.1))
        loss = losses.SparseCategoricalCrossentropy(from_logits=True)
        self.same(dense(classes=3), classes(), loss, optimizers.SGD(0.1), class_weight={0: 1.0, 1: 5.0, 2: 2.0})

    def test_a_loss_of_the_model_s_own_is_what_is_trained(self):
        x, y = numbers()
        model = Own()
        first = model(x[:1]) is not None and model.get_weights()
        self.train(model, (x, y), 'mse', optimizers.SGD(0.1), passes=20)
        before = abs(x @ first[0] + first[1] - y).mean()
        self.assertLess(abs(model(x).numpy() - y).mean(), before)

    def test_workers_drop_units_of_their_own(self):
        """A script seeds all of them alike."""
        def dropped(rank):
            tf_keras.utils.set_random_seed(5)
            model = tf_keras.Sequential([layers.Input((4,)), layers.Dropout(0.5)])
            model.compile('sgd', 'mse')
            from fabric_model.frames import keras2, of_keras
            trained = of_keras.Trained(keras2, model, None, False)
            trained.enter(7, 1, rank)
            return tf.function(lambda x: model(x, training=True))(numpy.ones((20, 4))).numpy()
        self.assertTrue((dropped(0) == dropped(0)).all())
        self.assertTrue((dropped(1) != dropped(0)).any())
        self.assertTrue((dropped(1) != dropped(2)).any())


class Course(Fabric):
    def test_metrics_by_name_function_and_instance_are_of_the_whole_set(self):
        told = []

        class Logger:
            def log_test_metrics(self, metrics, iteration, epoch):
                told.append(metrics)

        def double(labels, outputs):
            return tf.reduce_mean(2 * outputs, -1)

        x, y = classes()
        y = numpy.minimum(y, 1).reshape(-1, 1)
        model = tf_keras.Sequential([layers.Input((4,)), layers.Dense(1, 'sigmoid')])
        self.train(model, lambda: ((x, y), (x, y)), 'binary_crossentropy', 'sgd', batch=7, driver_logger_callback=Logger(),
                   metrics=['mae', double, tf_keras.metrics.AUC(name='auc'), tf_keras.metrics.Precision(name='precision'), 'accuracy'])
        outputs = model.predict(x, verbose=0)
        auc, precision = tf_keras.metrics.AUC(), tf_keras.metrics.Precision()
        auc.update_state(y, outputs)
        precision.update_state(y, outputs)
        wanted = {'accuracy': ((outputs > 0.5) == y).mean(), 'mae': abs(outputs - y).mean(), 'double': 2 * outputs.mean(),
                  'auc': float(auc.result()), 'precision': float(precision.result())}
        self.assertEqual(set(told[-1]), {'loss', *wanted})
        for name, value in wanted.items():
            self.assertAlmostEqual(told[-1][name], value, 6, name)

    def test_a_training_goes_on_from_its_checkpoint_and_tf_keras_reads_its_own(self):
        first = dense()
        other = dense()
        other.set_weights(first.get_weights())
        wanted = self.train(first, numbers(), 'mse', optimizers.Adam(0.05), passes=4)
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, RESULT_DIR=folder):
            self.train(other, numbers(), 'mse', optimizers.Adam(0.05), passes=2, train={'checkpoint_freq': 1})
            for name in ('checkpoint/checkpoint.keras', 'model/model.keras'):
                kept = tf_keras.models.load_model(os.path.join(folder, name))
                numpy.testing.assert_array_equal(kept.get_weights()[0], other.get_weights()[0])
            tf_keras.utils.set_random_seed(77)
            resumed = self.train(dense(), numbers(), 'mse', optimizers.Adam(0.05), passes=4)
            with self.assertRaisesRegex(ValueError, 'shape'):
                self.train(tf_keras.Sequential([layers.Input((4,)), layers.Dense(5), layers.Dense(1)]), numbers(), 'mse', optimizers.Adam(0.05), passes=5)
        for mine, theirs in zip(resumed.get_weights(), wanted.get_weights()):
            numpy.testing.assert_allclose(mine, theirs, rtol=1e-12)

    def test_sets_of_tf_data_and_a_compiled_model(self):
        x, y = numbers()
        model = dense()
        model.compile('sgd', 'mse', metrics=['mae'])
        before = model.get_weights()[0]
        self.train(model, tf.data.Dataset.from_tensor_slices((x, y)).batch(7))
        self.assertTrue((model.get_weights()[0] != before).any())

    def test_gradients_that_are_no_numbers_end_the_training(self):
        x, y = numbers()
        y[11] = numpy.nan
        with self.assertRaisesRegex(RuntimeError, 'not finite .*rank 0'):
            self.train(dense(), (x, y), 'mse', 'sgd')


class Refusals(Fabric):
    def test_what_keras_2_cannot_have_here_is_refused_by_name(self):
        class Step(tf_keras.Sequential):
            def train_step(self, data):
                return {}

        class Batches(tf_keras.utils.Sequence):
            def __len__(self):
                return 5

            def __getitem__(self, number):
                return numbers()

        for refused, model, options in (
                ('servers 2', dense(), {'servers': 2}), ('has a train_step of its own', Step([layers.Input((4,)), layers.Dense(1)]), {}),
                ("reduction 'none'", dense(), {'loss': losses.MeanSquaredError(reduction='none')}),
                ('is one of tf_keras.optimizers.legacy', dense(), {'optimizer': optimizers.legacy.SGD(0.1)}),
                ('the loss scale of Keras 2', dense(), {'optimizer': tf_keras.mixed_precision.LossScaleOptimizer(optimizers.SGD(0.1))}),
                ('is one of keras.callbacks', dense(), {'user_callback': [tf_keras.callbacks.EarlyStopping()]})):
            with self.subTest(refused=refused), self.assertRaisesRegex((TypeError, ValueError), refused):
                FabricModel(model, lambda: (numbers(), None), **{'loss': 'mse', 'optimizer': 'sgd', **options})
        with self.assertRaisesRegex(TypeError, 'is a Batches, which gives batches'):
            self.train(dense(), Batches(), 'mse', 'sgd')


if __name__ == '__main__':
    unittest.main()
