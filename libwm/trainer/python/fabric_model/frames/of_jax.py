"""Role: JAX as the engine's framework. FabricModel(parameters, datasets_function, loss, optimizer): parameters are any pytree of jax arrays;
loss(parameters, batch), or (parameters, batch, key), is the mean over the batch; the optimizer has init(parameters) and
update(gradients, state, parameters) as those of optax. A TrainState of flax is both. Metrics are functions (parameters, batch) too, means
over the samples. Nothing of optax or flax is imported: they are known by what they have.

What a step changes beside parameters and the optimizer's state (batch statistics of flax) has no place here.
"""

import inspect
import os
import sys
from types import SimpleNamespace

import numpy

from .. import arguments
from ..checkpoint import write_file
from . import arrays

_NOT_HERE = {
    'fn_step_train': (None, 'the loss is a function of parameters and batch'), 'fn_test': (None, 'validation is the loss, too'),
    'sync_bn': (False, 'there are no batch statistics'), 'lr_scheduler': (None, 'give the optimizer a schedule, as of optax.schedules'),
    'clip_grad_norm': (None, 'chain optax.clip_by_global_norm before the optimizer'), 'amp': (None, 'cast in the loss'),
    'deterministic': (False, 'not here yet'), 'control': (None, 'parameter servers are'), 'servers': (None, 'parameter servers are'),
    'staleness': (None, 'parameter servers are'), 'shard': (None, 'the state is whole on every worker'),
    'enable_onnx': (False, 'export by jax.export'), 'save_to_onnx': (False, 'export by jax.export'),
    'keras_custom_objects': (None, 'it is of Keras'), 'class_weight': (None, 'weigh in the loss'),
}
_NAN = float('nan')


def _is_state(model):
    """Whether it is a TrainState of flax, or the like."""
    return all(hasattr(model, name) for name in ('params', 'tx', 'opt_state', 'replace'))


def is_parameters(model):
    """Whether JAX's arrays are what is to be trained."""
    jax = sys.modules['jax']
    if _is_state(model):
        return True
    found = jax.tree_util.tree_leaves(model)
    return any(isinstance(leaf, jax.Array) for leaf in found) and all(hasattr(leaf, 'dtype') and hasattr(leaf, 'shape') for leaf in found)


class Frame(arrays.Frame):
    """@thread the training thread"""

    name, modules = 'JAX', ('jax',)

    def __init__(self, model, given):
        """@errors TypeError, ValueError: an argument that cannot be, by name"""
        arrays.refuse(self.name, given, _NOT_HERE)
        for name, words in (('nonfinite', ('stop', 'skip', 'apply')), ('loss_reduction', ('mean', 'sum'))):
            if given[name] not in words:
                raise ValueError(f'FabricModel: {name} {given[name]!r}: ' + ', '.join(map(repr, words)))
        arguments.function('loss', given['loss'], '(parameters, batch)')
        arguments.function('fn_batch_collate', given['fn_batch_collate'], '(samples)', needed=False)
        self.collate = given['fn_batch_collate']
        optimizer = given['optimizer']
        if optimizer is None and _is_state(model):
            optimizer = model.tx
        if not all(callable(getattr(optimizer, name, None)) for name in ('init', 'update')) or isinstance(optimizer, type):
            raise TypeError(f'FabricModel: optimizer is {arguments.kind(optimizer)}; it has to have init(parameters) and update(gradients, state, parameters), '
                            'as optax.adam(1e-3)')
        code = arguments.user_code(SimpleNamespace(**given))
        trained = Trained(model, given['loss'], optimizer, given['metrics'], given['loss_reduction'] == 'sum')
        self.script = _Script(optimizer=optimizer, trained=trained, frame='jax', loss_reduction=given['loss_reduction'], extras={},
                              nonfinite=given['nonfinite'], **code)


class _Script(arrays.Script):
    """Parameters are new ones after each step: who was given them is given those."""

    @property
    def model(self):
        return self.trained.model

    def step(self):
        super().step()
        for target in (self.driver_logger, self.worker_logger, *self.callbacks):
            if hasattr(target, 'model'):
                target.model = self.model

    def take_over(self, state):
        progress = super().take_over(state)
        for target in (self.driver_logger, self.worker_logger, *self.callbacks):
            if hasattr(target, 'model'):
                target.model = self.model
        return progress


