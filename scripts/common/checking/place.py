"""Role: where tests run: a home, temporary folder, runtime folder and configuration of their own, so that they read
nothing of the account that runs them, and what they leave behind is seen and known by its group.

  /tmp/wm-XXXXXXXX/      one a run; short, since a socket's path holds 107 bytes; gone at its end
    bin/python3          the interpreter of users' programs, first in PATH
    N/h  N/t  N/r        home, temporary and runtime folder of group N
  WM_TEST_TAG=XXXXXXXXgN  stands in the environment of its processes, and by `TAG-` in the names of what is not in
                         its folders: in /dev/shm, control groups, accounts
Callers: scripts/check.
"""

import os
import shutil
import site
import tempfile

import interpreter

LONGEST_BASE = 24
# Of the account, or of a cluster or job that this is started in; each test says what it needs of them.
NOT_OURS = ('XDG_', 'LSF_', 'LSB_', 'LS_', 'WM_GATEWAY_', 'WM_API_KEY', 'WM_CONF_DIR', 'WM_CLUSTER_DIR', 'WM_NODE',
            'WM_USER_DIR', 'NSS_WRAPPER_', 'RCLONE_', 'BATS_')


class Place:
    """The folders of one run. Used as a context manager: they are gone with it."""

    def __init__(self):
        base = tempfile.gettempdir()
        self.root = tempfile.mkdtemp(prefix='wm-', dir=base if len(base) <= LONGEST_BASE else '/tmp')
        os.chmod(self.root, 0o755)  # some tests become other accounts
        self.tag = self.root.rpartition('wm-')[2]
        self._groups = 0
        interpreter.put_first(os.path.join(self.root, 'bin'))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root, ignore_errors=True)

    def own(self):
        """The folders of the next group."""
        self._groups += 1
        return Own(os.path.join(self.root, str(self._groups)), f'{self.tag}g{self._groups}')


class Own:
    """The folders of one group."""

    def __init__(self, folder, tag):
        self.folder, self.tag = folder, tag
        self.home, self.temporary, self.runtime = (os.path.join(folder, part) for part in 'htr')
        for path, mode in ((self.home, 0o755), (self.temporary, 0o1777), (self.runtime, 0o700)):
            os.makedirs(path)
            os.chmod(path, mode)

    def environment(self):
        """Of its processes."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(NOT_OURS)}
        return {**kept, 'HOME': self.home, 'TMPDIR': self.temporary, 'TEST_TMPDIR': self.temporary,
                'XDG_RUNTIME_DIR': self.runtime,  # configuration is below the home, whosever it is
                'PYTHONUSERBASE': site.getuserbase(),  # what was installed for this account stays
                'WM_TEST_TAG': self.tag}

    def remove(self):
        """What is left of it is no one's any more."""
        shutil.rmtree(self.folder, ignore_errors=True)
