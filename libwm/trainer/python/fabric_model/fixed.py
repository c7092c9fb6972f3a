"""Role: membership of a job of several tasks whose size is fixed (no -ar): one group of all of them from
the first step to the last. They find each other as torchrun's workers do, by MASTER_ADDR, MASTER_PORT,
RANK and WORLD_SIZE. Who loses a member ends: such a job ends with its first failed task.
"""

import datetime
import os
import secrets
from types import SimpleNamespace

import torch.distributed as dist

from .group import Group, Rendezvous

_ADDRESS, _KEY = 'fabric_model/rendezvous', 'fabric_model/key'
# Members import and build their models first, some on slower hosts; one that fails ends the job.
_ALL_THERE = datetime.timedelta(minutes=30)


def expected():
    """Whether this process is one of several that WM has started to train together."""
    together = int(os.environ.get('WORLD_SIZE') or 1) > 1 and 'RANK' in os.environ
    return together and 'WM_TASK' in os.environ


class Lost(RuntimeError):
    """A member of a group of fixed size is gone."""


class Fixed:
    """@thread the training thread"""

    ready_epoch, checkpoint_wanted = 0, False

    def __init__(self, agent):
        """Waits for all members. @errors RuntimeError, OSError: one is missing"""
        self._rendezvous = Rendezvous()
        # Rank 0's store stays for as long as this object: others may read from it later.
        self._store, rank, self._world = next(iter(dist.rendezvous('env://', timeout=_ALL_THERE)))
        # Elastic jobs have their key from their agents; these have none. Whoever has the address finds
        # a store that knows the key already.
        if rank == 0:
            self._rendezvous.key = secrets.token_bytes(32)
            self._store.set(_KEY, self._rendezvous.key.hex())
            self._store.set(_ADDRESS, self._rendezvous.address)
        else:
            self._rendezvous.key = bytes.fromhex(self._store.get(_KEY).decode())
        address = self._store.get(_ADDRESS).decode()
        if rank != 0:
            self._store = None  # its client would end this process with rank 0's
        plan = SimpleNamespace(epoch=1, lead=0, survivors=0, members=list(range(self._world)),
                               rendezvous=address, reason='the whole job')
        self._group = self._current = Group(plan, rank, self._rendezvous, agent)

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
