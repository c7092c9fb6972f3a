"""Role: shard='optimizer': the optimizer's state is cut into as many intervals as there are members; each member has the state of its own
interval and, as a copy, of the one before it. The parameters are everybody's.

  sum (all-reduce) ─► each member steps its interval and its copy ─► the owner of each interval broadcasts its parameters

Who has what in an epoch follows from the members; at its beginning states go from who has them to who is to have them, part by part in one
order that all know. Pure: plan(), to_keep().
Invariants: a step is decided by the sum; broadcasts are over only when all members have made it, so that until then whoever has made
it still has its gradient, for one that has not. Any cut gives the same bits (servers/pieces.py).
@source S. Rajbhandari et al., ZeRO, SC'20 (stage 1)
"""

import json
from collections import namedtuple

import torch

from . import plain
from .communicator import GroupBroken
from .servers import pieces as of_pieces
from .servers.cut import cut, pieces
from .servers.places import Lost
from .servers.server import tree_of
from .servers.sharing import share
from .stepping import Summed, count

Held = namedtuple('Held', 'step intervals')  # what a member has: at which step, [(begin, end)]
_WHOLE, _OLD = 'whole', 'old'  # names of shards that are no interval's of the cut
Move = namedtuple('Move', 'source begin end redo')  # elements that a member gives; redo: it has yet to make the newest step with them


def duties(world, rank):
    """Intervals of a member: its own, and that of the one before as a copy."""
    return [rank] if world == 1 else [rank, (rank - 1) % world]


def plan(held, step, begin, end, near=None):
    """[Move] by which elements [begin, end) of the state come together, of rank `near` itself where it has them.
    @shape held: [Held or None] by rank   @errors Lost: nobody here has some"""
    taken, at = [], begin
    while at < end:
        options = [(redo, rank != near, -high, rank) for redo in (False, True) for rank, one in enumerate(held)
                   if one is not None and one.step == step - redo for low, high in one.intervals if low <= at < high]
        if not options:
            raise Lost(f"the optimizer's state of elements {at} to {end} at step {step}: no member has it")
        redo, _, high, rank = min(options)
        taken.append(Move(rank, at, min(end, -high), redo))
        at = min(end, -high)
    return taken


def to_keep(members, staying):
    """[(owner's rank, rank that is to keep its interval, too)] of those that go together with their copies. @shape tasks, before and after"""
    world, stays = len(members), [m in staying for m in members]
    if not any(stays):
        return []
    return [(rank, stays.index(True)) for rank in range(world) if not stays[rank] and not stays[(rank + 1) % world]]


class Shard:
    """An optimizer over one interval of the live parameters. @thread the training thread"""

    def __init__(self, parameters, optimizer, begin, end):
        self.begin, self.end, self._parameters = begin, end, parameters
        self.pieces = pieces([p.numel() for p in parameters], begin, end)
        self._tensors = [self._view(piece, parameters[piece.parameter].detach()) for piece in self.pieces]
        self.optimizer = of_pieces.over(optimizer, parameters, self.pieces, self._tensors)

    @staticmethod
    def _view(piece, tensor):
        return tensor if piece.size == tensor.numel() else tensor.view(-1)[piece.begin:piece.end]

    def step(self, groups):
        """One step, with the gradients that the parameters have."""
        of_pieces.set_numbers(self.optimizer, groups)
        for piece, tensor in zip(self.pieces, self._tensors):
            gradient = self._parameters[piece.parameter].grad
            tensor.grad = None if gradient is None else self._view(piece, gradient)
        self.optimizer.step()
        for tensor in self._tensors:
            tensor.grad = None

    def part(self, begin, end):
        """The state of elements [begin, end), as put() takes it. @shape [(parameter, begin, end, state)]"""
        found, at = [], self.begin
        for piece, tensor in zip(self.pieces, self._tensors):
            low, high = max(begin, at), min(end, at + piece.size)
            state = self.optimizer.state.get(tensor)
            if low < high and state:
                cut_ = type(piece)(piece.parameter, low - at, high - at, 0)
                found.append([piece.parameter, piece.begin + low - at, piece.begin + high - at, of_pieces.cut_state(state, tensor, cut_)])
            at += piece.size
        return found

    def put(self, parts):
        """States of parts that make up this interval, in order."""
        by_parameter = {}
        for number, begin, end, state in parts:
            by_parameter.setdefault(number, []).append((type(self.pieces[0])(number, begin, end, 0), state))
        self.optimizer.state.clear()
        for piece, tensor in zip(self.pieces, self._tensors):
            if piece.parameter in by_parameter:
                joined = of_pieces.join_states(by_parameter[piece.parameter], tensor)
                self.optimizer.state[tensor] = {
                    name: value.to(tensor.device) if torch.is_tensor(value) and name != 'step' else value for name, value in joined.items()}

    def adopt(self, optimizer):
        """Takes the state of all of the parameters from the script's own, as it is."""
        for piece, tensor in zip(self.pieces, self._tensors):
            state = optimizer.state.get(self._parameters[piece.parameter])
            if state:
                self.optimizer.state[tensor] = state

    def parameters(self):
        """Its parameters, side by side, a tensor for each dtype."""
        by_dtype = {}
        for tensor in self._tensors:
            by_dtype.setdefault(tensor.dtype, []).append(tensor.reshape(-1))
        return [torch.cat(found) for found in by_dtype.values()]

    def set_parameters(self, flats):
        """Takes over what parameters() gave."""
        by_dtype = {}
        for tensor in self._tensors:
            by_dtype.setdefault(tensor.dtype, []).append(tensor)
        for flat, tensors in zip(flats, by_dtype.values()):
            for tensor, values in zip(tensors, flat.split([t.numel() for t in tensors])):
                tensor.copy_(values.view(tensor.shape))

    @property
    def bytes(self):
        """Of its state."""
        return sum(v.numel() * v.element_size() for state in self.optimizer.state.values() for v in state.values() if torch.is_tensor(v))


