"""Role: what Keras 3 calls what of_keras.py asks for; keras2.py has the same functions of Keras 2.

  what is loaded   module, check
  a step           call, loss, metrics, scaled, applied
  what is trained  built, variables, path, seeds, draw, is_scaled
  of its classes   user_losses, is_compiled, is_sum, batch_sets
"""

import sys

import numpy

from . import arrays

module = 'keras'


def check(model):
    """@errors ValueError: not this Keras"""
    keras = sys.modules[module]
    if not all(hasattr(model, name) for name in ('_compute_loss', '_call_has_training_arg')):
        raise ValueError(f'FabricModel: Keras {keras.__version__}: a newer Keras 3 is wanted, as 3.15, which this was made for')
    if keras.backend.backend() != 'tensorflow':
        raise ValueError(f"FabricModel: Keras over {keras.backend.backend()}: KERAS_BACKEND=tensorflow is wanted")


def is_compiled(model):
    return model.compiled


def user_losses(model):
    """As they were given; [] where there are none."""
    return sys.modules[module].tree.flatten(model._compile_loss._user_loss) if model._compile_loss is not None else []


def batch_sets():
    """Classes of data sets that give batches."""
    return sys.modules[module].utils.PyDataset


def call(model, x, training):
    return model(x, training=training) if model._call_has_training_arg else model(x)


def loss(model, x, y, outputs, weights, training):
    """The whole loss: of the outputs, the layers and the regularizers."""
    return model._compute_loss(x=x, y=y, y_pred=outputs, sample_weight=weights, training=training)


def metrics(model):
    """What has update_state(), reset_state() and metrics; None: there are none."""
    return model._compile_metrics


def is_sum(variable):
    """Whether this of a metric is a sum over samples."""
    return getattr(variable, 'aggregation', 'sum') == 'sum'


def is_scaled(optimizer):
    """Whether it multiplies the loss, and may leave a step out for that."""
    return optimizer.loss_scale_factor is not None or hasattr(optimizer, 'inner_optimizer')


def scaled(optimizer, value):
    return optimizer.scale_loss(value)


def applied(optimizer, gradients, variables):
    optimizer.apply(gradients, variables)


def built(optimizer, variables):
    if not optimizer.built:
        optimizer.build(variables)


def variables(optimizer):
    return optimizer.variables


def path(variable):
    return variable.path


def seeds(model):
    """Variables that draws follow from."""
    return [seed.state for layer in model._flatten_layers() for seed in getattr(layer, '_seed_generators', ())]


def draw(found, numbers, _has_functions):
    """Draws of this member follow from these numbers, from now on. @shape found: seeds()"""
    for at, state in enumerate(found):
        drawn = arrays.mixed(*numbers, at)
        state.assign(numpy.array([drawn & 0xffffffff, drawn >> 32]).astype(state.numpy().dtype))
