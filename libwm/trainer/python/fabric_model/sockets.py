"""Role: the sockets of a gloo group, so that the group can be aborted from another thread.

torch.distributed offers no abort for gloo. A collective that waits for a member which is
alive but elsewhere returns only when its connections fail. Each rank's gloo publishes what
it listens on under `0/<rank>` in the group's store. A connection of the group has one of these at one of
its ends. shutdown(2) on it makes gloo's own thread see the end of the stream and fail
everything that waits on that peer. A peer that waits on another member does not see it: each member aborts for itself.

  torch 1.13   136 bytes a pair: sockaddr_storage, number
  torch ≥ 2    [8: length][name of the host][8: 136][sockaddr_storage, number][8 a pair: number]

Who leaves in peace ends its own direction only (finish). A connection that is shut both ways
answers whatever a slower peer still sends with a reset, and a reset takes along what was sent
to that peer and not read yet.

Invariant: a descriptor is shut down only while it still is the socket that was found.
"""

import contextlib
import os
import socket
import stat
import struct

_RECORD = 136  # sockaddr_storage + ssize_t
_LENGTH = 8
_LONGEST_NAME = 255  # of a host
_AF_INET, _AF_INET6 = 2, 10


def published(store, world):
    """Addresses that the ranks of a group listened on. @shape set of (ip, port)"""
    found = set()
    for rank in range(world):
        text = store.get(f'0/{rank}')
        for at in _addresses(text):
            family, port = struct.unpack_from('=H', text, at)[0], struct.unpack_from('>H', text, at + 2)[0]
            if family == _AF_INET:
                found.add((socket.inet_ntop(socket.AF_INET, text[at + 4:at + 8]), port))
            elif family == _AF_INET6:
                found.add((socket.inet_ntop(socket.AF_INET6, text[at + 8:at + 24]), port))
    return found


def _addresses(text):
    """Where a rank's record has addresses."""
    name = _number(text, 0)
    after = _LENGTH + name
    if name <= _LONGEST_NAME and _number(text, after) == _RECORD:
        return [after + _LENGTH]
    return range(0, len(text) - _RECORD + 1, _RECORD)


def _number(text, at):
    return struct.unpack_from('=Q', text, at)[0] if len(text) >= at + _LENGTH else -1


def _borrow(number):
    """A second descriptor of `number` as a socket object, or None if it is no TCP socket."""
    try:
        if not stat.S_ISSOCK(os.fstat(number).st_mode):
            return None
        borrowed = socket.socket(fileno=os.dup(number))
    except OSError:
        return None  # closed meanwhile
    if borrowed.family in (socket.AF_INET, socket.AF_INET6):
        return borrowed
    borrowed.close()
    return None


def find(addresses):
    """This process's connections with an end in `addresses`. @shape list of (fd, inode)"""
    found = []
    for name in os.listdir('/proc/self/fd'):
        borrowed = _borrow(int(name))
        if borrowed is None:
            continue
        with borrowed:
            try:
                ends = {borrowed.getsockname()[:2], borrowed.getpeername()[:2]}
                if ends & addresses:
                    found.append((int(name), os.fstat(borrowed.fileno()).st_ino))
            except OSError:
                continue  # not connected
    return found


def _still_open(connections):
    """The connections found before that still are the sockets that they were, one at a time."""
    for number, inode in connections:
        borrowed = _borrow(number)
        if borrowed is None:
            continue
        with borrowed:
            if os.fstat(borrowed.fileno()).st_ino == inode:
                yield borrowed


def shut(connections, how=socket.SHUT_RDWR):
    """Ends the connections found before, where they still are open."""
    for connection in _still_open(connections):
        with contextlib.suppress(OSError):  # closed by the peer meanwhile
            connection.shutdown(how)


def finish(connections):
    """Says that nothing more will be sent: peers read what was sent, then the end."""
    shut(connections, socket.SHUT_WR)


def all_ended(connections):
    """Whether every peer has closed its end (or the connection is gone here)."""
    for connection in _still_open(connections):
        try:
            if connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b'':
                return False
        except BlockingIOError:
            return False
        except OSError:
            continue
    return True
