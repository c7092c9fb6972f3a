"""Role: this worker's side of membership (libwm/elastic/PROTOCOL.md, link 2). A thread hears
the agent, builds planned groups in the background and aborts broken ones at once; the
training thread takes finished groups over at step boundaries.

  heard ─► plan ─► connecting (thread) ─► pending ──take()──► current ──► retired
                        │ withdrawn, broken    │
                        └──────────► dropped ◄─┘

Invariants: one lock, held for assignments only; a group has one owner at a time (the
connecting thread, `_pending`, or the engine); whoever finds it dead closes it.
"""

import secrets
import threading
import time
from types import SimpleNamespace

from . import native
from .communicator import LEAVE_LIMIT_S
from .versions import Mixed

_CLOSE_S = LEAVE_LIMIT_S + 1.0  # for background threads to end
# A signal that comes right before a wait does not end it: waits are looked up from so often.
_SIGNALS_SEEN_S = 1.0
_KEY_MS = 10000  # for the agent to come up and give the job's key


def gloo():
    """What carries groups unless another is named: torch's gloo. A carrier has a Group and a Rendezvous."""
    from . import group
    return group


class Left(Exception):
    """This worker is not wanted any more: end with status 0."""


class Pending:
    """A planned epoch that stands ready here. `group` is None for a leaver."""

    def __init__(self, plan, group):
        self.plan, self.group, self.epoch = plan, group, plan.epoch
        self.withdrawn = False


class _Connecting:
    """A group being built; it may be found dead before it stands."""

    def __init__(self, plan):
        self.plan, self.cancelled = plan, False


class Alone:
    """Membership outside WM: one member, for ever; an epoch, and one more for each server that is lost."""

    ready_epoch, checkpoint_wanted = 0, False

    def __init__(self, agent, carrier=None):
        self._agent, self._epoch, self._carrier = agent, -1, carrier or gloo()
        self.key = secrets.token_bytes(32)  # of what this worker starts

    def wait_group(self, _on_broken):
        self._epoch += 1
        plan = SimpleNamespace(epoch=self._epoch, survivors=self._epoch, members=[self._agent.task], reason='alone')
        return self._carrier.Group(plan, self._agent.task, None, self._agent)

    def _nothing(self, *_):
        return None

    def was_withdrawn(self, _epoch):
        return False

    check = drop_withdrawn = checkpoint_taken = forget_current = close = _nothing


