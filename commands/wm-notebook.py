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
import datetime
import http.client
import http.server
import json
import os
import re
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import time

BETWEEN_LOOKS_S = (0.5, 5.0)  # never more often, never less; else a sixtieth of the limit
BETWEEN_TRIES_S = 0.05
END_PATIENCE_S = 20
UNITS = {'ms': 0.001, 's': 1, 'm': 60, 'h': 3600, 'd': 86400}


def seconds(text):
    """'90s', '10m', '1h': what a configured time is."""
    found = re.fullmatch(r'(\d+(?:\.\d+)?)(ms|s|m|h|d)', text or '0s')
    return float(found[1]) * UNITS[found[2]] if found else 0


class Local(http.client.HTTPConnection):
    """HTTP to a unix socket or a port of this host."""

    def __init__(self, address):
        super().__init__('localhost', timeout=10)
        self._address = address

    def connect(self):
        """Connects."""
        if self._address.startswith('/'):
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.sock.settimeout(self.timeout)
            self.sock.connect(self._address)
        else:
            host, port = self._address.rsplit(':', 1)
            self.sock = socket.create_connection((host, int(port)), self.timeout)


def answer(address, path):
    """Status and body of a GET; None: nobody answers."""
    connection = Local(address)
    try:
        connection.request('GET', path)
        reply = connection.getresponse()
        return reply.status, reply.read()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


# ---- what is served ---------------------------------------------------------------------------


# Asked of the Python of PATH, which may be of any version and place.
PROBE = """
import importlib.util, json, sys
def there(name):
    return importlib.util.find_spec(name) is not None
server = [name for name in ("jupyterlab", "notebook") if there(name)]
app = "ServerApp"
if server[:1] == ["notebook"]:
    import notebook
    app = "NotebookApp" if notebook.__version__ < "7" else app
print(json.dumps({"program": sys.executable, "prefix": sys.prefix, "version": "%d.%d" % sys.version_info[:2], "server": server[0] if server else "",
                  "app": app, "kernel": there("ipykernel")}))
"""
SYSTEM_PREFIX, SYSTEM_PATH = '/usr', '/usr/local/bin:/usr/bin:/bin'


def own_python():
    """What PROBE says of the Python that the job's submitter had in PATH; None: it is the system's, or none that runs."""
    program = shutil.which('python3') or shutil.which('python')
    if not program:
        return None
    try:
        said = subprocess.run([program, '-c', PROBE], capture_output=True, text=True, timeout=60, check=True).stdout
        found = json.loads(said)
    except (OSError, ValueError, subprocess.SubprocessError) as problem:
        print(f'wm-notebook: {program} does not run: the system\'s Python takes its place ({problem})', file=sys.stderr)
        return None
    return None if found['prefix'] == SYSTEM_PREFIX else found


def with_kernel(env, python, results):
    """What has the kernel named python3 run with that Python, whosever Jupyter starts it: the first folder that is looked in."""
    if not python['kernel']:
        print(f"wm-notebook: {python['program']} has no ipykernel: kernels run with the system's Python ({python['program']} -m pip install "
              'ipykernel)', file=sys.stderr)
        return env
    folder = os.path.join(results, 'jupyter')
    os.makedirs(os.path.join(folder, 'kernels', 'python3'), exist_ok=True)
    with open(os.path.join(folder, 'kernels', 'python3', 'kernel.json'), 'w', encoding='utf-8') as out:
        json.dump({'argv': [python['program'], '-m', 'ipykernel_launcher', '-f', '{connection_file}'], 'language': 'python',
                   'display_name': f"Python {python['version']} ({python['prefix']})", 'metadata': {'debugger': True}}, out)
    path = env.get('JUPYTER_PATH')
    return {**env, 'JUPYTER_PATH': folder + (':' + path if path else '')}


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


class Application:
    """Any program that serves pages."""

    kind = 'application'

    def __init__(self, words, base, strip):
        self.strip, self._base = strip, base
        port = (os.environ.get('WM_WEB_PORT') or str(free_port())) if any('%p' in word for word in words) else ''
        if port and not os.environ.get('WM_WEB_PORT_OWNED'):
            print(f'wm-notebook: every account of this host reaches port {port} of 127.0.0.1, where this listens (%p); a program that '
                  'listens at %s is its owner\'s alone', file=sys.stderr, flush=True)
        self.address = f'127.0.0.1:{port}' if port else os.environ['WM_WEB_SOCKET']
        stands_for = {'%s': os.environ['WM_WEB_SOCKET'], '%p': port, '%b': base, '%%': '%'}
        if any('%o' in word.replace('%%', '') for word in words):
            stands_for['%o'] = origin(base)
        self._words = [re.sub('%[spbo%]', lambda found: stands_for[found[0]], word) for word in words]

    def command(self):
        """Its command line."""
        return self._words

    def surroundings(self, env, _results):
        """Its environment."""
        return env

    def is_ready(self):
        """Whether it answers, whatever it says."""
        return answer(self.address, '/' if self.strip else self._base) is not None

    def activity(self):
        """Nothing is known but what its processes use."""
        return 0, ''

    def clean_up(self):
        """It leaves nothing of ours."""


