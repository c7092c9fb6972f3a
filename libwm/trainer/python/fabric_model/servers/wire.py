"""Role: messages between workers and servers: a line of JSON with what is wanted, and memory behind it.

  first    each side proves that it is of this job (proof.py)
  message  4 bytes: length of the head; the head, JSON: {"do": …, "bytes": length of the memory behind it}; that memory

Invariants: nobody who has proved nothing is listened to; memory is taken for no more than the head announced and the reader
expects; every wait ends when `dead()` says so or its limit is over.
"""

import json
import select
import socket
import struct
import time

from .. import proof

_LONGEST = 1 << 22  # bytes of a head
_SLICE_MS = 50      # between two looks whether the other side is still wanted
LIMIT_S = 30.0      # for an answer


class Gone(ConnectionError):
    """The other side has gone, or is not wanted any more."""


class Wire:
    """One connection. @thread one at a time"""

    def __init__(self, link, dead=lambda: False, limit_s=None):
        """`limit_s`: of each wait; None: none."""
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link.setblocking(False)
        self._link, self._dead, self._limit_s = link, dead, limit_s
        self._poll = select.poll()

    def say(self, head, memory=None):
        """@shape memory: bytes-like, or None   @errors Gone"""
        memory = memoryview(b'' if memory is None else memory).cast('B')
        text = json.dumps({**head, 'bytes': len(memory)}, separators=(',', ':')).encode()
        self._send(memoryview(struct.pack('>I', len(text)) + text))
        self._send(memory)

    def head(self):
        """The next message's head; its memory has to be read before the next. @errors Gone"""
        size, = struct.unpack('>I', self.read(4))
        if size > _LONGEST:
            raise Gone(f'a message with a head of {size} bytes, at most {_LONGEST}')
        try:
            head = json.loads(bytes(self.read(size)))
        except ValueError:
            raise Gone('a head that is no JSON') from None
        if not isinstance(head, dict) or not isinstance(head.get('bytes'), int) or head['bytes'] < 0:
            raise Gone('a head that does not say how many bytes follow')
        return head

    def read(self, count):
        """So many bytes. @errors Gone"""
        found = bytearray(count)
        self.into(found)
        return found

    def into(self, room):
        """Fills `room`. @errors Gone"""
        left = memoryview(room).cast('B')
        deadline = self._deadline()
        while left:
            try:
                got = self._link.recv_into(left)
            except (BlockingIOError, InterruptedError):
                self._wait(select.POLLIN, deadline)
                continue
            except OSError as error:
                raise Gone(str(error)) from None
            if not got:
                raise Gone('the other side has closed the connection')
            left, deadline = left[got:], self._deadline()

    def skip(self, count):
        """Reads past memory that nobody wants. @errors Gone"""
        room = bytearray(min(count, 1 << 20))
        while count:
            now = min(count, len(room))
            self.into(memoryview(room)[:now])
            count -= now

    def _send(self, left):
        deadline = self._deadline()
        while left:
            try:
                sent = self._link.send(left)
            except (BlockingIOError, InterruptedError):
                self._wait(select.POLLOUT, deadline)
                continue
            except OSError as error:
                raise Gone(str(error)) from None
            left, deadline = left[sent:], self._deadline()

    def _deadline(self):
        return None if self._limit_s is None else time.monotonic() + self._limit_s

    def _wait(self, what, deadline):
        self._poll.register(self._link, what)
        while not self._poll.poll(_SLICE_MS):
            if self._dead():
                raise Gone('not waited for any more')
            if deadline is not None and time.monotonic() > deadline:
                raise Gone(f'no answer for {self._limit_s:.0f} s')

    def close(self):
        self._link.close()


def connect(address, key, dead=lambda: False, limit_s=LIMIT_S):
    """A connection to a server. @errors Gone: nobody is there, or who does not hold the job's key"""
    host, port = address.rsplit(':', 1)
    try:
        link = socket.create_connection((host, int(port)), timeout=min(limit_s, 5.0))
    except OSError as error:
        raise Gone(f'{address}: {error}') from None
    wire = Wire(link, dead, limit_s)
    try:
        proof.enter(key, address, lambda words: wire._send(memoryview(words)), lambda count: bytes(wire.read(count)))
    except OSError as error:
        wire.close()
        raise Gone(f'{address}: {error}') from None
    return wire


def admit(link, key, address):
    """The server's side of that. @errors proof.Stranger, Gone: not to be listened to"""
    wire, door = Wire(link, limit_s=10.0), proof.Door(key, address)
    inside = False
    while not inside:
        words, inside = door.hear(bytes(wire.read(door.wants)))
        if words:
            wire._send(memoryview(words))
    wire._limit_s = None
    return wire
