"""Role: starts the server processes of one worker. Forked while the worker has no thread and no connection, as loaders are, so that what it
forks later is sound, has the script's model and optimizer as they are, and is there in milliseconds.

  worker ──{"start": …}──► nursery ──fork──► server      ends when the worker does: each has the read end of a pipe that nobody writes
         ◄─{"address", "pid"}──

Signals by which a job is told to end are for the worker, which writes a checkpoint first: its servers are needed for that.
"""

import contextlib
import ctypes
import json
import os
import signal
import socket
import sys
import threading
import time

import torch

from .server import Server

_MOST = 1 << 16
_FOR_THE_WORKER = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
_SET_NAME = 15  # @source prctl(2): PR_SET_NAME


class Nursery:
    """@thread the training thread"""

    def __init__(self, blueprint):
        """Forks. Nothing may have been started yet."""
        self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = os.fork()
        if self._pid == 0:
            self._link.close()
            _be_nursery(theirs, blueprint)
        theirs.close()
        self._owner = os.getpid()

    def start(self, number, host, key):
        """Server process `number`. Returns (address, pid). @errors OSError: it cannot be started"""
        answer = self._ask({'start': number, 'host': host, 'key': key.hex()})
        if 'error' in answer:
            raise OSError(f"parameter server {number}: {answer['error']}")
        return answer['address'], answer['pid']

    def end(self, pid):
        """Ends one that it has started, if that still runs."""
        self._ask({'end': pid})

    def wait(self, limit_s):
        """Until all that it has started have ended, or for so long. @units limit_s: seconds"""
        self._ask({'wait': limit_s})

    def _ask(self, order):
        try:
            self._link.send(json.dumps(order).encode())
            words = self._link.recv(_MOST)
        except OSError as error:
            return {'error': f'who starts it has gone: {error}'}
        return json.loads(words) if words else {'error': 'who starts it has gone'}

    def close(self):
        """Ends it, and all that it has started."""
        self._link.close()
        if self._owner == os.getpid() and self._pid:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._pid, 0)
            self._pid = 0


def _be_nursery(link, blueprint):
    """Never returns."""
    try:
        for number in _FOR_THE_WORKER:
            signal.signal(number, signal.SIG_IGN)
        torch.set_num_threads(1)  # threads of a process that was forked do not run
        alive, ours = os.pipe()
        _name('wm-servers')
        children = set()  # not waited for yet: their numbers are no other process's
        while True:
            words = link.recv(_MOST)
            if not words:
                os._exit(0)
            order = json.loads(words)
            if 'end' in order:
                answer = _end(order['end'], children)
            elif 'wait' in order:
                answer = _wait(order['wait'], children)
            else:
                answer = _start(link, order, blueprint, (alive, ours))
                children |= {answer['pid']} if 'pid' in answer else set()
            link.send(json.dumps(answer).encode())
    except BaseException:
        os._exit(1)


def _start(link, order, blueprint, pipe):
    """What is answered. A server never returns."""
    try:
        server = Server(blueprint, order['host'], bytes.fromhex(order['key']))
        pid = os.fork()
    except OSError as error:
        return {'error': str(error)}
    if pid == 0:
        os.close(pipe[1])
        link.close()
        _name(f"wm-server-{order['start']}")
        # Made anew after each fork, by whichever thread comes first; a second one that comes meanwhile fails for want of it.
        torch.set_num_threads(1)
        threading.Thread(target=_end_with, args=(pipe[0],), daemon=True).start()
        server.serve()
    server.close()
    return {'address': server.address, 'pid': pid}


def _end(pid, children):
    if pid in children:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        children.discard(pid)
    return {}


def _wait(limit_s, children):
    deadline = time.monotonic() + limit_s
    while children and time.monotonic() < deadline:
        for pid in list(children):
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0] == 0:
                    continue
            children.discard(pid)
        time.sleep(0.01)
    return {}


def _end_with(alive):
    os.read(alive, 1)
    os._exit(0)


def _name(text):
    """What ps shows as its command."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_NAME, text.encode()[:15], 0, 0, 0)
