"""Role: what dlicmd's --hpo-* commands ask of the server, and what they print of its answers."""

import contextlib
import http.server
import importlib.util
import io
import json
import os
import sys
import tarfile
import tempfile
import threading
import unittest
from unittest import mock

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', '..', '..')
SPEC = importlib.util.spec_from_file_location('dlicmd', os.path.join(TOP, 'commands', 'dlicmd.py'))
dlicmd = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(dlicmd)
BASE = dlicmd.BASE
TASK = {'hpoName': 'a b', 'state': 'RUNNING', 'progress': '1/3', 'running': 1, 'complete': 1, 'failed': 0,
        'createtime': '2020-01-09 17:32:03', 'creator': 'ann', 'duration': '00:04:02', 'experiments': [], 'best': None}
ANSWERS = {
    ('POST', '/hypersearch'): (200, '{"uid":"ann-hpo-1","href":"/hypersearch/ann-hpo-1"}'), ('GET', '/hypersearch'): (200, json.dumps([TASK])),
    ('GET', '/hypersearch/a%20b'): (200, json.dumps(TASK)), ('PUT', '/hypersearch/a%20b'): (204, ''),
    ('PUT', '/hypersearch/done'): (400, 'Error 400: Model tuning done is already stopped.\n'),
    ('PUT', '/hypersearch/a%20b/restart'): (200, '"a b"'), ('DELETE', '/hypersearch/a%20b'): (204, ''),
    ('DELETE', '/hypersearch'): (204, ''), ('GET', '/hypersearch/algorithm'): (200, '[{"name":"TPE","type":"BUILD_IN"}]'),
    ('GET', '/hypersearch/algorithm/TPE'): (200, '{"name":"TPE"}'), ('DELETE', '/hypersearch/algorithm/mine'): (204, ''),
}


class Server(http.server.BaseHTTPRequestHandler):
    """Answers what is in the table, and keeps what it was asked."""

    asked = []

    def answer(self):
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        self.asked.append((self.command, self.path, body))
        status, text = ANSWERS.get((self.command, self.path.removeprefix(BASE)), (400, 'Error 400: what?\n'))
        self.send_response(status)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_PUT = do_POST = do_DELETE = answer

    def log_message(self, *words):  # pylint: disable=arguments-differ
        """Says nothing."""


