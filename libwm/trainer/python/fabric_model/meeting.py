"""Role: where the tasks of a job of fixed size meet first: at MASTER_ADDR and MASTER_PORT, rank 0 hears of every other
one which Python and framework it has, and tells all where the group is formed and by which key; or who does not fit.

  rank r ──{"rank": r, "versions": …}──► rank 0 ──{"key": …, "address": …} or {"mixed" | "missing": why}──► rank r
                                                   when all are there          likewise, or a minute after it is seen

Not torch's store: its bytes differ between versions of torch, and these are what is compared. Lines of JSON.
Invariant: who says nothing, or says what is none of this, takes no rank and keeps nobody waiting.
"""

import contextlib
import json
import socket
import threading
import time

from . import versions

_LONGEST = 1 << 16  # bytes of a line
_SAYS_WITHIN_S = 60.0  # a member speaks as soon as it is connected
_BETWEEN_TRIES_S = 0.1


class Host:
    """Rank 0's side, for `world` tasks. @thread of its own for each that comes"""

    def __init__(self, port, world):
        """@errors OSError: the port is taken"""
        both = socket.has_dualstack_ipv6()
        self._listener = socket.create_server(('', port), family=socket.AF_INET6 if both else socket.AF_INET,
                                              dualstack_ipv6=both, backlog=world)
        self._missing, self._links, self._mixed = set(range(1, world)), [], None
        self._changed = threading.Condition()

    def bring_together(self, words, limit_s):
        """Waits for all, then gives them `words`. @errors versions.Mixed; RuntimeError: one did not come in time"""
        threading.Thread(target=self._accept, name='wm-meeting', daemon=True).start()
        with self._changed:
            self._changed.wait_for(lambda: self._mixed or not self._missing, limit_s)
            if self._mixed:  # those on their way are to hear why, and would look for rank 0 for long
                self._changed.wait_for(lambda: not self._missing, min(limit_s, _SAYS_WITHIN_S))
            links, refusal = self._links, self._mixed
            missing = sorted(self._missing)
            self._listener.shutdown(socket.SHUT_RDWR)  # which ends accept(); close() alone would not
            self._listener.close()
        if not refusal and missing:
            refusal = RuntimeError(f'rank {missing[0]} did not come within {limit_s:.0f} s')
        if refusal:
            words = {'mixed' if self._mixed else 'missing': str(refusal)}
        for link in links:
            with contextlib.suppress(OSError):  # it has ended: so will its job
                _say(link, words)
                link.close()
        if refusal:
            raise refusal

    def _accept(self):
        while True:
            try:
                link, _ = self._listener.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._hear, args=(link,), name='wm-meeting', daemon=True).start()

    def _hear(self, link):
        try:
            link.settimeout(_SAYS_WITHIN_S)
            said = _heard(link)
            with self._changed:
                self._take(said['rank'], str(said['versions']))
                self._links.append(link)
                self._changed.notify_all()
        except (OSError, ValueError, TypeError, KeyError):
            link.close()

    def _take(self, rank, theirs):
        """@errors KeyError: no such rank is missing"""
        self._missing.remove(rank)
        try:
            versions.compare(theirs)
        except versions.Mixed as mixed:
            self._mixed = self._mixed or mixed


def come(host, port, rank, limit_s):
    """The side of every other rank: what rank 0 gave. @errors versions.Mixed; RuntimeError: it was not there in time;
    OSError, ValueError: it has gone, or is none"""
    end = time.monotonic() + limit_s
    while True:
        try:
            link = socket.create_connection((host, port), timeout=max(_BETWEEN_TRIES_S, end - time.monotonic()))
            break
        except OSError as error:
            if time.monotonic() > end:
                raise RuntimeError(f'rank 0 was not at {host}:{port} within {limit_s:.0f} s: {error}') from None
            time.sleep(_BETWEEN_TRIES_S)
    with link:
        _say(link, {'rank': rank, 'versions': versions.told()})
        link.settimeout(max(_BETWEEN_TRIES_S, end - time.monotonic()))
        words = _heard(link)
    if 'mixed' in words:
        raise versions.Mixed(words['mixed'])
    if 'missing' in words:
        raise RuntimeError(words['missing'])
    return words


def _say(link, words):
    link.sendall(json.dumps(words).encode() + b'\n')


def _heard(link):
    """One line. @errors OSError, ValueError: there is none"""
    line = b''
    while not line.endswith(b'\n'):
        chunk = link.recv(4096)
        line += chunk
        if not chunk or len(line) > _LONGEST:
            raise ValueError('no line of a meeting')
    words = json.loads(line)
    if not isinstance(words, dict):
        raise ValueError('no words of a meeting')
    return words
