"""Role: what training frames have in common whose gradients come as arrays (of_keras.py, of_jax.py): the flat buffers of a
step, shares in bites, state, data sets of arrays. Knows numpy alone.

A frame's own file gives a Trained:
  shapes, kinds     of each gradient: its shape; 'f4' or 'f8', in which it is summed
  measured          names, width, values() of what is counted beside the loss
  warm(batch)       builds what has to be built; called once, with one sample
  gradient(batch, size, share) → ([array or None], [loss, numbers of measured…]): of the loss times share; summed over its samples
  evaluate(batch, size) → [loss, numbers of measured…]
  step(gradients)   the optimizer's step with those of the whole step; None: no member has one of that parameter
  buffers(), set_buffers(arrays)   what a step changes beside: floats become their mean by samples
  state(), load(state)             all of it, as arrays
  enter(seed, epoch, rank)         a group begins: a member draws for itself

Invariant: a share of 0 samples calls none of these.
"""

import math
import random

import numpy

from .. import mesh, plain, versions
from ..copies import copy_tensors
from ..engine import Engine
from ..native import part
from ..patience import limit_s
from ..progress import Progress
from ..steps import Steps
from ..tail import FIXED, Tail

FORMAT = 1


class Flat:
    """Gradients of a step side by side, one array for each kind, and what goes with them. @thread the training thread"""

    on_cpu = True

    def __init__(self, trained, numbers):
        """`numbers`: of the tail, behind the loss."""
        self._trained = trained
        self._kinds = sorted(set(trained.kinds))
        sizes = {kind: 0 for kind in self._kinds}
        self._places = []
        for shape, kind in zip(trained.shapes, trained.kinds):
            size = math.prod(shape)
            self._places.append((kind, sizes[kind], size, shape))
            sizes[kind] += size
        self._flat = {kind: numpy.zeros(size, kind) for kind, size in sizes.items()}
        self._has = numpy.zeros(len(self._places))
        self._before = [numpy.array(b) for b in trained.buffers()]
        self._room = sum(b.size for b in self._before)
        self._rest = numpy.zeros(self._room + self._has.size + FIXED + 1 + numbers)

    @property
    def elements(self):
        """How many gradients there are."""
        return sum(flat.size for flat in self._flat.values())

    def begin(self):
        """Before a step: gradients zero; buffers remembered for undo()."""
        for flat in self._flat.values():
            flat[:] = 0
        self._has[:] = 0
        self._before = [numpy.array(b) for b in self._trained.buffers()]

    def add(self, gradients):
        """Those of one bite."""
        for at, ((kind, begin, size, _), gradient) in enumerate(zip(self._places, gradients)):
            if gradient is not None:
                self._flat[kind][begin:begin + size] += gradient.reshape(-1)
                self._has[at] = 1

    def gradients(self):
        """A view of each; None: no member has one."""
        return [self._flat[kind][begin:begin + size].reshape(shape) if has else None
                for (kind, begin, size, shape), has in zip(self._places, self._has)]

    def square(self):
        """Square of the length of the gradients as they stand."""
        return sum(float(numpy.dot(flat, flat)) for flat in self._flat.values())

    def is_finite(self):
        """Whether all gradients are numbers, as they stand. A sum is finite where all parts are."""
        with numpy.errstate(over='ignore', invalid='ignore'):
            return all(math.isfinite(float(flat.sum())) or bool(numpy.isfinite(flat).all()) for flat in self._flat.values())

    def undo(self):
        """The step was not applied: buffers as they were before it."""
        self._trained.set_buffers(self._before)

    def sum(self, group, weight, first, tail):
        """All-reduces of everything, the plain numbers last. Returns the Tail. @errors GroupBroken"""
        self._rest[:] = 0
        self._alone = group.world == 1
        if not self._alone and weight:
            self._write_buffers(weight, first)
        self._rest[self._room:self._room + self._has.size] = self._has
        self._rest[self._room + self._has.size:] = [float(weight)] + tail
        for kind in self._kinds:
            group.sum(self._flat[kind])
        group.sum(self._rest)
        self._has[:] = self._rest[self._room:self._room + self._has.size]
        return Tail(self._rest[self._room + self._has.size:].tolist(), group.world)

    def _write_buffers(self, weight, first):
        """By how much they changed: what did not stays as it is to the bit."""
        at = 0
        for before, now in zip(self._before, self._trained.buffers()):
            factor = weight if before.dtype.kind == 'f' else float(first)
            self._rest[at:at + before.size] = (now.astype('f8') - before.astype('f8')).reshape(-1) * factor
            at += before.size

    def take(self, weight):
        """After the sum: buffers of the whole step. @shape weight: (divisor of gradients: 1, number of samples)"""
        _, samples = weight
        if self._alone or not self._before:
            return
        made, at = [], 0
        for before in self._before:
            change = self._rest[at:at + before.size].reshape(before.shape)
            at += before.size
            made.append((before.astype('f8') + (change / samples if before.dtype.kind == 'f' else change)).astype(before.dtype))
        self._trained.set_buffers(made)

    def close(self):
        """The model is its script's again."""


