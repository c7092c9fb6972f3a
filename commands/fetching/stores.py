"""Role: object stores and file servers, by rclone."""

import ctypes
import json
import os
import re
import shutil
import signal
import subprocess

from fetching.connections import OBSCURED, STORES, Refused

RETRIES = ['--retries', '2', '--low-level-retries', '3', '--contimeout', '10s', '--timeout', '60s']


def rclone_environment(keys):
    """The remote "wm" as variables: nothing secret on a command line."""
    if not shutil.which('rclone'):
        raise Refused('rclone is not installed on this host')
    backend, own = STORES[keys['type']]
    # What else the environment says of such servers is not this connection's.
    others = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'AZURE_', 'RCLONE_'))}
    env = {**others, 'RCLONE_CONFIG': '/dev/null', 'RCLONE_CONFIG_WM_TYPE': backend}
    for name, value in {**own, **{k: v for k, v in keys.items() if k not in ('type', 'bucket')}}.items():
        if name in OBSCURED:
            value = subprocess.run(['rclone', 'obscure', '-'], input=value, capture_output=True, text=True, check=True).stdout.strip()
        env[f'RCLONE_CONFIG_WM_{name.upper()}'] = value
    return env


def said(text):
    """What rclone complained of last, with what caused it, without its clock."""
    lines = []
    for line in text.splitlines():
        try:
            line = json.loads(line)['msg']
        except (ValueError, KeyError, TypeError):
            pass
        lines.append(line)
    found = [i for i, line in enumerate(lines) if 'ERROR' in line or 'Failed' in line or 'CRITICAL' in line]
    text = ' '.join(lines[found[-1] if found else -1:]) or 'no reason was given'
    return re.sub(r'^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d (ERROR : )?', '', text).strip()[:500]


def ends_with_us():
    """Of a child before its program begins: it is killed when we are, also by SIGKILL (prctl(2): PR_SET_PDEATHSIG)."""
    parent = os.getppid()
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def rclone(env, *words):
    """Its output. Refuses with its reason."""
    done = subprocess.run(['rclone', *words, *RETRIES], env=env, capture_output=True, text=True, check=False, preexec_fn=ends_with_us)
    if done.returncode != 0:
        raise Refused(said(done.stderr))
    return done.stdout


def listing(env, path):
    """What is there: paths, sizes and versions."""
    found = json.loads(rclone(env, 'lsjson', '-R', '--files-only', f'wm:{path}') or '[]')
    if not found:
        raise Refused(f'{path}: nothing is there')
    return sorted((f['Path'], f['Size'], f.get('ModTime', ''), f.get('ID', '')) for f in found)


def copy(env, source, folder, progress):
    """Brings it below `folder`."""
    command = ['rclone', 'copy', f'wm:{source["path"]}', folder, '--use-json-log', '--stats', '1s', '-v', *RETRIES]
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True, preexec_fn=ends_with_us) as running:
        last = []
        for line in running.stderr:
            last = (last + [line])[-50:]
            try:
                stats = json.loads(line).get('stats')
            except ValueError:
                continue
            if stats:
                progress.tell(bytes=progress.state.get('before', 0) + stats['bytes'])
    if running.returncode != 0:
        raise Refused(said(''.join(last)))
