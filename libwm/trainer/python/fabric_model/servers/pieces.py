"""Role: an optimizer of the same kind as the script's, over pieces of its parameters; and its state cut and put together.

Which cut gives the same steps follows from what the optimizer looks at: those that treat each element by itself may be cut
anywhere; those that look at a whole parameter (a norm of it, its rows) between parameters; of others it is not known.

Invariant: state of a parameter that is cut anywhere has a number for each element, or one for all of it.
"""

from collections import defaultdict

import torch

ANYWHERE = ('SGD', 'Adam', 'AdamW', 'NAdam', 'RAdam', 'RMSprop', 'Adagrad', 'Adadelta', 'Adamax', 'Rprop', 'ASGD')
_WHOLE = ('Adafactor', 'LAMB', 'Lamb', 'LARS', 'Lars', 'Muon')
_ON_ONE_DEVICE = {'foreach': None, 'fused': None, 'capturable': False}  # a server has a CPU


class NotCut(ValueError):
    """An optimizer that cannot be cut."""


def is_whole(optimizer, what='servers'):
    """Whether it wants whole parameters. @errors NotCut: it is not known"""
    kind, module = type(optimizer).__name__, type(optimizer).__module__
    if kind in ANYWHERE and module.startswith('torch.optim'):
        return False
    if kind in _WHOLE:
        return True
    raise NotCut(f"FabricModel: {what}: of optimizer {kind} ({module}) it is not known how its state may be cut; anywhere: torch's "
                 f"{', '.join(ANYWHERE)}; between parameters: {', '.join(_WHOLE)}")


def numbers_of(optimizer):
    """What its groups say beside their parameters, as it is sent. @errors NotCut: something else than numbers, texts and tuples of them"""
    return [{name: _sent(name, value) for name, value in group.items() if name not in ('params', 'param_names')} for group in optimizer.param_groups]


def _sent(name, value):
    if torch.is_tensor(value) and value.numel() == 1:
        return value.item()
    if isinstance(value, (tuple, list)):
        return [_sent(name, one) for one in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise NotCut(f"FabricModel: servers: '{name}' of a group of the optimizer is a {type(value).__name__}: servers are told numbers and texts")


def set_numbers(optimizer, groups):
    """Makes the numbers of its groups those that numbers_of() gave. @errors ValueError: of other groups"""
    if len(groups) != len(optimizer.param_groups):
        raise ValueError(f'{len(groups)} groups of an optimizer that has {len(optimizer.param_groups)}')
    for own, told in zip(optimizer.param_groups, groups):
        for name, value in told.items():
            own[name] = tuple(value) if isinstance(value, list) else _ON_ONE_DEVICE.get(name, value)


def over(optimizer, parameters, pieces, tensors):
    """One like `optimizer` that steps `tensors`, the pieces of `parameters`, in its groups."""
    made = object.__new__(type(optimizer))
    made.__dict__.update({name: value for name, value in optimizer.__dict__.items() if name != 'step'})  # a scheduler wraps step
    for name, value in optimizer.__dict__.items():
        if name.startswith('_optimizer_') and hasattr(value, 'clear'):  # hooks are the script's own
            made.__dict__[name] = type(value)()
    group_of = {id(p): at for at, group in enumerate(optimizer.param_groups) for p in group['params']}
    made.state = defaultdict(dict)
    made.param_groups = [{**group, 'params': []} for group in optimizer.param_groups]
    for group in made.param_groups:
        group.pop('param_names', None)
    for piece, tensor in zip(pieces, tensors):
        at = group_of.get(id(parameters[piece.parameter]))
        if at is not None:
            made.param_groups[at]['params'].append(tensor)
    for group in made.param_groups:
        group.update({name: value for name, value in _ON_ONE_DEVICE.items() if name in group})
    return made


def cut_state(values, parameter, piece):
    """A parameter's state, for one piece of it. @errors NotCut: something in it is neither of each element nor of all"""
    whole = piece.size == parameter.numel()
    return {name: _cut_value(name, value, parameter, piece, whole) for name, value in values.items()}


def _cut_value(name, value, parameter, piece, whole):
    if not torch.is_tensor(value):
        return value
    value = value.detach().cpu()
    if whole or name == 'step' or (value.numel() == 1 and parameter.numel() != 1):
        return value.clone()
    if value.shape != parameter.shape:
        raise NotCut(f"FabricModel: servers: '{name}' of the optimizer's state has the shape {tuple(value.shape)}, its parameter "
                     f'{tuple(parameter.shape)}: it cannot be cut')
    return value.reshape(-1)[piece.begin:piece.end].clone()


def join_states(found, parameter):
    """The state of a parameter of those of its pieces, in order. @shape found: [(Piece, state)]"""
    (first, joined), *_ = found
    if first.size == parameter.numel():
        return joined
    return {name: _joined(name, [state[name] for _, state in found], [piece.size for piece, _ in found], parameter.shape)
            for name in joined}


def _joined(name, values, sizes, shape):
    each = torch.is_tensor(values[0]) and name != 'step' and all(v.numel() == size for v, size in zip(values, sizes)) \
        and values[0].dim() == 1
    return torch.cat(values).reshape(shape) if each else values[0]
