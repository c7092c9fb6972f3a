"""Role: the communicator of one epoch: a gloo process group over rank 0's store, or nothing at
all when the epoch has one member. Built in a background thread while training goes on in
the group before; can be aborted from any thread.

Anybody can connect to where gloo listens and guess the number by which it tells its peers apart: so each
pair of members proves itself over the connection that gloo has made for it, before the group is used.

Invariant: after abort() every collective, also one that waits already, ends in GroupBroken.
"""

import atexit
import ctypes
import datetime
import threading
import time
import weakref

import torch
import torch.distributed as dist

from . import nccl, proof, rooms, sockets
from .communicator import CONNECT_LIMIT_S, LEAVE_LIMIT_S, GroupBroken, Member, agree_on_versions, host_address
from .store import Client, Server

# A collective ends by its peers' sockets or by abort(), not by time: members may be slow.
_COLLECTIVE_LIMIT = datetime.timedelta(days=7)
_LAST_S = 3.0  # of what a group may take to connect: for its members to agree on gloo, where NCCL has not come to stand
_PROOFS = 1  # tag of the messages of that; others have 0
_SLICE = datetime.timedelta(milliseconds=20)  # between two looks whether the group was aborted
_living = weakref.WeakSet()
_said = []


@atexit.register
def _close_all():
    """A thread of gloo gives a collective's tensors back a moment after it is over, and takes the interpreter for that. One that finds
    it gone aborts the process, after all is done: so these threads end before it does."""
    for group in list(_living):
        group.close()


class Rendezvous:
    """The store that this worker serves for as long as it lives, on a port of the system's."""

    model_device = None  # of the training that this process is in

    def __init__(self, key=None):
        """`key`: the job's; None: not known yet."""
        self.host = host_address()
        self._server = Server(self.host, key)
        self.device = dist.ProcessGroupGloo.create_device(hostname=self.host)

    @property
    def address(self):
        return self._server.address

    @property
    def key(self):
        return self._server.key

    @key.setter
    def key(self, key):
        self._server.key = key


class _Store(Client, dist.Store):
    """As gloo wants it."""

    def __init__(self, *arguments):
        dist.Store.__init__(self)
        Client.__init__(self, *arguments)


def _tensor(values):
    """Tensors as they are; an array as one that has its memory."""
    return values if torch.is_tensor(values) else torch.from_numpy(values)


def _connect(plan, rank, rendezvous, cancelled):
    """(a full mesh of the plan's members, each of whom holds the job's key; its connections; the epoch's nccl.Comm or None).
    @errors versions.Mixed; RuntimeError, OSError: a member is missing, or is none"""
    world, name = len(plan.members), f'wm/{plan.lead}/{plan.epoch}'
    deadline = time.monotonic() + CONNECT_LIMIT_S
    store = _Store(plan.rendezvous, name, rendezvous.key, CONNECT_LIMIT_S, cancelled)
    try:
        agree_on_versions(store, rank)
        store.set(f'here/{rank}', proof.nonce())
        # gloo's own waiting has the limit of the collectives: wait for all before it begins.
        nonces = [store.get(f'here/{r}') for r in range(world)]
        options = dist.ProcessGroupGloo._Options()
        options._devices = [rendezvous.device]
        options._timeout = _COLLECTIVE_LIMIT
        options._threads = 1
        mesh = dist.ProcessGroupGloo(store, rank, world, options)
        connections = sockets.find(sockets.published(store, world))
        if len(connections) < world - 1:
            raise RuntimeError(f'gloo of torch {torch.__version__}: {len(connections)} of {world - 1} connections of this group were found, '
                               'so that it could not be aborted')
        try:
            _prove(mesh, rank, deadline, _pair_proofs(rendezvous.key, name, nonces))
            comm = _beside(store, rank, world, rendezvous, lambda: cancelled() or time.monotonic() > deadline - _LAST_S)
        except RuntimeError:
            sockets.shut(connections)
            raise
        return mesh, connections, comm
    finally:
        store.close()


def _beside(store, rank, world, rendezvous, gives_up):
    """The epoch's NCCL communicator; None: there is none, or none is wanted."""
    if not nccl.wanted():
        return None
    comm, why = nccl.made(store, rank, world, rendezvous.model_device, gives_up)
    if rank == 0:
        _say('gradients over ' + (f'gloo: {why}' if why else f'NCCL {nccl.text_of(nccl.load().version)}'))
    return comm


def _say(words):
    """Once, not at each epoch."""
    if _said != [words]:
        _said[:] = [words]
        print(words, flush=True)


def _pair_proofs(key, name, nonces):
    """What member `speaker` shows member `hearer` in this epoch. @shape function: (speaker, hearer) to uint8 [NONCE]"""
    def shown(speaker, hearer):
        text = proof.of(key, 'member', f'{name} {speaker} to {hearer}', nonces[speaker], nonces[hearer])
        return torch.frombuffer(bytearray(text), dtype=torch.uint8)
    return shown


def _prove(mesh, rank, deadline, shown):
    """Each pair of members over the connection that it will use. @errors RuntimeError: one is not a member"""
    others = [r for r in range(mesh.size()) if r != rank]
    own = {r: shown(rank, r) for r in others}
    theirs = {r: torch.zeros(proof.NONCE, dtype=torch.uint8) for r in others}
    works = [mesh.recv([theirs[r]], r, _PROOFS) for r in others] + [mesh.send([own[r]], r, _PROOFS) for r in others]
    for work in works:
        work.wait(datetime.timedelta(seconds=max(0.1, deadline - time.monotonic())))
    for r in others:
        if not proof.fits(theirs[r].numpy().tobytes(), shown(r, rank).numpy().tobytes()):
            raise RuntimeError(f'who has connected as member {r} does not hold the key of this job')


