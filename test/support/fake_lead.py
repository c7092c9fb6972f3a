"""Role: an agent and a lead in one, for tests of the trainer with real worker processes and
nothing else: speaks link 2 of libwm/elastic/PROTOCOL.md over a unix socket, starts workers, hands
out plans as told, forms emergency epochs by itself when a worker dies.

Invariant: one thread runs everything; run_until() is the only place that waits.
"""

import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time

HELLO, READY, CONNECTED, FAILED, SWITCHED, FAULTED, PROGRESS, LEFT, DONE = range(1, 10)
PLAN, WITHDRAWN, BROKEN, LEAVE, STAND, CHECKPOINT = range(1, 7)
KEY, TRAININGS = 340, 360


def _varint(value):
    out = bytearray()
    while True:
        out.append(value & 0x7f | (0x80 if value > 0x7f else 0))
        value >>= 7
        if not value:
            return bytes(out)


def _field(tag, value):
    if isinstance(value, (int, bool)):
        return _varint(tag << 3) + _varint(int(value)) if value else b''
    if isinstance(value, list):
        value = b''.join(_varint(v) for v in value)
    value = value.encode() if isinstance(value, str) else value
    return _varint(tag << 3 | 2) + _varint(len(value)) + value


def _read_varint(text, at):
    value = shift = 0
    while True:
        byte = text[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def decode(text):
    """Fields of a message: {tag: number or bytes}."""
    found, at = {}, 0
    while at < len(text):
        key, at = _read_varint(text, at)
        if key & 7 == 0:
            found[key >> 3], at = _read_varint(text, at)
        elif key & 7 == 1:
            found[key >> 3], at = text[at:at + 8], at + 8
        else:
            size, at = _read_varint(text, at)
            found[key >> 3], at = text[at:at + size], at + size
    return found


class Worker:
    """What is known of one task."""

    def __init__(self, task, process):
        self.task, self.process = task, process
        self.death = os.pidfd_open(process.pid)
        self.link, self.input = None, b''
        self.rendezvous, self.epoch, self.connected, self.faulted = '', 0, 0, 0
        self.step, self.progress_step, self.pauses = 0, 0, []  # (epoch, ms)
        self.noise = None  # as last reported
        self.trainings = 0  # of its program, before the one that it is in
        self.left = self.done = self.gone = False

    @property
    def alive(self):
        return not (self.left or self.done or self.gone)


class FakeLead:
    """Starts workers of `command` and leads them. `base` is a folder of the test's own."""

    LIMIT_S = 120

    def __init__(self, base, command, environment):
        self.base, self.command, self.environment = base, command, environment
        self.path = os.path.join(base, 'elastic.sock')
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen(16)
        self.workers, self._unknown = {}, []
        self.members, self.epoch, self.planned = [], 0, 0
        self._plan_members, self._broken = None, False
        self.trainings = 0
        self._emergency = 0  # the newest epoch that was formed because one before it broke
        self.heard = []  # (task, kind) of everything but progress

    # ---- what a test does ------------------------------------------------------------

    def start(self, task, **environment):
        """Starts one worker."""
        log = os.path.join(self.base, 'log', str(task))
        os.makedirs(log, exist_ok=True)
        env = {**os.environ, **self.environment, **environment, 'WM_TASK': str(task),
               'WM_ELASTIC_SOCKET': self.path, 'LOG_DIR': log, 'RESULT_DIR': self.base}
        with open(os.path.join(log, 'out'), 'ab') as out:
            # A runner in the background ignores SIGINT, and so would the worker.
            process = subprocess.Popen(self.command, env=env, stdout=out, stderr=out,
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.workers[task] = Worker(task, process)

    def plan(self, members, emergency=False, reason='test'):
        """Hands out the next epoch with these members in this order of ranks."""
        self.planned += 1
        self._emergency = self.planned if emergency else self._emergency
        survivors = len([m for m in members if m in self.members])
        self._plan_members = members
        body = (_field(1, self.planned) + _field(2, 1) + _field(3, members) +
                _field(4, self.workers[members[0]].rendezvous) + _field(5, emergency) +
                _field(6, reason) + _field(7, survivors))
        for task in dict.fromkeys(self.members + members):
            self.tell(task, PLAN, body)
        return self.planned

    def tell(self, task, kind, body):
        worker = self.workers[task]
        if worker.link and worker.alive:
            words = _field(kind, body)
            try:
                worker.link.sendall(len(words).to_bytes(4, 'little') + words)
            except OSError:
                pass  # it has just ended

    def withdraw(self, epoch):
        for task in self.workers:
            self.tell(task, WITHDRAWN, _field(1, epoch) + _field(2, 'test'))

    def formed(self, epoch=None):
        """Whether all members of the newest (or of this) epoch have switched to it."""
        epoch = epoch or self.planned
        return self.epoch >= epoch

    def run_until(self, condition, limit_s=None, what=''):
        """Serves the workers until `condition()`, for LIMIT_S where nothing else is said. Time in which a worker that could run got no
        CPU does not count, up to ten times the limit: other work on the machine is no fault of
        theirs. @errors AssertionError: limit passed"""
        limit_s = limit_s or self.LIMIT_S
        began, starved, waits = time.monotonic(), 0.0, {}
        while not condition():
            starved += self._starved_s(waits)
            passed = time.monotonic() - began
            if passed - starved > limit_s or passed > 10 * limit_s:
                self._dump_stacks()
                raise AssertionError(f'not within {limit_s} s: {what or condition}; heard '
                                     f'{self.heard[-20:]}; {self.outputs()}')
            self._serve(0.02)

    def _starved_s(self, waits):
        """Longest that any worker has waited for a CPU since the last call. `waits`: by task."""
        longest = 0
        for task, worker in self.workers.items():
            now = cpu_wait_ns(worker.process.pid)
            longest = max(longest, now - waits.get(task, now))
            waits[task] = now
        return longest / 1e9

    def _dump_stacks(self):
        for worker in self.workers.values():
            if worker.process.poll() is None:
                worker.process.send_signal(signal.SIGUSR1)
        time.sleep(0.3)

    def outputs(self):
        """The last lines of every worker, for a failing test's message."""
        texts = []
        for task in self.workers:
            with open(os.path.join(self.base, 'log', str(task), 'out'), encoding='utf-8',
                      errors='replace') as file:
                texts.append(f'--- task {task}\n' + file.read()[-3000:])
        return '\n'.join(texts)

    def all_ready(self, tasks):
        return all(self.workers[t].rendezvous and self.workers[t].trainings == self.trainings for t in tasks)

    def finished(self):
        return all(w.process.poll() is not None for w in self.workers.values())

    def step(self):
        """Highest applied step reported or recorded by a member."""
        return max((last_step(self.base, t) for t in self.members), default=0)

    def close(self):
        for worker in self.workers.values():
            if worker.process.poll() is None:
                worker.process.kill()
            worker.process.wait()
            os.close(worker.death)
            if worker.link:
                worker.link.close()
        self._listener.close()

    # ---- serving -----------------------------------------------------------------------

    def _serve(self, limit_s):
        links = {w.link: w for w in self.workers.values() if w.link}
        deaths = [w.death for w in self.workers.values() if not w.gone]
        ready, _, _ = select.select([self._listener, *links, *self._unknown, *deaths], [], [], limit_s)
        for link in ready:
            if link in deaths:
                continue  # seen below
            if link is self._listener:
                self._unknown.append(self._listener.accept()[0])
            elif link in self._unknown:
                self._introduce(link)
            else:
                self._read(links[link])
        for worker in self.workers.values():
            if not worker.gone and worker.process.poll() is not None:
                self._gone(worker)
        self._recover()

    def _introduce(self, link):
        self._unknown.remove(link)
        size = int.from_bytes(link.recv(4, socket.MSG_WAITALL), 'little')
        hello = decode(decode(link.recv(size, socket.MSG_WAITALL))[HELLO])
        worker = self.workers[hello[2]]
        if worker.link:
            worker.link.close()
        worker.link, worker.input, trainings = link, b'', hello.get(TRAININGS, 0)
        if trainings > worker.trainings:
            worker.trainings, worker.rendezvous, worker.done = trainings, '', False
            worker.epoch = worker.connected = worker.faulted = worker.step = 0
        if trainings > self.trainings:
            self.trainings, self.members, self._plan_members, self._broken = trainings, [], None, False
        words = _field(KEY, b'the key of the workers of a test')
        link.sendall(len(words).to_bytes(4, 'little') + words)

    def _read(self, worker):
        try:
            chunk = worker.link.recv(65536)
        except OSError:
            chunk = b''
        if not chunk:
            worker.link.close()
            worker.link = None
            return
        worker.input += chunk
        while len(worker.input) >= 4:
            size = int.from_bytes(worker.input[:4], 'little')
            if len(worker.input) < 4 + size:
                break
            words, worker.input = worker.input[4:4 + size], worker.input[4 + size:]
            (kind, body), = decode(words).items()
            self._hear(worker, kind, decode(body))

    def _hear(self, worker, kind, body):
        if kind != PROGRESS:
            self.heard.append((worker.task, kind, body.get(1, 0), body.get(3 if kind == FAULTED else 2, b'')))
        if worker.trainings < self.trainings:
            self._hear_late(worker, kind)
        elif kind == READY:
            worker.rendezvous = body[1].decode()
        elif kind == CONNECTED:
            worker.connected = body[1]
        elif kind == SWITCHED:
            worker.epoch, worker.step = body[1], body.get(2, 0)
            if body.get(4):
                worker.pauses.append((worker.epoch, (body.get(3, 0) >> 1) / 1e3))  # told in us
            self._maybe_formed(body[1])
        elif kind == FAULTED:
            # What it says of an older epoch may come late, and takes nothing back (status.cc).
            worker.faulted, worker.step = max(worker.faulted, body[1]), body.get(2, 0)
            if body[1] >= self._emergency:  # else it is told of once more
                self._break()
        elif kind == FAILED and body[1] == self._emergency:
            self._break()
        elif kind == PROGRESS:
            worker.noise = struct.unpack('<d', body.get(9, bytes(8)))[0]
        elif kind == LEFT:
            worker.left = True
        elif kind == DONE:
            worker.done = True
            for task in set(self.workers) - set(self.members):
                self.tell(task, LEAVE, _field(1, 'training is complete'))

    def _hear_late(self, worker, kind):
        """Words of a training that is over for the program (W-14): nobody else is told anything for
        them, and a worker that is not through with it is called to the one that goes on."""
        if kind == DONE:
            worker.done = True
        elif kind in (READY, FAULTED):
            self.tell(worker.task, LEAVE, _field(1, 'test') + _field(TRAININGS, self.trainings))

    def _maybe_formed(self, epoch):
        wanted = self._plan_members
        if epoch == self.planned and wanted and \
                all(self.workers[m].epoch == epoch for m in wanted):
            self.members, self.epoch, self._plan_members = wanted, epoch, None

    def _gone(self, worker):
        concerned = worker.task in self.members + (self._plan_members or [])
        died = worker.alive and concerned
        worker.gone = True
        if died:
            self._break()

    def _concerned(self):
        """Members and planned members that have not ended, old ones first."""
        tasks = dict.fromkeys(self.members + (self._plan_members or []))
        return [t for t in tasks if self.workers[t].alive]

    def _break(self):
        self._broken = True
        for task in self._concerned():
            if self.workers[task].faulted < self.planned:
                self.tell(task, BROKEN, _field(1, self.planned) + _field(2, 'test'))

    def _recover(self):
        tasks = self._concerned()
        if not self._broken or not tasks:
            return
        if any(w.done for w in self.workers.values()):
            for task in tasks:
                if self.workers[task].faulted:
                    self.tell(task, LEAVE, _field(1, 'training is complete'))
            return
        if all(self.workers[t].faulted >= self.planned for t in tasks):
            self._broken = False
            # those whose state counts come first
            tasks.sort(key=lambda t: (t not in self.members, ))
            self.plan(tasks, emergency=True, reason='lost a member')


def cpu_wait_ns(pid):
    """How long the process's main thread was ready to run and did not; 0 if it is gone.
    @source Linux, Documentation/scheduler/sched-stats: /proc/PID/schedstat"""
    try:
        with open(f'/proc/{pid}/schedstat', encoding='ascii') as file:
            return int(file.read().split()[1])
    except (OSError, IndexError):
        return 0


def last_step(base, task):
    """The newest step in a task's steps.csv, 0 if none."""
    try:
        with open(os.path.join(base, 'log', str(task), 'steps.csv'), 'rb') as file:
            file.seek(max(0, os.path.getsize(file.name) - 200))
            lines = file.read().split(b'\n')
    except FileNotFoundError:
        return 0
    numbers = [line.split(b',')[0] for line in lines[:-1] if line[:1].isdigit()]
    return int(numbers[-1]) if numbers else 0


def rows(base, task, name):
    """A record file as a list of dicts of ints."""
    path = os.path.join(base, 'log', str(task), name)
    if not os.path.exists(path):
        return []
    with open(path, encoding='ascii') as file:
        head, *lines = file.read().splitlines()
    keys = head.split(',')
    return [dict(zip(keys, map(int, line.split(',')))) for line in lines]


def history(base, tasks):
    """The applied steps by rules R-1 to R-3 of libwm/trainer/FORMAT.md: {step: [rows]}."""
    found = {}
    for task in tasks:
        for row in rows(base, task, 'ledger.csv'):
            found.setdefault(row['step'], []).append(row)
    return {step: [r for r in lines if r['epoch'] == max(x['epoch'] for x in lines)]
            for step, lines in found.items()}


def check_ledger(base, tasks, samples, passes):
    """What is wrong with the use of samples: [] if every sample of every pass was used in exactly
    one applied step."""
    wrong, steps = [], history(base, tasks)
    if sorted(steps) != list(range(1, len(steps) + 1)):
        wrong.append(f'steps are not 1..{len(steps)}')
    at = {p: 0 for p in range(passes)}
    for step in sorted(steps):
        lines = steps[step]
        first = lines[0]
        if any((r['data_epoch'], r['begin'], r['end']) !=
               (first['data_epoch'], first['begin'], first['end']) for r in lines):
            wrong.append(f'step {step}: tasks disagree')
        if first['begin'] != at.get(first['data_epoch']):
            wrong.append(f"step {step}: begins at {first['begin']}, not {at.get(first['data_epoch'])}")
        at[first['data_epoch']] = first['end']
        shares = sorted((r['offset'], r['size']) for r in lines)
        for (offset, size), (following, _) in zip(shares, shares[1:]):
            if offset + size > following:
                wrong.append(f'step {step}: shares overlap')
    wrong += [f'pass {p}: {end} of {samples} samples' for p, end in at.items() if end != samples]
    return wrong


def check_deals(base, tasks, samples, passes):
    """As check_ledger(), of control='async', where samples are used in any order: [] if every sample of every pass is in one commit."""
    wrong, steps, used = [], history(base, tasks), {p: [] for p in range(passes)}
    if sorted(steps) != list(range(1, len(steps) + 1)):
        wrong.append(f'steps are not 1..{len(steps)}')
    for step, lines in steps.items():
        if len({(r['data_epoch'], r['begin'], r['end']) for r in lines}) != 1:
            wrong.append(f'step {step}: told differently')
        used.setdefault(lines[0]['data_epoch'], []).append((lines[0]['begin'], lines[0]['end']))
    for number, ranges in used.items():
        at = 0
        for begin, end in sorted(ranges):
            if begin != at:
                wrong.append(f'pass {number}: {begin} follows {at}')
            at = end
        if at != samples:
            wrong.append(f'pass {number}: {at} of {samples} samples')
    return wrong


if __name__ == '__main__':
    sys.exit('a module of tests')
