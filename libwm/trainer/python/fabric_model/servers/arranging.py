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

from ..group import GroupBroken, host_address
from . import places, wire
from .replica import contents_of
from .server import Answered, ask
from .sharing import share

_LOOK_S = 5.0  # for a server to say what it has: it may be on a host that is off


@dataclass
class Home:
    """Where a server process is."""
    address: str
    member: int  # task that it is beside
    pid: int


@dataclass
class _Restored:
    """From what intervals are restored."""
    held: dict       # what the servers of the epoch before have
    chosen: dict     # (process, what it has to do) of each interval
    addresses: dict  # of processes, where they were
    version: object  # to which; None: each to its newest

    def is_there(self, interval, number, address):
        """Whether process `number`, at `address`, has it as it is to be."""
        if self.addresses.get(number) != address:
            return False  # it is another, of that number
        process, wanted = self.chosen[interval][0], self.version
        if wanted is None:
            wanted = self.held[process][interval][0]
        has = self.held.get(number, {}).get(interval)
        return process == number or (has is not None and has[0] == wanted)


class Arranging:
    """@thread the training thread"""

    def __init__(self, blueprint, intervals, nursery, has_desk=False):
        self._blueprint, self._intervals, self._nursery = blueprint, intervals, nursery
        self._servers, self._has_desk = len(intervals), has_desk
        self.homes = {}  # by process
        self.key = None

    @property
    def names(self):
        """Of all that is kept."""
        return [*range(self._servers), *([places.DESK] if self._has_desk else [])]

    # ---- before the plan -------------------------------------------------------------------

    def look(self, group):
        """The source's first step: what the servers of the epoch before have. @errors GroupBroken
        @shape {process: {interval: (version, can undo, has next)}}"""
        def of(item):
            number, home = item
            try:
                return number, self._halt(home.address, group, _LOOK_S)
            except (wire.Gone, Answered):
                return number, None
        if not self.homes:
            return {}
        with ThreadPoolExecutor(len(self.homes)) as threads:
            found = {number: held for number, held in threads.map(of, self.homes.items()) if held is not None}
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
        """Where the processes are in this epoch; each member starts those of its own seat. `held`: of the source, as `anew`, which all
        are told. Returns (the places that were left, anew). @errors GroupBroken"""
        before, left = self.homes, {}
        if group.rank == source:
            seats = {n: home.member for n, home in before.items() if n in held}
            seats = places.settle(seats, list(group.members), places.processes(self._servers))
            keep = {n: vars(before[n]) for n, member in seats.items() if n in held and before[n].member == member}
            left = {n: home for n, home in before.items() if n not in keep}
            plan = {'anew': anew, 'seats': seats, 'keep': keep, 'left': [[home.member, home.pid] for n, home in left.items() if n not in held]}
        words = share(group, json.dumps(plan) if group.rank == source else '')[source]
        plan = json.loads(words)
        own = group.members[group.rank]
        for member, pid in plan['left']:
            if member == own:  # it answers nobody
                self._nursery.end(pid)
        started = self._start([int(n) for n, member in plan['seats'].items() if member == own and n not in plan['keep']], own)
        self.homes = {int(n): Home(**home) for n, home in plan['keep'].items()}
        for words in share(group, json.dumps(started)):
            self.homes.update({int(n): Home(**home) for n, home in json.loads(words).items()})
        return left, plan['anew']

    def _start(self, numbers, own):
        found = {}
        for number in numbers:
            try:
                address, pid = self._nursery.start(number, host_address(), self.key)
            except OSError as error:
                raise GroupBroken(str(error)) from None
            found[number] = vars(Home(address, own, pid))
        return found

    # ---- the source's part --------------------------------------------------------------------

    def restore(self, group, held, left, version, last):
        """Brings every interval to `version` (None: each to its own newest), in its server and its copy. `last`: how the newest step was applied. `held` empty: from the
        model and the optimizer as they are here. @errors GroupBroken; places.Lost"""
        try:
            for number, home in self.homes.items():
                if number not in held or number in left:
                    self._halt(home.address, group, wire.LIMIT_S)
            chosen = {name: places.source(name, held, version) for name in self.names} if held else {}
            addresses = {n: home.address for n, home in {**left, **self.homes}.items()}
            addresses.update({n: home.address for n, home in left.items() if n in held})
            what = _Restored(held, chosen, addresses, version)
            self._roll(group, what, last)
            self._spread(group, what)
            for number, home in left.items():
                if number in held:
                    with contextlib.suppress(wire.Gone):
                        self._ask(home.address, group, {'do': 'bye'}, limit_s=_LOOK_S)
        except (wire.Gone, Answered) as error:
            raise GroupBroken(f'a parameter server is lost: {error}') from None

    def _roll(self, group, what, last):
        for interval, (process, move) in what.chosen.items():
            head = {'interval': interval, 'version': what.version}
            if move == 'undo':
                self._ask(what.addresses[process], group, {**head, 'do': 'undo'})
            elif move == 'redo':
                self._ask(what.addresses[process], group, {**head, 'do': 'redo', **last, 'passed': True})

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
                elif not what.is_there(interval, number, self.homes[number].address):
                    source = what.addresses[what.chosen[interval][0]]
                    self._ask(self.homes[number].address, group, {'do': 'fetch', 'interval': interval, 'from': source})
        for number, home in self.homes.items():
            self._hold(group, home, duties[number])

    def _hold(self, group, home, duties, more=False):
        told = [[i, *(self._intervals[i] if i != places.DESK else (0, 0)), None if copy is None else self.homes[copy].address] for i, copy in duties.items()]
        self._ask(home.address, group, {'do': 'hold', 'duties': told, 'more': more})

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
        return ', '.join(f'{i} beside task {self.homes[i].member} (pid {self.homes[i].pid}), its copy beside task {self.homes[c].member}'
                         for i, c in enumerate(copies))
