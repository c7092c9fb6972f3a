"""Role: one interval of the parameters with its optimizer, and what has been pushed to it: the same in the server that owns it and in
the process that has its copy, since both do the same with the same pushes in the same order.

  push (who, n), bucket by bucket ─► staged ─► landed ─► step: all of them are summed in the order asked for, or one alone is applied

Invariants: `version` counts applied steps; a step is applied whole or not at all, and once, whoever repeats it; what is staged
changes nothing; the state before the newest step is kept until the next one.
"""

import copy
import math
from dataclasses import dataclass

import torch

from . import pieces as of_pieces
from .cut import pieces


class Refused(ValueError):
    """A push or step that does not fit; the text says what does not."""


class NotFinite(Refused):
    """A push with a NaN or inf in it."""


@dataclass
class _Staged:
    """What one worker pushes."""
    number: int
    got: int = 0
    memory: object = None  # uint8

    def is_whole(self, total):
        return self.got == total


class Blueprint:
    """What is trained, as the process that made servers had it. `parameters`: in the order of the flat space; `kinds`: the dtype that the
    gradient of each is summed in, the widest first."""

    def __init__(self, parameters, kinds, optimizer):
        self.parameters, self.kinds, self.optimizer = parameters, kinds, optimizer
        self.sizes = [p.numel() for p in parameters]

    def cut(self, begin, end):
        """(pieces, bytes of the interval's gradients, of its parameters)"""
        found = pieces(self.sizes, begin, end)
        return found, sum(p.size * width(self.kinds[p.parameter]) for p in found), memory_of(self, found)


def width(dtype):
    """Bytes of an element."""
    return torch.empty((), dtype=dtype).element_size()


