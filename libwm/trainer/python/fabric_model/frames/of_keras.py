"""Role: Keras over TensorFlow as the engine's framework: Keras 3, which is tf.keras of 2.16 and later, and Keras 2, which is tf_keras;
what they call by other names is in keras3.py and keras2.py. A step is Keras's own, in two parts: tape, compute_loss, scale_loss and gradient
here, the optimizer's apply after the sum; so what lies in them stays: add_loss, regularizers, sample weights, clipnorm and its like, EMA,
accumulation, constraints, loss scales.

What Keras would decide for one process alone is refused by name: other backends, a train_step of one's own.
@source keras.src.backend.tensorflow.trainer.TensorFlowTrainer.train_step, whose order this keeps
"""

import math
import os
import sys
from types import SimpleNamespace

import numpy

from .. import arguments
from . import arrays, keras2, keras3

_NOT_HERE = {
    'fn_step_train': (None, 'give the model a compute_loss of its own'), 'fn_test': (None, 'validation is compute_loss, too'),
    'sync_bn': (False, 'statistics of batch normalisation are means over the workers'),
    'lr_scheduler': (None, "give the optimizer a schedule, of keras.optimizers.schedules"),
    'clip_grad_norm': (None, "the optimizer's global_clipnorm is that, of the whole step"),
    'amp': (None, "keras.mixed_precision.set_global_policy('mixed_bfloat16') is that"),
    'loss_reduction': ('mean', "say it of the loss: reduction='sum'"), 'deterministic': (False, 'not here yet'),
    'control': (None, 'parameter servers are'), 'servers': (None, 'parameter servers are'), 'staleness': (None, 'parameter servers are'),
    'shard': (None, 'the state is whole on every worker'), 'enable_onnx': (False, 'export model.keras by tf2onnx'),
    'save_to_onnx': (False, 'export model.keras by tf2onnx'),
}
_SUM, _MEAN = ('sum',), ('sum_over_batch_size', 'mean', 'auto')
_NAN = float('nan')


class Frame(arrays.Frame):
    """@thread the training thread"""

    name = 'Keras'

    def __init__(self, model, given):
        """@errors TypeError, ValueError: an argument that cannot be, by name"""
        self.model = model
        arrays.refuse(self.name, given, _NOT_HERE)
        if given['nonfinite'] not in ('stop', 'skip', 'apply'):
            raise ValueError(f"FabricModel: nonfinite {given['nonfinite']!r}: 'stop', 'skip' or 'apply'")
        own = self._own = _check_stack(model)
        self.modules = own.module, 'tensorflow'
        keras = sys.modules[own.module]
        self.collate = given['fn_batch_collate']
        arguments.function('fn_batch_collate', self.collate, '(samples)', needed=False)
        keras.saving.get_custom_objects().update(given['keras_custom_objects'] or {})
        _compile(own, model, given)
        code = arguments.user_code(SimpleNamespace(**given))
        for callback in code['callbacks']:
            if isinstance(callback, keras.callbacks.Callback):
                raise TypeError(f'FabricModel: user_callback {type(callback).__name__} is one of keras.callbacks, which go by the process that they are in; '
                                'a callback here has on_epoch_end(epoch) and its like, and need not inherit anything')
        reduction = _reduction(own, model)
        scaled = own.is_scaled(model.optimizer)
        trained = Trained(own, model, given['class_weight'], reduction == 'sum')
        self.script = arrays.Script(model=model, optimizer=model.optimizer, trained=trained, frame='keras', loss_reduction=reduction, extras={},
                                    nonfinite='apply' if scaled else given['nonfinite'], **code)

    def data_sets(self, pair):
        """tf.data sets are read; what else there is, is as it is."""
        return super().data_sets([_read(self._own, one, name) for one, name in zip(pair, ('training', 'test'))])


def _own_of(model):
    """keras3 or keras2. @errors ValueError: another Keras"""
    if 'tf_keras' in sys.modules and isinstance(model, sys.modules['tf_keras'].Model):
        return keras2
    keras = sys.modules['keras']
    if int(keras.__version__.partition('.')[0]) < 3:
        raise ValueError(f'FabricModel: Keras {keras.__version__}: 3 or newer is wanted, the tf.keras of TensorFlow 2.16 and later, or tf_keras beside it')
    return keras3


