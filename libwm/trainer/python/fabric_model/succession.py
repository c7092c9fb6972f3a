"""Role: from one training of a program to its next. train() returns in the final rank 0 alone, and whether
another train() follows is known there only: until then, or for so long, the other workers wait inside theirs.

  rank 0    train() returns ── the script goes on ─┬─ train() again: a word to each ──► next training
                                                   └─ ends, or takes too long
  others    wait inside train() ───────────────────┬─ the word: theirs returns, too, and they come after it
                                                   └─ no word, or rank 0 is gone: status 0

They wait at their connections to rank 0 in the group that has just ended; who of them is lost is missed by nobody.
A newcomer that comes to a training behind the program's newest is sent on to that one (PROTOCOL W-14).
"""

import atexit
import os
import threading
import time

import numpy

from .communicator import GroupBroken

_KEEP = 'WM_KEEP_WORKERS_S'  # seconds, from the user's environment
_KEEP_S = 30.0


def _keep_s():
    try:
        return float(os.environ.get(_KEEP, _KEEP_S))
    except ValueError:
        return _KEEP_S


class Held:
    """The others, as rank 0 keeps them. @thread the training thread"""

    def __init__(self, group):
        self._group, self._until = group, time.monotonic() + _keep_s()
        atexit.register(self._drop)  # before the interpreter ends: its threads must not outlive that

    def call(self):
        """They are to come to the training that begins here. Who has ended by now does not."""
        group, self._group = self._group, None
        if group is None:
            return
        for rank in range(1, group.world if time.monotonic() < self._until else 1):
            try:
                group.send(numpy.ones(1), rank)
            except GroupBroken:
                pass
        group.leave()
        atexit.unregister(self._drop)

    def _drop(self):
        if self._group:
            self._group.close()


def called(group):
    """Waits on another worker than rank 0. Returns whether it is to come to a next training."""
    limit = threading.Timer(_keep_s(), group.abort)
    limit.daemon = True
    limit.start()
    try:
        group.receive(numpy.zeros(1), 0)
        return True
    except GroupBroken:
        return False
    finally:
        limit.cancel()
        group.close()
