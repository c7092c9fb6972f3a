"""Role: what is told when all groups have run: where the time went, what was skipped and why.

Callers: scripts/check.
"""

import collections

SLOWEST = 10


def times(groups):
    """Lines: the slowest groups, and the time of each kind."""
    for group in sorted(groups, key=lambda g: -g.seconds)[:SLOWEST]:
        yield f'slowest: {group.seconds:>7.1f} s  {group.name}'
    kinds = collections.defaultdict(list)
    for group in groups:
        kinds[group.kind].append(group.seconds)
    for kind, seconds in kinds.items():
        yield f'kind:    {sum(seconds):>7.1f} s  {kind}, {len(seconds)} groups'


def skips(groups):
    """Lines: each reason with how many cases it kept from running, and where."""
    reasons, where = collections.Counter(), collections.defaultdict(set)
    for group in groups:
        reasons.update(group.skips)
        for reason in group.skips:
            where[reason].add(group.name)
    for reason, count in sorted(reasons.items(), key=lambda found: (-found[1], found[0])):
        yield f'skipped: {count:>7}    {reason} ({", ".join(sorted(where[reason]))})'