def _check_stack(model):
    """What the model's Keras calls what. @errors ValueError: not this Keras"""
    own = _own_of(model)
    keras = sys.modules[own.module]
    own.check(model)
    for name in ('train_step', 'test_step', 'compute_metrics'):
        if getattr(type(model), name) is not getattr(keras.Model, name):
            raise ValueError(f'FabricModel: {type(model).__name__} has a {name} of its own, into which the sum over the workers cannot be put; '
                             'call(), compute_loss(), add_loss() and build() may be its own')
    strategy = getattr(model, '_distribute_strategy', None) or getattr(model, '_distribution_strategy', None)
    if strategy is not None and strategy.num_replicas_in_sync > 1:
        raise ValueError(f'FabricModel: the model was made under {type(strategy).__name__}: WM divides the batch itself, leave the scope out')
    return own


def _compile(own, model, given):
    """With what was given; what was not is as the script has compiled it. @errors TypeError: it has none"""
    loss, optimizer, metrics = given['loss'], given['optimizer'], given['metrics']
    for name, value in (('loss', loss), ('optimizer', optimizer)):
        if isinstance(value, type):
            raise TypeError(f'FabricModel: {name} is {arguments.kind(value)}; give an object of it: {value.__name__}()')
    is_compiled = own.is_compiled(model)
    if loss is None and optimizer is None and metrics is None and is_compiled:
        return
    if not is_compiled and (loss is None or optimizer is None):
        lacks = 'loss' if loss is None else 'optimizer'
        raise TypeError(f"FabricModel: {lacks} is None, and the model is not compiled: give an instance or a name, as 'adam', or compile the model")
    before = model.get_compile_config() if is_compiled and (loss is None or metrics is None) else {}
    if isinstance(metrics, str) or (metrics is not None and not isinstance(metrics, (list, tuple, dict))):
        metrics = [metrics]
    saving = sys.modules[own.module].saving
    model.compile(optimizer=optimizer if optimizer is not None else model.optimizer,
                  loss=loss if loss is not None else saving.deserialize_keras_object(before.get('loss')),
                  metrics=metrics if metrics is not None else saving.deserialize_keras_object(before.get('metrics')),
                  loss_weights=before.get('loss_weights') if loss is None else None,
                  weighted_metrics=saving.deserialize_keras_object(before.get('weighted_metrics')) if metrics is None else None)


def _reduction(own, model):
    """'mean' or 'sum'. @errors ValueError: one that cannot be divided among workers"""
    found = set()
    for loss in own.user_losses(model):
        how = getattr(loss, 'reduction', 'sum_over_batch_size')
        if how not in _SUM + _MEAN:
            raise ValueError(f"FabricModel: the loss's reduction {how!r}: its value over a batch does not follow from those over the workers' parts; "
                             "'sum_over_batch_size' or 'sum'")
        found.add('sum' if how in _SUM else 'mean')
    if len(found) > 1:
        raise ValueError("FabricModel: losses of reduction 'sum' beside others: give them one")
    return found.pop() if found else 'mean'


# ---- data ------------------------------------------------------------------------------------


def _read(own, given, name):
    """The samples of a tf.data set as arrays: read once, its own batches and order undone, for WM deals them. What else: as it is.
    @errors ValueError, TypeError: it cannot be dealt"""
    tf = sys.modules.get('tensorflow')
    if hasattr(given, 'image_data_generator') or isinstance(given, own.batch_sets()):
        raise TypeError(f'train: the {name} set is a {type(given).__name__}, which gives batches: WM deals samples; give arrays, a tf.data set, '
                        'or an object whose __getitem__ gives a sample, and put augmentation into layers of the model')
    if tf is None or not isinstance(given, tf.data.Dataset):
        return given
    samples = _unbatched(given, name)
    if int(samples.cardinality()) == tf.data.INFINITE_CARDINALITY:
        raise ValueError(f'train: the {name} set of tf.data has no end: leave repeat() out, epoch_number says how many passes')
    found = [arrays.leaves(one) for one in samples.as_numpy_iterator()]
    if not found:
        raise ValueError(f'train: {name} data set of 0 samples: at least 1')
    spec = samples.element_spec
    try:
        columns = iter([numpy.stack(column) for column in zip(*found)])
    except ValueError:
        raise ValueError(f'train: the {name} set of tf.data has samples of several shapes: bring them to one, as by padding') from None
    return arrays.mapped(lambda _: next(columns), spec)


_BATCHES = ('BatchDataset', 'ParallelBatchDataset', 'PaddedBatchDataset')
_OF_THE_END = (*_BATCHES, 'PrefetchDataset', 'ShuffleDataset', 'OptionsDataset')


def _kind(dataset):
    return type(dataset).__name__.lstrip('_')


