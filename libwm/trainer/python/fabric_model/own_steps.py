"""Role: the user's own step function, looked at: what a step function may not do because the engine steps, and would
be wrong without a word. Said when FabricModel is made where the function shows it, else before the first step is applied.

  another optimizer   it would step by this worker's share alone: the workers' models drift apart
  accumulation        each call is a step here: the global batch would be another than the script says
"""

import ast
import contextlib
import gc
import importlib
import inspect
import textwrap

import torch

from .amp import is_scaler

_of_torch = importlib.import_module('torch.optim.optimizer')  # newer torch has no attribute of that name
_ELSE = 'a loop of your own does that: wm_elastic.prepare(…)'


def scalers(function):
    """The GradScalers that it names."""
    return list({id(value): value for _, value in _reachable(function) if is_scaler(value)}.values())


def check(function, optimizer):
    """@errors ValueError: the function steps another optimizer, or accumulates"""
    for name, other in _reachable(function):
        if other is not optimizer and isinstance(other, torch.optim.Optimizer):
            raise ValueError(f"FabricModel: fn_step_train uses '{name}', a {type(other).__name__} that is not the optimizer given: it would "
                             f'step by one worker\'s samples alone; {_ELSE}')
    line = _accumulates(function)
    if line:
        raise ValueError(f'FabricModel: fn_step_train steps in some calls only ({line}): each call is a step of all workers here. '
                         f'Give effective_batch_size, whose shares are worked on in pieces of batch_size; or {_ELSE}')


def _reachable(function):
    """(name, value) of what the function's names mean, one level deep."""
    function = inspect.unwrap(function)
    found = dict(getattr(getattr(function, '__self__', None), '__dict__', {}))
    plain = getattr(function, '__func__', function)
    if not inspect.isfunction(plain):
        found.update(getattr(function, '__dict__', {}))
        plain = getattr(type(function), '__call__', None)
    if inspect.isfunction(plain):
        names = inspect.getclosurevars(plain)
        found.update({**names.globals, **names.nonlocals})
    for name, value in found.items():
        yield name, value
        inner = value.values() if type(value) is dict else value if type(value) in (list, tuple) else ()
        for one in inner:
            yield name, one


def _accumulates(function):
    """The condition, as it is written, under which a step is taken each so many calls only; '' without one."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return ''
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and any(isinstance(n, ast.Mod) for n in ast.walk(node.test)) and \
                any(_is_step(n) for statement in node.body for n in ast.walk(statement)):
            return 'if ' + ast.unparse(node.test)
    return ''


def _is_step(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == 'step'


def _foreign(other):
    return RuntimeError(f'fn_step_train steps a {type(other).__name__} that FabricModel was not given: it would step by one worker\'s '
                        f'samples alone; {_ELSE}')


class Watch:
    """What calls of the function do. @thread the training thread"""

    def __init__(self, optimizer):
        self._optimizer = optimizer
        self._stepped = None  # whether calls step; None: none was seen
        self._inside = self._guarded = False
        self.steps = 0  # of the call under way, counted by who makes none of it

    @contextlib.contextmanager
    def call(self):
        """Around one. @errors RuntimeError: it steps another optimizer, or in some calls only"""
        self.steps = 0
        with self._guard():
            yield
        stepped = self.steps > 0
        if self._stepped is None:
            self._stepped = stepped
        if stepped != self._stepped:
            raise RuntimeError('fn_step_train steps in some calls and not in others: each call is a step of all workers here. Give '
                               f'effective_batch_size, whose shares are worked on in pieces of batch_size; or {_ELSE}')

    @contextlib.contextmanager
    def _guard(self):
        """Nobody else steps."""
        register = getattr(_of_torch, 'register_optimizer_step_pre_hook', None)
        if register:
            hook = register(lambda other, _arguments, _options: self._refuse(other))
        elif not self._guarded:  # torch 1.13 has no such hook
            self._guarded = True
            for other in gc.get_objects():
                if isinstance(other, torch.optim.Optimizer) and other is not self._optimizer:
                    other.step = self._refusing(other, other.step)
        self._inside = True
        try:
            yield
        finally:
            self._inside = False
            if register:
                hook.remove()

    def _refuse(self, other):
        if self._inside:
            raise _foreign(other)

    def _refusing(self, other, real):
        def step(*arguments, **options):
            self._refuse(other)
            return real(*arguments, **options)
        return step
