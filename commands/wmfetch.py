#!/usr/bin/python3 -I
"""wmfetch: brings data of a connection to a folder, before a job that needs it.

usage: wmfetch [--connections FILE] [--cache DIR] [--link PATH] [--progress FILE] SOURCES
       wmfetch --local DIR SOURCES      prints the folder: for a task of its own
       wmfetch --test NAME              can the connection be used?

SOURCES is a JSON list of {"connection", "path" | "query", "name"}. Connections are sections of
~/.config/wm/connections.conf. Object stores and file servers are read by rclone, databases through
ODBC, a query becoming NAME.csv. Complete or not at all: data appears under PATH at the end.
"""

import argparse
import configparser
import csv
import hashlib
import json
import os
import re
import shutil
import signal
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
RETRIES = ['--retries', '2', '--low-level-retries', '3', '--contimeout', '10s', '--timeout', '60s']
ROWS = 2000


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
    backend, own = STORES[keys['type']]
    # What else the environment says of such servers is not this connection's.
    others = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'AZURE_', 'RCLONE_'))}
    env = {**others, 'RCLONE_CONFIG': '/dev/null', 'RCLONE_CONFIG_WM_TYPE': backend}
    for name, value in {**own, **{k: v for k, v in keys.items() if k != 'type'}}.items():
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


def rclone(env, *words):
    """Its output. Refuses with its reason."""
    if not shutil.which('rclone'):
        raise Refused('rclone is not installed on this host')
    done = subprocess.run(['rclone', *words, *RETRIES], env=env, capture_output=True, text=True, check=False)
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
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as running:
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
    if driver not in pyodbc.drivers() and not driver.startswith('/'):
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


def cached(sources, cache, progress):
    """The folder with the data, from before or fetched now. What failed leaves nothing."""
    name, total = version(sources)
    os.makedirs(cache, mode=0o700, exist_ok=True)
    whole = os.path.join(cache, name or f'q{os.getpid()}-{time.time_ns():x}')
    progress.tell(now=True, total=total)
    if name and os.path.isdir(whole):
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


def test(name):
    """One question to the server, as whoever asks."""
    keys = connection(name)
    if keys['type'] in DATABASES:
        database(keys).close()
    else:
        rclone(rclone_environment(keys), 'lsjson', '--max-depth', '1', f'wm:{keys.get("bucket", "")}')
    print(f'connection {name} can be used')


def run(options):
    """Does what was asked for."""
    if options.test:
        return test(options.test)
    sources = json.loads(options.sources)
    progress = Progress(options.progress)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # leaves no draft
    try:
        whole = cached(sources, options.local or options.cache, progress)
        if options.link:
            link(options.link, whole)
        progress.tell(now=True, state='done')
        print(whole)
    except BaseException as problem:
        progress.tell(now=True, state='failed', error=str(problem) if isinstance(problem, Refused) else 'stopped')
        raise
    return None


def main():
    """Reads options."""
    parser = argparse.ArgumentParser(prog='wmfetch', usage=__doc__, add_help=True)
    for name in ('--connections', '--cache', '--local', '--link', '--progress', '--test'):
        parser.add_argument(name)
    parser.add_argument('sources', nargs='?')
    options = parser.parse_args()
    if not options.test and not (options.sources and (options.cache or options.local)):
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
