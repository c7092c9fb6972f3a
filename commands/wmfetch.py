#!/usr/bin/python3 -I
"""wmfetch: brings data of a connection to a folder, before a job that needs it.

usage: wmfetch [--connections FILE] [--cache DIR] [--links DIR] [--link PATH] [--progress FILE] [--open] SOURCES
       wmfetch --local DIR [--for PID] SOURCES      prints the folder: for a task of its own
       wmfetch --drop DIR --for PID     that task is over: the last one's end removes DIR
       wmfetch --test NAME [--progress FILE]         can the connection be used?

SOURCES is a JSON list of {"connection", "path" | "query", "name"} and {"folder"}. Connections are sections of
~/.config/wm/connections.conf. Object stores and file servers are read by rclone, databases through
ODBC, a query becoming NAME.csv; MongoDB, Cassandra, Cloudant and Cognos by their own clients.
Complete or not at all: data appears under PATH at the end.
"""

import argparse
import hashlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time

from fetching import documents, folders
from fetching.connections import DATABASES, DOCUMENTS, Fetch, Refused, connection
from fetching.databases import database, query
from fetching.own_data import drop, is_own, prepare_local
from fetching.stores import copy, listing, rclone, rclone_environment

UNUSED_KEPT_S, UNFOUND_KEPT_S = 30 * 86400, 86400


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


def version(sources):
    """Names what there is now: equal sources of equal versions are fetched once. None: not known."""
    seen = []
    for source in sources:
        if 'folder' in source:
            seen.append([source, folders.listing(source['folder'])])
            continue
        keys = connection(source['connection'])
        if keys['type'] in (*DATABASES, *DOCUMENTS):
            return None, 0
        files = listing(rclone_environment(keys), source['path'])
        seen.append([source, files])
    total = sum(size for _, files in seen for _, size, *_ in files)
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()[:32], total


def ask(keys, source, folder, progress):
    """Documents, rows or a report as NAME.jsonl or NAME.csv."""
    if 'query' not in source:
        raise Refused(f'connection {source["connection"]}: a query is wanted, no path')
    before = progress.state.get('before', 0)
    server = documents.KINDS[keys['type']](keys)
    server.bring(source, os.path.join(folder, source['name']), lambda written: progress.tell(bytes=before + written))


def fetch(sources, folder, progress):
    """Brings all sources below `folder`."""
    for source in sources:
        progress.tell(before=progress.state['bytes'])
        if 'folder' in source:
            folders.copy(source['folder'], folder, progress)
            continue
        keys = connection(source['connection'])
        if keys['type'] in DATABASES:
            query(keys, source, folder, progress)
        elif keys['type'] in DOCUMENTS:
            ask(keys, source, folder, progress)
        else:
            copy(rclone_environment(keys), source, folder, progress)


def linked(top):
    """The folders that the links in `top` lead to: an execution has its data there until it is deleted."""
    with os.scandir(top) as entries:
        return {os.path.realpath(entry.path) for entry in entries if entry.is_symlink()}


def prune(cache, links):
    """Removes what no link in `links` leads to and nobody has asked for in a month; rows of a query, which nobody finds again, in a day."""
    used = linked(links)
    with os.scandir(cache) as entries:
        for entry in entries:
            limit = UNFOUND_KEPT_S if entry.name.startswith('q') else UNUSED_KEPT_S
            if entry.is_dir(follow_symlinks=False) and os.path.realpath(entry.path) not in used \
                    and time.time() - entry.stat(follow_symlinks=False).st_mtime > limit:
                shutil.rmtree(entry.path, ignore_errors=True)


def cached(sources, cache, progress, is_open=False):
    """The folder with the data, from before or fetched now, for others to read if so. What failed leaves nothing."""
    name, total = version(sources)
    os.makedirs(cache, mode=0o755 if is_open else 0o700, exist_ok=True)
    if not is_own(cache):  # on a volume others may have made it, to give us their data
        raise Refused(f'{cache}: it is not a folder of yours alone')
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
        if is_open:
            opened(draft)
        os.replace(draft, whole)
    except OSError as problem:
        if not os.path.isdir(whole):  # somebody else was as fast
            raise Refused(f'{cache}: {problem.strerror}') from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return whole


def opened(folder):
    """Lets whoever comes through the folders above read all of it."""
    for top, _, files in os.walk(folder):
        os.chmod(top, 0o755)
        for name in files:
            path = os.path.join(top, name)
            if not os.path.islink(path):
                os.chmod(path, 0o644)


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
    elif keys['type'] in DOCUMENTS:
        documents.KINDS[keys['type']](keys).test()
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
    if options.open:
        os.umask(0o022)
    progress = Progress(options.progress)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # leaves no draft

    def bring():
        if options.cache and os.path.isdir(options.cache):
            prune(options.cache, options.links or os.path.dirname(os.path.abspath(options.cache)))
        whole = cached(sources, options.local or options.cache, progress, options.open)
        if options.link:
            link(options.link, whole)
        return whole

    print(told(progress, bring))
    return None


def main():
    """Reads options."""
    parser = argparse.ArgumentParser(prog='wmfetch', usage=__doc__, add_help=True)
    for name in ('--connections', '--cache', '--local', '--links', '--link', '--progress', '--test', '--drop'):
        parser.add_argument(name)
    parser.add_argument('--open', action='store_true')
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
