"""Role: a state on its way to members that lack it. It travels as: the length of its head; the head (plain.py); the small
blocks of memory as one; the large ones each by itself, not copied. Of any framework: blocks are arrays of bytes.
Invariants: a receiver holds all of it before it takes any of it over; nothing that is received is run.
"""

import threading

import numpy

from . import plain
from .communicator import GroupBroken

_SMALL = 1 << 16  # bytes; smaller ones travel together
_LONGEST = 1 << 32  # bytes of a head


class Parcel:
    """A state ready to be sent to any number of members."""

    def __init__(self, state):
        """@errors plain.NotPlain"""
        head, tensors = plain.pack(state)
        flat = [plain.raw(t) for t in tensors]
        small = [f for f in flat if f.size < _SMALL]
        self._head = numpy.frombuffer(bytearray(head), dtype=numpy.uint8)
        self._blocks = ([numpy.concatenate(small)] if small else []) + \
            [f for f in flat if f.size >= _SMALL]

    def send(self, group, rank):
        """@errors GroupBroken"""
        group.send(numpy.array([self._head.size], dtype=numpy.int64), rank)
        for block in [self._head] + self._blocks:
            if block.size:
                group.send(block, rank)


class Delivery:
    """Sends a parcel to members in a thread while training goes on: the parameters in it do
    not change before the receivers have them, because no step is applied without them.
    @thread the training thread"""

    def __init__(self, parcel, group, ranks):
        self._parcel, self._group, self._ranks = parcel, group, ranks
        self._thread = threading.Thread(target=self._run, name='wm-delivery', daemon=True)
        self._thread.start()

    def _run(self):
        try:
            for rank in self._ranks:
                self._parcel.send(self._group, rank)
        except GroupBroken:
            self._group.abort()  # the training thread finds it dead

    def finish(self):
        """Before a step is applied: everything is out."""
        self._thread.join()


def receive(group, rank):
    """The state that `rank` sends as a Parcel. @errors GroupBroken; plain.Damaged"""
    told = numpy.zeros(1, dtype=numpy.int64)
    group.receive(told, rank)
    size = int(told[0])
    if not 0 < size <= _LONGEST:
        raise plain.Damaged(f'a state with a head of {size} bytes, at most {_LONGEST}')
    head = plain.Head(_receive_block(group, rank, size).tobytes())
    small = _receive_block(group, rank, sum(s for s in head.sizes if s < _SMALL))
    blocks, at = [], 0
    for count in head.sizes:
        if count < _SMALL:
            block, at = small[at:at + count].copy(), at + count
        else:
            block = _receive_block(group, rank, count)
        blocks.append(block)
    return head.tree(blocks)


def _receive_block(group, rank, count):
    block = numpy.empty(count, dtype=numpy.uint8)
    if count:
        group.receive(block, rank)
    return block
