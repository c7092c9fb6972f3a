"""Role: gives each cluster of this machine its own /24 of loopback, 127.c.d, and with it a port of its own for the
master, which listens at 127.c.d.254.

A block is claimed by a socket bound to its port at 127.c.d.255, which the cluster's munged holds from up to down.
The kernel keeps others off: of two clusters one alone can bind it, and while it is bound nobody can have that port on
all addresses, as the servers of some jobs' frameworks do. It ends with the process that holds it, however that ends,
and needs no file that accounts would have to share.

The tasks of jobs with groups may listen on all addresses, too, and the master chooses their ports before they start. So
each cluster has some of its own for them, claimed in the same way by the first.
Callers: cluster.Cluster.
"""

import contextlib
import random
import socket

FIRST_PORT = 12000  # below those of jobs and of groups (wm.conf), and those that the kernel gives out
BLOCKS = 30 * 254
CLAIMED, MASTER = 255, 254
# Above what wm.conf has where it says nothing, so that an installed cluster may run beside; below the kernel's own.
GROUP_PORTS = range(26000, 32600, 200)


def take():
    """(block such as '127.7.19', its claim): nobody else has the block while the claim is open somewhere.
    @errors RuntimeError: none is free"""
    for _ in range(1000):
        block = f'127.{random.randint(1, BLOCKS // 254)}.{random.randint(1, 254)}'
        try:
            return block, claim(block)
        except OSError:
            continue
    raise RuntimeError('no free block of 127.0.0.0/8 after 1000 tries')


def claim(block):
    """This block's claim. @errors OSError: it is claimed, or somebody has its port"""
    claimed = claim_again(block)
    try:
        _bound(block, MASTER).close()  # a master may outlive its cluster for a moment
    except OSError:
        claimed.close()
        raise
    return claimed


def claim_again(block):
    """The same once its holder has ended; the cluster's master may have the port. @errors OSError: as above"""
    return _bound(block, CLAIMED)


def port_of(block):
    """The block's port: no other block has it."""
    _, third, fourth = map(int, block.split('.'))
    return FIRST_PORT + (third - 1) * 254 + fourth - 1


def take_group_ports():
    """(ports of a cluster's own for tasks of groups such as '26001-26199', their claim). ('', None) when all are taken:
    then two clusters may give out one port."""
    for first in random.sample(GROUP_PORTS, len(GROUP_PORTS)):
        ports = f'{first + 1}-{first + GROUP_PORTS.step - 1}'
        with contextlib.suppress(OSError):
            return ports, claim_group_ports(ports)
    return '', None


def claim_group_ports(ports):
    """Their claim; None without ports. @errors OSError: they are claimed"""
    return _bound('127.0.0', 1, int(ports.split('-', maxsplit=1)[0]) - 1) if ports else None


def _bound(block, last, port=None):
    made = socket.socket()
    try:
        made.bind((f'{block}.{last}', port or port_of(block)))
    except OSError:
        made.close()
        raise
    return made
