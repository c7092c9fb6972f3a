"""Role: what the user's model, loss, metrics and own step functions do with this member's share
of a round. A share is worked on in bites of at most batch_size samples (DESIGN 5.2).

Contribution of a share of b samples: b × (gradient of its mean loss) and b; the engine divides
the sum by all samples. Losses that are sums (loss_reduction='sum') contribute their gradient as
it is and are not divided, as in a program that runs alone.
Invariant: a share of 0 samples calls no user code.
"""

import itertools
import math

import torch

from .native import part

_LABELS = ('labels', 'label', 'target', 'targets', 'y')


def accuracy(outputs, labels):
    """Share of right answers, 0..1, of classes given by number or one-hot; else NaN."""
    if not (torch.is_tensor(outputs) and torch.is_tensor(labels)):
        return math.nan
    if outputs.dim() < 2 or outputs.shape[1] < 2:
        return math.nan
    guess = outputs.argmax(dim=1)
    if labels.shape == outputs.shape:
        labels = labels.argmax(dim=1)
    if labels.shape != guess.shape or labels.is_floating_point():
        return math.nan
    return (guess == labels).float().mean().item()


def named_metrics(metrics):
    """[(name, function)] of the user's list, or of the one that is given; accuracy is always the
    first. Names are distinct: those that come again, or are none, are numbered."""
    chosen, taken = [('accuracy', accuracy)], {'loss', 'accuracy'}
    for metric in metrics if isinstance(metrics, (list, tuple)) else [metrics] if metrics else []:
        if callable(metric) and not isinstance(metric, type):
            name = _distinct(getattr(metric, '__name__', type(metric).__name__), taken)
            chosen.append((name, metric))
        elif isinstance(metric, type) or 'acc' not in str(metric):
            raise ValueError(f"metric '{metric}': known by name is only 'accuracy'; "
                             'pass a function f(outputs, labels) for others')
    return chosen


def _distinct(name, taken):
    name = 'metric' if name == '<lambda>' else name
    numbers = itertools.count(2)
    found = name
    while found in taken:
        found = f'{name}_{next(numbers)}'
    taken.add(found)
    return found


def divided(batch):
    """(positional inputs, named inputs, labels) of a batch: (inputs…, labels), or a dict in which the labels
    have one of the names in _LABELS and all else is the model's by its name. @errors ValueError: it is neither"""
    if isinstance(batch, dict):
        named = [name for name in _LABELS if name in batch]
        if not named:
            raise ValueError(f"batch: a dict with {', '.join(map(str, batch))}; "
                             f"one of {', '.join(_LABELS)} has to be there")
        return (), {name: value for name, value in batch.items() if name != named[0]}, batch[named[0]]
    if not isinstance(batch, (tuple, list)) or len(batch) < 2:
        raise ValueError(f"batch: a {type(batch).__name__}; it has to be (inputs…, labels), or a dict with 'labels'")
    *inputs, labels = batch
    return inputs, {}, labels


class _OptimizerView:
    """The user's optimizer inside fn_step_train: all but step(), which the engine does."""

    def __init__(self, optimizer):
        self._optimizer = optimizer

    def step(self, closure=None):
        return closure() if closure else None

    def __getattr__(self, name):
        return getattr(self._optimizer, name)


class StepModel:
    """What fn_step_train and fn_test get as `model`: callable, with the optimizer and loss."""

    def __init__(self, model, loss, optimizer):
        self._model, self._loss = model, loss
        self._optimizer = _OptimizerView(optimizer)

    def __call__(self, *inputs):
        return self._model(*inputs)

    def get_optimizer(self):
        return self._optimizer

    def get_loss_function(self):
        return self._loss

    def __getattr__(self, name):
        return getattr(self._model, name)


def _to(device, value):
    if torch.is_tensor(value):
        return value.to(device)
    if isinstance(value, (list, tuple)):
        return type(value)(_to(device, v) for v in value)
    if isinstance(value, dict):
        return {k: _to(device, v) for k, v in value.items()}
    return torch.as_tensor(value, device=device) if hasattr(value, '__array__') else value


