"""Role: gives each cluster of this machine its own /24 of loopback, 127.c.d, and with it a
port of its own for the master, which listens on every address.

A file per block in LOCKS names the process that keeps it (the cluster's munged, which
lives as long as the cluster) by pid and start time; a block whose keeper is gone is
free. Choosing happens under one flock, so two clusters never take the same block.
Callers: cluster.Cluster.
"""

import contextlib
import fcntl
import os
import random

from . import processes

FIRST_PORT = 25000  # above the jobs' ports, below those that the kernel gives out
BLOCKS = 30 * 254
LOCKS = '/tmp/.wm-clusters'  # one for the machine, whatever anybody's TMPDIR is


@contextlib.contextmanager
def _choosing():
    if not os.path.isdir(LOCKS):
        with contextlib.suppress(FileExistsError):
            os.mkdir(LOCKS)
            os.chmod(LOCKS, 0o1777)  # accounts share it, as they share the loopback
    handle = os.open(LOCKS, os.O_RDONLY | os.O_DIRECTORY)  # which every account may, unlike a file of another's
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _kept(path):
    """Whether the block's keeper lives."""
    try:
        with open(path, encoding='ascii') as lines:
            pid, started = lines.read().split()[:2]
    except (OSError, ValueError):
        return os.path.exists(path)
    return processes.start_time(int(pid)) == int(started)


def _removed(path):
    """Whether nothing is there any more; what another account left behind stays."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def take(keeper):
    """A free block such as '127.7.19', kept by process `keeper`."""
    with _choosing():
        for _ in range(1000):
            block = f'127.{random.randint(1, BLOCKS // 254)}.{random.randint(1, 254)}'
            path = os.path.join(LOCKS, block)
            if not _kept(path) and _removed(path):
                _write(path, keeper)
                return block
    raise RuntimeError(f'no free block of 127.0.0.0/8 after 1000 tries (see {LOCKS})')


def port_of(block):
    """The block's port: no other block has it."""
    _, third, fourth = map(int, block.split('.'))
    return FIRST_PORT + (third - 1) * 254 + fourth - 1


def _write(path, keeper):
    with open(path, 'w', encoding='ascii') as out:
        out.write(f'{keeper} {processes.start_time(keeper)}\n')


def hand_over(block, keeper):
    """From now on process `keeper` keeps the block."""
    with _choosing():
        _write(os.path.join(LOCKS, block), keeper)


def give_back(block):
    """The block is free again; no error when it was not taken."""
    with _choosing(), contextlib.suppress(OSError):
        os.unlink(os.path.join(LOCKS, block))
