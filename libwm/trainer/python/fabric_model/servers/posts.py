"""Role: server tasks: a job's group called `ps`, which the scheduler places by its own request. Each task of it runs the script as far as
train(), and from then on is a post: it starts server processes on its host where the workers ask for them.

  RESULT_DIR of the workers/servers/key       the job's key, written by the workers, for its owner alone
                                   /<task>    {"address": …, "of": …}: where a post is, and how many there are to be; written by the post

  worker ──{"do": "start", "number": n}──► post ──► nursery ──fork──► server        both prove the key first, as everywhere (proof.py)

Servers have the key from that file, not over the connection. A post that is lost takes its servers along; they are restored elsewhere at
the next epoch, as those of a worker are. Where there is no post, or one alone, servers run beside workers too (places.seats).
"""

import contextlib
import glob
import json
import os
import socket
import stat
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from ..communicator import host_address
from . import wire
from .nursery import Nursery
from .server import Answered, ask
from .tasks import GROUP, wanted

_FIRST_S = 60.0    # for the first post, which begins when the workers run
_OTHERS_S = 15.0   # for the others behind it
_LOOK_S = 5.0      # for one to answer
_POLL_S = 0.2
_KEY = 32          # bytes


def write_key(folder, key):
    """@errors OSError"""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if read_key(folder) != key:
        _write(os.path.join(folder, 'key'), key)


def read_key(folder):
    """None: there is none, or others could have written or read it."""
    with contextlib.suppress(OSError):
        with open(os.path.join(folder, 'key'), 'rb') as file:
            found = os.fstat(file.fileno())
            key = file.read(_KEY + 1)
        if found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077 and len(key) == _KEY:
            return key
    return None


def _write(path, words):
    """Whole or not at all, for the owner alone."""
    temporary = f'{path}.{os.getpid()}'
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'wb') as file:
        file.write(words)
    os.replace(temporary, path)


# ---- the post -----------------------------------------------------------------------------------


class Post:
    """@thread one for each connection"""

    def __init__(self, nursery, find_folder):
        """`find_folder`: function that gives the workers' folder, None while there is none."""
        self._nursery, self._find, self._lock = nursery, find_folder, threading.Lock()
        self._listener = socket.create_server((host_address(), 0), backlog=16)
        self.address = f'{host_address()}:{self._listener.getsockname()[1]}'

    def announce(self, task, of):
        """Waits for the workers' key, then says where it is. @errors OSError"""
        while not (self._find() and read_key(self._find())):
            time.sleep(_POLL_S)
        _write(os.path.join(self._find(), str(task)), json.dumps({'address': self.address, 'of': of}).encode())

    def serve(self):
        """For ever."""
        while True:
            link, _ = self._listener.accept()
            threading.Thread(target=self._converse, args=(link,), name='wm-post', daemon=True).start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _converse(self, link):
        key = read_key(self._find())  # of this attempt's workers
        with link, contextlib.suppress(OSError):
            talk = wire.admit(link, key, self.address)
            while True:
                head = talk.head()
                talk.skip(head['bytes'])
                talk.say(self._answer(head, key))

    def _answer(self, head, key):
        try:
            with self._lock:
                if head.get('do') == 'start':
                    address, pid = self._nursery.start(int(head['number']), host_address(), key)
                    return {'address': address, 'pid': pid}
                if head.get('do') == 'end':
                    self._nursery.end(int(head['pid']))
                    return {}
            return {} if head.get('do') == 'here' else {'error': f"nothing is known of '{head.get('do')}'", 'kind': 'refused'}
        except (OSError, KeyError, TypeError, ValueError) as error:
            return {'error': f'{type(error).__name__}: {error}', 'kind': 'refused'}


def _found(results):
    """The workers' folder, among those of the job's groups beside `results`: JOB.2 is this group's, JOB.1 may be theirs."""
    job = os.path.basename(results).rpartition('.')[0]
    folders = glob.glob(os.path.join(glob.escape(os.path.dirname(results)), glob.escape(job) + '.*', 'servers'))
    return max((one for one in folders if read_key(one)), key=os.path.getmtime, default=None)


def serve(blueprint):
    """This process is a post until its job ends it. Never returns."""
    nursery = Nursery(blueprint)  # forked before there is any thread
    results = os.environ['RESULT_DIR']
    post = Post(nursery, lambda: _found(results))
    threading.Thread(target=post.announce, args=(os.environ.get('WM_TASK', '0'), wanted()), daemon=True).start()
    print(f'task {os.environ.get("WM_TASK", "0")} of group {GROUP} is for parameter servers, at {post.address}', flush=True)
    try:
        post.serve()
    finally:
        sys.stdout.flush()
        os._exit(1)


# ---- the workers' side --------------------------------------------------------------------------


class Posts:
    """The posts of a job, as the member that arranges servers sees them. @thread the training thread"""

    def __init__(self, folder):
        self._folder, self._silent = folder, set()
        self._addresses = {}  # by name

    def look(self, key, waits=False, dead=lambda: False):
        """Names of those that are there, in order. `waits`: for all that there are to be, but not while `dead()`.
        @errors OSError: the folder cannot be written"""
        write_key(self._folder, key)
        begun, first = time.monotonic(), None
        while True:
            told = self._told()
            there = self._answering(told, key)
            now = time.monotonic()
            first = first or (now if there else None)
            enough = there and len(there) >= max(told[name]['of'] for name in there)
            late = now - begun > _FIRST_S if first is None else now - first > _OTHERS_S
            if not waits or enough or late or dead():
                break
            time.sleep(_POLL_S)
        self._addresses = {name: told[name]['address'] for name in there}
        return sorted(there)

    def _told(self):
        """What posts have written. @shape {name: {address, of}}"""
        found = {}
        for path in glob.glob(os.path.join(glob.escape(self._folder), '[0-9]*')):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                with open(path, encoding='utf-8') as file:
                    words = json.load(file)
                found[f'{GROUP}{int(os.path.basename(path))}'] = {'address': str(words['address']), 'of': int(words['of'])}
        return found

    def _answering(self, told, key):
        """Of those that may be; one that did not answer is not asked again."""
        asked = {name: words['address'] for name, words in told.items() if words['address'] not in self._silent}
        if not asked:
            return []
        with ThreadPoolExecutor(len(asked)) as threads:
            answers = list(threads.map(lambda address: self._is_there(address, key), asked.values()))
        self._silent |= {address for address, answer in zip(asked.values(), answers) if not answer}
        return [name for name, answer in zip(asked, answers) if answer]

    @staticmethod
    def _is_there(address, key):
        try:
            _ask(address, key, {'do': 'here'})
            return True
        except (wire.Gone, Answered):
            return False

    def start(self, name, number, key):
        """Server process `number`, at that post. Returns (address, pid). @errors OSError: it cannot be started; the post is not asked again"""
        try:
            answer = _ask(self._addresses[name], key, {'do': 'start', 'number': number}, wire.LIMIT_S)
            return answer['address'], answer['pid']
        except (wire.Gone, Answered) as error:
            self._silent.add(self._addresses[name])
            raise OSError(f'parameter server {number} at {name}: {error}') from None

    def end(self, name, pid, key):
        """Ends one that it has started, if both are there."""
        with contextlib.suppress(wire.Gone, Answered):
            if name in self._addresses:
                _ask(self._addresses[name], key, {'do': 'end', 'pid': pid})


def _ask(address, key, head, limit_s=_LOOK_S):
    talk = wire.connect(address, key, limit_s=limit_s)
    try:
        return ask(talk, head)[0]
    finally:
        talk.close()
