#!/usr/bin/python3 -I
"""wm-notebook: serves pages of a job to the job's owner, and ends when nobody uses them any more.

usage: wm-notebook [--gpu-while-busy WORDS]
       wm-notebook [--strip] [--] COMMAND…
       wm-notebook --files

Without COMMAND it is Jupyter, whose kernels run with the Python that the job's submitter had in PATH;
--gpu-while-busy: each cell that computes is a job of its own with GPUs, as one that begins with %%gpu WORDS (num=1)
is. In COMMAND %s stands for the unix socket to listen at, %p for a free port of the loopback address, %b for what
all addresses begin with, %o for the origin at which browsers see them. --strip: the application does not know of %b.
--files: the files of the folder, to look at.

  job ─► wm-notebook ─► Jupyter │ COMMAND          browser ─► the web door ─► the job's agent ─► its socket
            │ asks what kernels and terminals do, looks what its processes use
            └─► $RESULT_DIR/web.json: where it listens, how it stands       ◄─ $RESULT_DIR/web.extend

Invariants: Jupyter listens at a socket of mode 0600 alone, so that it needs no token; web.json is
replaced as a whole; what is idle is said before it is ended, and the end is no failure.
"""

import contextlib
import os
import signal
import subprocess
import sys

from notebooks.applications import Application, serve_files
from notebooks.jupyter import Jupyter
from notebooks.python import own_python
from notebooks.standing import Watch

END_PATIENCE_S = 20
FILES = ['--strip', sys.executable, '-I', os.path.abspath(sys.argv[0]), '--serve-files', '%s']


def end(process):
    """SIGTERM, and SIGKILL to what does not hear it."""
    process.terminate()
    try:
        process.wait(END_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


STARTUP = """if 'get_ipython' in globals():
    get_ipython().run_line_magic('load_ext', 'wm_gpu_cell')
"""


def with_gpu_cells(env, request, results):
    """What has each kernel begin with wm_gpu_cell, and what of the user's own it would begin with."""
    path, own = os.path.join(results, 'gpu_cells.py'), env.get('PYTHONSTARTUP')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(STARTUP + (f'exec(compile(open({own!r}).read(), {own!r}, "exec"))\n' if own else ''))
    return {**env, 'WM_GPU_CELLS': request, 'PYTHONSTARTUP': path}


def environment(results):
    """That of what is served: a token for its user's own requests, where there is one."""
    env = dict(os.environ)
    path = env.get('USER_ACCESS_TOKEN_FILE') or os.path.join(os.path.dirname(os.path.dirname(results)), 'tokens',
                                                             os.path.basename(results))
    env['USER_ACCESS_TOKEN_FILE'] = path
    try:
        with open(path, encoding='ascii') as file:
            env['USER_ACCESS_TOKEN'] = file.read().strip()
    except OSError:
        pass
    return env


def serve(served, results, gpu_cells):
    """Runs it to its end; the exit code. The token goes with it."""
    watch = Watch(served, results)
    env = environment(results)
    if gpu_cells:
        env = with_gpu_cells(env, gpu_cells, results)
    env = served.surroundings(env, results)
    watch.say(base=base_of(), token_file=env['USER_ACCESS_TOKEN_FILE'])
    process = subprocess.Popen(served.command(), env=env)

    def on_signal(*_):
        watch.ending = True
        process.terminate()  # whichever it was: to others than SIGTERM Jupyter asks whether it is meant

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, on_signal)
    idle = watch.wait_until_ready(process) and watch.follow(process)
    if idle:
        watch.say(state='idle', address='')
        end(process)
    status = 0 if idle else process.wait()
    if not idle:
        watch.say(state='ended', address='')
    served.clean_up()
    with contextlib.suppress(OSError):
        os.unlink(env['USER_ACCESS_TOKEN_FILE'])
    return status if status >= 0 else 128 - status


def base_of():
    """What all addresses begin with: /12/, of an element /12.3/."""
    index = os.environ.get('LSB_JOBINDEX', '0')
    return f"/{os.environ['LSB_JOBID']}{'' if index == '0' else '.' + index}/"


def main():
    """Reads the words."""
    words = sys.argv[1:]
    if words[:1] == ['--serve-files'] and len(words) == 2:
        return serve_files(words[1])
    words = FILES if words == ['--files'] else words
    if words[:1] in (['-h'], ['--help']):
        print(__doc__)
        return 0
    missing = [name for name in ('WM_WEB_SOCKET', 'RESULT_DIR', 'LSB_JOBID') if name not in os.environ]
    if missing:
        print(f'wm-notebook: {missing[0]} is not set: it runs in jobs of type notebook (bsub -app notebook)', file=sys.stderr)
        return 2
    gpu_cells = ' '.join(words[1:2]) if words[:1] == ['--gpu-while-busy'] else ''
    words = words[2:] if gpu_cells else words
    strip = words[:1] == ['--strip']
    words = words[strip:]
    words = words[1:] if words[:1] == ['--'] else words
    if strip and not words:
        print('wm-notebook: --strip goes with a command', file=sys.stderr)
        return 2
    if words and (gpu_cells or words[0] == '--gpu-while-busy'):
        print('wm-notebook: --gpu-while-busy WORDS goes without a command', file=sys.stderr)
        return 2
    served = Application(words, base_of(), strip) if words else Jupyter(base_of(), own_python())
    return serve(served, os.environ['RESULT_DIR'], gpu_cells)


if __name__ == '__main__':
    sys.exit(main())
