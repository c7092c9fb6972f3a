"""Role: Keras 2, the package tf_keras that TF_USE_LEGACY_KERAS=1 makes tf.keras mean: the functions of keras3.py by its own names.
@source tf_keras.engine.training.Model.train_step and compute_loss, tf_keras.optimizers.optimizer.Optimizer.apply_gradients, of 2.21
"""

import sys

from . import arrays

module = 'tf_keras'


def check(model):
    """@errors ValueError: not this Keras, or an optimizer of before 2.11"""
    keras = sys.modules[module]
    if not all(hasattr(model, name) for name in ('compute_loss', 'compiled_loss', 'compiled_metrics', '_expects_training_arg')):
        raise ValueError(f'FabricModel: tf_keras {keras.__version__}: a newer one is wanted, as 2.21, which this was made for')


def is_compiled(model):
    return model._is_compiled


def user_losses(model):
    given = sys.modules['tensorflow'].nest.flatten(model.compiled_loss._user_losses)
    return [one for one in given if one is not None]


def batch_sets():
    return sys.modules[module].utils.Sequence


def call(model, x, training):
    return model(x, training=training) if model._expects_training_arg else model(x)


def loss(model, x, y, outputs, weights, _training):
    """@errors ValueError: there is none"""
    found = model.compute_loss(x, y, outputs, weights)
    if found is None:
        raise ValueError('FabricModel: the model has no loss: give one, or add_loss()')
    return found


def metrics(model):
    return model.compiled_metrics


def is_sum(variable):
    return variable.aggregation == sys.modules['tensorflow'].VariableAggregation.SUM


def is_scaled(optimizer):
    """@errors ValueError: it is, or steps in a way of before 2.11"""
    keras = sys.modules[module]
    if isinstance(optimizer, keras.mixed_precision.LossScaleOptimizer) or hasattr(optimizer, 'inner_optimizer'):
        raise ValueError("FabricModel: the loss scale of Keras 2's mixed_float16 is not here: mixed_bfloat16 needs none, Keras 3 has one")
    if not isinstance(optimizer, keras.optimizers.Optimizer):
        raise ValueError(f'FabricModel: optimizer {type(optimizer).__name__} is one of tf_keras.optimizers.legacy: give that of tf_keras.optimizers')
    return False


def scaled(_optimizer, value):
    return value


def applied(optimizer, gradients, variables):
    optimizer.apply_gradients(list(zip(gradients, variables)), skip_gradients_aggregation=True)


def built(optimizer, variables):
    optimizer.build(variables)


def variables(optimizer):
    return list(optimizer.variables)


def path(variable):
    return variable.name


def seeds(_model):
    """Draws follow from TensorFlow's own seed, as it is when a function is made."""
    return []


def draw(_found, numbers, has_functions):
    if not has_functions:
        sys.modules['tensorflow'].random.set_seed(arrays.mixed(*numbers))
