"""Role: data of a job's own, on its host: it goes with the last of the job's tasks there."""

import contextlib
import fcntl
import os
import re
import shutil
import stat
import time

from fetching.connections import Refused

# DIR is wm-data-CLUSTER-UID-JOB in the temporary folder, shared by the job's tasks on the host. Each has a file DIR/.users/PID-START, of the shell
# that it runs in; the last one's end removes DIR. Where a task had no time for that (SIGKILL) its user's next one on that host does.
USERS = '.users'
OLD_NAME = re.compile(r'wm-data-(\d+)-\d+')  # of jobs that were begun by an earlier WM: without cluster and users
OLD_AGE_S = 86400


def here():
    """What a process's number means something in: host, boot, name space."""
    with open('/proc/sys/kernel/random/boot_id', encoding='ascii') as file:
        return [os.uname().nodename, file.read().strip(), os.readlink('/proc/self/ns/pid')]


def start_of(pid):
    """When a process was started, in ticks: with the number it names one. '': there is none."""
    try:
        with open(f'/proc/{int(pid)}/stat', encoding='ascii', errors='replace') as file:
            return file.read().rpartition(')')[2].split()[19]
    except (OSError, ValueError, IndexError):
        return ''


def is_own(path):
    """A folder of ours that nobody else may write to, and no link to one."""
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(there.st_mode) and there.st_uid == os.geteuid() and not there.st_mode & 0o022


def is_same(held, path):
    """Whether what is open is still what is called so."""
    try:
        return os.path.samestat(os.fstat(held), os.lstat(path))
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def locked(folder):
    """Holds it, whatever is done to it by others meanwhile; as it is now, or made. @errors Refused: it is not ours"""
    while True:
        os.makedirs(os.path.dirname(os.path.abspath(folder)), exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        if not is_own(folder) and os.path.lexists(folder):
            raise Refused(f'{folder}: it is not a folder of yours alone')
        try:
            held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            if is_same(held, folder):  # else it was removed before we had it
                yield
                return
        finally:
            os.close(held)


def is_at_work(folder, name, place):
    """Whether the task of that record may still be there. What is of another host or name space cannot be known from here."""
    try:
        with open(os.path.join(folder, USERS, name), encoding='utf-8') as file:
            host, boot, space = file.read().split()
    except (OSError, ValueError):
        return False
    if host != place[0] or (boot == place[1] and space != place[2]):
        return True
    pid, _, start = name.partition('-')
    return boot == place[1] and bool(start) and start_of(pid) == start


def is_used(folder):
    """Whether a task has it."""
    place = here()
    return any(is_at_work(folder, name, place) for name in os.listdir(os.path.join(folder, USERS)))


def use(folder, pid):
    """Notes that the task which runs in the shell `pid` has the folder."""
    with locked(folder):
        os.makedirs(os.path.join(folder, USERS), mode=0o700, exist_ok=True)
        with open(os.path.join(folder, USERS, f'{int(pid)}-{start_of(pid)}'), 'w', encoding='utf-8') as file:
            file.write(' '.join(here()) + '\n')


def drop(folder, pid=None):
    """That task is over; without one: whose ever it was. Removes the folder if nobody has it."""
    if not is_own(folder) or not is_own(os.path.join(folder, USERS)):
        return
    with locked(folder):
        if pid is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, USERS, f'{int(pid)}-{start_of(pid)}'))
        if not os.path.isdir(os.path.join(folder, USERS)) or not is_used(folder):
            shutil.rmtree(folder, ignore_errors=True)


def has_process(folder):
    """Whether a process of ours was told to find its data there."""
    wanted = b'DATA_DIR=' + os.fsencode(folder) + b'/'
    for name in os.listdir('/proc'):
        with contextlib.suppress(OSError):
            if name.isdigit():
                with open(f'/proc/{name}/environ', 'rb') as file:
                    if any(entry.startswith(wanted) for entry in file.read().split(b'\0')):
                        return True
    return False


def sweep(parent, but):
    """Removes what tasks that were killed have left in the temporary folder: folders of ours with users that are no more; of an earlier WM's
    name those that no process has and nobody has changed for a day."""
    for name in os.listdir(parent):
        path = os.path.join(parent, name)
        if not name.startswith('wm-data-') or name == but or not is_own(path):
            continue
        old = OLD_NAME.fullmatch(name)
        if os.path.isdir(os.path.join(path, USERS)):
            drop(path)
        elif old and int(old[1]) == os.geteuid() and time.time() - os.lstat(path).st_mtime > OLD_AGE_S and not has_process(path):
            shutil.rmtree(path, ignore_errors=True)


def prepare_local(folder, pid):
    """The folder of a job, for one of its tasks."""
    folder = os.path.abspath(folder)
    use(folder, pid)
    with contextlib.suppress(OSError, Refused):  # it is not this job's
        sweep(*os.path.split(folder))
