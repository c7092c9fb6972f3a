#!/usr/bin/python3 -I
"""wmfetch: brings data of a connection to a folder, before a job that needs it.

usage: wmfetch [--connections FILE] [--cache DIR] [--link PATH] [--progress FILE] SOURCES
       wmfetch --local DIR [--for PID] SOURCES      prints the folder: for a task of its own
       wmfetch --drop DIR --for PID     that task is over: the last one's end removes DIR
       wmfetch --test NAME [--progress FILE]         can the connection be used?

SOURCES is a JSON list of {"connection", "path" | "query", "name"}. Connections are sections of
~/.config/wm/connections.conf. Object stores and file servers are read by rclone, databases through
ODBC, a query becoming NAME.csv. Complete or not at all: data appears under PATH at the end.
"""

import argparse
import configparser
import contextlib
import csv
import ctypes
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

# Ours → rclone's backend, with what it needs to be told.
STORES = {'s3': ('s3', {'provider': 'Other'}), 'cos': ('s3', {'provider': 'IBMCOS'}), 'azureblob': ('azureblob', {}),
          'adls': ('azureblob', {}), 'azurefiles': ('smb', {}), 'smb': ('smb', {}), 'webdav': ('webdav', {'vendor': 'other'}),
          'sftp': ('sftp', {}), 'ftp': ('ftp', {}), 'http': ('http', {}), 'gcs': ('google cloud storage', {})}
OBSCURED = {'pass'}  # what rclone wants to be given scrambled
# Ours → driver's name as Debian's or the vendor's package registers it.
DATABASES = {'postgresql': 'PostgreSQL Unicode', 'mysql': 'MariaDB Unicode', 'mariadb': 'MariaDB Unicode',
             'singlestore': 'MariaDB Unicode', 'sqlserver': 'ODBC Driver 18 for SQL Server', 'db2': 'IBM DB2 ODBC DRIVER',
             'db2zos': 'IBM DB2 ODBC DRIVER', 'db2warehouse': 'IBM DB2 ODBC DRIVER', 'oracle': 'Oracle ODBC driver',
             'netezza': 'NetezzaSQL', 'teradata': 'Teradata Database ODBC Driver', 'snowflake': 'SnowflakeDSIIDriver',
             'hive': 'Hortonworks Hive ODBC Driver', 'odbc': ''}
# The keys of each type, as libwm/rest/data_sources.cc has them: what else rclone and drivers know runs programs, reads files or takes the
# host's own credentials.
SERVER = 'host server port database user password'
S3 = 'endpoint region location_constraint access_key_id secret_access_key session_token force_path_style v2_auth bucket'
AZURE = 'account key sas_url endpoint tenant client_id client_secret bucket'
DB2 = SERVER + ' driver Protocol Security'
KEYS = {'s3': 'provider ' + S3, 'cos': S3, 'azureblob': AZURE, 'adls': AZURE, 'azurefiles': 'host port user pass domain bucket',
        'smb': 'host port user pass domain bucket', 'webdav': 'url user pass vendor bearer_token bucket',
        'sftp': 'host port user pass key_pem key_file known_hosts_file bucket', 'ftp': 'host port user pass tls explicit_tls bucket',
        'http': 'url bucket', 'gcs': 'project_number service_account_credentials service_account_file location anonymous bucket',
        'postgresql': SERVER + ' SSLmode', 'mysql': SERVER, 'mariadb': SERVER, 'singlestore': SERVER,
        'sqlserver': SERVER + ' driver Encrypt TrustServerCertificate', 'db2': DB2, 'db2zos': DB2, 'db2warehouse': DB2,
        'oracle': SERVER + ' driver DBQ', 'netezza': SERVER + ' driver', 'teradata': SERVER + ' driver DBCName',
        'snowflake': SERVER + ' driver Warehouse Schema Role', 'hive': SERVER + ' driver AuthMech SSL Schema', 'odbc': SERVER + ' driver Schema'}
RETRIES = ['--retries', '2', '--low-level-retries', '3', '--contimeout', '10s', '--timeout', '60s']
ROWS = 2000
UNUSED_KEPT_S, UNFOUND_KEPT_S = 30 * 86400, 86400


class Fetch:  # pylint: disable=too-few-public-methods
    """What holds for all of it."""

    connections = os.path.expanduser('~/.config/wm/connections.conf')


