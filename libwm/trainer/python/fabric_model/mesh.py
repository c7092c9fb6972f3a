"""Role: the communicator of one epoch over connections of its own, for frameworks whose jobs need not have torch: two TCP
connections between each two members, one for collectives, one for messages. In place of group.py; sums numpy's arrays.

  connect   store of rank 0: here/R (a nonce), at/R (where R listens)    R connects to all below it, and proves itself (proof.py)
  sum       each member adds one part of the array up, in the order of ranks, and gives it to all: the same bits everywhere
            (an array of few bytes goes whole to all, and each adds it up itself)

Invariants: after abort() every call, also one that waits already, ends in GroupBroken; nobody takes part who has not shown that
it holds the job's key, for this epoch and this pair of members.
"""

import contextlib
import os
import select
import socket
import struct
import threading
import time

import numpy

from . import proof, sockets
from .communicator import CONNECT_LIMIT_S, LEAVE_LIMIT_S, GroupBroken, Member, agree_on_versions, host_address
from .native import part
from .store import Client, Server

_SUMS, _MESSAGES = 0, 1  # what a connection is for
_HELLO = struct.Struct('>IB')  # rank, what for
_WHOLE = 1 << 14  # bytes of an array that goes whole to all
_CHUNK = 1 << 20  # bytes asked for at once
_SLICE_MS = 100  # between two looks whether the group was aborted
_STRANGER_S = 2.0  # for who has connected to show who it is


class Rendezvous:
    """The store that this worker serves for as long as it lives, on a port of the system's."""

    def __init__(self, key=None):
        """`key`: the job's; None: not known yet."""
        self.host = host_address()
        self._server = Server(self.host, key)

    @property
    def address(self):
        return self._server.address

    @property
    def key(self):
        return self._server.key

    @key.setter
    def key(self, key):
        self._server.key = key


def _exactly(link, count):
    """@errors OSError: gone, or not in time"""
    found = b''
    while len(found) < count:
        chunk = link.recv(count - len(found))
        if not chunk:
            raise ConnectionError('a member has gone')
        found += chunk
    return found


class _Meeting:
    """Connects one member with all others of its epoch."""

    def __init__(self, name, rank, world, key, deadline, cancelled):
        self._name, self._rank, self._world, self._key = name, rank, world, key
        self._deadline, self._cancelled = deadline, cancelled
        self._links, self._changed = {}, threading.Condition()

    def _about(self, low, high, what):
        return f'{self._name} {low} to {high} {what}'

    def meet(self, store, listener):
        """{(rank, what for): connection}. @errors RuntimeError, OSError"""
        threading.Thread(target=self._accept, args=(listener,), name='wm-mesh', daemon=True).start()
        try:
            for rank in range(self._rank):
                host, port = store.get(f'at/{rank}').decode().rsplit(':', 1)
                for what in (_SUMS, _MESSAGES):
                    self._keep((rank, what), self._reach(host, int(port), rank, what))
            with self._changed:
                while len(self._links) < 2 * (self._world - 1):
                    if self._cancelled():
                        raise RuntimeError('connecting was cancelled')
                    if time.monotonic() > self._deadline:
                        raise RuntimeError('a member did not connect in time')
                    self._changed.wait(0.02)
                return dict(self._links)
        except BaseException:
            with self._changed:
                for link in self._links.values():
                    link.close()
            raise

    def _keep(self, who, link):
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._changed:
            self._links[who] = link
            self._changed.notify_all()

    def _reach(self, host, port, rank, what):
        link = socket.create_connection((host, port), timeout=max(0.1, self._deadline - time.monotonic()))
        try:
            link.sendall(_HELLO.pack(self._rank, what))
            proof.enter(self._key, self._about(rank, self._rank, what), link.sendall, lambda count: _exactly(link, count))
        except OSError:
            link.close()
            raise
        return link

    def _accept(self, listener):
        """Until the listener is closed. Who is slow keeps nobody waiting."""
        while True:
            try:
                link, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._hear, args=(link,), name='wm-mesh', daemon=True).start()

    def _hear(self, link):
        try:
            link.settimeout(_STRANGER_S)
            rank, what = _HELLO.unpack(_exactly(link, _HELLO.size))
            door = proof.Door(self._key, self._about(self._rank, rank, what))
            is_member = False
            while not is_member:
                words, is_member = door.hear(link.recv(door.wants))
                link.sendall(words)
            if not self._rank < rank < self._world or what not in (_SUMS, _MESSAGES) or (rank, what) in self._links:
                raise proof.Stranger('of another epoch')
            self._keep((rank, what), link)
        except (OSError, struct.error):
            link.close()


