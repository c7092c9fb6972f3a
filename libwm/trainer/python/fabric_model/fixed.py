"""Role: membership of a job of several tasks whose size is fixed (no -ar): one group of all of them from
the first step to the last. They find each other by what torchrun's workers do, MASTER_ADDR, MASTER_PORT,
RANK and WORLD_SIZE, and have to have the same Python and framework. Who loses a member ends: such a job ends with
its first failed task.
"""

import os
import secrets
from types import SimpleNamespace

from . import meeting
from .membership import gloo

# Members import and build their models first, some on slower hosts; one that fails ends the job.
_ALL_THERE_S = 1800.0


def expected():
    """Whether this process is one of several that WM has started to train together."""
    together = int(os.environ.get('WORLD_SIZE') or 1) > 1 and 'RANK' in os.environ
    return together and 'WM_TASK' in os.environ


class Lost(RuntimeError):
    """A member of a group of fixed size is gone."""


class Fixed:
    """@thread the training thread"""

    ready_epoch, checkpoint_wanted = 0, False

    def __init__(self, agent, carrier=None):
        """Waits for all members. @errors versions.Mixed; RuntimeError, OSError, ValueError: one is missing"""
        carrier = carrier or gloo()
        self._rendezvous = carrier.Rendezvous()
        rank, self._world = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
        host, port = os.environ['MASTER_ADDR'], int(os.environ['MASTER_PORT'])
        # Elastic jobs have their key from their agents; these have none. Whoever comes to the address
        # first as a rank is told it.
        if rank == 0:
            self._rendezvous.key, address = secrets.token_bytes(32), self._rendezvous.address
            words = {'key': self._rendezvous.key.hex(), 'address': address}
            meeting.Host(port, self._world).bring_together(words, _ALL_THERE_S)
        else:
            words = meeting.come(host, port, rank, _ALL_THERE_S)
            self._rendezvous.key, address = bytes.fromhex(words['key']), words['address']
        plan = SimpleNamespace(epoch=1, lead=0, survivors=0, members=list(range(self._world)),
                               rendezvous=address, reason='the whole job')
        self._group = self._current = carrier.Group(plan, rank, self._rendezvous, agent)

    @property
    def key(self):
        """By which the members know each other."""
        return self._rendezvous.key

    def wait_group(self, _on_broken):
        """The group, once. @errors Lost"""
        group, self._group = self._group, None
        if group is None:
            raise Lost(f'a member of this group of {self._world} was lost; its size is fixed, so the training ends')
        return group

    def forget_current(self):
        """It was found dead: the others shall find it so, too."""
        self._current.close()

    def was_withdrawn(self, _epoch):
        return False

    def _nothing(self, *_):
        return None

    check = drop_withdrawn = checkpoint_taken = close = _nothing
