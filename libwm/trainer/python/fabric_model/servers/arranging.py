"""Role: who serves what in an epoch. At its beginning all members stand still; the member that hands out the state (W-6) looks at
what the servers have, all decide alike where they run, and it restores what is missing.

  halt every server of the epoch before ─► what each has ─► plan (from the source to all) ─► each starts those of its seat ─► where they
  are (to all) ─► undo, redo, fetch or fill ─► hold ─► all go on

Invariants: after it every interval is at the source's step, in its server and in its copy; who fails in between breaks the epoch,
and the next one begins the same way.
"""

import contextlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ..communicator import GroupBroken, host_address
from . import places, wire
from .replica import contents_of
from .server import Answered, ask
from .sharing import share

_LOOK_S = 5.0  # for a server to say what it has: it may be on a host that is off


@dataclass
class Home:
    """Where a server process is."""
    address: str
    member: object  # the task of the worker that it is beside, or the name of its post
    pid: int


@dataclass
class _Restored:
    """From what intervals are restored."""
    held: dict       # what the servers of the epoch before have, by their addresses
    chosen: dict     # (address, what it has to do) of each interval
    version: object  # to which; None: each to its newest

    def is_there(self, interval, address):
        """Whether that server has it as it is to be."""
        source, wanted = self.chosen[interval][0], self.version
        if wanted is None:
            wanted = self.held[source][interval][0]
        has = self.held.get(address, {}).get(interval)
        return address == source or (has is not None and has[0] == wanted)


