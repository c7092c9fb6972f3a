"""Role: when wm-notebook takes what it serves for forgotten, and what it starts: the file itself, imported."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import sys
import tempfile
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, 'commands'))
from notebooks import jupyter, python, standing, use  # pylint: disable=wrong-import-position

LOADER = importlib.machinery.SourceFileLoader('wm_notebook', os.path.join(ROOT, 'commands/wm-notebook.py'))
M = importlib.util.module_from_spec(importlib.util.spec_from_loader('wm_notebook', LOADER))
LOADER.exec_module(M)


def write_program(path, text):
    """A shell script."""
    with open(path, 'w', encoding='utf-8') as out:
        out.write('#!/bin/sh\n' + text)
    os.chmod(path, 0o755)


@contextlib.contextmanager
def folder_with(name, text):
    """A folder with that program alone."""
    with tempfile.TemporaryDirectory() as folder:
        write_program(os.path.join(folder, name), text)
        yield folder


class Rule(unittest.TestCase):
    """Times in, a word out."""

    def test_it_is_warned_then_idle_and_use_begins_anew(self):
        rule = standing.Rule(100, 20)
        rule.used(1000)
        self.assertEqual([rule.word(t) for t in (1000, 1079, 1080, 1099, 1100)], ['ready', 'ready', 'warned', 'warned', 'idle'])
        rule.used(1090)
        rule.used(1050)  # what is later counts
        self.assertEqual(rule.word(1100), 'ready')
        self.assertEqual(rule.stops_at(), 1190)

    def test_one_that_was_not_looked_at_for_long_is_warned_all_the_same(self):
        rule = standing.Rule(100, 20)
        rule.used(1000)
        self.assertEqual([rule.word(t) for t in (5000, 5009, 5010)], ['warned', 'warned', 'idle'])
        self.assertEqual(standing.Rule(100, 0).word(200), 'idle')

    def test_extended_it_stays_at_least_so_long(self):
        rule = standing.Rule(100, 20)
        rule.used(1000)
        rule.extend(2000)
        self.assertEqual([rule.word(t) for t in (1500, 1980, 2000)], ['ready', 'warned', 'idle'])
        rule.extend(1)
        self.assertEqual(rule.stops_at(), 1100)

    def test_without_a_limit_it_never_is(self):
        rule = standing.Rule(0, 20)
        self.assertEqual((rule.word(1e12), rule.stops_at()), ('ready', 0))

    def test_a_warning_longer_than_the_limit_is_one_from_the_beginning(self):
        rule = standing.Rule(10, 60)
        rule.used(1000)
        self.assertEqual(rule.word(1000), 'warned')


class Words(unittest.TestCase):
    """What it reads and what it starts."""

    def test_times_as_the_host_says_them(self):
        self.assertEqual([standing.seconds(t) for t in ('250ms', '90s', '5m', '2h', '1d', '0s', '', None, 'x')], [0.25, 90, 300, 7200, 86400, 0, 0, 0, 0])

    def test_an_application_gets_socket_port_and_base(self):
        with unittest.mock.patch.dict(os.environ, {'WM_WEB_SOCKET': '/run/web'}):
            one = M.Application(['board', '--at=%s', '100%%', '%b'], '/12/', False)
            self.assertEqual((one.command(), one.address), (['board', '--at=/run/web', '100%', '/12/'], '/run/web'))
            two = M.Application(['serve', '%p'], '/12/', True)
            self.assertEqual(two.address, '127.0.0.1:' + two.command()[1])

    def test_a_port_that_every_account_reaches_is_told_in_a_line_and_a_socket_is_not(self):
        for words, told in ((['x', '%p'], True), (['x', '%s'], False), (M.FILES[1:], False)):
            said = io.StringIO()
            with unittest.mock.patch.dict(os.environ, {'WM_WEB_SOCKET': '/run/s'}), contextlib.redirect_stderr(said):
                M.Application(words, '/12/', True)
            self.assertEqual('every account of this host' in said.getvalue(), told, words)
            self.assertLessEqual(said.getvalue().count('\n'), 1)

    def test_a_port_that_the_host_keeps_for_its_account_is_taken_without_a_word(self):
        said = io.StringIO()
        kept = {'WM_WEB_SOCKET': '/run/s', 'WM_WEB_PORT': '7003', 'WM_WEB_PORT_OWNED': 'yes'}
        with unittest.mock.patch.dict(os.environ, kept), contextlib.redirect_stderr(said):
            self.assertEqual(M.Application(['x', '%p'], '/12/', True).address, '127.0.0.1:7003')
            self.assertEqual(said.getvalue(), '')
            os.environ.pop('WM_WEB_PORT_OWNED')
            self.assertEqual(M.Application(['x', '%p'], '/12/', True).command(), ['x', '7003'])
        self.assertIn('every account of this host', said.getvalue())

    def test_files_are_served_at_the_socket_that_is_the_owners(self):
        with unittest.mock.patch.dict(os.environ, {'WM_WEB_SOCKET': '/run/s'}):
            served = M.Application(M.FILES[1:], '/12/', True)
        self.assertEqual((served.address, served.command()[-2:]), ('/run/s', ['--serve-files', '/run/s']))

    def test_jupyter_listens_at_a_socket_and_nowhere_else(self):
        with folder_with('jupyter-notebook', 'echo 6.4.12') as folder, \
                unittest.mock.patch.dict(os.environ, {'WM_WEB_SOCKET': '/run/web', 'PATH': folder}):
            words = M.Jupyter('/12/').command()
        self.assertIn('--NotebookApp.sock=/run/web', words)
        self.assertIn('--NotebookApp.sock_mode=0600', words)
        self.assertFalse([word for word in words if '.port' in word or '.ip' in word])

    def test_kernels_meet_their_server_at_sockets_in_a_short_folder(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        with unittest.mock.patch.dict(os.environ, {'WM_WEB_SOCKET': folder + '/web'}):
            one = M.Jupyter('/12/', OwnPython.OWN)
            runtime = one.surroundings({}, folder)['JUPYTER_RUNTIME_DIR']
        self.assertEqual(runtime, folder + '/j')
        with unittest.mock.patch.dict(os.environ, {'WM_WEB_SOCKET': '/no/such/folder' + 60 * 'x' + '/web'}):
            other = jupyter.runtime_folder()
        self.assertNotIn('xxx', other)
        os.rmdir(other)
        self.assertIn('--KernelManager.transport=ipc', one.command())
        self.assertEqual(os.stat(runtime).st_mode & 0o777, 0o700)
        self.assertLessEqual(len(f'{runtime}/kernel-{"0" * 36}-ipc-1'), 107)
        one.clean_up()
        self.assertFalse(os.path.exists(runtime))

    def test_an_application_may_be_told_the_origin_that_browsers_see(self):
        with unittest.mock.patch.dict(os.environ, {'WM_WEB_SOCKET': '/run/web', 'WM_APPS_URL': 'https://*.apps.org'}):
            self.assertEqual(M.Application(['x', '--host=%o', '%%o'], '/12.3/', False).command(), ['x', '--host=https://12-3.apps.org', '%o'])
            os.environ.pop('WM_APPS_URL')
            with self.assertRaisesRegex(SystemExit, 'WM_APPS_URL is not set'):
                M.Application(['x', '%o'], '/12/', False)
            M.Application(['x', '%%o'], '/12/', False)  # no %o

    def test_an_element_has_addresses_of_its_own(self):
        with unittest.mock.patch.dict(os.environ, {'LSB_JOBID': '12', 'LSB_JOBINDEX': '3'}):
            self.assertEqual(M.base_of(), '/12.3/')

    def test_what_is_below_a_process(self):
        parents = {5: 4, 4: 3, 3: 1, 9: 1}
        self.assertEqual([use.is_below(p, 4, parents) for p in (5, 4, 3, 9)], [True, True, False, False])

    def test_moments_of_kernels(self):
        self.assertEqual(jupyter.when('1970-01-01T00:01:00.000000Z'), 60)
        self.assertEqual(jupyter.when(''), 0)


class OwnPython(unittest.TestCase):
    """With which Python kernels run: that of PATH; programs that stand in for it are shell scripts."""

    OWN = {'program': '/v/bin/python3', 'prefix': '/v', 'version': '3.13', 'server': 'jupyterlab', 'app': 'ServerApp', 'kernel': True}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def found(self, text, name='python3'):
        write_program(os.path.join(self.folder, name), text)
        with unittest.mock.patch.dict(os.environ, {'PATH': self.folder}):
            return python.own_python()

    def jupyter(self, python):
        with unittest.mock.patch.dict(os.environ, {'WM_WEB_SOCKET': '/run/web'}):
            return M.Jupyter('/12/', python)

    def test_the_real_one_is_asked_whatever_its_name(self):
        said = self.found(f'exec {sys.executable} "$@"', 'python')
        if sys.prefix == python.SYSTEM_PREFIX:
            self.assertIsNone(said)
        else:
            self.assertEqual((said['program'], said['prefix']), (sys.executable, sys.prefix))

    def test_one_of_an_environment_is_the_submitters_own(self):
        self.assertEqual(self.found("echo '" + json.dumps(self.OWN) + "'"), self.OWN)

    def test_the_systems_is_nobodys_and_one_that_does_not_run_is_told(self):
        self.assertIsNone(self.found("echo '" + json.dumps({**self.OWN, 'prefix': '/usr'}) + "'"))
        for text in ('exit 1', 'echo no JSON'):
            with unittest.mock.patch.object(sys, 'stderr') as told:
                self.assertIsNone(self.found(text))
            self.assertIn(os.path.join(self.folder, 'python3') + ' does not run', told.write.call_args_list[0].args[0])

    def test_its_own_jupyter_is_started_where_it_has_one(self):
        words = self.jupyter(self.OWN).command()
        self.assertEqual(words[:3], ['/v/bin/python3', '-m', 'jupyterlab'])
        self.assertIn('--ServerApp.sock=/run/web', words)
        self.assertIn('--ServerApp.root_dir=' + os.getcwd(), words)

    def test_else_that_of_the_first_folder_of_path_that_has_any(self):
        for place, name in (('a', 'jupyter-notebook'), ('b', 'jupyter-lab'), ('b', 'jupyter-notebook')):
            os.makedirs(os.path.join(self.folder, place), exist_ok=True)
            write_program(os.path.join(self.folder, place, name), 'echo 7.2')
        for path, wanted in (('a:b', 'a/jupyter-notebook'), ('b:a', 'b/jupyter-lab'), ('none:b', 'b/jupyter-lab')):
            folders = ':'.join(os.path.join(self.folder, place) for place in path.split(':'))
            with unittest.mock.patch.dict(os.environ, {'PATH': folders}):
                words = self.jupyter({**self.OWN, 'server': ''}).command()
            self.assertEqual(words[0], os.path.join(self.folder, wanted))
            self.assertIn('--ServerApp.sock=/run/web', words)

    def test_kernels_of_any_jupyter_run_with_it(self):
        served = self.jupyter({**self.OWN, 'server': ''})
        self.addCleanup(served.clean_up)
        self.enterContext(unittest.mock.patch.dict(os.environ, {'WM_WEB_SOCKET': os.path.join(self.folder, 'web')}))
        env = served.surroundings({'JUPYTER_PATH': '/mine'}, self.folder)
        first, rest = env['JUPYTER_PATH'].split(':')
        self.assertEqual(rest, '/mine')
        with open(os.path.join(first, 'kernels', 'python3', 'kernel.json'), encoding='utf-8') as file:
            spec = json.load(file)
        self.assertEqual(spec['argv'][:3], ['/v/bin/python3', '-m', 'ipykernel_launcher'])
        self.assertEqual(spec['display_name'], 'Python 3.13 (/v)')

    def test_one_without_ipykernel_is_named_and_the_systems_runs_them(self):
        with unittest.mock.patch.object(sys, 'stderr') as told:
            served = self.jupyter({**self.OWN, 'kernel': False})
            self.addCleanup(served.clean_up)
            self.enterContext(unittest.mock.patch.dict(os.environ, {'WM_WEB_SOCKET': os.path.join(self.folder, 'web')}))
            self.assertNotIn('JUPYTER_PATH', served.surroundings({'A': '1'}, self.folder))
        self.assertIn("/v/bin/python3 has no ipykernel: kernels run with the system's", told.write.call_args_list[0].args[0])


if __name__ == '__main__':
    unittest.main()
