"""Role: the process of a server: answers workers about the intervals that it owns, and the servers whose copies it has.

  hold     which intervals, in which epoch, and where the copy of each is      halt    an epoch is over: nothing of it counts any more
  push     a bucket of a gradient; the last one is answered when the copy has all      step, take    apply; parameters are the answer
  square   of the sum of pushes        pull  parameters        contents, fill, fetch, undo, redo  for restoring     desk  who works on what

What changes an interval is done under its lock, and passed on to the process that has the copy before it is answered; a copy passes
nothing on, so that nobody waits in a circle.
Invariant: words of an epoch that is over change nothing.
"""

import contextlib
import os
import socket
import threading

import torch

from .. import plain
from . import wire
from .desk import Desk
from .replica import NotFinite, Refused, Replica

_STALE = 'stale'


class _Stale(Exception):
    """Of an epoch that is over."""


class _Duty:
    """An interval, or the desk, that is here. `copy`: address of where its copy is; None: this is the copy, or there is none."""

    def __init__(self, thing):
        self.thing, self.copy, self.lock = thing, None, threading.RLock()
        self._wire = None

    def pass_on(self, server, head, memory=None):
        """The same to the copy. @errors wire.Gone: it is lost; Refused: it refuses"""
        if self.copy is None:
            return
        if self._wire is None:
            epoch = server.epoch
            self._wire = wire.connect(self.copy, server.key, lambda: server.epoch != epoch)
        try:
            self._wire.say({**head, 'passed': True}, memory)
            answer = self._wire.head()
            self._wire.skip(answer['bytes'])
        except wire.Gone as error:
            self.let_go()
            raise wire.Gone(f'the copy at {self.copy} is lost: {error}') from None
        if 'error' in answer:
            raise Refused(f"the copy at {self.copy}: {answer['error']}")

    def let_go(self):
        if self._wire:
            self._wire.close()
        self._wire = None