class Compute:
    """What a frame does with this member's share of a round, in bites of at most batch_size samples. @thread the training thread"""

    scale = 1.0

    def __init__(self, script, flat, batch_size, agent):
        self._trained, self._flat, self._batch_size, self._agent = script.trained, flat, batch_size, agent
        self._sum_loss = script.loss_reduction == 'sum'
        self._width = 1 + script.measured.width
        self.chance = script.trained
        self._seen = set()

    def _bites(self, numbers, seeds):
        count = -(-len(numbers) // self._batch_size)
        for k in range(count):
            first, size = part(len(numbers), count, k)
            yield numbers[first:first + size], seeds[first:first + size]

    def bites(self, numbers, seeds):
        """A share as it is worked on: [(numbers, seeds)]."""
        return list(self._bites(numbers, seeds)) if numbers else []

    def unit(self, samples):
        """What the contributions to a step of so many samples have been divided by."""
        return 1 if self._sum_loss else samples

    def train(self, batches, numbers, seeds, samples, _bites=0):
        """Gradients of a share of a step of `samples`, in the flat buffers. Returns [loss, numbers of metrics…] over the share."""
        def work(batch, size):
            gradients, values = self._trained.gradient(batch, size, size / samples)
            self._flat.add(gradients)
            return values
        return self._over('train', batches, numbers, seeds, work)

    def is_finite(self):
        """Whether all gradients of the share are numbers."""
        return self._flat.is_finite()

    def validate(self, batches, numbers, seeds):
        """Loss and metrics over a share of the test set, summed over its samples."""
        return self._over('test', batches, numbers, seeds, self._trained.evaluate)

    def _over(self, what, batches, numbers, seeds, work):
        total = [0.0] * self._width
        for bite in self.bites(numbers, seeds):
            batch, size = batches.get(*bite), len(bite[0])
            if (what, size) in self._seen:
                values = work(batch, size)
            else:  # it may be compiled
                with self._agent.excused(limit_s()):
                    values = work(batch, size)
                self._seen.add((what, size))
            total = [t + v for t, v in zip(total, values)]
        return total


class Script:
    """What the user gave FabricModel, as far as the engine needs it."""

    norms = scaler = lr_scheduler = None
    joined, lr_scheduler_each = (), 'pass'

    def __init__(self, **parts):
        self.__dict__.update(parts)

    @property
    def measured(self):
        return self.trained.measured

    def step(self):
        """The one that was summed."""
        self.trained.step(self.flat.gradients())

    def _holders(self):
        """(name, object with state_dict) of what has a state beside the model."""
        named = {f'extra {name}': value for name, value in self.extras.items()}
        for at, callback in enumerate([*self.callbacks, self.driver_logger, self.worker_logger]):
            named[f'callback {at}'] = callback
        return {name: holder for name, holder in named.items() if hasattr(holder, 'state_dict') and hasattr(holder, 'load_state_dict')}

    def state(self, progress):
        """The whole state, copied."""
        parts = {name: copy_tensors(holder.state_dict()) for name, holder in self._holders().items()}
        return {'format': FORMAT, 'frame': self.frame, 'progress': progress.pack(), 'parts': {**parts, 'model': self.trained.state()}}

    def check(self):
        """Whether what has a state by now can travel. @errors plain.NotPlain: naming what cannot"""
        for name, holder in self._holders().items():
            plain.pack(holder.state_dict(), f'state of {name}')
        plain.pack(self.trained.state(), 'state of the model')

    def show(self, state):
        """Makes the model that of `state`, for hooks that look at it; take_over() follows."""
        self.trained.load(state['parts']['model'])

    def take_over(self, state):
        """Makes `state` this worker's. Returns its progress. @errors ValueError: of another format, framework or model"""
        if state.get('format') != FORMAT or state.get('frame') != self.frame:
            raise ValueError(f"state of format {state.get('format')} of {state.get('frame', 'torch')}, this job reads {FORMAT} of {self.frame}")
        self.trained.load(state['parts']['model'])
        for name, holder in self._holders().items():
            if name in state['parts']:
                holder.load_state_dict(state['parts'][name])
        return Progress.unpack(state['progress'])

    @staticmethod
    def draw_seed():
        """The job's, where it begins: as the script has seeded Python."""
        kept = random.getstate()
        seed = random.getrandbits(52)
        random.setstate(kept)
        return seed

    def warn(self):
        """Says once what of the model depends on how many workers there are."""
        self.trained.warn()

    def save_trained(self, result_dir):
        """@errors OSError"""
        if result_dir:
            self.trained.save(result_dir)

    def save_beside(self, folder):
        """A checkpoint goes to this folder: the frame's own form of it, too. @errors OSError"""
        self.trained.save_beside(folder)


# ---- data ------------------------------------------------------------------------------------


def leaves(value):
    """The arrays of a batch, in their order; None are none."""
    if isinstance(value, dict):
        return [leaf for key in value for leaf in leaves(value[key])]
    if isinstance(value, (tuple, list)):
        return [leaf for one in value for leaf in leaves(one)]
    return [] if value is None else [value]


def mapped(function, *values):
    """The same structure with `function` of what is in its places."""
    first = values[0]
    if isinstance(first, dict):
        return {key: mapped(function, *(v[key] for v in values)) for key in first}
    if isinstance(first, (tuple, list)):
        made = [mapped(function, *one) for one in zip(*values)]
        return type(first)(*made) if hasattr(first, '_fields') else type(first)(made)
    return None if first is None else function(*values)


class Arrays:
    """A data set of arrays whose first dimension is the sample."""

    def __init__(self, value, name):
        """@errors TypeError, ValueError: they are none, or not of one length"""
        self._value = mapped(numpy.asarray, value)
        found = leaves(self._value)
        if not found or any(not a.ndim or a.dtype.kind not in 'biufcSU' for a in found):
            raise TypeError(f'train: the {name} set: arrays of numbers with a first dimension of samples are wanted')
        lengths = sorted({len(a) for a in found})
        if len(lengths) > 1:
            raise ValueError(f'train: the {name} set: arrays of {lengths[0]} and of {lengths[-1]} samples')
        self._count = lengths[0]

    def __len__(self):
        return self._count

    def batch(self, numbers, _seeds):
        return mapped(lambda a: a[numbers], self._value)


class Items:
    """A data set of samples that are made one by one, each with its own seeds of Python's and numpy's generators."""

    def __init__(self, dataset, collate):
        self._dataset, self._collate = dataset, collate or stacked

    def __len__(self):
        return len(self._dataset)

    def batch(self, numbers, seeds):
        kept = random.getstate(), numpy.random.get_state()
        samples = []
        for number, seed in zip(numbers, seeds):
            random.seed(seed)
            numpy.random.seed(seed & 0xffffffff)
            samples.append(self._dataset[number])
        random.setstate(kept[0])
        numpy.random.set_state(kept[1])
        return self._collate(samples)


def stacked(samples):
    """Samples to a batch."""
    return mapped(lambda *one: numpy.stack([numpy.asarray(o) for o in one]), *samples)


class Batches:
    """As the engine asks for batches: everything is made in the worker itself."""

    ahead = 0

    def __init__(self, data):
        self._data = data

    def get(self, numbers, seeds):
        return self._data.batch(numbers, seeds)

    def expect(self, _bites):
        """Nobody works ahead."""

    def close(self):
        """There is nothing to end."""


class Frame:
    """What a training asks of its framework. Frames of arrays fill in name, modules, script, and what data sets may be. @thread the training thread"""

    carrier, engine, collate = mesh, Engine, None

    def prepare(self):
        """Before anything of a training."""
        versions.use(*self.modules)

    def data_sets(self, pair):
        """[training set, test set or None] of what the script's function has returned. @errors TypeError, ValueError"""
        return [None if one is None else self._set(one, name) for one, name in zip(pair, ('training', 'test'))]

    def _set(self, value, name):
        if isinstance(value, (tuple, list, dict)) and all(hasattr(leaf, '__array__') for leaf in leaves(value)):
            return Arrays(value, name)
        if hasattr(value, '__getitem__') and hasattr(value, '__len__') and not isinstance(value, (str, bytes)):
            return Items(value, self.collate)
        raise TypeError(f'train: the {name} set is a {type(value).__name__}; arrays (inputs, labels), or an object with __len__ and __getitem__, are wanted')

    def deals(self, _train_set):
        """Samples are dealt by chance."""

    def chooser(self, _effective, _samples):
        """@errors ValueError: batch_size 'auto' is not for it"""
        raise ValueError(f"train: batch_size 'auto' is for torch's models, this one is of {self.name}: give a number")

    def virtual(self, _auto, _engines):
        """There are none."""

    def batches(self, given, loaders):
        """`loaders`: are not needed."""
        if loaders:
            print(f'num_dataloader_threads {loaders}: batches of {self.name} are made in the worker itself', flush=True)
        return Batches(given)

    def build(self, run, batch_size):
        """(flat buffers, compute, steps)"""
        trained, agent = self.script.trained, run.agent
        with agent.excused(limit_s()):
            trained.warm(run.train_set.batch([0], [0]))
        flat = self.script.flat = Flat(trained, trained.measured.width)
        compute = Compute(self.script, flat, batch_size, agent)
        return flat, compute, Steps(self.script, flat, compute)

    def be_post(self):
        """@errors ValueError: always"""
        raise ValueError(f'train: a task of group ps: parameter servers are for models of torch, this one is of {self.name}')

    def warm_up(self):
        """A newcomer's first steps must not be slow: what could be built is."""


def refuse(name, given, why):
    """Each argument of FabricModel that a framework has not, by name. @errors ValueError   @shape why: {argument: (what stands for nothing, reason)}"""
    for argument, (nothing, reason) in why.items():
        value = given.get(argument, nothing)
        if value is not nothing and value != nothing:
            raise ValueError(f'FabricModel: {argument} {value!r} is for models of torch, this one is of {name}: {reason}')


def mixed(*numbers):
    """A seed that follows from these numbers; as chance.py's."""
    value = 0
    for number in numbers:
        value = ((value ^ number) * 0x9E3779B97F4A7C15 + 1) & 0xffffffffffffffff
        value ^= value >> 29
    return value & 0x7fffffffffffffff