class Files(http.server.SimpleHTTPRequestHandler):
    """The files of the folder. A peer at a unix socket has no address."""

    def address_string(self):
        """For the log."""
        return 'the owner'


def serve_files(path):
    """At a socket that this account alone reaches, until it is ended."""
    os.umask(0o077)
    with socketserver.ThreadingUnixStreamServer(path, Files) as server:
        server.daemon_threads = True
        server.serve_forever()


FILES = ['--strip', sys.executable, '-I', os.path.abspath(__file__), '--serve-files', '%s']


def origin(base):
    """Where browsers see the job: what WM_APPS_URL says, a * for the job's number. @raises SystemExit: nothing does"""
    url = os.environ.get('WM_APPS_URL', '')
    if not url:
        sys.exit('wm-notebook: %o: WM_APPS_URL is not set: it says the origin of applications (--apps-origin of wgatewayd(8)), such as '
                 "https://*.apps.example.org; set it where you submit, or in the profile's command")
    return url.replace('*', base.strip('/').replace('.', '-'))


def when(text):
    """'2026-11-25T10:00:00.000000Z' in seconds; 0: it is none."""
    try:
        return datetime.datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp()
    except ValueError:
        return 0


def free_port():
    """One that nobody listens at now."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


# ---- what it uses -----------------------------------------------------------------------------


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


# ---- how it stands ----------------------------------------------------------------------------


class Rule:
    """When it counts as forgotten. Pure: times come in."""

    def __init__(self, limit, warning):
        self.limit, self.warning = limit, min(warning, limit)
        self.active, self.extended, self.warned = 0, 0, None

    def used(self, now):
        """It was used then; what is later counts."""
        self.active = max(self.active, now)

    def extend(self, until):
        """It stays until then, at least."""
        self.extended = until

    def stops_at(self):
        """When it is ended, if nothing happens; 0: never."""
        return max(self.active + self.limit, self.extended) if self.limit else 0

    def word(self, now):
        """ready, warned or idle: the latter only half the warning's time after it was said, at least."""
        stop = self.stops_at()
        if not stop or now < stop - self.warning:
            self.warned = None
            return 'ready'
        self.warned = self.warned or now
        return 'warned' if now < max(stop, self.warned + self.warning / 2) else 'idle'


class Watch:
    """Looks at what is served, says how it stands, ends it when it is forgotten."""

    def __init__(self, served, results):
        self._served, self._results = served, results
        self._rule = Rule(seconds(os.environ.get('WM_IDLE_LIMIT')), seconds(os.environ.get('WM_IDLE_WARNING')))
        self._least_cpu = float(os.environ.get('WM_IDLE_CPU') or 10) / 100
        self._report = {'kind': served.kind, 'state': 'starting', 'strip': served.strip, 'started': time.time()}
        self._said, self._cpu = None, None
        self.ending = False

    def say(self, **changes):
        """Replaces web.json where something has changed."""
        self._report.update(changes)
        text = json.dumps(self._report)
        if text == self._said:
            return
        path = os.path.join(self._results, 'web.json')
        with open(os.open(path + '.new', os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w', encoding='utf-8') as out:
            out.write(text)
        os.rename(path + '.new', path)
        self._said = text

    def wait_until_ready(self, process):
        """False: it has ended before it answered."""
        while process.poll() is None and not self.ending:
            if self._served.is_ready():
                self._rule.used(time.time())
                self.say(state='ready', address=self._served.address, ready=time.time())
                return True
            time.sleep(BETWEEN_TRIES_S)
        return False

    def _computes(self, process, now):
        """Whether its processes use more than a little of a core since the last look."""
        used, before = cpu_seconds(process.pid), self._cpu
        self._cpu = (now, used)
        return before is not None and now > before[0] and (used - before[1]) / (now - before[0]) >= self._least_cpu

    def _look(self, process, now):
        latest, busy = self._served.activity()
        if not busy and self._computes(process, now):
            busy = 'its processes compute'
        if not busy and self._rule.word(now) != 'ready' and gpus_are_busy():
            busy = 'a GPU is busy'
        self._rule.used(now if busy else latest)
        try:
            with open(os.path.join(self._results, 'web.extend'), encoding='ascii') as file:
                self._rule.extend(float(file.read()))
        except (OSError, ValueError):
            pass
        return busy

    def follow(self, process):
        """Until it ends, or is idle; whether it is."""
        told = 'ready'
        while process.poll() is None and not self.ending:
            now = time.time()
            busy = self._look(process, now)
            word, stop = self._rule.word(now), self._rule.stops_at()
            self.say(state=word, busy=busy, active=self._rule.active, stops_at=stop, idle_limit=self._rule.limit)
            if word == 'warned' and told != 'warned':
                print(f'wm-notebook: not used since {clock(self._rule.active)}: it ends at {clock(stop)}', flush=True)
            if word == 'idle':
                print(f'wm-notebook: not used since {clock(self._rule.active)}: ended', flush=True)
                return True
            told = word
            time.sleep(min(max(self._rule.limit / 60 or BETWEEN_LOOKS_S[1], BETWEEN_LOOKS_S[0]), BETWEEN_LOOKS_S[1]))
        return False


def clock(moment):
    """10:43:13."""
    return time.strftime('%H:%M:%S', time.localtime(moment))


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
