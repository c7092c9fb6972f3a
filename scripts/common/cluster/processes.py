"""Role: finds and ends the processes of a cluster, and no others.

A process belongs to a host of a cluster when its environment says
WM_CLUSTER_DIR=<dir> and WM_NODE=<node> (wnoded is started so and passes both on), or
when an ancestor's does. A pid is only believed together with its start time.
Callers: cluster.Cluster, address.
"""

import contextlib
import os
import signal
import time


def start_time(pid):
    """Clock ticks after boot at which `pid` started; None when there is no such process."""
    fields = _stat(pid)
    return int(fields[19]) if fields and fields[0] != 'Z' else None


def parent(pid):
    """Pid of its parent, 0 when unknown."""
    fields = _stat(pid)
    return int(fields[1]) if fields else 0


def _stat(pid):
    """Fields of /proc/PID/stat from the state on; None when gone."""
    try:
        with open(f'/proc/{pid}/stat', encoding='ascii', errors='replace') as line:
            return line.read().rpartition(')')[2].split()
    except OSError:
        return None


def environment(pid):
    """The environment `pid` was started with; empty when it is not ours to read."""
    try:
        with open(f'/proc/{pid}/environ', 'rb') as block:
            pairs = block.read().split(b'\0')
    except OSError:
        return {}
    return dict(p.decode(errors='replace').split('=', 1) for p in pairs if b'=' in p)


def command_line(pid):
    """Its words, as it shows itself."""
    try:
        with open(f'/proc/{pid}/cmdline', 'rb') as block:
            return block.read().replace(b'\0', b' ').decode(errors='replace').split()
    except OSError:
        return []


def every():
    """Pids of all living processes but our own."""
    own = os.getpid()
    return [int(p) for p in os.listdir('/proc') if p.isdigit() and int(p) != own and start_time(p) is not None]


def of_cluster(folder, node=None):
    """Pids of the hosts' processes of the cluster in `folder`; of one host when named."""
    found = set()
    for pid in every():
        env = environment(pid)
        if env.get('WM_CLUSTER_DIR') == folder and env.get('WM_NODE') and node in (None, env['WM_NODE']):
            found.add(pid)
    return found | descendants(found)


def descendants(roots):
    """Children of `roots`, their children, and so on."""
    found, ahead = set(), {pid: parent(pid) for pid in every()}
    grown = True
    while grown:
        new = {pid for pid, above in ahead.items() if (above in roots or above in found) and pid not in found}
        grown = bool(new - found)
        found |= new
    return found


def send(pid, number):
    """Sends a signal; a process that is gone is no error."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def end(find, number=signal.SIGKILL, limit_s=10.0):
    """Signals everything that `find()` returns. With SIGKILL: until nothing is left.

    Returns the pids left over; all are stopped first, so that none reacts to another's death.
    """
    if number != signal.SIGKILL:
        for pid in find():
            send(pid, number)
        return set()
    deadline = time.monotonic() + limit_s
    left = find()
    while left and time.monotonic() < deadline:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in left:
                send(pid, number)
        time.sleep(0.01)
        left = find()
    return left


def gone(pid, started, limit_s):
    """Waits until that very process has ended; False when it outlives the limit."""
    deadline = time.monotonic() + limit_s
    while start_time(pid) == started:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
