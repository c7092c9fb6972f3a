"""Role: what tests have left on the machine: processes, temporary files, files in memory, control groups, accounts.

  of_group(own)     what carries the tag of a group, as place.py says; then it is taken away
  Machine           all names of those kinds before and after a run: tells what carries no tag, be it of this
                    run or of others on the machine
Callers: scripts/check.
"""

import contextlib
import glob
import grp
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time

from cluster import processes

ENDING_S = 10  # what was told to end may still be at it
MEMORY = '/dev/shm'
# What Python's libraries make for themselves stays when a test kills their process, torch's compiled code always; it goes
# with the group's folder.
OF_LIBRARIES = re.compile(r'(pymp-|tmp)[a-z0-9_]{8}$|torchinductor_')
HOME_FILES = ('.dlim', '.config/rclone', '.wm', '.jupyter', '.ipython')


def cgroups():
    """Folders of control groups, of all hierarchies."""
    return [os.path.join(folder, name) for folder, names, _ in os.walk('/sys/fs/cgroup') for name in names]


def of_group(own):
    """[what a group has left, in words]; nothing of it is there any more afterwards."""
    left = _end_processes(own.tag)
    left += [f'temporary folder: {name}' for name in sorted(os.listdir(own.temporary)) if not OF_LIBRARIES.match(name)]
    for path in glob.glob(f'{MEMORY}/*{own.tag}-*'):
        left.append(f'in memory: {path}')
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
    for path in sorted((p for p in cgroups() if f'{own.tag}-' in os.path.basename(p)), reverse=True):
        left.append(f'control group: {path}')
        with contextlib.suppress(OSError):
            os.rmdir(path)
    for name in [entry.pw_name for entry in pwd.getpwall() if f'{own.tag}-' in entry.pw_name]:
        left.append(f'account: {name}')
        subprocess.run(['userdel', '-f', name], check=False, stderr=subprocess.DEVNULL)
    own.remove()
    return left


def _end_processes(tag):
    """Waits for those that are ending, and ends the others."""
    deadline = time.monotonic() + ENDING_S
    while (found := _marked(tag)) and time.monotonic() < deadline:
        time.sleep(0.05)
    left = [f'process {pid}: {" ".join(processes.command_line(pid))[:160]}' for pid in found]
    processes.end(lambda: _marked(tag), signal.SIGKILL)
    return left


def _marked(tag):
    return {pid for pid in processes.every() if processes.environment(pid).get('WM_TEST_TAG') == tag}


class Machine:
    """Its names now."""

    def __init__(self):
        home = os.path.expanduser('~')
        self._names = {
            'temporary folder': set(os.listdir(tempfile.gettempdir())),
            'in memory': set(os.listdir(MEMORY)) if os.path.isdir(MEMORY) else set(),
            'control groups': set(cgroups()),
            'accounts': {entry.pw_name for entry in pwd.getpwall()} | {entry.gr_name for entry in grp.getgrall()},
            'home': {name for name in HOME_FILES if os.path.exists(os.path.join(home, name))},
        }

    def new_since(self, before):
        """[kind: names] of what was not there then."""
        new = ((kind, sorted(names - before._names[kind])) for kind, names in self._names.items())
        return [f'{kind}: {" ".join(names)}' for kind, names in new if names]
