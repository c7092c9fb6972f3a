"""Role: what there is of a group whatever carries it: gloo of torch (group.py), or connections of its own for
frameworks that have none (mesh.py). The engine knows a group by sum, broadcast, send and receive of arrays, by abort,
close and leave, and by this.
"""

import contextlib
import os

from . import versions

CONNECT_LIMIT_S = 8.0  # above the lead's connect_limit, which withdraws first
LEAVE_LIMIT_S = 2.0  # a peer that has not ended by then hangs: it is the lead's affair


class GroupBroken(Exception):
    """The group is dead: a member was lost or the group was aborted."""


class Member:
    """What a member of either kind of group does alike. Has `_agent`."""

    @contextlib.contextmanager
    def waiting(self):
        """While this member waits for something that others keep: it is not the one that is late."""
        self._agent.in_collective(1)
        try:
            yield
        finally:
            self._agent.in_collective(0)


def host_address():
    """The numeric address that peers reach this worker at."""
    return os.environ.get('WM_HOST_ADDR') or _interface_address() or '127.0.0.1'


def _interface_address():
    import fcntl
    import socket
    import struct
    name = os.environ.get('GLOO_SOCKET_IFNAME', '').split(',')[0]
    if not name:
        return None
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            answer = fcntl.ioctl(probe.fileno(), 0x8915, struct.pack('256s', name.encode()[:15]))
        except OSError:
            return None  # SIOCGIFADDR: no such interface, or no IPv4 address
    return socket.inet_ntoa(answer[20:24])


def agree_on_versions(store, rank):
    """Before the others count on this member: it has what rank 0 has. @errors versions.Mixed"""
    if rank == 0:
        store.set('versions', versions.told())
        return
    store.get('here/0')  # rank 0 has told them by then, if it is of a WM that does
    found = store.look('versions')
    versions.compare(found and found.decode())
