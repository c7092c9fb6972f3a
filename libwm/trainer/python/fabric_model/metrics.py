"""Role: what is measured beside the loss. A metric is a function (outputs, labels) whose value is a mean over
samples, or an object of torchmetrics, whose counts are summed over bites, members and steps before they are
computed: so precision over a pass is that of the pass, not the mean of its batches' precisions.

Each metric adds `width` numbers to what is summed; of a pass they are added up in a Tally (progress.py), and values()
makes the metric of them.
Invariant: a function whose value is seen to be no mean over samples is refused by name, before that step is applied.
"""

import itertools
import math

import torch

_LOOKS = 10     # bites whose halves differ, by which a function is told to be a mean
_BITES = 100    # that are looked at for that
_APART = 1e-4   # relative; rounding is below that


class NotAMean(ValueError):
    """A metric that says other things of a batch than its halves do."""


def accuracy(outputs, labels):
    """Share of right answers, 0..1, of classes given by number or one-hot; else NaN."""
    return float(_accuracy(outputs, labels))


def _accuracy(outputs, labels):
    """As a tensor where there is one: who adds up several reads the device once."""
    if not (torch.is_tensor(outputs) and torch.is_tensor(labels)):
        return math.nan
    if outputs.dim() < 2 or outputs.shape[1] < 2:
        return math.nan
    guess = outputs.argmax(dim=1)
    if labels.shape == outputs.shape:
        labels = labels.argmax(dim=1)
    if labels.shape != guess.shape or labels.is_floating_point():
        return math.nan
    return (guess == labels).double().mean()


class _Mean:
    """A function whose value is the mean over a batch's samples."""

    width = 1

    def __init__(self, name, function, looks=_LOOKS):
        self.name, self._function = name, function
        # `of_batches` is for who wants the mean over batches, whatever that is.
        self._looks = 0 if getattr(function, 'of_batches', False) else looks
        self._bites = _BITES

    def sums(self, outputs, labels, size):
        """Its part of the sum over samples. @shape [width] numbers, or tensors of one   @errors NotAMean"""
        if self._function is accuracy:
            return [_accuracy(outputs, labels) * size]
        value = float(self._function(outputs, labels))
        if self._looks and self._bites and size > 1:
            self._bites -= 1
            self._refuse_unless_mean(value, outputs, labels, size)
        return [value * size]

    def _refuse_unless_mean(self, value, outputs, labels, size):
        middle = size // 2
        try:
            halves = [float(self._function(_rows(outputs, size, *half), _rows(labels, size, *half)))
                      for half in ((0, middle), (middle, size))]
        except Exception:  # user code that wants whole batches: nothing is known of it
            return
        self._looks -= halves[0] != halves[1]  # where they are alike, everything is their mean
        mean = (halves[0] * middle + halves[1] * (size - middle)) / size
        if math.isfinite(value + mean) and abs(value - mean) > _APART * max(abs(value), abs(mean), 1.0):
            raise NotAMean(
                f"metric '{self.name}' is no mean over samples ({value:.6g} of a batch of {size}, {mean:.6g} by its halves): "
                'over several batches or workers it would be told wrong. Give one that keeps counts, as those of torchmetrics, '
                f'or say that the mean over batches is wanted: {self.name}.of_batches = True')

    def value(self, sums, weight):
        return sums[0] / weight


def _rows(value, size, begin, end):
    """A part of a batch. @errors TypeError: it has no rows"""
    if torch.is_tensor(value) and value.dim() and len(value) == size:
        return value[begin:end]
    if type(value) in (list, tuple) and value:
        return type(value)(_rows(one, size, begin, end) for one in value)
    if type(value) is dict and value:
        return {key: _rows(one, size, begin, end) for key, one in value.items()}
    raise TypeError('no rows')