def _unbatched(given, name):
    """The samples, without what ends a pipeline and concerns batches and order alone."""
    while _kind(given) in _OF_THE_END:
        given, = given._inputs()
    if _shuffles(given):
        raise ValueError(f'train: the {name} set of tf.data shuffles before it maps or takes: each worker would have other samples at a place. Leave '
                         'shuffle() out, or let it be the last but batch() and prefetch(): WM shuffles each pass itself')
    return given.unbatch() if _has_batches(given) else given


def _shuffles(dataset):
    return 'Shuffle' in _kind(dataset) or any(_shuffles(one) for one in dataset._inputs())


def _has_batches(dataset):
    """Whether what it gives are batches, which somebody has mapped or zipped."""
    if 'Unbatch' in _kind(dataset):
        return False
    return _kind(dataset) in (*_BATCHES, 'MapAndBatchDataset', 'RebatchDataset') or any(_has_batches(one) for one in dataset._inputs())


def _divided(batch):
    """(inputs, labels, sample weights or None), as Keras has them."""
    if isinstance(batch, (tuple, list)):
        if not 1 <= len(batch) <= 3:
            raise ValueError(f'batch: {len(batch)} parts; (inputs, labels) or (inputs, labels, sample weights)')
        return tuple(batch) + (None,) * (3 - len(batch))
    return batch, None, None


# ---- what is measured ------------------------------------------------------------------------


class Measured:
    """The model's metrics, whose variables are counts: they are summed over workers and steps before they are computed."""

    def __init__(self, own, model):
        self._own, self._model, self._metrics, self._is_mean = own, model, [], []
        self.names, self.width = ('accuracy',), 1

    def build(self):
        """Once the model's metrics are. @errors ValueError: one that cannot be added up"""
        mean, found = sys.modules[self._own.module].metrics.Mean, self._own.metrics(self._model)
        metrics = list(found.metrics) if found is not None else []
        for metric in metrics:
            for variable in metric.variables:
                if not self._own.is_sum(variable) or numpy.any(numpy.asarray(variable)):
                    raise ValueError(f"metric '{metric.name}' ({type(metric).__name__}): its {variable.name!r} is no sum over samples, and so cannot be "
                                     'added up over workers')
        first = next((m for m in metrics if 'acc' in m.name), None)
        self._metrics = [first, *(m for m in metrics if m is not first)]
        self._is_mean = [isinstance(m, mean) and type(m).result is mean.result for m in self._metrics]
        self.names = tuple('accuracy' if m is first else m.name for m in self._metrics)
        self.width = sum(self._width(m) for m in self._metrics)

    @staticmethod
    def _width(metric):
        return 1 if metric is None else sum(math.prod(v.shape) for v in metric.variables)

    def reset(self):
        """In the graph, before a batch is counted."""
        for metric in self._metrics:
            for variable in metric.variables if metric is not None else ():
                variable.assign(sys.modules['tensorflow'].zeros(variable.shape, variable.dtype))

    def numbers(self, tf):
        """In the graph, after it. @shape [width]"""
        found = [tf.constant([_NAN], tf.float64) if metric is None else tf.cast(tf.reshape(tf.convert_to_tensor(variable), [-1]), tf.float64)
                 for metric in self._metrics for variable in ([None] if metric is None else metric.variables)]
        return tf.concat(found, 0)

    def values(self, sums, weight):
        """[loss, accuracy, metric, …] of what was added up; [] when nothing was. @shape sums: [1 + width]"""
        if not weight or not sums:
            return []
        out, at = [sums[0] / weight], 1
        for metric, is_mean in zip(self._metrics, self._is_mean):
            width = self._width(metric)
            out.append(self._value(metric, is_mean, sums[at:at + width]))
            at += width
        return out

    @staticmethod
    def _value(metric, is_mean, numbers):
        if metric is None:
            return _NAN
        if is_mean:
            return numbers[0] / numbers[1] if numbers[1] else _NAN
        at = 0
        for variable in metric.variables:
            size = math.prod(variable.shape)
            variable.assign(numpy.reshape(numbers[at:at + size], variable.shape))
            at += size
        found = numpy.asarray(metric.result(), 'f8')
        return float(found) if not found.ndim else float(found.mean())


# ---- what is trained -------------------------------------------------------------------------


