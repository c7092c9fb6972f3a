"""Role: what the user's model, loss, metrics and own step functions do with this member's share
of a round. A share is worked on in bites of at most batch_size samples (DESIGN 5.2).

Contribution of a bite of b samples to a step of B: b/B × (gradient of its mean loss), so that the sum is the gradient of
the whole step's mean loss, and hooks of parameters see no more than that. Losses that are sums (loss_reduction='sum')
contribute their gradient as it is, as in a program that runs alone.
Invariant: a share of 0 samples calls no user code.
"""

import contextlib
import copy
import dataclasses
import math
from collections import UserDict
from collections.abc import Mapping

import torch

from .amp import autocast
from .chance import Chance
from .metrics import accuracy
from .native import part
from .own_steps import Watch
from .shapes import Shapes, is_dataclass

_LABELS = ('labels', 'label', 'target', 'targets', 'y')


def divided(batch):
    """(positional inputs, named inputs, labels) of a batch: (inputs…, labels), or a dict or dataclass in which the labels
    have one of the names in _LABELS and all else is the model's by its name. @errors ValueError: it is neither"""
    if is_dataclass(batch):
        batch = {field.name: getattr(batch, field.name) for field in dataclasses.fields(batch)}
    if isinstance(batch, Mapping):
        named = [name for name in _LABELS if name in batch]
        if not named:
            raise ValueError(f"batch: a {type(batch).__name__} with {', '.join(map(str, batch))}; "
                             f"one of {', '.join(_LABELS)} has to be there")
        return (), {name: value for name, value in batch.items() if name != named[0]}, batch[named[0]]
    if not isinstance(batch, (tuple, list)) or len(batch) < 2:
        raise ValueError(f"batch: a {type(batch).__name__}; it has to be (inputs…, labels), or a dict with 'labels'")
    *inputs, labels = batch
    return inputs, {}, labels


class _OptimizerView:
    """The user's optimizer inside fn_step_train: all but step(), which the engine does."""

    def __init__(self, optimizer, watch):
        self._optimizer, self._watch = optimizer, watch

    def step(self, closure=None):
        self._watch.steps += 1
        return closure() if closure else None

    def __getattr__(self, name):
        return getattr(self._optimizer, name)


class StepModel:
    """What fn_step_train and fn_test get as `model`: callable, with the optimizer and loss."""

    def __init__(self, model, loss, optimizer, watch):
        self._model, self._loss = model, loss
        self._optimizer = _OptimizerView(optimizer, watch)

    def __call__(self, *inputs):
        return self._model(*inputs)

    def get_optimizer(self):
        return self._optimizer

    def get_loss_function(self):
        return self._loss

    def __getattr__(self, name):
        return getattr(self._model, name)


