"""Role: tests of fabric_model/warm.py: a fork of the warm parent is what a cold start would have
been. The test plays the shepherd; the modules held warm are small ones of the standard library.
"""

import array
import ctypes
import os
import socket
import subprocess
import sys
import tempfile
import textwrap
import unittest

from fabric_model import warm

PYTHON = sys.executable
_PR_SET_CHILD_SUBREAPER = 36
_SET_MEMPOLICY = {'x86_64': 238, 'aarch64': 237}.get(os.uname().machine, -1)

# What a program can see of how it was started.
LOOK = '''
import os, sys, json
show = {'argv': sys.argv, 'orig': sys.orig_argv, 'path': sys.path, 'name': __name__, 'file': __file__,
        'main': sorted(vars(sys.modules['__main__']) .keys() - {'show', 'os', 'sys', 'json', '__annotations__'}
                       - {'__cached__', '__loader__', '__spec__', '__doc__', '__package__'}),
        'env': dict(os.environ), 'cwd': os.getcwd(), 'cpus': sorted(os.sched_getaffinity(0)),
        'stdin': sys.stdin.read(), 'fds': sorted(os.listdir('/proc/self/fd'))[:3], 'session': os.getsid(0) == os.getpid(),
        'unbuffered': sys.stdout.write_through,
        'shown': sorted(v for v in open('/proc/self/environ').read().split('\\0') if v),
        'oom': open('/proc/self/oom_score_adj').read(),
        'command': open('/proc/self/cmdline').read().rstrip('\\0').split('\\0')}
print(json.dumps(show, sort_keys=True))
print('to stderr', file=sys.stderr)
'''


class WarmTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='wmw')
        self.addCleanup(self.folder.cleanup)
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
        self.link = self.parent = None

    def tearDown(self):
        if self.parent:
            self.link.close()
            self.assertEqual(self.parent.wait(timeout=600), 0)

    def script(self, text):
        path = os.path.join(self.folder.name, 'look.py')
        with open(path, 'w', encoding='utf-8') as out:
            out.write(textwrap.dedent(text))
        return path

    def environment(self):
        return {'PATH': '/usr/bin:/bin', 'HOME': '/', 'PYTHONUNBUFFERED': '1', 'LANG': 'C.UTF-8'}

    def warm_up(self, words, modules='json,random'):
        """Starts a warm parent for PYTHON `words` and waits until it is ready."""
        self.link, theirs = socket.socketpair()
        env = {**self.environment(), 'WM_TASK': '0', 'WM_WARM_FD': f'{theirs.fileno()}:' + ' ' * 500}
        command = [PYTHON, os.path.join(os.path.dirname(warm.__file__), 'warm.py'), modules, PYTHON, *words]
        with theirs:
            self.parent = subprocess.Popen(command, env=env, cwd=self.folder.name, pass_fds=[theirs.fileno()],
                                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
        return self.link.recv(1)

    def ask(self, **changes):
        """One fork that was let go on. Returns (exit status, stdout, stderr)."""
        task = {'env': {**self.environment(), 'WM_TASK': '3'}, 'stdin': '', 'cpus': [], 'folders': [],
                'policies': [], 'nodes': [], 'cwd': self.folder.name, **changes}
        lists = [[task['cwd'], task['stdin'], str(_SET_MEMPOLICY)],
                 *([str(n) for n in task[numbers]] for numbers in ('cpus', 'policies', 'nodes')), task['folders'],
                 [f'{k}={v}' for k, v in sorted(task['env'].items())]]
        text = b''.join(b'%d\0' % len(texts) + b''.join(os.fsencode(t) + b'\0' for t in texts) for texts in lists)
        out, err = os.pipe(), os.pipe()
        mine, theirs = socket.socketpair()
        mine.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        fds = array.array('i', [out[1], err[1], theirs.fileno()])
        self.link.sendmsg([len(text).to_bytes(4, 'little')], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
        self.link.sendall(text)
        theirs.close()
        os.close(out[1])
        os.close(err[1])
        with mine:
            byte, credentials, _, _ = mine.recvmsg(1, 100)
            if not byte:
                return None
            pid = array.array('i', credentials[0][2])[0]
            if changes.get('refused'):
                mine.close()
            else:
                mine.sendall(b'g')
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        texts = []
        for end in (out[0], err[0]):
            with open(end, encoding='utf-8') as file:
                texts.append(file.read())
        return status, *texts

    def cold(self, words):
        """The same without a warm parent."""
        done = subprocess.run([PYTHON, *words], env={**self.environment(), 'WM_TASK': '3'}, cwd=self.folder.name,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              start_new_session=True)
        return done.returncode, done.stdout, done.stderr

    def test_a_fork_sees_what_a_cold_start_sees(self):
        words = [self.script(LOOK), 'one', '2']
        self.assertEqual(self.warm_up(words), b'r')
        cold = self.cold(words)
        self.assertEqual(cold[0], 0, cold)
        self.assertEqual(self.ask(), cold)
        self.assertEqual(self.ask(), cold, 'the second fork')

    def test_a_script_named_relative_to_the_folder_is_found_as_by_the_interpreter(self):
        self.script(LOOK)
        self.warm_up(['look.py'])
        self.assertEqual(self.ask(), self.cold(['look.py']))

    def test_statuses_and_tracebacks_are_those_of_the_script(self):
        for text in ('import sys; sys.exit(7)', 'def f():\n    raise ValueError("bad")\nf()', 'x = = 1',
                     'import sys; sys.exit("why")', 'import os; os.kill(os.getpid(), 9)',
                     'import atexit; atexit.register(print, "at exit")'):
            with self.subTest(text):
                words = [self.script(text)]
                self.warm_up(words)
                self.assertEqual(self.ask(), self.cold(words))
                self.tearDown()
        self.parent = None

    def test_a_missing_script_is_told_as_by_the_interpreter(self):
        words = [os.path.join(self.folder.name, 'none.py')]
        self.warm_up(words)
        self.assertEqual(self.ask(), self.cold(words))

    def test_folders_input_and_cpus_are_the_tasks_own(self):
        words = [self.script('import os, sys; print(sys.stdin.read(), os.sched_getaffinity(0), os.path.isdir("a/b"))')]
        with open(os.path.join(self.folder.name, 'in'), 'w', encoding='ascii') as out:
            out.write('typed')
        self.warm_up(words)
        cpu = min(os.sched_getaffinity(0))
        found = self.ask(stdin='in', folders=['a/b'], cpus=[cpu])
        self.assertEqual(found, (0, f'typed {{{cpu}}} True\n', ''))

    @unittest.skipUnless(os.path.exists('/proc/self/numa_maps') and _SET_MEMPOLICY > 0, 'no memory nodes here')
    def test_memory_is_bound_in_the_fork_alone(self):
        words = [self.script('print(*sorted({line.split()[1] for line in open("/proc/self/numa_maps")}))')]
        self.warm_up(words)
        unbound = self.ask()
        self.assertEqual(self.ask(policies=[2], nodes=[0]), (0, 'bind:0\n', ''))
        self.assertEqual(self.ask(policies=[99, 2], nodes=[0])[1], 'bind:0\n', 'the first that is known')
        self.assertRegex(self.ask(policies=[5, 1], nodes=[0])[1], '^prefer')
        self.assertEqual(self.ask(policies=[2], nodes=[1000]), unbound, 'there is no such node')
        self.assertEqual(self.ask(), unbound, 'neither the parent nor a later fork is bound')

    def test_forks_draw_different_random_numbers(self):
        words = [self.script('import random, numpy; print(random.random(), numpy.random.rand())')]
        self.warm_up(words, 'random,numpy')
        first, second = self.ask()[1].split(), self.ask()[1].split()
        self.assertNotEqual(first[0], second[0])
        self.assertNotEqual(first[1], second[1])

    def test_a_fork_that_is_not_let_go_on_runs_nothing(self):
        words = [self.script('open("ran", "w")')]
        self.warm_up(words)
        self.assertEqual(self.ask(refused=True)[0], 1)
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, 'ran')))

    def test_a_task_that_cannot_be_prepared_says_nothing_so_that_it_is_started_cold(self):
        self.warm_up([self.script('')])
        self.assertIsNone(self.ask(cwd='/no/such/folder'))

    def test_a_python_without_torch_has_the_rest_imported(self):  # its jobs train with another framework
        words = [self.script('import sys; print("json" in sys.modules)')]
        with open(os.path.join(self.folder.name, 'torch.py'), 'w', encoding='ascii') as out:
            out.write('raise ModuleNotFoundError("No module named \'torch\'", name="torch")')
        self.assertEqual(self.warm_up(words, 'torch,json'), b'r')
        self.assertEqual(self.ask(), (0, 'True\n', ''))

    def test_a_module_that_does_not_import_ends_the_parent(self):
        self.assertEqual(self.warm_up([self.script('')], 'no_such_module'), b'')
        self.assertNotEqual(self.parent.wait(timeout=600), 0)
        self.link.close()
        self.parent = None


if __name__ == '__main__':
    sys.exit(unittest.main())