class Measured:
    """Functions whose values are means over samples; accuracy is the first, where one is called so."""

    def __init__(self, metrics):
        """@errors TypeError, ValueError: one is no function; two have one name"""
        given = metrics if isinstance(metrics, (list, tuple)) else [metrics] if metrics else []
        pairs = metrics.items() if isinstance(metrics, dict) else [(None, one) for one in given]
        found = []
        for name, metric in pairs:
            arguments.function('a metric', metric, '(parameters, batch)')
            found.append((name or getattr(metric, '__name__', type(metric).__name__), metric))
        first = next((one for one in found if 'acc' in one[0]), ('accuracy', None))
        found = [('accuracy', first[1]), *(one for one in found if one is not first)]
        self.names, self.functions = tuple(name for name, _ in found), [metric for _, metric in found]
        if len(set(self.names)) < len(self.names):
            raise ValueError(f'FabricModel: metrics {self.names}: names of their own are wanted; give a dict')
        self.width = len(self.names)

    @staticmethod
    def values(sums, weight):
        """[loss, accuracy, metric, …] of what was added up; [] when nothing was. @shape sums: [1 + width]"""
        return [number / weight for number in sums] if weight and sums else []


class Trained:
    """See arrays.py."""

    def __init__(self, model, loss, optimizer, metrics, is_sum):
        """@errors TypeError: not all of it can be trained"""
        self._jax = jax = sys.modules['jax']
        self._is_sum, self._optimizer, self._state = is_sum, optimizer, model if _is_state(model) else None
        self.measured = Measured(metrics)
        given = model.params if self._state is not None else model
        self.parameters = jax.tree_util.tree_map(jax.numpy.asarray, given)
        leaves, self._form = jax.tree_util.tree_flatten(self.parameters)
        for leaf in leaves:
            if not jax.numpy.issubdtype(leaf.dtype, jax.numpy.floating):
                raise TypeError(f'FabricModel: a parameter of {leaf.dtype}: floating-point ones are trained; what is not belongs into the loss')
        self._opt_state = self._state.opt_state if self._state is not None else optimizer.init(self.parameters)
        self.shapes, self.kinds = [leaf.shape for leaf in leaves], ['f8' if leaf.dtype == 'float64' else 'f4' for leaf in leaves]
        self._draws = _wants_key(loss)
        self._key, self._steps = jax.random.PRNGKey(0), 0
        self._gradient = jax.jit(jax.value_and_grad(self._weighted(loss), has_aux=True))
        self._evaluate = jax.jit(lambda parameters, batch, key: self._loss(loss, parameters, batch, key, self._measure(parameters, batch)))
        self._update = jax.jit(self._updated)

    @property
    def model(self):
        """As the script gave it, trained so far."""
        if self._state is None:
            return self.parameters
        return self._state.replace(params=self.parameters, opt_state=self._opt_state, step=self._state.step + self._steps)

    def _loss(self, loss, parameters, batch, key, rest):
        return (loss(parameters, batch, key) if self._draws else loss(parameters, batch)), rest

    def _weighted(self, loss):
        def weighted(parameters, batch, key, share):
            value, numbers = self._loss(loss, parameters, batch, key, self._measure(parameters, batch))
            return value * share.astype(value.dtype), (value, numbers)
        return weighted

    def _measure(self, parameters, batch):
        jnp = self._jax.numpy
        parameters = self._jax.lax.stop_gradient(parameters)
        return [jnp.asarray(_NAN if metric is None else metric(parameters, batch), float) for metric in self.measured.functions]

    def _updated(self, gradients, state, parameters):
        updates, state = self._optimizer.update(gradients, state, parameters)
        return self._jax.tree_util.tree_map(lambda p, u: (p + u).astype(p.dtype), parameters, updates), state

    def _drawn(self):
        if not self._draws:
            return self._key
        self._key, key = self._jax.random.split(self._key)
        return key

    def warm(self, _batch):
        """JAX compiles for each shape when it comes."""

    def gradient(self, batch, size, share):
        scale = numpy.asarray(1.0 if self._is_sum else share)
        (_, (value, numbers)), found = self._gradient(self.parameters, batch, self._drawn(), scale)
        gradients = [numpy.asarray(g).astype(kind, copy=False) for g, kind in zip(self._jax.tree_util.tree_leaves(found), self.kinds)]
        return gradients, self._told(value, numbers, size)

    def evaluate(self, batch, size):
        return self._told(*self._evaluate(self.parameters, batch, self._drawn()), size)

    def _told(self, value, numbers, size):
        return [float(value) * (1 if self._is_sum else size), *(float(n) * size for n in numbers)]

    def step(self, gradients):
        jnp, tree = self._jax.numpy, self._jax.tree_util
        like = tree.tree_leaves(self.parameters)
        found = tree.tree_unflatten(self._form, [jnp.asarray(g, p.dtype) for g, p in zip(gradients, like)])
        made = self._update(found, self._opt_state, self.parameters)
        # The arrays that came in may be the flat buffers' own memory: they are written to after this.
        self.parameters, self._opt_state = self._jax.block_until_ready(made)
        self._steps += 1

    def buffers(self):
        return []

    def set_buffers(self, _values):
        """There are none."""

    # ---- state -------------------------------------------------------------------------------

    def _leaves(self):
        paths = self._jax.tree_util.tree_flatten_with_path({'optimizer': self._opt_state, 'weights': self.parameters})[0]
        return [(self._jax.tree_util.keystr(path), leaf) for path, leaf in paths]

    def state(self):
        """@shape {weights, optimizer: [(path, array)]}; numbers that numpy has not travel as their bytes"""
        found = {'weights': [], 'optimizer': [], 'steps': self._steps}
        for path, leaf in self._leaves():
            array = numpy.array(leaf)
            found['weights' if path.startswith("['weights']") else 'optimizer'].append(
                [path, array if array.dtype.kind in 'biufc' else array.view(f'u{array.dtype.itemsize}')])
        return found

    def load(self, state):
        """@errors ValueError: of other parameters or another optimizer"""
        mine, theirs = self._leaves(), [*state['optimizer'], *state['weights']]
        if [path for path, _ in mine] != [path for path, _ in theirs]:
            raise ValueError(f'state of {len(theirs)} arrays of other names than the {len(mine)} here')
        made = []
        for (path, leaf), (_, value) in zip(mine, theirs):
            dtype = numpy.asarray(leaf).dtype
            if tuple(value.shape) != numpy.shape(leaf):
                raise ValueError(f'state of {path}: shape {tuple(value.shape)}, here it is {numpy.shape(leaf)}')
            made.append(self._jax.numpy.array(value if value.dtype.kind == dtype.kind else value.view(dtype)))
        form = self._jax.tree_util.tree_structure({'optimizer': self._opt_state, 'weights': self.parameters})
        both = self._jax.tree_util.tree_unflatten(form, made)
        self._opt_state, self.parameters, self._steps = both['optimizer'], both['weights'], state['steps']

    def enter(self, seed, epoch, rank):
        """Each member draws for itself."""
        self._key = self._jax.random.PRNGKey(arrays.mixed(seed, epoch, rank) & 0x7fffffff)

    def warn(self):
        """Nothing depends on how many workers there are."""

    def save(self, result_dir):
        """$RESULT_DIR/model/parameters.npz: arrays by their paths in the tree."""
        folder = os.path.join(result_dir, 'model')
        os.makedirs(folder, exist_ok=True)
        values = {path.replace("['weights']", '', 1): numpy.asarray(leaf) for path, leaf in self._leaves() if path.startswith("['weights']")}
        write_file(os.path.join(folder, 'parameters.npz'), lambda file: numpy.savez(file, **values))

    def save_beside(self, _folder):
        """The checkpoint is all there is."""


def _wants_key(loss):
    """Whether it draws: (parameters, batch, key)."""
    try:
        wanted = [p for p in inspect.signature(loss).parameters.values() if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        return False
    return len(wanted) > 2