class Sharded(Summed):
    """@thread the training thread"""

    is_shared = True

    def __init__(self, script, flat, compute):
        """@errors ValueError: this optimizer, or these parameters, cannot be cut"""
        super().__init__(script, flat, compute)
        self._parameters = flat.parameters
        odd = next((n for n, p in script.model.named_parameters() if p.requires_grad and not p.is_contiguous()), None)
        if odd is not None:
            raise ValueError(f"FabricModel: shard='optimizer': parameter '{odd}' does not lie in one piece of memory")
        self._whole = of_pieces.is_whole(script.optimizer, "shard='optimizer'")
        of_pieces.numbers_of(script.optimizer)
        self._group, self._cut, self._shards, self._groups = None, None, {}, None
        self._slices = {}     # of the parameters, by their bounds: for what is broadcast
        self._torn = False    # parameters of some intervals are those of a step before
        self._at = 0          # the step that the shards are at

    @property
    def bytes(self):
        """Of the optimizer's state that this member has."""
        return sum(shard.bytes for shard in self._shards.values())

    def _cut_for(self, world):
        sizes = [p.numel() for p in self._parameters]
        most = len([s for s in sizes if s]) if self._whole else sum(sizes)
        return cut(sizes, min(world, most), self._whole)

    def _duties(self, world, rank):
        return [n for n in duties(world, rank) if n < len(self._cut)]

    # ---- a step --------------------------------------------------------------------------------

    def _step(self, tail):
        self._flat.take((self._compute.scale, tail.weight))
        if self._script.clip_grad_norm is not None:
            self._flat.clip(self._script.clip_grad_norm)
        self._groups = of_pieces.numbers_of(self._script.optimizer)
        for one in self._groups:
            one['lr'] = one['lr'] * (tail.gain or 1.0)
        for shard in self._shards.values():
            shard.step(self._groups)
        count(self._script.optimizer)
        self._at += 1
        self._spread_or_break()

    def leave_out(self):
        self._at += 1

    def _spread_or_break(self):
        """Everybody's parameters are those after the step; who is lost meanwhile is found at the next boundary."""
        try:
            self._spread(self._cut, list(range(len(self._cut))))
        except GroupBroken:
            self._torn = True
            self._group.abort()

    def _spread(self, intervals, owners):
        """The parameters of each interval, from the rank that has them. @errors GroupBroken"""
        if self._group.world == 1:
            return
        for (begin, end), owner in zip(intervals, owners):
            if (begin, end) not in self._slices:
                self._slices[begin, end] = Shard(self._parameters, self._script.optimizer, begin, end)
            shard = self._slices[begin, end]
            flats = [f.cpu() for f in shard.parameters()]
            for flat in flats:
                self._group.broadcast(flat, owner)
            if owner != self._group.rank:
                shard.set_parameters(flats)

    # ---- epochs --------------------------------------------------------------------------------

    def part(self, group, members):
        """All agreed on an epoch of `members`: what would go with two that leave is kept by one that stays. @errors GroupBroken"""
        for owner, keeper in to_keep(group.members, members):
            if owner >= len(self._cut) or keeper == owner:
                continue
            if group.rank == owner:
                self._send(group, keeper, self._shards[owner].part(*self._cut[owner]))
            elif group.rank == keeper:
                shard = Shard(self._parameters, self._script.optimizer, *self._cut[owner])
                shard.put(self._receive(group, owner))
                self._shards[owner] = shard

    def enter(self, group, source, fresh, progress, begin_anew):
        self._group, self._slices, anew = group, {}, False
        self._cut = self._cut_for(group.world)
        if fresh and group.rank == source:
            self._adopt(progress().step)
        while True:
            told = self._tell(group, progress().step)
            held = [one['held'] and Held(one['at'], [tuple(i) for i in one['held']]) for one in told]
            step = told[source]['step']
            try:
                found = {(rank, n): plan(held, step, *self._cut[n], rank)
                         for rank in range(group.world) for n in self._duties(group.world, rank)}
                break
            except Lost as loss:  # all see it alike
                if anew:
                    raise
                anew, self._shards = True, {}
                if group.rank == source:
                    begin_anew(str(loss))
                    self._adopt(progress().step)
        self._redo(group, source, step, {move.source for moves in found.values() for move in moves if move.redo})
        arrived = self._move(group, found)
        if not anew and any(one['torn'] or (one['held'] and one['at'] != step) for one in told):
            moves = plan(held, step, 0, self._cut[-1][1])
            self._spread([(m.begin, m.end) for m in moves], [m.source for m in moves])
        self._settle(group, arrived, step)
        return anew

    def _tell(self, group, step):
        """What each member has, to all."""
        own = sorted([s.begin, s.end] for s in self._shards.values()) or None
        words = {'held': own, 'at': self._at, 'step': step, 'torn': self._torn}
        return [json.loads(text) for text in share(group, json.dumps(words))]

    def _adopt(self, step):
        """All of the state is in the script's optimizer, here."""
        whole = Shard(self._parameters, self._script.optimizer, 0, self._cut[-1][1])
        whole.adopt(self._script.optimizer)
        self._shards, self._at = {_WHOLE: whole}, step

    def _settle(self, group, arrived, step):
        """What was held goes when all have what they are to have: until then an epoch may break, and the next one begin from either."""
        made = {number: self._made(number, parts) for number, parts in arrived.items()}
        self._shards, self._at = {**{(_OLD, name): shard for name, shard in self._shards.items()}, **made}, step
        group.sum(torch.zeros(1, dtype=torch.float64))
        self._shards, self._torn = made, False
        self._script.optimizer.state.clear()

    def _made(self, number, parts):
        shard = Shard(self._parameters, self._script.optimizer, *self._cut[number])
        shard.put(parts)
        return shard

    def _redo(self, group, source, step, late):
        """The newest step, by those who were not told that it was decided. Its gradient is still with the source, who was."""
        for rank in sorted(late):
            if group.rank == source:
                gradients = [None if p.grad is None else p.grad.detach().reshape(-1) for p in self._parameters]
                self._send(group, rank, [self._groups, gradients])
            elif group.rank == rank:
                groups, gradients = self._receive(group, source)
                for p, gradient in zip(self._parameters, gradients):
                    p.grad = None if gradient is None else gradient.view(p.shape).to(p.device)
                for shard in self._shards.values():
                    shard.step(groups)
                self._at, self._torn = step, True

    def _move(self, group, found):
        """States to where they are to be, in one order that all know. Returns what has come here. @shape {interval: parts}"""
        arrived = {}
        for (rank, number), moves in sorted(found.items()):
            for move in moves:
                parts = None
                if group.rank == move.source:
                    holder = next(s for s in self._shards.values() if s.begin <= move.begin and move.end <= s.end)
                    parts = holder.part(move.begin, move.end)
                if move.source != rank and group.rank == move.source:
                    self._send(group, rank, parts)
                elif move.source != rank and group.rank == rank:
                    parts = self._receive(group, move.source)
                if group.rank == rank:
                    arrived.setdefault(number, []).extend(parts)
        return arrived

    @staticmethod
    def _send(group, rank, tree):
        head, blocks = plain.pack(tree)
        memory = b''.join([len(head).to_bytes(8, 'little'), head, *(plain.memory(b).cpu().numpy().tobytes() for b in blocks)])
        group.send(torch.tensor([len(memory)]), rank)
        group.send(torch.frombuffer(bytearray(memory), dtype=torch.uint8), rank)

    @staticmethod
    def _receive(group, rank):
        size = torch.zeros(1, dtype=torch.int64)
        group.receive(size, rank)
        room = torch.empty(int(size), dtype=torch.uint8)
        group.receive(room, rank)
        memory = room.numpy().tobytes()
        return tree_of(int.from_bytes(memory[:8], 'little'), memory[8:])

    # ---- the whole state -----------------------------------------------------------------------

    def bring_home(self):
        """On rank 0 the script's optimizer has all of the state; all members take part. @errors GroupBroken"""
        group = self._group
        parts = []
        for number, interval in enumerate(self._cut):
            if group.rank == 0:
                parts += self._shards[0].part(*interval) if number == 0 else self._receive(group, number)
            elif group.rank == number:
                self._send(group, 0, self._shards[number].part(*interval))
        if group.rank != 0:
            return
        found = {}
        for number, begin, end, state in parts:
            found.setdefault(number, []).append((type(self._shards[0].pieces[0])(number, begin, end, 0), state))
        for number, states in found.items():
            p = self._parameters[number]
            self._script.optimizer.state[p] = {n: v.to(p.device) if torch.is_tensor(v) and n != 'step' else v
                                               for n, v in of_pieces.join_states(states, p).items()}

    def state(self, progress):
        self.bring_home()
        state = self._script.state(progress) if self._group.rank == 0 else None
        self._script.optimizer.state.clear()
        return state