def _mapped(function, value):
    """A batch with `function` done to what is in its lists, tuples, mappings and dataclasses, which keep their kinds; what moves itself
    (packed sequences, graphs) is one thing."""
    if not isinstance(value, (dict, UserDict)) and callable(getattr(value, 'to', None)):
        return function(value)
    if is_dataclass(value) and not isinstance(value, dict):
        made = copy.copy(value)
        for field in dataclasses.fields(value):
            object.__setattr__(made, field.name, _mapped(function, getattr(value, field.name)))  # frozen ones, too
        return made
    if isinstance(value, tuple) and hasattr(value, '_fields'):
        return type(value)(*(_mapped(function, one) for one in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(function, one) for one in value)
    if isinstance(value, dict):
        return type(value)((key, _mapped(function, one)) for key, one in value.items()) if type(value) is not dict else \
            {key: _mapped(function, one) for key, one in value.items()}
    if isinstance(value, UserDict):  # as BatchEncoding of transformers, which step functions ask for more than its items
        made = copy.copy(value)
        made.data = _mapped(function, value.data)
        return made
    if isinstance(value, Mapping):  # what else there is need not be made from pairs
        return {key: _mapped(function, one) for key, one in value.items()}
    return function(value)


def _to(device, value):
    def moved(one):
        if callable(getattr(one, 'to', None)):
            return one.to(device)
        return torch.as_tensor(one, device=device) if hasattr(one, '__array__') else one
    return _mapped(moved, value)


def _detached(outputs):
    """Outputs without their graph, for what is measured; a model may give several, or a dict."""
    if torch.is_tensor(outputs):
        return outputs.detach()
    if type(outputs) in (list, tuple):
        return type(outputs)(_detached(one) for one in outputs)
    if type(outputs) is dict:
        return {name: _detached(one) for name, one in outputs.items()}
    return outputs


def _read(numbers):
    """The same, without tensors. @cost one read of the device"""
    tensors = [one for one in numbers if torch.is_tensor(one)]
    found = iter(torch.stack([one.double().reshape(()) for one in tensors]).tolist() if tensors else ())
    return [next(found) if torch.is_tensor(one) else one for one in numbers]


class Compute:
    """@thread the training thread"""

    def __init__(self, script, flat, batch_size, agent):
        self._model, self._loss = script.model, script.loss
        self._flat, self._batch_size = flat, batch_size
        self._metrics = script.measured
        self._sum_loss = script.loss_reduction == 'sum'
        self._step_train, self._test = script.fn_step_train, script.fn_test
        self._watch = Watch(script.optimizer)
        self._step_model = StepModel(script.model, script.loss, script.optimizer, self._watch)
        parameter = next(script.model.parameters(), None)
        self._device = self.device = parameter.device if parameter is not None else torch.device('cpu')
        self.chance = Chance(self._device)
        self._amp, self._scaler, self._joined = script.amp, script.scaler, script.joined
        self._shapes = Shapes(script.model, agent)
        self._in_order = getattr(script, 'virtual', None) is not None
        self._looks = not self._in_order and getattr(script, 'nonfinite', 'apply') != 'apply'
        self._sum = 0.0  # of all gradients of the newest share

    def _bites(self, numbers, seeds, count=0):
        count = count or -(-len(numbers) // self._batch_size)
        for k in range(count):
            first, size = part(len(numbers), count, k)
            yield numbers[first:first + size], seeds[first:first + size]

    def bites(self, numbers, seeds):
        """A share as it is worked on: [(numbers, seeds)]."""
        return list(self._bites(numbers, seeds)) if numbers else []

    def unit(self, samples):
        """What the contributions to a step of so many samples have been divided by."""
        return (1 if self._sum_loss else samples) / self.scale

    @property
    def scale(self):
        """What the losses of a step are multiplied by, for fp16."""
        return self._scaler.scale if self._scaler else 1.0

    def train(self, batches, numbers, seeds, samples, bites=0):
        """Forward and backward over a share of a step of `samples`, in `bites` (0: as few as possible);
        gradients go to the flat buffers.
        Returns [loss, metric's numbers…] summed over the share."""
        total = [0.0] * (1 + self._metrics.width)
        if not numbers:
            return total
        self._model.train()
        work = self._own_step if self._step_train else self._plain_step
        with contextlib.nullcontext() if self._in_order else self.chance.drawing():
            for bite in self._bites(numbers, seeds, bites):
                batch = _to(self._device, batches.get(*bite))
                share = 1.0 if self._sum_loss else len(bite[0]) / samples
                with self._shapes.patient(batch):
                    values = work(batch, len(bite[0]), share, batches)
                total = [t + v for t, v in zip(total, values)]
        if not self._looks:
            return _read(total)
        *total, self._sum = _read([*total, self._flat.total()])
        return total

    def is_finite(self):
        """Whether all gradients of the share that train() was given last are numbers. @cost no read of the device, if they are"""
        return math.isfinite(self._sum) or self._flat.is_finite()

    def _plain_step(self, batch, size, share, _batches):
        inputs, named, labels = divided(batch)
        with autocast(self._amp, self._device):
            outputs = self._model(*inputs, **named)
            loss = self._loss(outputs, labels)
        factor = share * self.scale
        (loss if factor == 1 else loss * factor).backward()
        # A tensor: all are read at once, behind the last bite, else the device would stand still before each next one.
        return [loss.detach().double() * (1 if self._sum_loss else size)] + self._metrics.sums(_detached(outputs), labels, size)

    def _own_step(self, batch, size, share, batches):
        # The user's function clears the gradients itself: what is there is set aside.
        before = self._flat.detach()
        with self._watch.call(), contextlib.ExitStack() as scalers:
            for scaler in self._joined:
                scalers.enter_context(scaler.joined())
            with autocast(self._amp, self._device):
                result = self._step_train(self._step_model, batch, accuracy, batches, None)
            self._watch.steps += sum(scaler.calls for scaler in self._joined)
        acc, loss = (float(v) for v in result)
        self._flat.scale(share)
        self._flat.add(before)
        return [loss * (1 if self._sum_loss else size)] + self._metrics.own(acc * size)

    def validate(self, batches, numbers, seeds):
        """Loss and metrics over a share of the test set, summed over its samples."""
        total = [0.0] * (1 + self._metrics.width)
        if not numbers:
            return total
        self._model.eval()
        with torch.no_grad(), autocast(self._amp, self._device):
            for bite in self._bites(numbers, seeds):
                batch = _to(self._device, batches.get(*bite))
                with self._shapes.patient(batch):
                    values = self._evaluate(batch, len(bite[0]))
                total = [t + v for t, v in zip(total, values)]
        return _read(total)

    def _evaluate(self, batch, size):
        if self._test:
            loss = float(self._test(self._step_model, [batch], None))
            return [loss * size] + self._metrics.own(math.nan)
        inputs, named, labels = divided(batch)
        outputs = self._model(*inputs, **named)
        loss = self._loss(outputs, labels)
        return [loss.detach().double() * (1 if self._sum_loss else size)] + self._metrics.sums(_detached(outputs), labels, size)


def warm_up(device):
    """Loads the framework's kernels with tensors of our own: the first steps of a newcomer
    must not be slow, and the user's model is not called before it is a member."""
    state = torch.random.get_rng_state()
    image = torch.zeros(4, 1, 12, 12, device=device)
    net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
                              torch.nn.Flatten(), torch.nn.Linear(100, 10)).to(device)
    labels = torch.zeros(4, dtype=torch.long, device=device)
    torch.nn.functional.cross_entropy(net(image), labels).backward()
    torch.random.set_rng_state(state)
