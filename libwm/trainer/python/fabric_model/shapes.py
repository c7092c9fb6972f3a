"""Role: shapes of batches. The first batch of a shape may take minutes (torch.compile, cudnn's search): the member is not
taken for one that hangs meanwhile, for `start_limit` at most. Compiled models are told that the number of samples
varies, so that a resize, which changes the shares, compiles nothing anew.
"""

import contextlib
import dataclasses

import torch

from .patience import limit_s

_MOST = 1024  # shapes that are remembered; a stream of ever new ones has no excuse behind that


def is_dataclass(value):
    """Whether it is an object of one."""
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def tensors(value):
    """All tensors of a batch, in their order."""
    if torch.is_tensor(value):
        yield value
    elif hasattr(value, 'values') and callable(value.values):
        for one in value.values():
            yield from tensors(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from tensors(one)
    elif is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from tensors(getattr(value, field.name))


def is_compiled(model):
    """Whether torch.compile has made it."""
    return hasattr(model, '_orig_mod')


def mark(found):
    """Tells torch.compile of these tensors that the number of samples varies."""
    told = getattr(getattr(torch, '_dynamo', None), 'maybe_mark_dynamic', None)
    for tensor in found:
        if told and tensor.dim() and len(tensor) >= 2:
            told(tensor, 0)


def _mark_arguments(_model, arguments, named):
    mark(tensors(arguments))
    mark(tensors(named))


def mark_whenever_called(model):
    """The same of all that a compiled model is called with: a script's own loop moves and cuts what its loader gives. Not of others."""
    if is_compiled(model):
        model.register_forward_pre_hook(_mark_arguments, with_kwargs=True)


class Shapes:
    """@thread the training thread"""

    def __init__(self, model, agent):
        self._model, self._agent = model, agent
        self._seen = set()
        self._is_compiled = is_compiled(model)

    @contextlib.contextmanager
    def patient(self, batch):
        """Around what is computed of a batch."""
        found = list(tensors(batch))
        if self._is_compiled:
            mark(found)
        key = (self._model.training, *((tuple(t.shape), t.dtype) for t in found))
        if key in self._seen or len(self._seen) >= _MOST:
            yield
            return
        with self._agent.excused(limit_s()):
            yield
        self._seen.add(key)
