"""Role: Jupyter as what is served: which one, its command line, what its kernels and terminals do."""

import contextlib
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile

from notebooks.answers import answer
from notebooks.python import SYSTEM_PATH, with_kernel

JUPYTERS = ('jupyter-lab', 'jupyter-server', 'jupyter-notebook')  # the fullest first


def first_jupyter(path):
    """The Jupyter of the first folder of PATH that has any; None: none has. Shells choose so, and so do environments."""
    for folder in path.split(':'):
        for name in JUPYTERS:
            program = os.path.join(folder, name)
            if folder and os.path.isfile(program) and os.access(program, os.X_OK):
                return program
    return None


def app_of(program):
    """Whose options it takes: jupyter-notebook before version 7 is a server of its own."""
    if os.path.basename(program) != 'jupyter-notebook':
        return 'ServerApp'
    try:
        said = subprocess.run([program, '--version'], capture_output=True, text=True, timeout=60, check=True).stdout
        return 'NotebookApp' if int(said.split('.')[0]) < 7 else 'ServerApp'
    except (OSError, ValueError, subprocess.SubprocessError):
        return 'ServerApp'


# A unix socket's path has 107 characters: Jupyter adds "/kernel-", a UUID and "-ipc-1" to this.
LONGEST_RUNTIME = 107 - len('/kernel--ipc-1') - 36


def runtime_folder():
    """A new folder, of mode 0700, where kernels and their server meet; None: none is short enough. Beside the socket it goes with
    the attempt, whatever ends it."""
    beside = os.path.join(os.path.dirname(os.environ['WM_WEB_SOCKET']), 'j')
    if len(beside) <= LONGEST_RUNTIME:
        with contextlib.suppress(OSError):
            os.makedirs(beside, mode=0o700, exist_ok=True)
            return beside
    for parent in (tempfile.gettempdir(), '/tmp'):
        if len(parent) + len('/wm-jupyter-12345678') <= LONGEST_RUNTIME:
            with contextlib.suppress(OSError):
                return tempfile.mkdtemp(prefix='wm-jupyter-', dir=parent)
    return None


class Jupyter:
    """Jupyter: that of the submitter's own Python, where it has one, else the first in PATH."""

    kind, strip = 'jupyter', False

    def __init__(self, base, python=None):
        self.address, self._base, self.python = os.environ['WM_WEB_SOCKET'], base, python
        self._runtime = None

    def _program(self):
        """(what starts it, whose options it takes). @raises SystemExit: it is not installed"""
        if self.python and self.python['server'] and self.python['kernel']:
            return [self.python['program'], '-m', self.python['server']], self.python['app']
        program = first_jupyter(os.environ.get('PATH', '') + ':' + SYSTEM_PATH)
        if not program:
            sys.exit(f'wm-notebook: none of {", ".join(JUPYTERS)} is in PATH on this host, and the Python of PATH has no Jupyter')
        return [program], app_of(program)

    def command(self):
        """Its command line. @raises SystemExit: it is not installed"""
        program, app = self._program()
        words = {'base_url': self._base, 'token': '', 'password': '', 'allow_remote_access': 'True', 'open_browser': 'False',
                 'trust_xheaders': 'True', 'quit_button': 'False', 'sock': self.address, 'sock_mode': '0600'}
        folder = {'NotebookApp': 'notebook_dir', 'ServerApp': 'root_dir'}[app]
        words[folder] = os.getcwd()
        if os.geteuid() == 0:
            words['allow_root'] = 'True'
        options = [f'--{app}.{name}={value}' for name, value in words.items()]
        if self._runtime:  # at sockets that only this account reaches, not at ports of the loopback address
            options.append('--KernelManager.transport=ipc')
        return program + options

    def surroundings(self, env, results):
        """Its environment."""
        self._runtime = runtime_folder()
        if self._runtime:
            env = {**env, 'JUPYTER_RUNTIME_DIR': self._runtime}
        return with_kernel(env, self.python, results) if self.python else env

    def clean_up(self):
        """It has ended."""
        if self._runtime:
            shutil.rmtree(self._runtime, ignore_errors=True)

    def is_ready(self):
        """Whether it answers."""
        found = answer(self.address, self._base + 'api/status')
        return found is not None and found[0] == 200

    def activity(self):
        """(when something was last done, what does something now); a page that is only open does nothing."""
        latest, busy = 0, ''
        for what, state in (('kernels', 'execution_state'), ('terminals', '')):
            found = answer(self.address, f'{self._base}api/{what}')
            if found is None or found[0] != 200:
                continue
            for one in json.loads(found[1]):
                latest = max(latest, when(one.get('last_activity', '')))
                if state and one.get(state) == 'busy':
                    busy = 'a kernel is busy'
        return latest, busy


def when(text):
    """'2026-11-25T10:00:00.000000Z' in seconds; 0: it is none."""
    try:
        return datetime.datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp()
    except ValueError:
        return 0
