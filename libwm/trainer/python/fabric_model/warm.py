"""Role: the warm parent of an elastic job on one host (daemons/wshepherd/warm.h): a process that
has imported what workers import, and forks one whenever the shepherd asks for it.

usage: warm.py MODULE[,MODULE…] PYTHON SCRIPT [WORD…]     WM_WARM_FD: its link to the shepherd

  shepherd ──variables, pipes, a socket──► this ──fork──► ──fork──► worker ──a byte──► shepherd
                                                                      │◄──── "g" ────────┘
                                                                      ▼ runs SCRIPT as __main__
Invariants: nothing of the user's script runs in the parent, which has one thread and no device
open; a worker differs from `PYTHON SCRIPT WORD…` started afresh in nothing but the time it took;
it runs nothing before the shepherd lets it go on. The parent ends with its link.
"""

import sys

_SCRIPT = sys.argv[3:]
if _SCRIPT:
    import os.path
    # As the interpreter does for a script; this file's own folder must not shadow anything.
    sys.path[0] = os.path.dirname(os.path.realpath(_SCRIPT[0]))

import array  # noqa: E402
import ctypes  # noqa: E402
import gc  # noqa: E402
import importlib  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import time  # noqa: E402
import types  # noqa: E402

_FDS = 3  # a request brings stdout, stderr and the worker's own socket
_PR_SET_PDEATHSIG = 1
_MOST_NODES = 1024


class Request:
    """What a task is to be: wshepherd's proc::TaskSpec, as far as a fork needs it."""

    def __init__(self, text, fds):
        texts = iter(text.decode(errors='surrogateescape').split('\0'))

        def entries():
            return [next(texts) for _ in range(int(next(texts)))]
        def numbers():
            return [int(number) for number in entries()]
        self.cwd, self.stdin, set_mempolicy = entries()
        self.set_mempolicy = int(set_mempolicy)
        self.cpus, self.policies, self.nodes = numbers(), numbers(), numbers()
        self.folders, self.variables = entries(), entries()
        self.stdout, self.stderr, self.socket = fds


def _exactly(link, size):
    text = b''
    while len(text) < size:
        part = link.recv(size - len(text))
        if not part:
            return None
        text += part
    return text


def receive(link):
    """The next request; None when the shepherd is gone."""
    fds = array.array('i')
    head, ancillary, _, _ = link.recvmsg(4, socket.CMSG_SPACE(_FDS * fds.itemsize))
    for _, kind, data in ancillary:
        if kind == socket.SCM_RIGHTS:
            fds.frombytes(data[:len(data) - len(data) % fds.itemsize])
    head += (_exactly(link, 4 - len(head)) or b'') if head else b''
    text = _exactly(link, int.from_bytes(head, 'little')) if len(head) == 4 else None
    return Request(text, list(fds)) if text is not None and len(fds) == _FDS else None


def fork(request):
    """Forks a worker that is a child of the shepherd, which is who asks wait(2) about it.
    Returns True in the worker."""
    shepherd, middle = os.getppid(), os.fork()
    if middle == 0:
        if os.fork():
            os._exit(0)
        while os.getppid() != shepherd:
            time.sleep(0.001)
        return True
    os.waitpid(middle, 0)
    print('forked a worker', flush=True)
    for fd in (request.stdout, request.stderr, request.socket):
        os.close(fd)
    return False


def _be_killed(score):
    """How gladly the kernel kills this process when memory runs out; the parent goes first."""
    try:
        with open('/proc/self/oom_score_adj', 'w', encoding='ascii') as out:
            out.write(str(score))
    except OSError:
        pass  # an older score stays