class _Counts:
    """An object of torchmetrics whose states are sums."""

    def __init__(self, name, metric):
        self.name, self._metric = name, metric
        self._defaults = dict(metric._defaults)
        for state, first in self._defaults.items():
            how = metric._reductions.get(state)
            if not torch.is_tensor(first) or getattr(how, '__name__', '') != 'dim_zero_sum':
                raise ValueError(f"metric '{name}' ({type(metric).__name__}): its state '{state}' is no sum over samples, and so "
                                 'cannot be added up over workers; where it takes thresholds=, give a number of them')
        self.width = sum(first.numel() for first in self._defaults.values())

    def sums(self, outputs, labels, _size):
        self._metric.reset()
        self._metric.update(outputs, labels)
        found = []
        for state in self._defaults:
            found += getattr(self._metric, state).detach().double().cpu().reshape(-1).tolist()
        self._metric.reset()
        return found

    def value(self, sums, _weight):
        """@errors ValueError: it has several values"""
        self._metric.reset()
        at = 0
        for state, first in self._defaults.items():
            numbers = torch.tensor(sums[at:at + first.numel()], dtype=torch.float64)
            setattr(self._metric, state, numbers.reshape(first.shape).to(getattr(self._metric, state)))
            at += first.numel()
        self._metric._update_count = 1
        found = self._metric.compute()
        self._metric.reset()
        if not torch.is_tensor(found) or found.numel() != 1:
            raise ValueError(f"metric '{self.name}' has several values; one number is wanted: average='macro' or the like")
        return float(found)


def _is_counting(metric):
    return all(hasattr(metric, name) for name in ('update', 'compute', 'reset', '_defaults', '_reductions'))


def _given(metrics):
    """[(name or None, metric)] of a list, a dict, a torchmetrics.MetricCollection, or of one alone."""
    if metrics is None:
        return []
    if not isinstance(metrics, (list, tuple)):
        metrics = [metrics]
    found = []
    for metric in metrics:
        if not isinstance(metric, type) and hasattr(metric, 'items') and not _is_counting(metric):
            found += [(str(name), one) for name, one in metric.items()]
        else:
            found.append((None, metric))
    return found


def named_metrics(metrics):
    """[(name, metric)] of what the user gave; accuracy is always the first. Names are distinct: those that come
    again, or are none, are numbered. @errors ValueError: one is no metric"""
    chosen, taken = [('accuracy', accuracy)], {'loss', 'accuracy'}
    for name, metric in _given(metrics):
        if callable(metric) and not isinstance(metric, type):
            own = name or getattr(metric, '__name__', type(metric).__name__)
            chosen.append((_distinct(own, taken), metric))
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


class Metrics:
    """All of one training. @thread the training thread"""

    def __init__(self, metrics):
        """@errors ValueError: one is no metric, or cannot be added up over workers"""
        self._all = []
        for name, metric in named_metrics(metrics):
            if _is_counting(metric):
                self._all.append(_Counts(name, metric))
            else:
                self._all.append(_Mean(name, metric, 0 if metric is accuracy else _LOOKS))
        self.names = tuple(metric.name for metric in self._all)
        self.width = sum(metric.width for metric in self._all)

    def sums(self, outputs, labels, size):
        """Of one bite. @shape [width]   @errors NotAMean"""
        with torch.no_grad():
            return [number for metric in self._all for number in metric.sums(outputs, labels, size)]

    def own(self, accuracy_sum):
        """Where the user's step function measures: the accuracy that it tells, nothing else. @shape [width]"""
        return [accuracy_sum] + [math.nan] * (self.width - 1)

    def values(self, sums, weight):
        """[loss, metric, …] of what was added up of the loss and of all bites; [] when nothing was.
        @shape sums: [1 + width]"""
        if not weight or not sums:
            return []
        out, at = [sums[0] / weight], 1
        for metric in self._all:
            mine = sums[at:at + metric.width]
            at += metric.width
            out.append(math.nan if any(math.isnan(n) for n in mine) else metric.value(mine, weight))
        return out