def _detached(outputs):
    """Outputs without their graph, for what is measured; a model may give several, or a dict."""
    if torch.is_tensor(outputs):
        return outputs.detach()
    if type(outputs) in (list, tuple):
        return type(outputs)(_detached(one) for one in outputs)
    if type(outputs) is dict:
        return {name: _detached(one) for name, one in outputs.items()}
    return outputs


class Compute:
    """@thread the training thread"""

    def __init__(self, script, flat, batch_size):
        self._model, self._loss = script.model, script.loss
        self._flat, self._batch_size = flat, batch_size
        self._metrics = named_metrics(script.metrics)
        self._sum_loss = script.loss_reduction == 'sum'
        self._step_train, self._test = script.fn_step_train, script.fn_test
        self._step_model = StepModel(script.model, script.loss, script.optimizer)
        parameter = next(script.model.parameters(), None)
        self._device = parameter.device if parameter is not None else torch.device('cpu')

    def _bites(self, numbers, seeds, count=0):
        count = count or -(-len(numbers) // self._batch_size)
        for k in range(count):
            first, size = part(len(numbers), count, k)
            yield numbers[first:first + size], seeds[first:first + size]

    def bites(self, numbers, seeds):
        """A share as it is worked on: [(numbers, seeds)]."""
        return list(self._bites(numbers, seeds)) if numbers else []

    def divisor(self, samples):
        """What the sum of all contributions is divided by."""
        return 1 if self._sum_loss else samples

    def train(self, batches, numbers, seeds, bites=0):
        """Forward and backward over a share, in `bites` (0: as few as possible); gradients
        go to the flat buffers.
        Returns [loss, metric, …] summed over the samples."""
        total = [0.0] * (1 + len(self._metrics))
        if not numbers:
            return total
        self._model.train()
        work = self._own_step if self._step_train else self._plain_step
        for bite in self._bites(numbers, seeds, bites):
            batch = _to(self._device, batches.get(*bite))
            values = work(batch, len(bite[0]), batches)
            total = [t + v for t, v in zip(total, values)]
        return total

    def _plain_step(self, batch, size, _batches):
        inputs, named, labels = divided(batch)
        outputs = self._model(*inputs, **named)
        loss = self._loss(outputs, labels)
        (loss if self._sum_loss else loss * size).backward()
        value = loss.item() * (1 if self._sum_loss else size)
        return [value] + self._measure(outputs, labels, size)

    def _measure(self, outputs, labels, size):
        outputs = _detached(outputs)
        with torch.no_grad():
            return [float(metric(outputs, labels)) * size for _, metric in self._metrics]

    def _own_step(self, batch, size, batches):
        # The user's function clears the gradients itself: what is there is set aside.
        before = self._flat.detach()
        result = self._step_train(self._step_model, batch, accuracy, batches, None)
        acc, loss = (float(v) for v in result)
        self._flat.scale(1 if self._sum_loss else size)
        self._flat.add(before)
        others = [math.nan] * (len(self._metrics) - 1)
        return [loss * (1 if self._sum_loss else size), acc * size] + others

    def validate(self, batches, numbers, seeds):
        """Loss and metrics over a share of the test set, summed over its samples."""
        total = [0.0] * (1 + len(self._metrics))
        if not numbers:
            return total
        self._model.eval()
        with torch.no_grad():
            for bite in self._bites(numbers, seeds):
                batch = _to(self._device, batches.get(*bite))
                values = self._evaluate(batch, len(bite[0]))
                total = [t + v for t, v in zip(total, values)]
        return total

    def _evaluate(self, batch, size):
        if self._test:
            loss = float(self._test(self._step_model, [batch], None))
            return [loss * size] + [math.nan] * len(self._metrics)
        inputs, named, labels = divided(batch)
        outputs = self._model(*inputs, **named)
        loss = self._loss(outputs, labels).item()
        return [loss * (1 if self._sum_loss else size)] + self._measure(outputs, labels, size)


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