def _connect(plan, rank, rendezvous, cancelled):
    """Connections to all of the plan's members, each of whom holds the job's key. @shape {(rank, what for): socket}
    @errors versions.Mixed; RuntimeError, OSError: a member is missing, or is none"""
    world, name = len(plan.members), f'wm/{plan.lead}/{plan.epoch}'
    store = Client(plan.rendezvous, name, rendezvous.key, CONNECT_LIMIT_S, cancelled)
    try:
        agree_on_versions(store, rank)
        with socket.create_server((rendezvous.host, 0), backlog=2 * world) as listener:
            store.set(f'at/{rank}', '%s:%d' % listener.getsockname()[:2])
            store.set(f'here/{rank}', b'1')
            for other in range(world):
                store.get(f'here/{other}')
            try:
                meeting = _Meeting(name, rank, world, rendezvous.key, time.monotonic() + CONNECT_LIMIT_S, cancelled)
                return meeting.meet(store, listener)
            finally:
                with contextlib.suppress(OSError):
                    listener.shutdown(socket.SHUT_RDWR)  # which ends accept(); close() alone would not
    finally:
        store.close()


def _bytes(array):
    """Its memory. @errors TypeError: it does not lie in one piece"""
    return memoryview(array).cast('B') if array.size else memoryview(b'')