class Hpo(unittest.TestCase):
    """Each against a server of its own."""

    def setUp(self):
        Server.asked = []
        self.server = http.server.HTTPServer(('127.0.0.1', 0), Server)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def run_it(self, *words):
        """(exit code, stdout, stderr)"""
        out, err = io.StringIO(), io.StringIO()
        address = f'http://127.0.0.1:{self.server.server_port}'
        argv = ['dlicmd', *words, '--rest-host', address, '--jwt-token', 't']
        with mock.patch.object(sys, 'argv', argv), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = dlicmd.main()
        return code, out.getvalue(), err.getvalue()

    def test_a_search_goes_with_its_file_and_its_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            code = os.path.join(folder, 'code')
            os.mkdir(code)
            with open(os.path.join(code, 'main.py'), 'w', encoding='ascii') as script:
                script.write('print(1)\n')
            search = os.path.join(folder, 'search.json')
            with open(search, 'w', encoding='ascii') as text:
                json.dump({'hpoName': 'x', 'algoDef': {}}, text)
            status, out, _ = self.run_it('--hpo-start', search, '--model-dir', code)
        self.assertEqual(status, 0)
        self.assertEqual(out.splitlines()[0], 'Copying files and directories ...')
        self.assertEqual(json.loads(out.splitlines()[-1])['uid'], 'ann-hpo-1')
        body = Server.asked[0][2]
        self.assertIn(b'name="data"\r\n\r\n{"hpoName": "x", "algoDef": {}}\r\n', body)
        self.assertIn(b'filename="code.modelDir.tar"', body)
        packed = body[body.index(b'\x1f\x8b'):]
        with tarfile.open(fileobj=io.BytesIO(packed), mode='r:gz') as archive:
            self.assertEqual(archive.next().name, 'code')

    def test_what_is_asked_and_printed(self):
        for words, method, path, printed in (
                (['--hpo-stop', 'a b'], 'PUT', '/a%20b', 'Stop hpo a b succeed. HTTP:204 \n'),
                (['--hpo-restart', 'a b'], 'PUT', '/a%20b/restart', 'Restart hpo a b succeed. HTTP:200 \n'),
                (['--hpo-delete', 'a b'], 'DELETE', '/a%20b', 'Delete hpo a b succeed. HTTP:204 \n'),
                (['--hpo-delete-all'], 'DELETE', '', 'Delete all hpo succeed. HTTP:204 \n'),
                (['--hpo-algorithm-delete', 'mine'], 'DELETE', '/algorithm/mine', 'Delete hpo algorithm mine succeed. HTTP:204 \n')):
            with self.subTest(words[0]):
                self.assertEqual(self.run_it(*words), (0, printed, ''))
                self.assertEqual(Server.asked[-1][:2], (method, f'{BASE}/hypersearch{path}'))

    def test_what_had_no_effect_is_told_apart_from_what_is_printed(self):
        begun = {'id': 'c-7', 'appId': 'c-7', 'warnings': ['--ig: there are no instance groups']}
        answers = {('GET', '/conf'): (200, '{}'), ('POST', '/execs/?args=--exec-start%20PyTorch%20--pbmodel-name%20VGG16'): (200, json.dumps(begun))}
        with mock.patch.dict(ANSWERS, answers):
            code, out, err = self.run_it('--exec-start', 'PyTorch', '--pbmodel-name', 'VGG16')
        self.assertEqual((code, err), (0, 'warning: --ig: there are no instance groups\n'), out)
        self.assertEqual(json.loads(out[out.index('{'):]), {'execId': 'c-7', 'appId': 'c-7'})

    def test_an_execution_that_waits_says_why_and_one_that_is_over_does_not_ask(self):
        job = {'status': {'jobStatus': 'Pending', 'jobPendingReason': 'no slot', 'creationTimestamp': '2021-03-08T03:24:40Z'},
               'spec': {'taskGroups': [{'metadata': {'name': 'task12n'}}]}}
        answers = {('GET', '/execs/c-7'): (200, json.dumps({'id': 'c-7', 'appId': 'c-7', 'state': 'PENDING_CRD_SCHEDULER'})),
                   ('GET', '/execs/c-8'): (200, json.dumps({'id': 'c-8', 'appId': 'c-8', 'state': 'ERROR', 'error': 'too late'})),
                   ('GET', '/scheduler/kubernetesobjects?type=paralleljob&name=c-7'): (200, json.dumps(job))}
        with mock.patch.dict(ANSWERS, answers):
            shown = json.loads(self.run_it('--exec-get', 'c-7')[1])
            self.assertEqual(shown['parallelJobInfo']['status']['jobPendingReason'], 'no slot')
            self.assertEqual(shown['parallelJobInfo']['spec'][0]['metadata']['name'], 'task12n')
            self.assertRegex(shown['pendingDuration'], r'^[0-9]+h[0-9]+m[0-9]+s$')
            self.assertNotIn('parallelJobInfo', json.loads(self.run_it('--exec-get', 'c-8')[1]))
            self.assertEqual(self.run_it('--app-wait', 'c-8'), (0, 'ERROR\n', 'too late\n'))

    def test_a_list_is_a_table_or_json(self):
        _, out, _ = self.run_it('--hpo-get-all')
        self.assertEqual([line.split()[0] for line in out.splitlines()], ['hpoName', 'a'])
        self.assertIn('1/3', out)
        self.assertEqual(json.loads(self.run_it('--hpo-get-all', '-o', 'json')[1]), [TASK])
        self.assertEqual(json.loads(self.run_it('--hpo-get', 'a b')[1]), TASK)
        self.assertEqual(json.loads(self.run_it('--hpo-algorithm-get', 'TPE')[1]), {'name': 'TPE'})
        self.assertIn('BUILD_IN', self.run_it('--hpo-algorithm-get-all')[1])

    def test_a_refusal_is_said(self):
        self.assertEqual(self.run_it('--hpo-stop', 'done'), (1, '', 'Error 400: Model tuning done is already stopped.\n'))
        self.assertEqual(self.run_it('--hpo-start', 'nowhere.json')[0], 1)
        self.assertEqual(self.run_it('--hpo-get')[0], 1)


if __name__ == '__main__':
    unittest.main()
