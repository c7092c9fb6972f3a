"""Role: one private cluster on this machine, its folder and its daemons.

  DIR/cluster.json   what it is (block, flags, accounts)     DIR/conf   its configuration
  DIR/log DIR/state DIR/results                              DIR/run ─► short folder
  short folder: /dev/shm/wm.XXXXXX with run/ (sockets, pid files), munge/, hosts, web/ (see web.py)
  It is short because a socket path holds 107 bytes, whatever DIR is, and in memory as /run is on a
  real host; where there is no /dev/shm it is in /tmp.

  up: block → folders → munged → configuration → wmasterd → wnoded… → web door → all hosts ok
  down: hosts' processes, daemons, munged and with it the block, short folder; DIR/log and DIR/state stay
Callers: scripts/minicluster, scripts/demo.
"""

import contextlib
import grp
import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from . import address, configuration, processes, web
from .network import Network

UP_LIMIT_S = 60
NSS_WRAPPER = ('/usr/lib/x86_64-linux-gnu/libnss_wrapper.so', '/usr/lib/aarch64-linux-gnu/libnss_wrapper.so',
               '/usr/lib/libnss_wrapper.so')


class Failure(Exception):
    """Something a person has to read; the text says what and where."""


class Cluster:
    """A cluster in a folder; reads what `up` wrote there."""

    def __init__(self, folder, build):
        self.folder = os.path.realpath(folder)
        self.build = os.path.realpath(build)
        self.facts = {}
        with contextlib.suppress(FileNotFoundError), open(self.path('cluster.json'), encoding='utf-8') as kept:
            self.facts = json.load(kept)

    # ---- where things are ------------------------------------------------------------

    def path(self, *parts):
        """A path below DIR."""
        return os.path.join(self.folder, *parts)

    def short(self, *parts):
        """A path below the short folder."""
        return os.path.join(self.facts['short'], *parts)

    def is_up(self):
        """Whether its munged lives, which it does from up to down."""
        return bool(self.facts) and self._alive('munged')

    def nodes(self):
        """Names of its hosts."""
        return [f'node{k}' for k in range(1, self.facts['flags']['nodes'] + 1)]

    def need_up(self):
        """Refuses to go on without a cluster."""
        if not self.is_up():
            raise Failure(f'no cluster is up in {self.folder}')

    def exports(self):
        """Environment of its users: what `minicluster env` prints."""
        preload = [p for p in os.environ.get('LD_PRELOAD', '').split(':') if p and 'nss_wrapper' not in p]
        wrapper = next((p for p in NSS_WRAPPER if os.path.exists(p)), None)
        if not wrapper:
            raise Failure('libnss_wrapper.so is missing: run scripts/bootstrap')
        old = [p for p in os.environ.get('PATH', '').split(':') if not p.startswith(self.build)]
        shown = {
            'PATH': ':'.join([f'{self.build}/bin', f'{self.build}/sbin', *old]),
            'WM_CONF_DIR': self.path('conf'),
            'LSF_ENVDIR': self.path('conf'),
            'WM_CLUSTER_DIR': self.folder,
            'WM_BUILD_DIR': self.build,
            'LD_PRELOAD': ':'.join([wrapper, *preload]),
            'NSS_WRAPPER_HOSTS': self.short('hosts'),
        }
        if self._web():
            shown.update(self._web().exports())
        if 'address' in self._sanitizers():  # the wrapper is loaded before the sanitizer
            shown['ASAN_OPTIONS'] = 'verify_asan_link_order=0:detect_leaks=0'
        return shown

    def _sanitizers(self):
        """What its programs were built with, as the Makefile writes it down."""
        with contextlib.suppress(OSError), open(f'{self.build}/sanitizers', encoding='ascii') as kept:
            return kept.read()
        return ''

    # ---- up ----------------------------------------------------------------------------

    def up(self, flags):
        """Starts it; returns when every host is ok. On failure nothing is left running."""
        if self.is_up():
            raise Failure(f'a cluster is up in {self.folder} already')
        for name in ('wmasterd', 'wnoded'):
            if not os.access(f'{self.build}/sbin/{name}', os.X_OK):
                raise Failure(f'{self.build}/sbin/{name} is missing: run make')
        self.down()  # what a cluster that died here may have left
        try:
            self._prepare(flags)
            for name in ['wmasterd', *self.nodes()]:
                self._spawn(name)
            self._start_web()
            self._wait_until_ok()
        except BaseException:
            self.down()
            raise

    def _prepare(self, flags):
        if flags['multiuser'] and os.geteuid() != 0:
            raise Failure('--multiuser needs root: wnoded starts jobs as their owners')
        if flags.get('netns') and Network.why_not():
            raise Failure(Network.why_not())
        if flags.get('web') and web.why_not():
            raise Failure(web.why_not())
        os.makedirs(self.folder, exist_ok=True)
        block, claim = address.take()
        group_ports, ports_claim = address.take_group_ports()
        self.facts = {'flags': flags, 'short': tempfile.mkdtemp(prefix=_short_prefix(), dir=_memory_folder()),
                      'block': block, 'group_ports': group_ports, 'master_user': self._master_user(flags)}
        self._make_folders()
        self._save()  # from here on down() knows what to take away
        self._make_network()
        self._write_hosts()
        if self._web():
            self._web().prepare()
        self._start_munged([claim, ports_claim])
        configuration.generate(self.path('conf'), self._wm_conf(), self._net(), flags)
        self._write_lsf_conf()
        self._save()

    def _write_lsf_conf(self):
        """What programs written for LSF look for; without badmin, as some tests build, there is none."""
        badmin = f'{self.build}/bin/badmin'
        if os.access(badmin, os.X_OK):
            subprocess.run([badmin, 'lsfconf', self.path('conf')], env={**os.environ, 'WM_CONF_DIR': self.path('conf')},
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    def _web(self):
        """Its web door, None without --web."""
        if not self.facts['flags'].get('web'):
            return None
        return web.Web(self.facts['short'], self.path('log'), self.build, self.facts['block'], self.facts['flags']['multiuser'])

    def _start_web(self):
        for name in self._web().daemons() if self._web() else ():
            self._start_web_daemon(name)

    def _start_web_daemon(self, name):
        """Starts it; returns when it can be connected to."""
        process, deadline = self._spawn(name), time.monotonic() + UP_LIMIT_S
        while not self._web().is_answering(name):
            if process.poll() is not None or time.monotonic() > deadline:
                raise Failure(f'{name} did not start: {self._last_lines(name + ".out")}')
            time.sleep(0.01)

    def _network(self):
        """The namespaces of its hosts, None on plain loopback."""
        return Network(self.facts['block']) if self.facts['flags'].get('netns') else None

    def _net(self):
        """First three numbers of its addresses."""
        network = self._network()
        return network.net if network else self.facts['block']

    def _make_network(self):
        network = self._network()
        try:
            if network:
                network.up(self.facts['flags']['nodes'])
        except subprocess.CalledProcessError as problem:
            raise Failure(f'{" ".join(problem.cmd)}: {problem.stderr.strip()}') from None

    @staticmethod
    def _master_user(flags):
        if not flags['multiuser']:
            return pwd.getpwuid(os.geteuid()).pw_name
        with contextlib.suppress(KeyError):
            return pwd.getpwnam('wm').pw_name
        return 'nobody'

    def _make_folders(self):
        master = pwd.getpwnam(self.facts['master_user'])
        os.chmod(self.facts['short'], 0o755)
        shutil.rmtree(self.path('state'), ignore_errors=True)  # a new key could not read the old one's jobs
        for folder in ('conf', 'log', 'state', 'results', 'data'):
            os.makedirs(self.path(folder), exist_ok=True)
        for folder in ('run', 'munge', 'key'):
            os.makedirs(self.short(folder), exist_ok=True)
        os.chmod(self.short('key'), 0o700)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path('run'))
        os.symlink(self.short('run'), self.path('run'))
        if self.facts['flags']['multiuser']:
            os.chmod(self.folder, 0o755)
            os.chmod(self.path('results'), 0o1777)
            for folder in (self.path('state'), self.path('log'), self.short('run')):
                os.chown(folder, master.pw_uid, master.pw_gid)

    def _write_hosts(self):
        """Names of this cluster for nss_wrapper; localhost keeps meaning what it does."""
        with open(self.short('hosts'), 'w', encoding='ascii') as out:
            out.write('127.0.0.1 localhost\n')
            out.write(f'{self._master_address()} master\n')
            out.writelines(f'{self._net()}.{k} {node}\n' for k, node in enumerate(self.nodes(), 1))

    def _master_address(self):
        return f'{self._net()}.254'

    def _wm_conf(self):
        user = pwd.getpwuid(os.geteuid()).pw_name
        return {
            # A name of its own: where a shepherd was killed, everything on the machine that is marked
            # with its cluster, job and attempt is ended, and another cluster has a job 1, too.
            'cluster': {'cluster_name': f'mini-{self.facts["block"]}', 'admins': user},
            'master': {'master_host': self._master_address(), 'master_port': str(address.port_of(self.facts['block'])),
                       'master_user': self.facts['master_user'], 'host_user': user,
                       'munge_socket': self.short('munge', 'socket')},
            'paths': {'state_dir': self.path('state'), 'run_dir': self.short('run'), 'log_dir': self.path('log'),
                      'results_dir': self.path('results'), 'data_dir': os.environ.get('DATA_DIR') or self.path('data')},
            'limits': {'store_reserve': '1M', **self._group_ports()},
        }

    def _group_ports(self):
        ports = self.facts['group_ports']
        return {'group_ports': ports} if ports else {}

    def _start_munged(self, claims):
        """Starts it; it holds the claims to the block and to the ports of groups from now on. None: there is no such."""
        claims = [claim for claim in claims if claim]
        key = self.short('key', 'munge.key')
        with open(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400), 'wb') as out:
            out.write(secrets.token_bytes(128))
        with open(self.path('log', 'munged.out'), 'ab') as log:
            process = subprocess.Popen(
                ['/usr/sbin/munged', '--foreground', '--key-file', key, '--socket', self.short('munge', 'socket'),
                 '--pid-file', self.short('key', 'munged.pid'), '--log-file', self.short('key', 'munged.log'),
                 '--seed-file', self.short('key', 'munged.seed'), '--num-threads', '4'],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd='/', start_new_session=True,
                pass_fds=[claim.fileno() for claim in claims])
        for claim in claims:
            claim.close()
        self._remember('munged', process.pid)
        deadline = time.monotonic() + UP_LIMIT_S
        while not os.path.exists(self.short('munge', 'socket')):
            if process.poll() is not None or time.monotonic() > deadline:
                raise Failure(f'munged did not start: {self._last_lines("munged.out")}')
            time.sleep(0.01)

    def _wait_until_ok(self):
        """Asks bhosts until every host is ok, or a daemon is dead, or the limit is over."""
        deadline, said = time.monotonic() + UP_LIMIT_S, ''
        while time.monotonic() < deadline:
            for name in ['wmasterd', *self.nodes()]:
                if not self._alive(name):
                    raise Failure(f'{name} died: {self._last_lines(name + ".out")}')
            states, said = self._host_states()
            if [n for n in self.nodes() if states.get(n) != 'ok'] == []:
                return
            time.sleep(0.05)
        raise Failure(f'hosts not ok after {UP_LIMIT_S} s: {said}; logs in {self.path("log")}')

    def _host_states(self):
        try:
            asked = subprocess.run(['bhosts', '-json'], env={**os.environ, **self.exports()}, capture_output=True,
                                   text=True, timeout=5, check=False)
            records = json.loads(asked.stdout)['RECORDS']
        except (subprocess.TimeoutExpired, ValueError, KeyError) as problem:
            return {}, str(problem)
        return {r.get('HOST_NAME'): r.get('STATUS') for r in records}, asked.stdout

    # ---- its daemons -----------------------------------------------------------------

    def start(self, name):
        """Starts a daemon or one host; returns when it says that it is ready, as systemd would."""
        if self._web() and name in self._web().daemons():
            self._start_web_daemon(name)
            return
        if name == 'wuserd':
            raise Failure('wuserd is started by wgatewayd, at the next request')
        address_of_ready = self.short('run', f'{name}.ready')
        with contextlib.suppress(FileNotFoundError):
            os.unlink(address_of_ready)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as words:
            words.bind(address_of_ready)
            os.chmod(address_of_ready, 0o666)  # the master may have another account
            process = self._spawn(name, NOTIFY_SOCKET=address_of_ready)
            self._wait_until_ready(name, words, process)
        os.unlink(address_of_ready)

    def _wait_until_ready(self, name, words, process):
        """Until READY=1 comes, the process has ended, or the limit is over."""
        words.settimeout(0.05)
        deadline = time.monotonic() + UP_LIMIT_S
        while time.monotonic() < deadline:
            with contextlib.suppress(TimeoutError):
                if b'READY=1' in words.recv(4096):
                    return
            if process.poll() is not None:
                raise Failure(f'{name} died: {self._last_lines(name + ".out")}')
        raise Failure(f'{name} is not ready after {UP_LIMIT_S} s: {self._last_lines(name + ".out")}')

    def _spawn(self, name, **more):
        """Starts wmasterd or one host; says nothing of when it is ready. @errors it runs already"""
        if self._alive(name):
            raise Failure(f'{name} is running already')
        command, env = self._command(name)
        account = {}
        if name == 'wmasterd' and self.facts['flags']['multiuser']:
            master = pwd.getpwnam(self.facts['master_user'])
            account = {'user': master.pw_uid, 'group': master.pw_gid,
                       'extra_groups': [g.gr_gid for g in grp.getgrall() if master.pw_name in g.gr_mem]}
        if self._web():
            account = account or self._web().account(name)
        with open(self.path('log', f'{name}.out'), 'ab') as log:
            process = subprocess.Popen(command, env={**env, **more}, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       cwd='/', start_new_session=True, **account)
        self._remember(name, process.pid)
        return process

    def _command(self, name):
        env = {**os.environ, **self.exports()}
        if name == 'wmasterd':
            return [f'{self.build}/sbin/wmasterd', '--conf', self.path('conf'), '--foreground'], env
        if self._web() and name in self._web().daemons():
            command, more = self._web().command(name)
            return command, {**env, **more}
        if name not in self.nodes():
            raise Failure(f'{name} is neither wmasterd nor one of {" ".join(self.nodes())}')
        env['WM_NODE'] = name
        command = [f'{self.build}/sbin/wnoded', '--conf', self.path('conf'), '--name', name, '--foreground']
        network = self._network()
        if network:  # else as hosts.conf says
            command += ['--address', f'{self._net()}.{name[4:]}']
        return network.inside(int(name[4:]), name, self.short('hosts'), command) if network else command, env

    def kill(self, what, number):
        """wmasterd; nodeK with all that runs on it; task JOBID.K; shepherd JOBID@nodeK; of the web door one."""
        if what in (['wmasterd'], ['wgatewayd'], ['wlogind'], ['wgrpc']):
            pid, started = self._pid(what[0])
            self._signal(pid, started, number)
        elif what == ['nginx'] or what == ['wuserd']:
            self._kill_web(what[0], number)
        elif len(what) == 1 and what[0] in self.nodes():
            self._kill_host(what[0], number)
        elif len(what) == 2 and what[0] == 'task':
            self._signal_task(self._task(what[1]), number)
        elif len(what) == 2 and what[0] == 'shepherd':
            self._signal_one(self._shepherd(what[1]), number)
        elif len(what) == 2 and what[0] == 'wnoded':
            pid, started = self._pid(what[1])
            self._signal(pid, started, number)
        else:
            raise Failure(f'cannot kill "{" ".join(what)}": wmasterd, nodeK, wnoded nodeK, task JOBID.K, '
                          'shepherd JOBID@nodeK, nginx, wgatewayd, wgrpc, wlogind, wuserd')

    def _kill_web(self, name, number):
        """All processes of that program: nginx has workers, and writes over its own environment."""
        def find():
            if name == 'nginx':
                pid = self._pid(name)[0]
                return ({pid} if self._alive(name) else set()) | processes.descendants({pid})
            return {pid for pid in processes.of_cluster(self.folder, web.NODE)
                    if os.path.basename((processes.command_line(pid) or [''])[0]) == name}
        if not find():
            raise Failure(f'{name} does not run')
        processes.end(find, number)

    def _kill_host(self, node, number):
        left = processes.end(lambda: processes.of_cluster(self.folder, node), number)
        if left:
            raise Failure(f'{node}: still there after SIGKILL: {sorted(left)}')

    def _signal(self, pid, started, number):
        if processes.start_time(pid) != started:
            raise Failure(f'process {pid} is gone')
        processes.send(pid, number)
        if number == signal.SIGKILL:
            processes.gone(pid, started, 10)

    def _signal_one(self, pid, number):
        self._signal(pid, processes.start_time(pid), number)

    def _signal_task(self, pid, number):
        """A task that is to stand still does so with all of its session."""
        if number in (signal.SIGSTOP, signal.SIGCONT):
            os.killpg(pid, number)
        else:
            self._signal_one(pid, number)

    def _task(self, name):
        """Pid of a task's first process: the one that no other of the task is above."""
        job, _, task = name.partition('.')
        found = [p for p in processes.of_cluster(self.folder) if _is_task(processes.environment(p), job, task)]
        first = [p for p in found if processes.parent(p) not in found]
        if not first:
            raise Failure(f'no task {name} runs in this cluster')
        return min(first, key=processes.start_time)

    def _shepherd(self, name):
        """Pid of a job's shepherd on one host: it names itself `wshepherd JOB-INDEX.ATTEMPT NODE`."""
        job, _, node = name.partition('@')
        for pid in sorted(processes.of_cluster(self.folder, node)):
            words = processes.command_line(pid)
            if words[:1] == ['wshepherd'] and words[1:2] and words[1].split('-')[0] == job:
                return pid
        raise Failure(f'no shepherd of job {job} runs on {node}')

    def rekey(self):
        """munged with a new key, as after a site's change of it: what was signed before is not proven any more."""
        self._stop('munged', signal.SIGTERM)
        for name in (('key', 'munge.key'), ('munge', 'socket')):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.short(*name))
        self._start_munged([address.claim_again(self.facts['block']),
                            address.claim_group_ports(self.facts['group_ports'])])

    # ---- down --------------------------------------------------------------------------

    def down(self):
        """Ends everything of it; fine to call twice."""
        if not self.facts:
            return
        for name in [*(self._web().daemons() if self._web() else ()), 'wmasterd', *self.nodes()]:
            self._stop(name, signal.SIGKILL if name in self.nodes() else signal.SIGTERM)
        left = processes.end(lambda: processes.of_cluster(self.folder))
        self._stop('munged', signal.SIGTERM)
        network = self._network()
        if network:
            network.down(self.facts['flags']['nodes'])
        shutil.rmtree(self.facts['short'], ignore_errors=True)
        for name in ('run', 'cluster.json'):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path(name))
        self.facts = {}
        if left:
            raise Failure(f'still there after SIGKILL: {sorted(left)}')

    def _stop(self, name, number):
        pid, started = self._pid(name)
        if not pid or processes.start_time(pid) != started:
            return
        processes.send(pid, number)
        if not processes.gone(pid, started, 5):
            processes.send(pid, signal.SIGKILL)
            processes.gone(pid, started, 5)

    # ---- what it remembers ---------------------------------------------------------------

    def _remember(self, name, pid):
        with open(self.short('run', f'{name}.pid'), 'w', encoding='ascii') as out:
            out.write(f'{pid} {processes.start_time(pid)}\n')

    def _pid(self, name):
        """(pid, start time) of a daemon, (0, 0) when it was never started."""
        try:
            with open(self.short('run', f'{name}.pid'), encoding='ascii') as kept:
                pid, started = kept.read().split()
                return int(pid), int(started)
        except (OSError, ValueError):
            return 0, 0

    def _alive(self, name):
        pid, started = self._pid(name)
        return pid != 0 and processes.start_time(pid) == started

    def _save(self):
        with open(self.path('cluster.json'), 'w', encoding='utf-8') as out:
            json.dump(self.facts, out, indent=1)

    def _last_lines(self, log, count=15):
        with contextlib.suppress(OSError), open(self.path('log', log), encoding='utf-8', errors='replace') as lines:
            return '\n' + ''.join(lines.readlines()[-count:]).rstrip()
        return '(no log)'


def _short_prefix():
    """Of the short folder: with the tag of the tests that it belongs to, if to any."""
    tag = os.environ.get('WM_TEST_TAG')
    return f'wm.{tag}-' if tag else 'wm.'


def _memory_folder():
    return next(folder for folder in ('/dev/shm', '/tmp') if os.access(folder, os.W_OK | os.X_OK))


def _is_task(env, job, task):
    """Whether an environment is that of task number `task` of `job`."""
    return env.get('LSB_JOBID') == job and task in (env.get('WM_TASK'), '')