class Group(Member):
    """The members of one epoch. @thread abort and close: any; send: any; the rest: the training thread"""

    def __init__(self, plan, task, rendezvous, agent, cancelled=lambda: False):
        self.epoch, self.survivors = plan.epoch, plan.survivors
        self.rank, self.world = plan.members.index(task), len(plan.members)
        self.members, self.reason = plan.members, plan.reason
        self.joined = False  # the first collective is past, or was agreed on by all members
        self._agent = agent
        self._lock, self._dead = threading.Lock(), False
        self._links = _connect(plan, self.rank, rendezvous, cancelled) if self.world > 1 else {}
        for link in self._links.values():
            link.setblocking(False)
        self._connections = [(link.fileno(), os.fstat(link.fileno()).st_ino) for link in self._links.values()]
        self._others = [rank for rank in range(self.world) if rank != self.rank]
        self._room = {}  # by what is summed: places for the others' parts

    # ---- collectives -----------------------------------------------------------------------

    def sum(self, array):
        """Sums `array` over the members, in place. @errors GroupBroken"""
        if self._dead:
            raise GroupBroken(f'epoch {self.epoch}: aborted')
        if self.world == 1 or not array.size:
            return
        flat = array.reshape(-1)
        with self.waiting():
            (self._sum_whole if flat.nbytes <= _WHOLE else self._sum_parts)(flat)

    def _sum_whole(self, flat):
        theirs = self._places(flat.size, flat.dtype)
        self._exchange({rank: _bytes(flat) for rank in self._others}, {rank: _bytes(theirs[rank]) for rank in self._others})
        theirs[self.rank] = flat
        _add_up(theirs, flat)

    def _sum_parts(self, flat):
        parts = [flat[first:first + size] for first, size in (part(flat.size, self.world, rank) for rank in range(self.world))]
        mine = parts[self.rank]
        theirs = self._places(mine.size, flat.dtype)
        self._exchange({rank: _bytes(parts[rank]) for rank in self._others}, {rank: _bytes(theirs[rank]) for rank in self._others})
        theirs[self.rank] = mine
        _add_up(theirs, mine)
        self._exchange({rank: _bytes(mine) for rank in self._others}, {rank: _bytes(parts[rank]) for rank in self._others})

    def _places(self, size, dtype):
        """An array for each member. @shape [world][size]"""
        key = size, dtype.str
        if key not in self._room:
            self._room[key] = numpy.empty((self.world, size), dtype)
        return list(self._room[key])

    def broadcast(self, array, rank):
        """Makes `array` what that member has in it, everywhere. @errors GroupBroken"""
        words = _bytes(array.reshape(-1))
        with self.waiting():
            if rank == self.rank:
                self._exchange({other: words for other in self._others}, {})
            else:
                self._exchange({}, {rank: words})

    # ---- messages ----------------------------------------------------------------------------

    def send(self, array, rank):
        """Sends `array` to one member. @thread any   @errors GroupBroken"""
        self._exchange({rank: _bytes(array.reshape(-1))}, {}, _MESSAGES)

    def receive(self, array, rank):
        """Fills `array` from one member. @errors GroupBroken"""
        with self.waiting():
            self._exchange({}, {rank: _bytes(array.reshape(-1))}, _MESSAGES)

    # ---- bytes -------------------------------------------------------------------------------

    def _exchange(self, out, into, what=_SUMS):
        """Sends and receives all of these, at once. @shape {rank: memory}   @errors GroupBroken"""
        links = self._links
        out, into = ({links.get((rank, what)): words for rank, words in side.items() if len(words)} for side in (out, into))
        if self._dead or None in out or None in into:
            raise GroupBroken(f'epoch {self.epoch}: aborted')
        poll, by_number = select.poll(), {}
        try:
            while out or into:
                moved = False
                for link in list(out):
                    moved |= self._pass_on(out, link, lambda words, link=link: link.send(words[:_CHUNK]))
                for link in list(into):
                    moved |= self._pass_on(into, link, lambda words, link=link: link.recv_into(words, min(len(words), _CHUNK)))
                if moved:
                    continue
                for link in {**out, **into}:
                    by_number[link.fileno()] = link
                    poll.register(link, (select.POLLOUT if link in out else 0) | (select.POLLIN if link in into else 0))
                poll.poll(_SLICE_MS)
                for number in by_number:
                    poll.unregister(number)
                by_number.clear()
                if self._dead:
                    raise GroupBroken(f'epoch {self.epoch}: aborted')
        except (OSError, ValueError) as error:  # ValueError: closed
            raise GroupBroken(f'epoch {self.epoch}: {error}') from None

    @staticmethod
    def _pass_on(side, link, move):
        """Moves what can be moved now. Returns whether anything was. @errors OSError"""
        words = side[link]
        try:
            count = move(words)
        except BlockingIOError:
            return False
        if not count:
            raise ConnectionError('a member has gone')
        if count == len(words):
            del side[link]
        else:
            side[link] = words[count:]
        return True

    # ---- its end -----------------------------------------------------------------------------

    @property
    def dead(self):
        return self._dead

    def abort(self):
        """Ends every call of this group, here and at its peers."""
        with self._lock:
            self._dead = True
            sockets.shut(self._connections)

    def close(self):
        """Aborts it and gives its descriptors back."""
        self.abort()
        with self._lock:
            links, self._links, self._connections = self._links, {}, []
        for link in links.values():
            link.close()

    def leave(self):
        """Closes a group that is not needed here any more, in peace: peers that are slower may still be reading what this member
        sent last, so it waits until they have ended as well, at most LEAVE_LIMIT_S (PROTOCOL W-6). @thread any"""
        connections = self._connections
        sockets.finish(connections)
        deadline = time.monotonic() + LEAVE_LIMIT_S
        while time.monotonic() < deadline and not sockets.all_ended(connections):
            time.sleep(0.002)
        self.close()


def _add_up(parts, into):
    """In the order of ranks, so that the bits are those of any other member. `into` is one of the parts."""
    is_late = all(one is not into for one in parts[:2])  # what it holds is still wanted
    total = numpy.add(parts[0], parts[1], out=numpy.empty_like(into) if is_late else into)
    for one in parts[2:]:
        total += one
    if is_late:
        into[:] = total
