"""Role: how the parameters of a model, laid side by side, are cut into intervals. Pure; knows sizes only.

  elements   0 ───────────── p0 ──────────────┬──── p1 ────┬─ p2 ─ total
  intervals  [ 0          )[ 1            )[ 2                   )       sizes differ by at most 1: no padding

Invariants: intervals cover every element once, in order; none is empty; the same sizes and number give the same cut everywhere.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from ..native import part


@dataclass(frozen=True)
class Piece:
    """Elements [begin, end) of one parameter, at `at` in their interval."""
    parameter: int
    begin: int
    end: int
    at: int

    @property
    def size(self):
        return self.end - self.begin


def starts(sizes):
    """Where each begins when they lie side by side, and where all end. @shape [len(sizes) + 1]"""
    found = [0]
    for size in sizes:
        found.append(found[-1] + size)
    return found


def cut(sizes, count, whole=False):
    """[(begin, end)] of `count` intervals. `whole`: at bounds of parameters only, for optimizers that look at all of one.
    @errors ValueError: more intervals than there are elements, or parameters"""
    total, filled = sum(sizes), [size for size in sizes if size]
    if whole and count > len(filled):
        raise ValueError(f'{count} intervals of {len(filled)} parameters that this optimizer wants whole')
    if count < 1 or count > total:
        raise ValueError(f'{count} intervals of {total} elements')
    if whole:
        return _at_bounds(starts(filled), count)
    ranges = (part(total, count, k) for k in range(count))
    return [(first, first + size) for first, size in ranges]


def _at_bounds(bounds, count):
    """The bound nearest to where an even cut would be, with one parameter at least for each."""
    chosen, total = [0], bounds[-1]
    for k in range(1, count):
        wanted = total * k / count
        at = bisect_left(bounds, wanted)
        if at > 0 and wanted - bounds[at - 1] <= bounds[min(at, len(bounds) - 1)] - wanted:
            at -= 1
        at = max(at, bisect_right(bounds, chosen[-1]))       # not empty
        at = min(at, len(bounds) - 1 - (count - k))          # nor those that follow
        chosen.append(bounds[at])
    chosen.append(total)
    return list(zip(chosen, chosen[1:]))


def pieces(sizes, begin, end):
    """What an interval has of each parameter, in order. @shape [Piece]"""
    found, bounds = [], starts(sizes)
    first = bisect_right(bounds, begin) - 1
    for number in range(first, len(sizes)):
        low, high = max(begin, bounds[number]), min(end, bounds[number + 1])
        if low >= end:
            break
        if low < high:
            found.append(Piece(number, low - bounds[number], high - bounds[number], low - begin))
    return found

