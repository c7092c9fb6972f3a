"""Role: the small key-value store through which the members of an epoch find each other: served by
every worker for its own epochs as rank 0, used by the members while they connect, then let go.

torch's TCPStore (1.13) is not used: its client ends the whole process when its server is killed, and
a client that is killed while it waits makes the server hang up on another one. It also lets everybody in.

  first      each side proves that it is a worker of this job (proof.py)
  request   op (1 byte: S or G), length of key, key, length of value, value      lengths: 4 bytes, big-endian
  reply     length of value + 1 and value; length 0: not there

Invariants: the server never waits for anybody, and takes no request of who has not proved himself;
a client's every wait ends by its limit or when `cancelled()` says so.
"""

import selectors
import socket
import struct
import threading
import time

from . import proof

_POLL_S = 0.001
_LONGEST = 1 << 24
_STRANGERS = 256  # connections that have proved nothing yet; one more ends the oldest


def _exactly(link, count):
    """@errors ConnectionError: the other side has gone"""
    found = b''
    while len(found) < count:
        chunk = link.recv(count - len(found))
        if not chunk:
            raise ConnectionError('the store has closed the connection')
        found += chunk
    return found


def _block(link):
    size, = struct.unpack('>I', _exactly(link, 4))
    if size > _LONGEST:
        raise ConnectionError(f'{size} bytes in a store message, at most {_LONGEST}')
    return _exactly(link, size)


def _framed(data):
    return struct.pack('>I', len(data)) + data


class Server:
    """The store of this worker, on a port of the system's. `key`: the job's, of 32 bytes; None: not
    known yet, nobody is let in. @thread its own; `key` may be set by any"""

    def __init__(self, host, key=None):
        self.key = key
        self._values, self._lock = {}, threading.Lock()
        self._listener = socket.create_server((host, 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        self.address = f'{host}:{self.port}'
        self._strangers = {}  # their doors by their sockets, oldest first
        threading.Thread(target=self._watch, name='wm-store', daemon=True).start()

    def _watch(self):
        """Accepts, and hears strangers until they are members."""
        with selectors.DefaultSelector() as arriving:
            arriving.register(self._listener, selectors.EVENT_READ)
            while True:
                for ready, _ in arriving.select():
                    try:
                        self._take(arriving, ready.fileobj)
                    except OSError:
                        self._drop(arriving, ready.fileobj)

    def _take(self, arriving, link):
        """@errors OSError: a stranger has gone or failed"""
        if link is self._listener:
            self._accept(arriving)
        elif link in self._strangers:  # else it was dropped in this very round
            door = self._strangers[link]
            words, is_member = door.hear(link.recv(door.wants))
            link.sendall(words)
            if is_member:
                arriving.unregister(link)
                del self._strangers[link]
                link.setblocking(True)
                threading.Thread(target=self._serve, args=(link,), name='wm-store', daemon=True).start()

    def _accept(self, arriving):
        try:
            link, _ = self._listener.accept()
        except OSError:
            time.sleep(_POLL_S)  # it has gone, or there are no descriptors left
            return
        link.setblocking(False)
        self._strangers[link] = proof.Door(self.key, self.address)
        arriving.register(link, selectors.EVENT_READ)
        if len(self._strangers) > _STRANGERS:
            self._drop(arriving, next(iter(self._strangers)))

    def _drop(self, arriving, link):
        if self._strangers.pop(link, None):
            arriving.unregister(link)
            link.close()

    def _serve(self, link):
        with link:
            try:
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                while True:
                    self._answer(link, _exactly(link, 1), _block(link), _block(link))
            except OSError:
                return

    def _answer(self, link, operation, key, value):
        with self._lock:
            if operation == b'S':
                self._values[key] = value
            found = self._values.get(key)
        link.sendall(struct.pack('>I', 0) if found is None else
                     struct.pack('>I', len(found) + 1) + found)


class Client:
    """The store of an epoch's rank 0, its keys below `prefix`.
    @thread one at a time   @units limit_s: seconds
    @errors RuntimeError: the limit has passed, or the server is gone"""

    def __init__(self, address, prefix, key, limit_s, cancelled):
        """@errors OSError: nobody is there; proof.Stranger: one who does not hold the job's key"""
        self._cancelled = cancelled
        host, port = address.rsplit(':', 1)
        self._prefix = prefix.encode() + b'/'
        self._deadline = time.monotonic() + limit_s
        self._link = socket.create_connection((host, int(port)), timeout=limit_s)
        self._link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            proof.enter(key, address, self._link.sendall, lambda count: _exactly(self._link, count))
        except OSError:
            self._link.close()
            raise

    def _ask(self, operation, key, value=b''):
        try:
            self._link.sendall(operation + _framed(self._prefix + key.encode()) + _framed(value))
            size, = struct.unpack('>I', _exactly(self._link, 4))
            return _exactly(self._link, size - 1) if size else None
        except OSError as error:
            raise RuntimeError(f'store: {error}') from None

    def set(self, key, value):
        self._ask(b'S', key, value.encode() if isinstance(value, str) else bytes(value))

    def look(self, key):
        """Its value now; None: there is none yet."""
        return self._ask(b'G', key)

    def get(self, key):
        while True:
            found = self.look(key)
            if found is not None:
                return found
            if self._cancelled():
                raise RuntimeError('connecting was cancelled')
            if time.monotonic() > self._deadline:
                raise RuntimeError(f'{key}: a member did not come in time')
            time.sleep(_POLL_S)

    def wait(self, keys, timeout=None):
        for key in keys:
            self.get(key)

    def close(self):
        self._link.close()