def _bind_memory(request):
    """The first policy that the kernel knows, for what this process touches from now on: pages that it shares
    with the parent stay where they are until one of them writes. Refused: unbound, as after a cold start."""
    mask = sum(1 << node for node in request.nodes if node < _MOST_NODES).to_bytes(_MOST_NODES // 8, 'little')
    kernel, call = ctypes.CDLL(None), ctypes.c_long(request.set_mempolicy)
    for policy in request.policies:
        if kernel.syscall(call, ctypes.c_long(policy), mask, ctypes.c_long(_MOST_NODES)) == 0:
            return


def _show(begin, end, texts):
    """Puts the texts where /proc shows what this process was started with."""
    text = b''.join(os.fsencode(t) + b'\0' for t in texts)[:end - begin - 1]
    ctypes.memmove(begin, text + bytes(end - begin - len(text)), end - begin)


def _show_start(words, variables):
    with open('/proc/self/stat', 'rb') as stat:
        fields = stat.read().rsplit(b')', 1)[1].split()
    words_at, words_end, variables_at, variables_end = (int(field) for field in fields[45:49])
    _show(words_at, words_end, words)
    _show(variables_at, variables_end, variables)


def become(request, words):
    """Makes this process what the shepherd's own fork and exec would have made.
    @errors OSError: a folder or file is missing; the cold start then tells the user"""
    os.setsid()
    _be_killed(0)
    if request.cpus:
        os.sched_setaffinity(0, request.cpus)
    _bind_memory(request)
    for fd, source in ((1, request.stdout), (2, request.stderr)):
        os.dup2(source, fd)
        os.close(source)
    os.chdir(request.cwd)
    for folder in request.folders:
        os.makedirs(folder, exist_ok=True)
    if request.stdin:
        source = os.open(request.stdin, os.O_RDONLY)
        os.dup2(source, 0)
        os.close(source)
    os.environ.clear()
    os.environ.update(entry.split('=', 1) for entry in request.variables if '=' in entry)
    _show_start(words, request.variables)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if 'numpy' in sys.modules:
        sys.modules['numpy'].random.seed()  # python's own generator is seeded anew by fork


def let_go(request):
    """Whether the shepherd has taken note of this worker and wants it to go on."""
    with socket.socket(fileno=request.socket) as link:
        link.sendall(b'w')
        return link.recv(1) == b'g'


def _print_traceback(kind, value, trace):
    """As the interpreter would, without the frames of this file."""
    while trace and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    sys.__excepthook__(kind, value.with_traceback(trace), trace)


def run(words):
    """Runs the script as the interpreter would: as __main__, under its own name."""
    sys.orig_argv, sys.argv = list(words), list(words[1:])
    main = types.ModuleType('__main__')
    main.__file__, main.__builtins__ = os.path.abspath(words[1]), __builtins__
    sys.modules['__main__'] = main
    sys.excepthook = _print_traceback
    try:
        with open(words[1], 'rb') as file:
            source = file.read()
    except OSError as error:
        print(f"{words[0]}: can't open file '{main.__file__}': [Errno {error.errno}] {error.strerror}",
              file=sys.stderr)
        sys.exit(2)
    exec(compile(source, words[1], 'exec'), main.__dict__)


def serve(link, words):
    """Forks for as long as there is a shepherd. Returns in workers only."""
    while True:
        request = receive(link)
        if request is None:
            os._exit(0)
        if fork(request):
            try:
                link.close()
                become(request, words)
                wanted = let_go(request)
            except OSError:
                wanted = False
            if wanted:
                return
            os._exit(1)


def main():
    """See the head of this file."""
    modules, words = sys.argv[1].split(','), sys.argv[2:]
    link = socket.socket(fileno=int(os.environ.pop('WM_WARM_FD').partition(':')[0]))
    link.set_inheritable(False)
    _be_killed(1000)
    for module in modules:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as missing:  # torch, where jobs train with another framework
            if (missing.name, module) != ('torch', 'torch'):
                raise
            print('torch is not installed here', flush=True)
    gc.collect()
    gc.freeze()  # the fork shares these pages for as long as nobody writes to them
    link.sendall(b'r')
    print(f'{os.getpid()}: ready, {", ".join(modules)} imported', flush=True)
    serve(link, words)
    run(words)


if __name__ == '__main__':
    main()