class Refused(Exception):
    """Something a person has to read."""


def connection(name):
    """The keys of a connection."""
    file = configparser.RawConfigParser(delimiters=('=',), comment_prefixes=('#',))
    file.optionxform = str
    file.read(Fetch.connections, encoding='utf-8')
    if not file.has_section(name):
        raise Refused(f'connection {name} does not exist')
    keys = dict(file.items(name))
    kind = keys.get('type', '')
    if kind not in STORES and kind not in DATABASES:
        raise Refused(f'connection {name}: type {kind!r}: one of {" ".join([*STORES, *DATABASES])} is wanted')
    for key in keys:
        if key not in ('type', *KEYS[kind].split()):
            raise Refused(f'connection {name}: {key}: not a key of {kind}, which has {KEYS[kind]}')
    return keys


class Progress:
    """How far it is, told to a file that pages read, at most once a second."""

    def __init__(self, path):
        self._path, self._told, self.state = path, 0, {'bytes': 0, 'total': 0, 'state': 'running', 'error': ''}

    def tell(self, now=False, **more):
        """Takes what is new and writes it, if it is time."""
        self.state.update(more)
        if not self._path or (not now and time.monotonic() - self._told < 1):
            return
        self._told = time.monotonic()
        with open(self._path + '.new', 'w', encoding='utf-8') as out:
            json.dump(self.state, out)
        os.replace(self._path + '.new', self._path)


# ---- object stores and file servers, by rclone ----------------------------------------------------


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


# ---- databases, through ODBC ----------------------------------------------------------------------


def plain(problem):
    """What the driver says, on one line."""
    return ' '.join(str(problem.args[-1]).split())


def odbc_value(text):
    """As a connection string holds it."""
    return text if not set(text) & set(';{}') and text == text.strip() else '{' + text.replace('}', '}}') + '}'


def database(keys):
    """A conversation with it."""
    try:
        import pyodbc  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise Refused('python3-pyodbc is not installed on this host') from None
    driver = keys.get('driver') or DATABASES[keys['type']]
    if driver not in pyodbc.drivers():  # a path would load any file as one
        raise Refused(f'ODBC driver {driver!r} is not installed on this host (there are: {", ".join(pyodbc.drivers()) or "none"})')
    names = {'server': 'SERVER', 'host': 'SERVER', 'port': 'PORT', 'database': 'DATABASE', 'user': 'UID', 'password': 'PWD'}
    words = [f'DRIVER={{{driver}}}'] + [f'{names.get(k, k)}={odbc_value(v)}' for k, v in keys.items() if k not in ('type', 'driver')]
    try:
        return pyodbc.connect(';'.join(words), timeout=15, readonly=True)
    except pyodbc.Error as problem:
        raise Refused(plain(problem)) from None


def query(keys, source, folder, progress):
    """Its rows as NAME.csv."""
    with database(keys) as server:
        rows = server.cursor()
        try:
            rows.execute(source['query'])
        except Exception as problem:
            raise Refused(plain(problem)) from None
        path = os.path.join(folder, f'{source["name"]}.csv')
        with open(path, 'w', newline='', encoding='utf-8') as out:
            table = csv.writer(out)
            table.writerow([column[0] for column in rows.description or []])
            while block := rows.fetchmany(ROWS):
                table.writerows(block)
                progress.tell(bytes=progress.state.get('before', 0) + out.tell())


# ---- all of it ------------------------------------------------------------------------------------


def version(sources):
    """Names what there is now: equal sources of equal versions are fetched once. None: not known."""
    seen = []
    for source in sources:
        keys = connection(source['connection'])
        if keys['type'] in DATABASES:
            return None, 0
        files = listing(rclone_environment(keys), source['path'])
        seen.append([source, files])
    total = sum(size for _, files in seen for _, size, *_ in files)
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()[:32], total


def fetch(sources, folder, progress):
    """Brings all sources below `folder`."""
    for source in sources:
        keys = connection(source['connection'])
        progress.tell(before=progress.state['bytes'])
        if keys['type'] in DATABASES:
            query(keys, source, folder, progress)
        else:
            copy(rclone_environment(keys), source, folder, progress)


def linked(top):
    """The folders that the links in `top` lead to: an execution has its data there until it is deleted."""
    with os.scandir(top) as entries:
        return {os.path.realpath(entry.path) for entry in entries if entry.is_symlink()}