class Arranging:
    """@thread the training thread"""

    def __init__(self, blueprint, intervals, nursery, has_desk=False, posts=None):
        """`posts`: of a job that has server tasks."""
        self._blueprint, self._intervals, self._nursery, self._posts = blueprint, intervals, nursery, posts
        self._servers, self._has_desk = len(intervals), has_desk
        self.homes = {}   # by process
        self._older = []  # Homes of before, until all have met in a new epoch
        self.key = None

    @property
    def names(self):
        """Of all that is kept."""
        return [*range(self._servers), *([places.DESK] if self._has_desk else [])]

    # ---- before the plan -------------------------------------------------------------------

    def look(self, group):
        """The source's first step: what the servers have, those of the epoch before and of one that has begun since and was broken.
        @errors GroupBroken   @shape {address: {interval: (version, can undo, has next)}}"""
        def of(address):
            try:
                return address, self._halt(address, group, _LOOK_S)
            except (wire.Gone, Answered):
                return address, None
        addresses = {home.address for home in [*self._older, *self.homes.values()]}
        if not addresses:
            return {}
        with ThreadPoolExecutor(len(addresses)) as threads:
            found = {address: held for address, held in threads.map(of, addresses) if held is not None}
        if group.dead:  # then nobody was waited for: it says nothing of the servers
            raise GroupBroken(f'epoch {group.epoch}: told broken')
        return found

    def _halt(self, address, group, limit_s):
        answer, _ = self._ask(address, group, {'do': 'halt'}, limit_s=limit_s)
        return {name: (version, can_undo, landed) for name, version, can_undo, landed in answer['held']}

    def _ask(self, address, group, head, memory=None, limit_s=wire.LIMIT_S):
        talk = wire.connect(address, self.key, lambda: group.dead, limit_s)
        try:
            return ask(talk, {**head, 'epoch': group.epoch}, memory)
        finally:
            talk.close()

    # ---- the epoch's servers ----------------------------------------------------------------

    def settle(self, group, source, held, anew):
        """Where the processes are in this epoch; each member starts those of its own seat, the source those of posts. `held`: of the source,
        as `anew`, which all are told. Returns anew. @errors GroupBroken"""
        before = self.homes
        if group.rank == source:
            seats = {n: home.member for n, home in before.items() if home.address in held}
            seats = places.settle(seats, places.seats(list(group.members), self._look_for_posts(group)), places.processes(self._servers))
            keep = {n: vars(before[n]) for n, member in seats.items()
                    if n in before and before[n].address in held and before[n].member == member}
            dead = [[home.member, home.pid] for home in before.values() if home.address not in held]
            plan = {'anew': anew, 'seats': seats, 'keep': keep, 'dead': dead}
        words = share(group, json.dumps(plan) if group.rank == source else '')[source]
        plan = json.loads(words)
        own = group.members[group.rank]
        for member, pid in plan['dead']:
            if member == own:  # it answers nobody
                self._nursery.end(pid)
            elif group.rank == source and self._posts and isinstance(member, str):
                self._posts.end(member, pid, self.key)
        mine = {int(n): member for n, member in plan['seats'].items()
                if n not in plan['keep'] and (member == own or (group.rank == source and isinstance(member, str)))}
        started = self._start(mine)
        homes = {int(n): Home(**home) for n, home in plan['keep'].items()}
        for words in share(group, json.dumps(started)):
            homes.update({int(n): Home(**home) for n, home in json.loads(words).items()})
        self._older, self.homes = [*self._older, *before.values()], homes
        return plan['anew']

    def finish(self, group, source):
        """All have met: what is not of this epoch goes. @errors GroupBroken"""
        now = {home.address for home in self.homes.values()}
        for home in self._older:
            if home.address in now:
                continue
            if home.member == group.members[group.rank]:
                self._nursery.end(home.pid)
            elif group.rank == source and home.member not in group.members:  # of one that leaves and waits for this
                with contextlib.suppress(wire.Gone, Answered):
                    self._ask(home.address, group, {'do': 'bye'}, limit_s=_LOOK_S)
        self._older = []

    def _look_for_posts(self, group):
        """@errors GroupBroken"""
        if not self._posts:
            return []
        try:
            return self._posts.look(self.key, not self.homes, lambda: group.dead)  # the first epoch waits for them
        except OSError as error:
            raise GroupBroken(f'server tasks: {error}') from None

    def _start(self, seats):
        """@shape seats: {process: member or post}"""
        found = {}
        for number, seat in seats.items():
            try:
                address, pid = self._posts.start(seat, number, self.key) if isinstance(seat, str) else \
                    self._nursery.start(number, host_address(), self.key)
            except OSError as error:
                raise GroupBroken(str(error)) from None
            found[number] = vars(Home(address, seat, pid))
        return found

    # ---- the source's part --------------------------------------------------------------------

    def restore(self, group, held, version, last):
        """Brings every interval to `version` (None: each to its own newest), in its server and its copy. `last`: how the newest step was
        applied. `held` empty: from the model and the optimizer as they are here. @errors GroupBroken; places.Lost"""
        try:
            for home in self.homes.values():
                if home.address not in held:
                    self._halt(home.address, group, wire.LIMIT_S)
            chosen = {name: places.source(name, held, version) for name in self.names} if held else {}
            what = _Restored(held, chosen, version)
            self._roll(group, what, last)
            self._spread(group, what)
        except (wire.Gone, Answered) as error:
            raise GroupBroken(f'a parameter server is lost: {error}') from None

    def _roll(self, group, what, last):
        for interval, (address, move) in what.chosen.items():
            head = {'interval': interval, 'version': what.version}
            if move == 'undo':
                self._ask(address, group, {**head, 'do': 'undo'})
            elif move == 'redo':
                self._ask(address, group, {**head, 'do': 'redo', **last, 'passed': True})

    def _spread(self, group, what):
        """Copies of what was chosen to where it is to be, then every process has its duties and no others."""
        duties = places.duties({n: home.member for n, home in self.homes.items()}, self._servers, self._has_desk)
        for number, home in self.homes.items():
            self._hold(group, home, {i: None for i in duties[number]}, more=True)
        for interval in self.names:
            if not what.chosen and interval == places.DESK:
                continue  # it begins empty
            packed = None if what.chosen else self._packed(interval, what.version)
            for number in (n for n, mine in duties.items() if interval in mine):
                if packed:
                    head = {'do': 'fill', 'interval': interval, 'head': packed[0]}
                    self._ask(self.homes[number].address, group, head, packed[1])
                elif not what.is_there(interval, self.homes[number].address):
                    source = what.chosen[interval][0]
                    self._ask(self.homes[number].address, group, {'do': 'fetch', 'interval': interval, 'from': source})
        for number, home in self.homes.items():
            self._hold(group, home, duties[number])

    def _hold(self, group, home, duties, more=False):
        told = [[i, *(self._intervals[i] if i != places.DESK else (0, 0)), None if copy is None else self.homes[copy].address] for i, copy in duties.items()]
        self._ask(home.address, group, {'do': 'hold', 'duties': told, 'more': more, 'pushed': self._has_desk})

    def forget(self, group):
        """All that was committed is applied: what else was pushed goes. @errors GroupBroken"""
        try:
            for home in self.homes.values():
                self._ask(home.address, group, {'do': 'forget'})
        except (wire.Gone, Answered) as error:
            raise GroupBroken(f'a parameter server is lost: {error}') from None

    def _packed(self, interval, version):
        from .. import plain
        packed, blocks = plain.pack(contents_of(self._blueprint, *self._intervals[interval], version))
        return len(packed), b''.join([packed, *(plain.memory(b).numpy().tobytes() for b in blocks)])

    # ---- what became of it ---------------------------------------------------------------------

    def owners(self):
        """Address of the server of each interval."""
        return [self.homes[i].address for i in range(self._servers)]

    def told(self):
        """For the job's output."""
        copies = places.copies({n: home.member for n, home in self.homes.items()}, self._servers)
        return ', '.join(f'{i} {_where(self.homes[i].member)} (pid {self.homes[i].pid}), its copy {_where(self.homes[c].member)}' for i, c in enumerate(copies))


def _where(seat):
    return f'at {seat}' if isinstance(seat, str) else f'beside task {seat}'
