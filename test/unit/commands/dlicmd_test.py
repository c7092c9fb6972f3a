"""Role: dlicmd shows a kept token to nobody but the server that gave it, and leaves no file of what it sends behind, however it ends."""

import contextlib
import http.server
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
DLICMD = os.path.join(TOP, 'commands', 'dlicmd.py')


class Server(http.server.ThreadingHTTPServer):
    """A web door that gives a token of its own to everybody, notes who asked for what, and takes executions; or holds them."""

    def __init__(self, name):
        super().__init__(('127.0.0.1', 0), Answer)
        self.name, self.seen, self.bodies, self.status = name, [], [], 200
        self.asked, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()
        self.url = f'http://127.0.0.1:{self.server_port}'
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        self.server.seen.append((self.path.rsplit('/', 1)[-1].partition('?')[0], self.headers['Authorization']))
        self.server.bodies.append(body)
        self.server.asked.set()
        self.server.go_on.wait(20)
        answer = {'accessToken': f'of {self.server.name}', 'id': 'x-1', 'appId': 'x-1'}
        with contextlib.suppress(BrokenPipeError):  # who asked has been ended
            self.send_response(self.server.status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Dlicmd(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.home, self.temporary = (stack.enter_context(tempfile.TemporaryDirectory()) for _ in range(2))
        self.one, self.two = (stack.enter_context(Server(name)) for name in ('one', 'two'))
        for server in (self.one, self.two):
            stack.callback(server.shutdown)
            stack.callback(server.go_on.set)
        self.code = os.path.join(self.home, 'code')
        os.mkdir(self.code)
        with open(os.path.join(self.code, 'main.py'), 'w', encoding='ascii') as file:
            file.write('pass\n')

    def begin(self, *words, at):
        """dlicmd, begun."""
        env = {'PATH': os.environ['PATH'], 'HOME': self.home, 'TMPDIR': self.temporary, 'USER': 'ann', 'WM_GATEWAY_URL': at.url}
        return subprocess.Popen([sys.executable, DLICMD, *words], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_it(self, *words, at, fails=False):
        """Its output, or why it fails."""
        with self.begin(*words, at=at) as running:
            out, errors = running.communicate()
        self.assertEqual(running.returncode, 1 if fails else 0, errors)
        return errors if fails else out

    def kept(self):
        """The file of the token."""
        return os.path.join(self.home, '.dlicmd')

    def start(self):
        """Words that send the folder."""
        return '--exec-start', 'PyTorch', '--jwt-token', 'mine', '--model-main', 'main.py', '--model-dir', self.code


class TokenTest(Dlicmd):
    """To whom a token is shown."""

    def test_a_kept_token_is_for_the_server_that_gave_it(self):
        self.run_it('--logon', '--username', 'ann', '--password', 'key', at=self.one)
        self.run_it('--status', at=self.one)
        self.assertEqual(self.one.seen[-1], ('status', 'Bearer of one'))
        why = self.run_it('--status', at=self.two, fails=True)
        self.assertIn(f'the token in {self.kept()} is not of 127.0.0.1:{self.two.server_port}', why)
        host, port = '127.0.0.1', str(self.two.server_port)
        self.run_it('--status', '--rest-host', f'http://{host}', '--rest-port', port, at=self.one, fails=True)
        self.assertEqual(self.two.seen, [])
        self.run_it('--status', '--password', 'key', at=self.two)  # who has a key logs on there
        self.assertEqual(self.two.seen[-1], ('status', 'Bearer of two'))

    def test_a_token_kept_without_its_server_is_shown_to_nobody(self):
        with open(self.kept(), 'w', encoding='ascii') as file:
            file.write('old')
        os.chmod(self.kept(), 0o644)
        self.assertIn('log on first', self.run_it('--status', at=self.one, fails=True))
        self.assertEqual(self.one.seen, [])
        self.run_it('--logon', '--password', 'key', at=self.one)
        self.assertEqual(os.stat(self.kept()).st_mode & 0o777, 0o600)
        self.run_it('--status', at=self.one)

    def test_a_log_off_tells_the_token_to_its_own_server_alone(self):
        self.run_it('--logon', '--password', 'key', at=self.one)
        self.assertIn('the token is of ' + self.one.url, self.run_it('--logoff', at=self.two, fails=True))
        self.assertEqual(self.two.seen, [])
        self.run_it('--logoff', at=self.one)
        self.assertEqual(self.one.seen[-1], ('logoff', 'Bearer of one'))
        self.assertFalse(os.path.exists(self.kept()))


class ArchiveTest(Dlicmd):
    """What stays of the folder that is sent."""

    def test_the_folder_arrives_whole_and_leaves_nothing(self):
        self.run_it(*self.start(), at=self.one)
        body = self.one.bodies[-1]
        self.assertIn(b'filename="code.modelDir.tar"', body)
        packed = body[body.index(b'\x1f\x8b'):body.rindex(b'\r\n--')]
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            self.assertEqual(archive.getnames(), ['code', 'code/main.py'])
        self.assertEqual(os.listdir(self.temporary), [])

    def test_a_refusal_leaves_nothing(self):
        self.one.status = 503
        self.run_it(*self.start(), at=self.one, fails=True)
        self.run_it(*self.start(), '--conda-package', 'none', at=self.one, fails=True)
        self.assertEqual(os.listdir(self.temporary), [])

    def test_no_signal_leaves_anything(self):
        self.one.go_on.clear()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            self.one.asked.clear()
            with self.begin(*self.start(), at=self.one) as running:
                self.assertTrue(self.one.asked.wait(20))
                running.send_signal(number)
                running.communicate()
            self.assertEqual(os.listdir(self.temporary), [], number)


if __name__ == '__main__':
    unittest.main()
