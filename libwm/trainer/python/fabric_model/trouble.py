"""Role: a device that cannot go on, said by name: whose it is, in which step, what it says. The worker ends by that; the others
train on without it where the job's least number of tasks allows.
"""

import sys

from .finite import NotFinite

_FULL = ('OutOfMemoryError', 'ResourceExhaustedError')  # the names of torch's and TensorFlow's
_FULL_WORDS = ("can't allocate memory", 'out of memory', 'Out of memory', 'ALLOC_FAILED')
_LOST_WORDS = ('CUDA error', 'CUDA driver error', 'cuDNN error', 'CUBLAS_STATUS', 'NCCL error', 'HIP error')


class Trouble(RuntimeError):
    """A device is full or lost."""


def kind(error):
    """'full', 'lost', or None: the error is none of a device's."""
    text = str(error)
    named = isinstance(error, MemoryError) or any(base.__name__ in _FULL for base in type(error).__mro__)
    if named or isinstance(error, RuntimeError) and any(word in text for word in _FULL_WORDS):
        return 'full'
    return 'lost' if isinstance(error, RuntimeError) and any(word in text for word in _LOST_WORDS) else None


def place(device):
    """What a device is called; None: the framework's own choice."""
    if device is None:
        return 'its device'
    if device.type != 'cuda':
        return "this host's memory" if device.type == 'cpu' else str(device)
    try:
        return f"GPU {device.index or 0} ({sys.modules['torch'].cuda.get_device_name(device)})"
    except (RuntimeError, AssertionError):  # one that is lost does not tell
        return f'GPU {device.index or 0}'


def whose(group, agent):
    """The member that this is."""
    task = f' (task {agent.task})' if agent.present else ''
    return f'rank {group.rank}{task}' if group is not None else f'task {agent.task}'


def described(error, group, agent, device, step, hint=''):
    """One line; None: the error is none of a device's."""
    what = kind(error)
    if what is None or isinstance(error, NotFinite):
        return None
    said = (str(error).splitlines() or [type(error).__name__])[0]
    if what == 'full':
        return f'{whose(group, agent)}: {place(device)} is full in step {step}: {said}. This worker ends{hint}'
    return f'{whose(group, agent)}: {place(device)} is lost in step {step}: {said}. This worker ends'