class Server:
    """@thread one for each connection"""

    def __init__(self, blueprint, host, key):
        self.blueprint, self.key, self.epoch = blueprint, key, 0
        self._listener = socket.create_server((host, 0), backlog=128)
        self.address = f'{host}:{self._listener.getsockname()[1]}'
        self._duties, self._lock = {}, threading.Lock()

    def close(self):
        """Listens no more, where another process does."""
        self._listener.close()

    def serve(self):
        """For ever."""
        while True:
            link, _ = self._listener.accept()
            threading.Thread(target=self._converse, args=(link,), name='wm-server', daemon=True).start()

    def _converse(self, link):
        with link, contextlib.suppress(OSError):
            link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            talk = wire.admit(link, self.key, self.address)
            while True:
                head = talk.head()
                self._answer(talk, head)

    def _answer(self, talk, head):
        """@errors wire.Gone"""
        reader = _Memory(talk, head['bytes'])
        try:
            answer = getattr(self, '_on_' + str(head.get('do')), self._on_unknown)(head, reader)
        except _Stale as error:
            answer = {'error': str(error), 'kind': _STALE}, None
        except wire.Gone as error:
            answer = {'error': str(error), 'kind': 'lost'}, None
        except NotFinite as error:
            answer = {'error': str(error), 'kind': 'finite'}, None
        except (Refused, KeyError, TypeError, ValueError, RuntimeError) as error:
            answer = {'error': f'{type(error).__name__}: {error}', 'kind': 'refused'}, None
        reader.rest()
        if answer:
            talk.say(*answer)

    def _on_unknown(self, head, _reader):
        raise Refused(f"nothing is known of '{head.get('do')}'")

    # ---- duties --------------------------------------------------------------------------

    def _duty(self, head):
        """@errors _Stale; Refused: it is not here"""
        if head['epoch'] != self.epoch:
            raise _Stale(f"words of epoch {head['epoch']}, this server is in {self.epoch}")
        duty = self._duties.get(head['interval'])
        if duty is None:
            raise Refused(f"interval {head['interval']} is not here")
        return duty

    def _on_halt(self, head, _reader):
        """Epoch `epoch` begins: what was under way ends. Tells what is here."""
        self.epoch = max(self.epoch, head['epoch'])
        held = {}
        for name, duty in list(self._duties.items()):
            with duty.lock:
                duty.let_go()
                duty.copy = None
                held[name] = self._told(duty.thing)
        return {'held': [[name, *values] for name, values in held.items()], 'pid': os.getpid()}, None

    @staticmethod
    def _told(thing):
        if isinstance(thing, Desk):
            return thing.commits, False, {}
        return thing.version, thing.can_undo, thing.landed()

    def _on_hold(self, head, _reader):
        """What is to be here from now on, and nothing else unless `more`; what is pushed goes unless `pushed`. @shape duties: [[name, begin, end, address of the copy or None]]"""
        self._current(head)
        with self._lock:
            wanted = {name: (begin, end, copy) for name, begin, end, copy in head['duties']}
            for name in set() if head.get('more') else set(self._duties) - set(wanted):
                del self._duties[name]
            for name, (begin, end, copy) in wanted.items():
                duty = self._duties.get(name) or _Duty(Desk() if name == 'desk' else Replica(self.blueprint, begin, end))
                with duty.lock:
                    duty.let_go()
                    duty.copy = copy
                    if isinstance(duty.thing, Replica) and not head.get('pushed'):
                        duty.thing.forget()
                self._duties[name] = duty
        return {}, None

    def _on_forget(self, head, _reader):
        """What is pushed and not applied is of nobody any more."""
        self._current(head)
        for duty in list(self._duties.values()):
            with duty.lock:
                if isinstance(duty.thing, Replica):
                    duty.thing.forget()
        return {}, None

    def _current(self, head):
        if head['epoch'] != self.epoch:
            raise _Stale(f"words of epoch {head['epoch']}, this server is in {self.epoch}")

    def _on_bye(self, _head, _reader):
        os._exit(0)

    # ---- restoring -------------------------------------------------------------------------

    def _on_contents(self, head, _reader):
        duty = self._duty(head)
        with duty.lock:
            tree = duty.thing.contents()
            if head.get('pushed') and isinstance(duty.thing, Replica):
                tree['pushed'] = duty.thing.whole_pushes()
            packed, blocks = plain.pack(tree)
            memory = b''.join([packed, *(plain.memory(b).numpy().tobytes() for b in blocks)])
        return {'head': len(packed)}, memory

    def _on_fill(self, head, reader):
        duty = self._duty(head)
        tree = tree_of(head['head'], reader.all())
        with duty.lock:
            duty.thing.fill(tree)
        return {}, None

    def _on_fetch(self, head, _reader):
        """From another server."""
        duty, epoch = self._duty(head), self.epoch
        source = wire.connect(head['from'], self.key, lambda: self.epoch != epoch)
        try:
            answer, memory = ask(source, {'do': 'contents', 'interval': head['interval'], 'epoch': epoch, 'pushed': True})
        finally:
            source.close()
        with duty.lock:
            duty.thing.fill(tree_of(answer['head'], memory))
        return {}, None

    def _on_undo(self, head, _reader):
        duty = self._duty(head)
        with duty.lock:
            if duty.thing.version > head['version']:
                duty.thing.undo()
        return {}, None

    # ---- pushes and steps -----------------------------------------------------------------

    def _on_push(self, head, reader):
        duty, who, number = self._duty(head), head['who'], head['n']
        with duty.lock:
            room = duty.thing.room(who, number, head['at'], reader.left)
            last = head['at'] + reader.left == duty.thing.gradient_bytes
            if room is None:
                return ({}, None) if last else None
            size = reader.left
            reader.into(room)
            if not duty.thing.filled(who, size):
                return None
            if head.get('finite'):
                duty.thing.check_finite(who)
            duty.pass_on(self, {**head, 'at': 0, 'finite': False}, duty.thing.pushed(who).numpy())
        return {}, None

    def _on_square(self, head, _reader):
        duty = self._duty(head)
        with duty.lock:
            return {'square': duty.thing.square(head['of'], head['n'])}, None

    def _on_step(self, head, _reader):
        duty = self._duty(head)
        with duty.lock:
            if duty.thing.version < head['n']:
                duty.pass_on(self, head)
                duty.thing.step(head['n'], head['of'], head['how'])
            return self._parameters(duty.thing, head)

    _on_redo = _on_step

    def _on_take(self, head, _reader):
        duty = self._duty(head)
        with duty.lock:
            if duty.thing.applied.get(head['who'], -1) < head['n']:
                duty.pass_on(self, head)
                duty.thing.take(head['who'], head['n'], head['how'])
            return self._parameters(duty.thing, head)

    def _on_pull(self, head, _reader):
        duty = self._duty(head)
        with duty.lock:
            return self._parameters(duty.thing, head)

    @staticmethod
    def _parameters(thing, head):
        if head.get('passed'):
            return {'version': thing.version}, None
        return {'version': thing.version}, thing.memory.numpy().tobytes()  # as they are now

    def _on_desk(self, head, _reader):
        """@shape head: {…, 'call': name, 'with': {…}}"""
        duty = self._duty({**head, 'interval': 'desk'})
        with duty.lock:
            answer = duty.thing.call(head['call'], head['with'])
            duty.pass_on(self, {**head, 'interval': 'desk'})
        return {'answer': answer}, None


class _Memory:
    """What follows a head; read once. @thread one at a time"""

    def __init__(self, talk, count):
        self._talk, self.left = talk, count

    def into(self, room):
        self._talk.into(room.numpy())
        self.left = 0

    def all(self):
        found, self.left = self._talk.read(self.left), 0
        return found

    def rest(self):
        self._talk.skip(self.left)
        self.left = 0


def tree_of(size, memory):
    """What contents() gave, of its bytes. @errors plain.Damaged"""
    head = plain.Head(bytes(memory[:size]))
    if sum(head.sizes) != len(memory) - size:
        raise plain.Damaged(f'{len(memory) - size} bytes of memory, {sum(head.sizes)} announced')
    blocks, at = [], size
    for count in head.sizes:
        blocks.append(torch.frombuffer(bytearray(memory[at:at + count]), dtype=torch.uint8) if count else torch.empty(0, dtype=torch.uint8))
        at += count
    return head.tree(blocks)


class Answered(Exception):
    """A server has refused; `kind`: stale, lost, finite or refused."""

    def __init__(self, text, kind):
        super().__init__(text)
        self.kind = kind


def answered(talk):
    """(head, memory) of an answer. @errors wire.Gone; Answered"""
    head = talk.head()
    memory = talk.read(head['bytes'])
    if 'error' in head:
        raise Answered(head['error'], head.get('kind', 'refused'))
    return head, memory


def ask(talk, head, memory=None):
    """One question and its answer. @errors wire.Gone; Answered"""
    talk.say(head, memory)
    return answered(talk)
