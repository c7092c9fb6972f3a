"""Role: a worker's side of the servers: one connection to each, pushes in buckets, parameters pulled into the model.

Every wait ends when the group of the epoch is dead: then the epoch is over, and what was under way with it.
"""

import math

import torch

from ..communicator import GroupBroken
from . import wire
from .cut import starts
from .replica import put_parameters, width
from .server import Answered, answered, ask

BUCKET = 8 << 20  # bytes


class NotTaken(Exception):
    """A push that has a NaN or inf: a server did not take it."""


class Links:
    """@thread the training thread"""

    def __init__(self, blueprint, intervals):
        self.blueprint, self.intervals = blueprint, intervals
        self._bounds = starts(blueprint.sizes)
        self._wires, self._homes, self._key, self._group = {}, [], None, None
        self._buckets = self._divide()

    def _divide(self):
        """Where the flat gradients of each dtype lie in the space of all elements. @shape [(dtype, begin, end)]"""
        found = []
        for kind, low, high in zip(self.blueprint.kinds, self._bounds, self._bounds[1:]):
            if found and found[-1][0] == kind:
                found[-1] = (kind, found[-1][1], high)
            else:
                found.append((kind, low, high))
        return found

    def go(self, homes, key, group):
        """Where interval i is from now on. @shape homes: [address]"""
        self.close()
        self._homes, self._key, self._group = homes, key, group

    def close(self):
        for one in self._wires.values():
            one.close()
        self._wires = {}

    def _wire(self, address):
        if address not in self._wires:
            self._wires[address] = wire.connect(address, self._key, lambda: self._group.dead)
        return self._wires[address]

    def _each(self, heads, read):
        """Says heads[i] to the server of interval i, then reads each answer by `read(i, head, memory)`. @errors GroupBroken; NotTaken"""
        def work():
            for interval, head in enumerate(heads):
                self._wire(self._homes[interval]).say(self._whole(interval, head))
            for interval in range(len(heads)):
                read(interval, *answered(self._wire(self._homes[interval])))
        self._try(work)

    def _whole(self, interval, head):
        return {**head, 'interval': interval, 'epoch': self._group.epoch}

    def _try(self, work):
        try:
            return work()
        except wire.Gone as error:
            self.close()
            raise GroupBroken(f'a parameter server is lost: {error}') from None
        except Answered as error:
            self.close()  # what else was asked is not waited for
            if error.kind == 'finite':
                raise NotTaken(str(error)) from None
            raise GroupBroken(f'a parameter server: {error}') from None

    # ---- pushes ----------------------------------------------------------------------------

    def push(self, gradients, who, number, finite=False):
        """Push `number` of `who` to all servers; it is there, and with the copies, afterwards. `finite`: one that is not is refused.
        @shape gradients: [flat tensor of each dtype]   @errors GroupBroken; NotTaken"""
        flats = [g if g.device.type == 'cpu' else _to_host(g) for g in gradients if g.numel()]

        def work():
            for interval in range(len(self.intervals)):
                self._push_one(interval, flats, {'do': 'push', 'who': who, 'n': number, 'finite': finite})
            for address in self._homes:
                answered(self._wire(address))
        self._try(work)

    def _push_one(self, interval, flats, head):
        talk, at = self._wire(self._homes[interval]), 0
        begin, end = self.intervals[interval]
        for (kind, low, high), flat in zip(self._buckets, flats):
            first, last = max(begin, low), min(end, high)
            step = BUCKET // width(kind)
            for one in range(first, last, step):
                part = flat[one - low:min(one + step, last) - low]
                talk.say(self._whole(interval, {**head, 'at': at}), part.numpy())
                at += part.numel() * width(kind)

    # ---- steps -------------------------------------------------------------------------------

    def square(self, whose, number):
        """Square of the length of the sum of those pushes. @errors GroupBroken"""
        parts = [0.0] * len(self.intervals)

        def read(interval, head, _memory):
            parts[interval] = head['square']
        self._each([{'do': 'square', 'of': whose, 'n': number}] * len(parts), read)
        return math.fsum(parts) if all(map(math.isfinite, parts)) else math.inf

    def step(self, number, whose, how):
        """Applies it, and makes the model's parameters those after it. @errors GroupBroken"""
        self._each([{'do': 'step', 'n': number, 'of': whose, 'how': how}] * len(self.intervals), self._put)

    def take(self, who, number, how):
        """Applies one push alone. Returns the oldest version that the parameters are of. @errors GroupBroken"""
        return self._versions({'do': 'take', 'who': who, 'n': number, 'how': how})

    def pull(self):
        """Makes the model's parameters the servers'. Returns as take(). @errors GroupBroken"""
        return self._versions({'do': 'pull'})

    def _versions(self, head):
        found = []

        def read(interval, answer, memory):
            found.append(answer['version'])
            self._put(interval, answer, memory)
        self._each([head] * len(self.intervals), read)
        return min(found)

    def _put(self, interval, _head, memory):
        begin, end = self.intervals[interval]
        put_parameters(self.blueprint, begin, end, torch.frombuffer(memory, dtype=torch.uint8))

    def contents(self):
        """What the servers have, interval by interval, packed. @errors GroupBroken"""
        found = []
        self._each([{'do': 'contents'}] * len(self.intervals), lambda _i, head, memory: found.append((head['head'], memory)))
        return found

    def desk(self, call, **values):
        """What the desk says to a call. @errors GroupBroken"""
        head = {'do': 'desk', 'epoch': self._group.epoch, 'call': call, 'with': values}
        return self._try(lambda: ask(self._wire(self._homes[0]), head))[0]['answer']


def _to_host(gradient):
    room = torch.empty(gradient.shape, dtype=gradient.dtype, pin_memory=True)
    room.copy_(gradient)
    return room