class Group(Member):
    """The members of one epoch. @thread abort and close: any; the rest: the training thread"""

    def __init__(self, plan, task, rendezvous, agent, cancelled=lambda: False):
        self.epoch, self.survivors = plan.epoch, plan.survivors
        self.rank, self.world = plan.members.index(task), len(plan.members)
        self.members, self.reason = plan.members, plan.reason
        self.joined = False  # the first collective is past, or was agreed on by all members
        self._agent = agent
        self._lock = threading.Lock()
        self._dead = self._stuck = False
        self._mesh, self._connections = None, []
        self._rooms, self._looked, self._all, self._comm = None, False, torch.zeros(1), None
        if self.world > 1:
            self._mesh, self._connections, self._comm = _connect(plan, self.rank, rendezvous, cancelled)
        _living.add(self)

    def sum(self, tensor):
        """Sums `tensor` over the members, in place. @errors GroupBroken"""
        values, comm = _tensor(tensor), self._comm
        if comm and nccl.suits(values):
            self._add_on_devices(comm, values)
            return
        if self.world == 1 or not rooms.suits(values, self.world):
            self._add(values)
            return
        if not self._looked:
            self._rooms = rooms.found(self.rank, self.world, self._add)
            self._looked = True
        if self._rooms:
            self._rooms.sum(values, self._meet)
        else:
            self._add(values)

    def _add(self, values):
        """Over gloo."""
        self._run(lambda mesh: mesh.allreduce([values]))

    def _add_on_devices(self, comm, values):
        self._agent.in_collective(1)
        try:
            comm.sum(values, lambda: self._dead)
        except nccl.Broken as error:
            raise GroupBroken(f'epoch {self.epoch}: {error}') from None
        finally:
            self._agent.in_collective(0)

    def _meet(self):
        self._add(self._all)

    def broadcast(self, tensor, rank):
        """Makes `tensor` what that member has in it, everywhere. @errors GroupBroken"""
        self._run(lambda mesh: mesh.broadcast(_tensor(tensor), rank))

    def send(self, tensor, rank):
        """Sends `tensor` to one member. @thread any   @errors GroupBroken"""
        self._pass_on(lambda mesh: mesh.send([_tensor(tensor)], rank, 0))

    def receive(self, tensor, rank):
        """Fills `tensor` from one member. @errors GroupBroken"""
        self._agent.in_collective(1)  # not this member is late, if others wait now
        try:
            self._pass_on(lambda mesh: mesh.recv([_tensor(tensor)], rank, 0))
        finally:
            self._agent.in_collective(0)

    def _pass_on(self, start):
        """One message. Its wait can neither be sliced (a slice that is over breaks the
        connection) nor be ended by abort() in all cases (see _wait): so a thread waits."""
        mesh, over, failures = self._mesh, threading.Event(), []
        if self._dead or mesh is None:
            raise GroupBroken(f'epoch {self.epoch}: aborted')

        def wait():
            try:
                start(mesh).wait()
            except RuntimeError as error:
                failures.append(str(error))
            over.set()

        threading.Thread(target=wait, name='wm-message', daemon=True).start()
        was_dead = False
        while not over.wait(_SLICE.total_seconds()):
            if was_dead:
                self._stuck = True
                raise GroupBroken(f'epoch {self.epoch}: aborted')
            was_dead = self._dead
        if failures:
            raise GroupBroken(f'epoch {self.epoch}: {failures[0]}')

    def _run(self, start):
        mesh = self._mesh
        if self._dead:
            raise GroupBroken(f'epoch {self.epoch}: aborted')
        if mesh is None:
            return
        self._agent.in_collective(1)
        try:
            self._wait(start(mesh))
        except RuntimeError as error:
            raise GroupBroken(f'epoch {self.epoch}: {error}') from None
        except BaseException:  # Ctrl-C in a notebook: nobody waits for it any more
            self._stuck = True
            raise
        finally:
            self._agent.in_collective(0)

    def _wait(self, work):
        """Waits for a collective. gloo can forget a send that was under way when
        its connection ended; the collective then never returns, so it is left behind one
        slice after the group was aborted."""
        while True:
            was_dead = self._dead
            try:
                work.wait(_SLICE)
                return
            except RuntimeError:
                if work.is_completed():
                    work.wait()  # at once: its own error, if it has one
                    return
                if was_dead:
                    self._stuck = True
                    raise

    @property
    def dead(self):
        return self._dead

    def abort(self):
        """Ends every collective of this group, here and at its peers."""
        with self._lock:
            self._dead = True
            connections, self._connections = self._connections, []
        sockets.shut(connections)
        if self._comm:
            self._comm.abort()

    def close(self):
        """Aborts it and gives its threads and descriptors back."""
        self.abort()
        mesh, self._mesh, self._rooms = self._mesh, None, None
        if mesh is not None and (self._stuck):
            # Its thread never ends: destroying it, even at exit, would wait for ever.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(mesh))

    def leave(self):
        """Closes a group that is not needed here any more, in peace: peers that are slower may
        still be reading what this member sent last, so it waits until they have ended as well,
        at most LEAVE_LIMIT_S (PROTOCOL W-6). @thread any"""
        connections = self._connections
        sockets.finish(connections)
        deadline = time.monotonic() + LEAVE_LIMIT_S
        while time.monotonic() < deadline and not sockets.all_ended(connections):
            time.sleep(0.002)
        if self._comm:
            self._comm.leave()
        self.close()