class Membership:
    """@thread hears in its own thread; every public method: the training thread"""

    def __init__(self, agent, carrier=None):
        self._agent, self._carrier = agent, carrier or gloo()
        self._changed = threading.Condition()
        self._pending = None
        self._connecting = None
        self._current = None      # group the training thread uses, for aborting it
        self._broken = 0          # highest epoch told broken
        self._withdrawn = 0       # highest epoch told withdrawn
        self._leave = None
        self._mixed = None        # Mixed: the members are of other versions
        self.later = False        # it is to leave for a later training of the program
        self._stand = False
        self._checkpoint = False
        self._threads = []        # connecting, closing
        self._rendezvous = self._carrier.Rendezvous(agent.key(_KEY_MS))
        self._thread = threading.Thread(target=self._hear, name='wm-membership', daemon=True)
        self._thread.start()
        agent.ready(self._rendezvous.address)

    # ---- the training thread ---------------------------------------------------------

    @property
    def key(self):
        """By which the workers of this job know each other."""
        return self._rendezvous.key

    @property
    def ready_epoch(self):
        """Planned epoch that this worker stands ready for, 0 if none (W-5)."""
        pending = self._pending
        return pending.epoch if pending and not pending.withdrawn else 0

    def take(self, epoch):
        """The pending epoch that all agreed on becomes current; None when it is gone."""
        with self._changed:
            pending, self._pending = self._pending, None
            if pending is None or pending.epoch != epoch:
                self._pending = pending
                return None
            if pending.group:
                pending.group.joined = True  # decided: no withdrawal stops it any more
                self._current = pending.group
            return pending

    def drop_withdrawn(self):
        """At a step boundary: a withdrawn epoch that nobody agreed on is closed."""
        with self._changed:  # another plan may take its place at any time: that one stays
            pending = self._pending
            if pending is None or not pending.withdrawn:
                return
            self._pending = None
        if pending.group:
            pending.group.close()

    def wait_group(self, on_broken):
        """The next group, when there is no current one. `on_broken(epoch)` is called for
        every number told broken meanwhile. @errors Left, Mixed"""
        answered = 0
        with self._changed:
            while True:
                self._raise_if_left()
                if self._broken > answered:
                    answered = self._broken
                    on_broken(answered)
                pending, self._pending = self._pending, None
                if pending and pending.group:
                    if not pending.withdrawn:
                        self._current = pending.group
                        return pending.group
                    pending.group.close()
                self._changed.wait(_SIGNALS_SEEN_S)

    def check(self):
        """At a step boundary: waits while told to stand. @errors Left"""
        if self._leave is None and not self._stand:
            return
        with self._changed:
            while self._stand and not self._leave and not (self._current and self._current.dead):
                self._changed.wait(_SIGNALS_SEEN_S)
            self._raise_if_left()

    def forget_current(self):
        """The current group was found dead: it is closed, and all that waits behind it."""
        with self._changed:
            dead = [self._current, self._pending and self._pending.group]
            self._current = self._pending = None
            self._cancel_connecting()
        for group in dead:
            if group:
                group.close()

    def retire(self, group):
        """Leaves a group that was replaced, away from the training thread."""
        self._start(group.leave, 'wm-retire')

    def was_withdrawn(self, epoch):
        return epoch <= self._withdrawn and epoch > self._broken

    @property
    def checkpoint_wanted(self):
        return self._checkpoint

    def checkpoint_taken(self):
        self._checkpoint = False

    def close(self):
        """Ends the threads and the link; says what is unsaid. A thread inside the framework
        must not outlive the interpreter: that aborts the process."""
        with self._changed:
            self._cancel_connecting()
        self._agent.stop()
        deadline = time.monotonic() + _CLOSE_S
        for thread in [self._thread, *self._threads]:
            thread.join(timeout=max(0.0, deadline - time.monotonic()))
        self._agent.close()

    def _start(self, work, name):
        self._threads = [t for t in self._threads if t.is_alive()]
        thread = threading.Thread(target=work, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _raise_if_left(self):
        if self._leave is not None:
            raise Left(self._leave)
        if self._mixed is not None:
            raise self._mixed

    # ---- the hearing thread ------------------------------------------------------------

    def _hear(self):
        react = {native.PLAN: self._on_plan, native.WITHDRAWN: self._on_withdrawn,
                 native.BROKEN: self._on_broken, native.LEAVE: self._on_leave,
                 native.STAND: self._on_stand, native.CHECKPOINT: self._on_checkpoint}
        while True:
            event = self._agent.wait()
            if event.kind == native.CLOSED:
                return
            if event.kind in react:
                react[event.kind](event)

    def _on_plan(self, plan):
        if self._agent.task not in plan.members:
            self._pend(Pending(plan, None))
            return
        if not self._rendezvous.key:  # the agent was slow: it speaks now
            self._rendezvous.key = self._agent.key(0)
        connecting = _Connecting(plan)
        with self._changed:
            self._cancel_connecting()
            self._connecting = connecting
        self._start(lambda: self._connect(connecting), 'wm-connect')

    def _connect(self, connecting):
        plan = connecting.plan
        try:
            group = self._carrier.Group(plan, self._agent.task, self._rendezvous, self._agent, lambda: connecting.cancelled)
        except Mixed as error:
            with self._changed:
                self._mixed = error
                self._changed.notify_all()
            return
        except (RuntimeError, OSError, ValueError) as error:
            if not connecting.cancelled:
                self._agent.connect_failed(plan.epoch, str(error))
            return
        with self._changed:
            alive = not connecting.cancelled
            if alive:
                self._connecting = None
        if alive:
            self._pend(Pending(plan, group))
        else:
            group.close()

    def _pend(self, pending):
        with self._changed:
            dead = pending.epoch <= max(self._broken, self._withdrawn)  # told meanwhile
            old, self._pending = (pending, self._pending) if dead else (self._pending, pending)
            self._changed.notify_all()
        if old and old.group:
            old.group.close()
        if dead:
            return
        self._agent.connected(pending.epoch)

    def _cancel_connecting(self):
        if self._connecting:
            self._connecting.cancelled = True
            self._connecting = None

    def _on_withdrawn(self, event):
        with self._changed:
            self._withdrawn = max(self._withdrawn, event.epoch)
            if self._connecting and self._connecting.plan.epoch == event.epoch:
                self._cancel_connecting()
            if self._pending and self._pending.epoch == event.epoch:
                self._pending.withdrawn = True
            current = self._current
            self._changed.notify_all()
        # A newcomer may be waiting inside that group already; survivors are never.
        if current and current.epoch == event.epoch and not current.joined:
            current.abort()

    def _on_broken(self, event):
        with self._changed:
            self._broken = max(self._broken, event.epoch)
            if self._connecting and self._connecting.plan.epoch <= event.epoch:
                self._cancel_connecting()
            dead = [g for g in (self._current, self._pending and self._pending.group)
                    if g and g.epoch <= event.epoch]
            if self._pending and self._pending.epoch <= event.epoch:
                self._pending = None
            self._changed.notify_all()
        for group in dead:
            group.abort()

    def _on_leave(self, event):
        with self._changed:
            self._leave, self.later = event.reason or 'told to leave', event.flag
            current = self._current
            self._changed.notify_all()
        if current and not current.joined:
            current.abort()

    def _on_stand(self, event):
        with self._changed:
            self._stand = event.flag
            self._changed.notify_all()

    def _on_checkpoint(self, _event):
        self._checkpoint = True
