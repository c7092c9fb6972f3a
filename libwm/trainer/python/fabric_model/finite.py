"""Role: gradients that are not finite: which ranks had them travels in the all-reduce, and is said. Pure."""

SUSPECTS = 3     # numbers of the tail that tell the ranks
_RANKS = 20      # of each: a float32 holds so many bits exactly


class NotFinite(RuntimeError):
    """The gradients of a step were not finite: the training ends, after a checkpoint of what was before."""


def suspect(rank, finite):
    """What a member adds to the tail. @shape SUSPECTS numbers"""
    numbers = [0.0] * SUSPECTS
    if not finite:
        at = min(rank, SUSPECTS * _RANKS - 1)
        numbers[at // _RANKS] = float(1 << at % _RANKS)
    return numbers


def suspects(numbers):
    """The ranks in a sum of those. Rank 59 may be any above, too."""
    return [at * _RANKS + bit for at, number in enumerate(numbers) for bit in range(_RANKS) if round(number) >> bit & 1]


def refused(script, tail, progress, members, agent):
    """What is said of a step that was not applied; None: it is the scaler's to leave out."""
    if (script.scaler and not script.scaler.is_exhausted) or script.joined:
        return None
    whose = ', '.join(f'rank {rank}' + (f' (task {members[rank]})' if agent.present else '')
                      for rank in tail.suspects if rank < len(members)) or 'the sum'
    return f'step {progress.step + 1} is not applied: gradients that are not finite (NaN or inf) of {whose}'