class Trained:
    """See arrays.py. Functions of TensorFlow are made once for each structure of batches, for any number of samples."""

    def __init__(self, own, model, class_weight, is_sum):
        self._own, self._model, self._class_weight, self._is_sum = own, model, _weights_of(class_weight), is_sum
        self._tf = sys.modules['tensorflow']
        self.measured = Measured(own, model)
        self._functions, self._has, self._apply, self._buffers, self._seeds = {}, [], {}, [], []
        self._has_form = True  # as far as is known

    def warm(self, batch):
        """Builds model, loss, metrics and optimizer: the model is called once, with one sample."""
        model, tf = self._model, self._tf
        x, y, weights = self._prepared(batch)
        outputs = self._own.call(model, x, False)
        self._own.loss(model, x, y, outputs, weights, False)
        self._update_metrics(y, outputs, weights)
        if self._own.metrics(model) is not None:
            self._own.metrics(model).reset_state()
        self.measured.build()
        variables = model.trainable_variables
        if not variables:
            raise ValueError('FabricModel: the model has no trainable variables')
        self._own.built(model.optimizer, variables)
        self.shapes = [tuple(v.shape) for v in variables]
        self.kinds = ['f8' if v.dtype == 'float64' else 'f4' for v in variables]
        self._has = [False] * len(variables)
        self._buffers = self._changing()
        self._seeds = self._own.seeds(model)

    def _changing(self):
        """Weights that a step may change beside the gradient: running statistics of layers that are not frozen."""
        frozen = {id(w) for layer in self._model._flatten_layers() if not layer.trainable for w in layer.weights}
        return [w for w in self._model.non_trainable_weights if id(w) not in frozen and w.dtype != 'string']

    def _prepared(self, batch):
        x, y, weights = _divided(batch)
        if self._class_weight is not None:
            of_class = self._class_weight(y)
            weights = of_class if weights is None else weights * of_class
        as_tensor = self._tf.convert_to_tensor
        return tuple(None if part is None else arrays.mapped(as_tensor, part) for part in (x, y, weights))

    def gradient(self, batch, _size, share):
        function, flat = self._function('train', batch, self._train_step)
        gradients, loss, numbers = function(*flat, self._tf.constant(share, self._tf.float64))
        found = iter(gradients)
        return [next(found).numpy() if has else None for has in self._has], self._told(loss, numbers, _size)

    def evaluate(self, batch, size):
        function, flat = self._function('test', batch, self._test_step)
        loss, numbers = function(*flat)
        return self._told(loss, numbers, size)

    def _told(self, loss, numbers, size):
        return [float(loss) * (1 if self._is_sum else size), *numbers.numpy().tolist()]

    def _function(self, what, batch, step):
        """(the function for batches of this structure, the tensors of this one)"""
        tf, prepared = self._tf, self._prepared(batch)
        flat, form = arrays.leaves(prepared), arrays.mapped(lambda _: 0, prepared)
        key = (what, repr(arrays.mapped(lambda t: (t.dtype.name, tuple(t.shape[1:])), prepared)))
        if key not in self._functions:
            def work(*tensors):
                rest = iter(tensors)
                return step(*arrays.mapped(lambda _: next(rest), form), *rest)
            specs = [tf.TensorSpec([None, *t.shape[1:]], t.dtype) for t in flat]
            specs += [tf.TensorSpec([], tf.float64)] if what == 'train' else []
            self._functions[key] = work if self._model.run_eagerly else tf.function(work, input_signature=specs)
        return self._functions[key], flat

    def _train_step(self, x, y, weights, share):
        tf, model = self._tf, self._model
        with tf.GradientTape() as tape:
            outputs = self._own.call(model, x, True)
            loss = self._own.loss(model, x, y, outputs, weights, True)
            part = tf.cast(share, loss.dtype)
            if self._is_sum:  # regularizers and add_loss are of the step, not of the sample
                extra = tf.cast(tf.add_n([tf.cast(one, loss.dtype) for one in model.losses]), loss.dtype) if model.losses else tf.zeros_like(loss)
                scaled = loss - extra + extra * part
            else:
                scaled = loss * part
            scaled = self._own.scaled(model.optimizer, scaled)
        found = tape.gradient(scaled, model.trainable_variables)
        self._has = [g is not None for g in found]
        kinds = {'f4': tf.float32, 'f8': tf.float64}
        gradients = [tf.cast(tf.convert_to_tensor(g), kinds[kind]) for g, kind in zip(found, self.kinds) if g is not None]
        return gradients, loss, self._measure(y, outputs, weights)

    def _test_step(self, x, y, weights):
        outputs = self._own.call(self._model, x, False)
        loss = self._own.loss(self._model, x, y, outputs, weights, False)
        return loss, self._measure(y, outputs, weights)

    def _measure(self, y, outputs, weights):
        self.measured.reset()
        self._update_metrics(y, outputs, weights)
        return self.measured.numbers(self._tf)

    def _update_metrics(self, y, outputs, weights):
        found = self._own.metrics(self._model)
        if found is not None and y is not None:
            found.update_state(y, outputs, weights)

    def step(self, gradients):
        has = tuple(g is not None for g in gradients)
        if has not in self._apply:
            model = self._model
            variables = [v for v, one in zip(model.trainable_variables, has) if one]

            def apply(*given):
                self._own.applied(model.optimizer, [self._tf.cast(g, v.dtype) for g, v in zip(given, variables)], variables)
            self._apply[has] = self._tf.function(apply)
        self._apply[has](*(self._tf.convert_to_tensor(g) for g in gradients if g is not None))

    def buffers(self):
        return [v.numpy() for v in self._buffers]

    def set_buffers(self, values):
        for variable, value in zip(self._buffers, values):
            variable.assign(value)

    # ---- state -------------------------------------------------------------------------------

    def _parts(self):
        """{name: variables} of all that a newcomer needs."""
        return {'weights': self._model.weights, 'optimizer': self._own.variables(self._model.optimizer), 'seeds': self._seeds}

    def state(self):
        """@shape {part: [(path, array)]}; numbers that numpy has not travel as their bytes"""
        return {name: [[self._own.path(v), _plain(v.numpy())] for v in variables] for name, variables in self._parts().items()}

    def load(self, state):
        """@errors ValueError: of another model or optimizer"""
        for name, variables in self._parts().items():
            values = state[name]
            if len(values) != len(variables):
                raise ValueError(f'state of a model with {len(values)} {name}, this one has {len(variables)}')
            for variable, (path, value) in zip(variables, values):
                dtype = variable.numpy().dtype
                if tuple(value.shape) != tuple(variable.shape):
                    raise ValueError(f'state of {path}: shape {tuple(value.shape)}, {self._own.path(variable)} has {tuple(variable.shape)}')
                variable.assign(value if value.dtype.kind == dtype.kind else value.view(dtype))

    def enter(self, seed, epoch, rank):
        """Scripts seed all workers alike, and all would drop the same units; rank 0 draws what one worker alone would."""
        if rank:
            self._own.draw(self._seeds, (seed, epoch, rank), bool(self._functions))

    def warn(self):
        names = [layer.name for layer in self._model._flatten_layers() if type(layer).__name__ == 'BatchNormalization']
        if names:
            print(f'warning: {len(names)} batch normalisations, as {names[0]!r}, see the samples of their own worker only: what the model learns depends '
                  'on how many workers there are', flush=True)

    def save(self, result_dir):
        """$RESULT_DIR/model/model.keras, and the weights alone. EMA's means become the weights, as at the end of fit()."""
        self._model.optimizer.finalize_variable_values(self._model.trainable_variables)
        folder = os.path.join(result_dir, 'model')
        _saved(self._model.save_weights, folder, 'model.weights.h5')
        self._save_whole(folder, 'model.keras')

    def save_beside(self, folder):
        """checkpoint.keras, which keras.models.load_model reads."""
        self._save_whole(folder, 'checkpoint.keras')

    def _save_whole(self, folder, name):
        """Some models cannot be told in Keras's form: that is said once, and ends no training."""
        if self._has_form:
            try:
                _saved(self._model.save, folder, name)
            except OSError:
                raise
            except Exception as error:  # the model's own get_config: anything can come
                self._has_form = False
                print(f'no {name} is written: {type(error).__name__}: {error}', file=sys.stderr, flush=True)


def _saved(save, folder, name):
    """Whole or not at all: Keras goes by the name's end."""
    os.makedirs(folder, exist_ok=True)
    temporary = os.path.join(folder, f'.{os.getpid()}.{name}')
    try:
        save(temporary)
        os.replace(temporary, os.path.join(folder, name))
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def _plain(array):
    return numpy.array(array) if array.dtype.kind in 'biufc' else numpy.array(array).view(f'u{array.dtype.itemsize}')


def _weights_of(class_weight):
    """Function that gives the weights of labels; None: there are none. @errors ValueError"""
    if class_weight is None:
        return None
    if not isinstance(class_weight, dict) or not all(isinstance(k, (int, numpy.integer)) for k in class_weight):
        raise ValueError(f'FabricModel: class_weight {class_weight!r}: a dict of classes, whole numbers, and their weights')

    def weights(y):
        classes = y.argmax(-1) if y.ndim > 1 and y.shape[-1] > 1 else y.reshape(len(y))
        return numpy.array([float(class_weight.get(int(one), 1.0)) for one in classes], 'f4')
    return weights
