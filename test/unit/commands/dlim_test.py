"""Role: dlim asks the server that is meant: an option, then the environment, then what config kept; and shows a token to
nobody but the server that gave it.
"""

import base64
import contextlib
import http.server
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
DLIM = os.path.join(TOP, 'commands', 'dlim.py')


def token(cluster, number='0'):
    """As a web door of that cluster gives them."""
    body = base64.urlsafe_b64encode(json.dumps({'iss': cluster, 'jti': number}).encode()).decode().rstrip('=')
    return f'head.{body}.signature'


class Server(http.server.ThreadingHTTPServer):
    """A web door without models that gives a token of its own to everybody and notes who asked."""

    def __init__(self, name):
        super().__init__(('127.0.0.1', 0), Answer)
        self.name, self.seen, self.packages = name, [], []
        self.url = f'http://127.0.0.1:{self.server_port}'
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.seen.append(self.headers['Authorization'])
        answer = {'accessToken': f'of {self.server.name}'} if self.path == '/auth/v1/logon' else []
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def do_POST(self):
        self.server.packages.append(self.rfile.read(int(self.headers['Content-Length'])))
        self.do_GET()

    def log_message(self, *_):
        pass


class Servers(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.home = stack.enter_context(tempfile.TemporaryDirectory())
        self.one, self.two = (stack.enter_context(Server(name)) for name in ('one', 'two'))
        for server in (self.one, self.two):
            stack.callback(server.shutdown)

    def dlim(self, *words, **environment):
        """Its output; HOME is this test's own."""
        env = {'PATH': os.environ['PATH'], 'HOME': self.home, 'USER': 'ann', **environment}
        asked = subprocess.run([sys.executable, DLIM, *words], env=env, capture_output=True, text=True, check=False)
        self.assertEqual(asked.returncode, 0, asked.stderr)
        return asked.stdout

    def seen(self):
        """Who has asked the two since the last call."""
        found = self.one.seen, self.two.seen
        self.one.seen, self.two.seen = [], []
        return found

    def test_an_option_goes_before_the_environment_and_that_before_what_is_kept(self):
        self.dlim('config', '-c', self.one.url)
        ask = ('model', 'list', '--jwt-token', 'mine')
        self.dlim(*ask)
        self.assertEqual(self.seen(), (['Bearer mine'], []))
        self.dlim(*ask, WM_GATEWAY_URL=self.two.url)
        self.assertEqual(self.seen(), ([], ['Bearer mine']))
        self.dlim(*ask, '--rest-server', self.one.url, WM_GATEWAY_URL=self.two.url)
        self.assertEqual(self.seen(), (['Bearer mine'], []))

    def test_a_kept_token_is_for_the_server_that_gave_it(self):
        self.dlim('config', '-c', self.one.url, '-t', '-u', 'ann', '-k', 'key', WM_GATEWAY_URL=self.two.url)
        basic = 'Basic ' + base64.b64encode(b'ann:key').decode()
        self.assertEqual(self.seen(), ([basic], []))
        self.dlim('model', 'list')
        self.assertEqual(self.seen(), (['Bearer of one'], []))
        self.dlim('model', 'list', WM_GATEWAY_URL=self.two.url, WM_API_KEY='key')
        self.assertEqual(self.seen(), ([], [basic, 'Bearer of two']))

    def test_a_token_kept_by_an_older_dlim_is_for_the_server_kept_with_it(self):
        with open(os.path.join(self.home, '.dlim'), 'w', encoding='ascii') as kept:
            json.dump({'url': self.one.url, 'token': 'old'}, kept)
        self.assertEqual(self.dlim('config', '-s'), 'old\n')
        self.assertEqual(self.dlim('config', '-s', WM_GATEWAY_URL=self.two.url, WM_API_KEY='key'), 'of two\n')

    def refused(self, *words, **environment):
        """Why dlim does not do it."""
        env = {'PATH': os.environ['PATH'], 'HOME': self.home, 'USER': 'ann', **environment}
        asked = subprocess.run([sys.executable, DLIM, *words], env=env, capture_output=True, text=True, check=False)
        self.assertEqual(asked.returncode, 1, asked.stdout)
        return asked.stderr

    def keep(self, **values):
        """As config would."""
        with open(os.path.join(self.home, '.dlim'), 'w', encoding='ascii') as kept:
            json.dump(values, kept)

    def test_the_token_of_a_job_goes_to_the_server_that_came_with_it_alone(self):
        self.keep(url=self.one.url)
        job = {'USER_ACCESS_TOKEN': token('here'), 'WM_GATEWAY_URL': self.two.url}
        self.dlim('model', 'list', **job)
        self.assertEqual(self.seen(), ([], ['Bearer ' + token('here')]))
        self.assertIn('the token of this job is not for', self.refused('model', 'list', '--rest-server', self.one.url, **job))
        self.assertIn('log on first', self.refused('model', 'list', USER_ACCESS_TOKEN=token('here')))  # the server is that of ~/.dlim
        self.assertEqual(self.seen(), ([], []))
        self.dlim('config', '-c', self.one.url, **job)
        self.assertIn('log on first', self.refused('config', '-s', '--rest-server', self.one.url, **job))

    def test_the_renewed_token_of_a_job_is_kept_to_its_server_as_well(self):
        path = os.path.join(self.home, 'token')
        with open(path, 'w', encoding='ascii') as file:
            file.write(token('renewed'))
        job = {'USER_ACCESS_TOKEN': token('old'), 'USER_ACCESS_TOKEN_FILE': path, 'WM_GATEWAY_URL': self.two.url}
        self.dlim('model', 'list', **job)
        self.dlim('model', 'list', '--rest-server', self.one.url, WM_API_KEY='key', **job)
        basic = 'Basic ' + base64.b64encode(b'ann:key').decode()
        self.assertEqual(self.seen(), ([basic, 'Bearer of one'], ['Bearer ' + token('renewed')]))

    def test_without_an_address_the_token_of_a_job_goes_to_a_server_of_its_own_cluster(self):
        self.keep(url=self.one.url, token=token('here', '1'), token_of=self.one.url)
        self.dlim('model', 'list', USER_ACCESS_TOKEN=token('here', '2'))
        self.assertEqual(self.seen(), (['Bearer ' + token('here', '2')], []))
        self.dlim('model', 'list', USER_ACCESS_TOKEN=token('there'))
        self.assertEqual(self.seen(), (['Bearer ' + token('here', '1')], []))
        self.dlim('model', 'list', USER_ACCESS_TOKEN='no token of ours')
        self.assertEqual(self.seen(), (['Bearer ' + token('here', '1')], []))

    def test_a_server_known_to_be_of_another_cluster_gets_no_token_of_a_job_whatever_the_environment_says(self):
        self.keep(url=self.two.url, token=token('there'), token_of=self.two.url)
        self.dlim('model', 'list', USER_ACCESS_TOKEN=token('here'), WM_GATEWAY_URL=self.two.url)
        self.assertEqual(self.seen(), ([], ['Bearer ' + token('there')]))

    def test_scheme_host_and_port_are_what_a_server_is_known_by(self):
        host, port = '127.0.0.1', self.one.server_port
        self.keep(url=self.one.url, token='kept', token_of=self.one.url.upper().replace('HTTP', 'http'))
        self.dlim('model', 'list', '--rest-server', self.one.url + '/')
        self.assertEqual(self.seen(), (['Bearer kept'], []))
        self.keep(url='', token='kept', token_of=f'https://{host}:{port}')
        self.assertIn('log on first', self.refused('model', 'list', '--rest-server', self.one.url))  # in the clear
        self.keep(url=self.two.url, token='kept', token_of=f'{host}:{self.two.server_port}')  # as an older dlim kept it
        self.dlim('model', 'list')
        self.assertEqual(self.seen(), ([], ['Bearer kept']))
        self.keep(url='http://[', token='kept')
        self.dlim('model', 'list', '--rest-server', self.one.url, '--jwt-token', 'mine')
        self.assertEqual(self.refused('model', 'list'), 'http://[: no address of a server\n')

    def test_what_is_kept_is_readable_by_its_owner_alone_though_it_was_there(self):
        self.keep(url=self.one.url)
        os.chmod(os.path.join(self.home, '.dlim'), 0o644)
        self.dlim('config', '-t', '-k', 'key')
        self.assertEqual(os.stat(os.path.join(self.home, '.dlim')).st_mode & 0o777, 0o600)

    def deployed(self, model, calls_itself, **environment):
        """model.json as the server got it, of a shell whose python3 calls itself so; what dlim said."""
        folder, programs = os.path.join(self.home, 'package'), os.path.join(self.home, 'programs')
        for path in (folder, programs):
            os.makedirs(path, exist_ok=True)
        for name, text in (('model.json', json.dumps(model)), ('kernel.py', 'pass')):
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as out:
                out.write(text)
        with open(os.path.join(programs, 'python3'), 'w', encoding='utf-8') as out:
            out.write(f'#!/bin/sh\n{calls_itself}\n')
        os.chmod(out.name, 0o755)
        said = self.dlim('model', 'deploy', '-p', folder, '--rest-server', self.one.url, '--jwt-token', 'mine', PATH=programs, **environment)
        with tarfile.open(fileobj=io.BytesIO(self.one.packages.pop())) as tar:
            self.assertEqual(sorted(tar.getnames()), ['kernel.py', 'model.json'])
            return json.load(tar.extractfile('model.json')), said

    def test_a_service_runs_with_the_python_of_the_shell_that_deploys_it(self):
        model, said = self.deployed({'name': 'a', 'mk_environments': [{'name': 'A', 'value': '1'}]}, 'echo /v/bin/python3', LD_LIBRARY_PATH='/v/lib')
        self.assertEqual(model, {'name': 'a', 'mk_environments': [{'name': 'A', 'value': '1'}, {'name': 'PATH', 'value': '/v/bin:/usr/local/bin:/usr/bin:/bin'},
                                                                  {'name': 'LD_LIBRARY_PATH', 'value': '/v/lib'}]})
        self.assertIn('Kernels run with /v/bin/python3, on hosts that have it\n', said)

    def test_the_systems_python_or_none_and_a_path_of_the_package_leave_it_as_it_is(self):
        plain, own = {'name': 'a'}, {'name': 'a', 'mk_environments': [{'name': 'PATH', 'value': '/mine'}]}
        for model, says in ((plain, 'echo /usr/local/bin/python3'), (plain, 'exit 1'), (own, 'echo /v/bin/python3')):
            found, said = self.deployed(model, says)
            self.assertEqual(found, model)
            self.assertNotIn('Kernels run', said)


if __name__ == '__main__':
    unittest.main()