def memory_of(blueprint, found):
    """Bytes of the pieces side by side, each at a multiple of 8."""
    return sum(-(-p.size * width(blueprint.parameters[p.parameter].dtype) // 8) * 8 for p in found)


def views(memory, found, dtypes, aligned):
    """Each piece in `memory`. `aligned`: at multiples of 8 bytes. @shape memory: uint8"""
    made, at = [], 0
    for piece, dtype in zip(found, dtypes):
        size = piece.size * width(dtype)
        made.append(memory[at:at + size].view(dtype))
        at += -(-size // 8) * 8 if aligned else size
    return made


class Replica:
    """@thread one at a time"""

    def __init__(self, blueprint, begin, end):
        self.blueprint, self.begin, self.end = blueprint, begin, end
        self.pieces, self.gradient_bytes, self.bytes = blueprint.cut(begin, end)
        self._kinds = [blueprint.kinds[p.parameter] for p in self.pieces]
        self.memory = torch.zeros(self.bytes, dtype=torch.uint8)
        self._tensors = [self._shaped(p, v) for p, v in zip(self.pieces, views(
            self.memory, self.pieces, [blueprint.parameters[p.parameter].dtype for p in self.pieces], True))]
        self.optimizer = of_pieces.over(blueprint.optimizer, blueprint.parameters, self.pieces, self._tensors)
        self.version, self._staged, self._before, self.applied = -1, {}, None, {}
        self._square = None, 0.0  # of that step

    def _shaped(self, piece, view):
        parameter = self.blueprint.parameters[piece.parameter]
        return view.view(parameter.shape) if piece.size == parameter.numel() else view

    # ---- what it holds -------------------------------------------------------------------

    def fill(self, tree):
        """Takes over what contents() gave. @errors Refused: of another interval"""
        if (tree['begin'], tree['end']) != (self.begin, self.end):
            raise Refused(f"elements {tree['begin']} to {tree['end']} for the interval {self.begin} to {self.end}")
        self.memory.copy_(tree['memory'])
        self.optimizer.state.clear()
        for tensor, values in zip(self._tensors, tree['states']):
            if values:
                self.optimizer.state[tensor] = copy.deepcopy(values)
        self.version, self.applied = tree['version'], dict(tree['applied'])
        self._before = None
        self._staged = {who: _Staged(number, self.gradient_bytes, memory) for who, number, memory in tree.get('pushed', ())}

    def contents(self):
        """All that fill() needs. Live: copied by whoever keeps it."""
        return {'begin': self.begin, 'end': self.end, 'version': self.version, 'applied': dict(self.applied), 'memory': self.memory,
                'states': [dict(self.optimizer.state.get(t, {})) for t in self._tensors]}

    @property
    def can_undo(self):
        return self._before is not None

    def landed(self):
        """Pushes that are whole. @shape {who: n}"""
        return {who: s.number for who, s in self._staged.items() if s.is_whole(self.gradient_bytes)}

    def whole_pushes(self):
        """Of contents() where they are to go along. @shape [[who, n, bytes]]"""
        return [[who, s.number, s.memory] for who, s in self._staged.items() if s.is_whole(self.gradient_bytes)]

    # ---- pushes --------------------------------------------------------------------------

    def room(self, who, number, at, size):
        """Where `size` bytes of push `number` of `who` go, from `at` on; None: all of it is there already, or was applied.
        @errors Refused: beyond its end, or not where the last bucket ended"""
        if at < 0 or size < 0 or at + size > self.gradient_bytes:
            raise Refused(f'push {number} of {who}: bytes {at} to {at + size} of {self.gradient_bytes}')
        if number <= self.applied.get(who, -1):
            return None
        staged = self._staged.get(who)
        if staged is None or staged.number != number:
            staged = self._staged[who] = _Staged(number, 0, torch.empty(self.gradient_bytes, dtype=torch.uint8))
        elif staged.is_whole(self.gradient_bytes):
            return None
        if at == 0:
            staged.got = 0  # it begins again
        if at != staged.got:
            raise Refused(f'push {number} of {who}: a bucket at {at}, the last one ended at {staged.got}')
        return staged.memory[at:at + size]

    def filled(self, who, size):
        """`size` more bytes are in that room. Returns whether the push is whole."""
        staged = self._staged[who]
        staged.got += size
        return staged.is_whole(self.gradient_bytes)

    def pushed(self, who):
        """The bytes of a whole push."""
        return self._staged[who].memory

    def check_finite(self, who):
        """@errors NotFinite: the push is dropped"""
        staged = self._staged[who]
        for gradient in self._gradients(staged.memory):
            if not math.isfinite(gradient.sum().item()) and not bool(torch.isfinite(gradient).all()):
                del self._staged[who]
                raise NotFinite(f'push {staged.number} of worker {who} has a NaN or inf in elements {self.begin} to {self.end}')

    def forget(self):
        """What is staged is of an epoch that is over."""
        self._staged, self._square = {}, (None, 0.0)

    def _gradients(self, memory):
        return views(memory, self.pieces, self._kinds, False)

    def _sum(self, whose, number):
        """Of their pushes of that number, in this order. @errors Refused: one is missing"""
        missing = [who for who in whose if self.landed().get(who) != number]
        if missing:
            raise Refused(f'step {number}: no push of worker {missing[0]}')
        total = self._gradients(self._staged[whose[0]].memory.clone())
        for who in whose[1:]:
            for ours, theirs in zip(total, self._gradients(self._staged[who].memory)):
                ours.add_(theirs)
        return total

    def square(self, whose, number):
        """Square of the length of the sum, also for who asks when others have stepped already. @errors Refused"""
        if self._square[0] != number:
            self._square = number, sum(torch.dot(g, g).item() for g in self._sum(whose, number))
        return self._square[1]

    # ---- steps ---------------------------------------------------------------------------

    def step(self, number, whose, how):
        """Step `number`: of the pushes of that number. `how`: {divisor, factor, groups, without, skip}.
        @errors Refused: it is not the next one, or a push is missing"""
        if number <= self.version:
            return
        if number != self.version + 1:
            raise Refused(f'step {number} of an interval at step {self.version}')
        if how.get('skip'):
            self._keep()
        else:
            self._apply(self._sum(whose, number), how)
        self.version = number
        self._staged = {}

    def take(self, who, number, how):
        """Push `number` of `who`, alone. @errors Refused: it is not there"""
        if number <= self.applied.get(who, -1):
            return
        if not how.get('skip'):
            self._apply(self._sum([who], number), how)
        self.applied[who] = number
        self.version += 1
        self._staged.pop(who, None)

    def _apply(self, gradients, how):
        self._keep()
        of_pieces.set_numbers(self.optimizer, how['groups'])
        without = set(how.get('without', ()))
        for piece, tensor, gradient in zip(self.pieces, self._tensors, gradients):
            if piece.parameter in without:
                tensor.grad = None
                continue
            if how['divisor'] != 1:
                gradient.div_(how['divisor'])
            if how.get('factor', 1) != 1:
                gradient.mul_(how['factor'])
            tensor.grad = gradient.to(tensor.dtype).view(tensor.shape)
        self.optimizer.step()
        for tensor in self._tensors:
            tensor.grad = None

    def _keep(self):
        self._before = (self.memory.clone(), [copy.deepcopy(self.optimizer.state.get(t, {})) for t in self._tensors])

    def undo(self):
        """As before the newest step. @errors Refused: that is not known any more"""
        if self._before is None:
            raise Refused(f'step {self.version} cannot be undone: what was before is not kept')
        memory, states = self._before
        self.memory.copy_(memory)
        self.optimizer.state.clear()
        for tensor, values in zip(self._tensors, states):
            if values:
                self.optimizer.state[tensor] = values
        self.version, self._before, self._staged = self.version - 1, None, {}


def contents_of(blueprint, begin, end, version):
    """What a replica of that interval is filled with from the parameters and the optimizer's state as they are here."""
    made = Replica(blueprint, begin, end)
    for piece, tensor in zip(made.pieces, made._tensors):
        parameter = blueprint.parameters[piece.parameter]
        tensor.copy_(parameter.detach().reshape(-1)[piece.begin:piece.end].view(tensor.shape))
        state = blueprint.optimizer.state.get(parameter)
        if state:
            made.optimizer.state[tensor] = of_pieces.cut_state(state, parameter, piece)
    made.version = version
    return made.contents()


def put_parameters(blueprint, begin, end, memory):
    """Writes an interval's parameters, as a replica has them in memory, into the model."""
    found = pieces(blueprint.sizes, begin, end)
    dtypes = [blueprint.parameters[p.parameter].dtype for p in found]
    with torch.no_grad():
        for piece, values in zip(found, views(memory, found, dtypes, True)):
            parameter = blueprint.parameters[piece.parameter]
            if parameter.is_contiguous():
                parameter.view(-1)[piece.begin:piece.end].copy_(values)
            else:
                whole = parameter.detach().reshape(-1).clone()
                whole[piece.begin:piece.end] = values.to(whole.device)
                parameter.copy_(whole.view(parameter.shape))


def put_states(blueprint, trees):
    """Gives the optimizer here the state that the intervals have, in order."""
    found = {}
    for tree in trees:
        for piece, state in zip(pieces(blueprint.sizes, tree['begin'], tree['end']), tree['states']):
            if state:
                found.setdefault(piece.parameter, []).append((piece, state))
    for number, states in found.items():
        parameter = blueprint.parameters[number]
        joined = of_pieces.join_states(states, parameter)
        blueprint.optimizer.state[parameter] = {
            name: value.to(parameter.device) if torch.is_tensor(value) and name != 'step' else value for name, value in joined.items()}