def prune(cache):
    """Removes what no execution leads to any more and nobody has asked for in a month; rows of a query, which nobody finds again, in a day."""
    used = linked(os.path.dirname(os.path.abspath(cache)))
    with os.scandir(cache) as entries:
        for entry in entries:
            limit = UNFOUND_KEPT_S if entry.name.startswith('q') else UNUSED_KEPT_S
            if entry.is_dir(follow_symlinks=False) and os.path.realpath(entry.path) not in used \
                    and time.time() - entry.stat(follow_symlinks=False).st_mtime > limit:
                shutil.rmtree(entry.path, ignore_errors=True)


def cached(sources, cache, progress):
    """The folder with the data, from before or fetched now. What failed leaves nothing."""
    name, total = version(sources)
    os.makedirs(cache, mode=0o700, exist_ok=True)
    whole = os.path.join(cache, name or f'q{os.getpid()}-{time.time_ns():x}')
    progress.tell(now=True, total=total)
    if name and os.path.isdir(whole):
        os.utime(whole)
        progress.tell(bytes=total, cached=True)
        return whole
    room = shutil.disk_usage(cache).free
    if total > room:
        raise Refused(f'{cache}: {total} bytes are wanted and {room} are free')
    draft = tempfile.mkdtemp(prefix='.draft-', dir=cache)
    try:
        fetch(sources, draft, progress)
        os.replace(draft, whole)
    except OSError as problem:
        if not os.path.isdir(whole):  # somebody else was as fast
            raise Refused(f'{cache}: {problem.strerror}') from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return whole


def link(path, target):
    """Lets `path` lead to the data."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
    if os.path.lexists(path + '.new'):
        os.unlink(path + '.new')
    os.symlink(os.path.abspath(target), path + '.new')
    os.replace(path + '.new', path)


# ---- data of a job's own, on the host ---------------------------------------------------------------

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


def test(name):
    """One question to the server, as whoever asks."""
    keys = connection(name)
    if keys['type'] in DATABASES:
        database(keys).close()
    else:
        rclone(rclone_environment(keys), 'lsjson', '--max-depth', '1', f'wm:{keys.get("bucket", "")}')
    print(f'connection {name} can be used')


def told(progress, work):
    """What `work` returns; how it ended is in the progress."""
    try:
        result = work()
        progress.tell(now=True, state='done')
        return result
    except BaseException as problem:
        progress.tell(now=True, state='failed', error=str(problem) if isinstance(problem, Refused) else 'stopped')
        raise


def sources_in(text):
    """The list that SOURCES is. @errors Refused: it is none"""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(source, dict) for source in found):
        raise Refused('SOURCES: a JSON list of objects is wanted')
    return found


def run(options):
    """Does what was asked for."""
    if options.test:
        return told(Progress(options.progress), lambda: test(options.test))
    if options.drop:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):  # the task was told to end, and this is its end
            signal.signal(number, signal.SIG_IGN)
        return drop(os.path.abspath(options.drop), options.task)
    sources = sources_in(options.sources)
    if options.local and options.task is not None:
        prepare_local(options.local, options.task)
    progress = Progress(options.progress)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # leaves no draft

    def bring():
        if options.cache and os.path.isdir(options.cache):
            prune(options.cache)
        whole = cached(sources, options.local or options.cache, progress)
        if options.link:
            link(options.link, whole)
        return whole

    print(told(progress, bring))
    return None


def main():
    """Reads options."""
    parser = argparse.ArgumentParser(prog='wmfetch', usage=__doc__, add_help=True)
    for name in ('--connections', '--cache', '--local', '--link', '--progress', '--test', '--drop'):
        parser.add_argument(name)
    parser.add_argument('--for', dest='task', type=int)
    parser.add_argument('sources', nargs='?')
    options = parser.parse_args()
    if options.drop and options.task is None:
        parser.error('--drop: --for is wanted')
    if not options.test and not options.drop and not (options.sources and (options.cache or options.local)):
        parser.error('SOURCES, and --cache or --local, are wanted')
    Fetch.connections = options.connections or Fetch.connections
    try:
        run(options)
    except (Refused, ValueError, KeyError) as problem:
        print(f'wmfetch: {problem}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
