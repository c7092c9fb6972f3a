"""Role: control=, servers=, staleness= of FabricModel: what is meant, what goes together, each refusal by name. Pure but for one variable of
the environment, by which dlicmd --numPs is heard.
"""

import operator
import os
from dataclasses import dataclass

_FROM_OUTSIDE = 'WM_PARAMETER_SERVERS'  # as many as dlicmd --numPs says, where the script says nothing
_STALENESS = 8  # steps; of async where none is given


@dataclass(frozen=True)
class Control:
    """How gradients become steps: servers 0: all-reduce."""
    kind: str = 'sync'
    servers: int = 0
    staleness: int = 0

    @property
    def is_async(self):
        return self.kind == 'async'


def _whole(name, value, least):
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise ValueError(f'FabricModel: {name} {value!r}: a whole number of at least {least}')
    if number < least:
        raise ValueError(f'FabricModel: {name} {number}: at least {least}')
    return number


def chosen(control, servers, staleness, environment=None):
    """@errors ValueError: unknown, out of range, or one that means nothing without another"""
    environment = os.environ if environment is None else environment
    if servers is None and environment.get(_FROM_OUTSIDE):
        text = environment[_FROM_OUTSIDE]
        servers = int(text) if text.isdecimal() else text
    if control not in (None, 'sync', 'async'):
        raise ValueError(f"FabricModel: control {control!r}: 'sync' or 'async'")
    if servers is None:
        for name, value in (('control', control), ('staleness', staleness)):
            if value is not None:
                raise ValueError(f'FabricModel: {name} {value!r} is of parameter servers: say how many, servers=N')
        return Control()
    servers = _whole('servers', servers, 1)
    if control != 'async':
        if staleness not in (None, 0):
            raise ValueError(f"FabricModel: staleness {staleness!r} is of control='async'; in 'sync' no gradient is older than the parameters")
        return Control('sync', servers)
    staleness = _STALENESS if staleness is None else _whole('staleness', staleness, 0)
    # Nobody older than no step: all wait for all, which is sync.
    return Control('async', servers, staleness) if staleness else Control('sync', servers)


def check_shard(shard, control):
    """@errors ValueError: unknown, not there, or not with what else is asked for"""
    if shard is None:
        return
    if shard == 'parameters':
        raise ValueError("FabricModel: shard='parameters': parameters are whole on every worker here; shard='optimizer' cuts the optimizer's "
                         'state, which is two thirds of what Adam needs')
    if shard != 'optimizer':
        raise ValueError(f"FabricModel: shard {shard!r}: 'optimizer', or none")
    if control.servers:
        raise ValueError(f"FabricModel: shard='optimizer' and servers {control.servers}: servers have the optimizer's state already; give one of them")


def check(control, elements, others):
    """Whether it goes with what else there is. @shape others: {argument: what it is, or nothing}
    @errors ValueError"""
    if not control.servers:
        return
    if control.servers > elements:
        raise ValueError(f'FabricModel: servers {control.servers}: the model has {elements} parameters that are trained, one at least for each server')
    for name, why in (('deterministic', 'the servers add gradients in another order than its tree'),):
        if others.get(name):
            raise ValueError(f'FabricModel: servers and {name}: {why}; give one of them')
    if not control.is_async:
        return
    for name, why in (('sync_bn', 'its statistics are of all workers at once, who do not wait for each other'),
                      ('clip_grad_norm', 'it is of the gradient of a whole step, and here each push is applied alone; clip in fn_step_train'),
                      ('fp16', 'its scale is decided by all workers at once; bf16 needs none'),
                      ('GradScaler', 'its scale is decided by all workers at once; bf16 needs none')):
        if others.get(name):
            raise ValueError(f"FabricModel: control='async' and {name}: {why}")
