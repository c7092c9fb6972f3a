"""Role: what the processes of a job use: CPU time of a tree, GPUs that compute."""

import os
import shutil
import subprocess


def cpu_seconds(root):
    """CPU time of a process and all below it, the ended ones that were waited for included."""
    parents, used = {}, {}
    for name in os.listdir('/proc'):
        if not name.isdigit():
            continue
        try:
            with open(f'/proc/{name}/stat', encoding='ascii', errors='replace') as file:
                fields = file.read().rpartition(')')[2].split()
        except OSError:
            continue
        parents[int(name)] = int(fields[1])
        used[int(name)] = sum(map(int, fields[11:15]))
    ticks = os.sysconf('SC_CLK_TCK')
    return sum(value for pid, value in used.items() if is_below(pid, root, parents)) / ticks


def is_below(pid, root, parents):
    """Whether it is that process, or comes from it."""
    while pid > 1:
        if pid == root:
            return True
        pid = parents.get(pid, 0)
    return False


def gpus_are_busy():
    """Whether one of the job's GPUs computes; one that cannot be asked does not."""
    devices, program = os.environ.get('CUDA_VISIBLE_DEVICES', ''), shutil.which('nvidia-smi')
    if not devices or not program:
        return False
    try:
        said = subprocess.run([program, '-i', devices, '--query-gpu=utilization.gpu', '--format=csv,noheader,nounits'],
                              capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return False
    return any(word.strip().isdigit() and int(word) >= 5 for word in said.split('\n'))
