"""Role: where servers run, where the copy of an interval is, and from what an interval is restored. Pure: every member
of an epoch decides the same from the same values.

  servers=N  → processes 0 … max(N, 2) - 1; process i owns interval i; the copy of each interval is in another process
  seats      → posts where the job has server tasks, else members
             → a process stays at the seat that has it; others go to who has fewest, so that a copy is at another seat if there is one

Invariant: with two seats or more, an interval and its copy are never at the same one.
"""

from collections import Counter

DESK = 'desk'  # who works on what in async: kept as an interval is


def processes(servers):
    """How many there are: of one server there is a copy, too."""
    return max(servers, 2)


def seats(members, posts):
    """Where servers may run: at posts; where there is one alone, beside the first worker too, so that one loss does not take both copies."""
    return posts if len(posts) > 1 else posts + (members[:1] if posts else members)


def settle(old, members, count):
    """{process: seat} of the epoch. @shape old: {process: seat}, members: [seat] in the order of ranks"""
    seats = {number: old[number] for number in range(count) if old.get(number) in members}
    load = Counter({member: 0 for member in members})
    load.update(seats.values())
    rank = {member: at for at, member in enumerate(members)}

    def emptiest():
        return min(members, key=lambda member: (load[member], rank[member]))

    for number in range(count):
        if number not in seats:
            seats[number] = emptiest()
            load[seats[number]] += 1
    while True:
        low, high = emptiest(), max(members, key=lambda member: (load[member], -rank[member]))
        if load[high] - load[low] < 2:
            return seats
        number = max(n for n, member in seats.items() if member == high)
        seats[number] = low
        load[high] -= 1
        load[low] += 1


def copies(seats, servers):
    """[process that has the copy of interval i]: the next one at another member, else the next."""
    count, found = len(seats), []
    for number in range(servers):
        others = [(number + k) % count for k in range(1, count)]
        found.append(next((n for n in others if seats[n] != seats[number]), others[0]))
    return found


def duties(seats, servers, has_desk=False):
    """{process: {interval: where its copy is, None for a copy}}; the desk is with interval 0."""
    found = {number: {} for number in seats}
    for interval, copy in enumerate(copies(seats, servers)):
        for name in [interval, DESK] if has_desk and interval == 0 else [interval]:
            found[interval][name] = copy
            found[copy][name] = None
    return found


class Lost(RuntimeError):
    """An interval that nobody has."""


def source(interval, held, version):
    """(who, what it has to do) by which an interval comes to `version` (None: the newest that there is): nothing, 'undo' the step behind it, or 'redo' the step
    to it, of which it has all gradients. @shape held: {server: {interval: (version, can undo, gradients it has of the next step)}}
    @errors Lost"""
    if version is None:
        return newest(interval, held), None
    best = None
    for who, intervals in sorted(held.items()):
        if interval not in intervals:
            continue
        now, can_undo, has_next = intervals[interval]
        if now == version:
            return who, None
        if now == version + 1 and can_undo:
            best = best or (who, 'undo')
        elif now == version - 1 and has_next:
            best = best or (who, 'redo')
    if best is None:
        told = ', '.join(f'{who} at step {i[interval][0]}' for who, i in sorted(held.items()) if interval in i) or 'nobody has it'
        raise Lost(f'interval {interval} of the parameters at step {version}: {told}')
    return best


def newest(interval, held):
    """Who has applied most to it. @errors Lost"""
    found = [(-intervals[interval][0], who) for who, intervals in held.items() if interval in intervals]
    if not found:
        raise Lost(f"{'the desk' if interval == DESK else f'interval {interval} of the parameters'}: nobody has it")
    return min(found)[1]
