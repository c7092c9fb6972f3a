"""Role: when wm-notebook takes what it serves for forgotten, and what it starts: the file itself, imported."""

import importlib.machinery
import importlib.util
import os
import sys
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.dont_write_bytecode = True
LOADER = importlib.machinery.SourceFileLoader('wm_notebook', os.path.join(ROOT, 'commands/wm-notebook.py'))
M = importlib.util.module_from_spec(importlib.util.spec_from_loader('wm_notebook', LOADER))
LOADER.exec_module(M)


class Rule(unittest.TestCase):
    """Times in, a word out."""

    def test_it_is_warned_then_idle_and_use_begins_anew(self):
        rule = M.Rule(100, 20)
        rule.used(1000)
        self.assertEqual([rule.word(t) for t in (1000, 1079, 1080, 1099, 1100)], ['ready', 'ready', 'warned', 'warned', 'idle'])
        rule.used(1090)
        rule.used(1050)  # what is later counts
        self.assertEqual(rule.word(1100), 'ready')
        self.assertEqual(rule.stops_at(), 1190)

    def test_one_that_was_not_looked_at_for_long_is_warned_all_the_same(self):
        rule = M.Rule(100, 20)
        rule.used(1000)
        self.assertEqual([rule.word(t) for t in (5000, 5009, 5010)], ['warned', 'warned', 'idle'])
        self.assertEqual(M.Rule(100, 0).word(200), 'idle')

    def test_extended_it_stays_at_least_so_long(self):
        rule = M.Rule(100, 20)
        rule.used(1000)
        rule.extend(2000)
        self.assertEqual([rule.word(t) for t in (1500, 1980, 2000)], ['ready', 'warned', 'idle'])
        rule.extend(1)
        self.assertEqual(rule.stops_at(), 1100)

    def test_without_a_limit_it_never_is(self):
        rule = M.Rule(0, 20)
        self.assertEqual((rule.word(1e12), rule.stops_at()), ('ready', 0))

    def test_a_warning_longer_than_the_limit_is_one_from_the_beginning(self):
        rule = M.Rule(10, 60)
        rule.used(1000)
        self.assertEqual(rule.word(1000), 'warned')


class Words(unittest.TestCase):
    """What it reads and what it starts."""

    def test_times_as_the_host_says_them(self):
        self.assertEqual([M.seconds(t) for t in ('250ms', '90s', '5m', '2h', '1d', '0s', '', None, 'x')], [0.25, 90, 300, 7200, 86400, 0, 0, 0, 0])

    def test_an_application_gets_socket_port_and_base(self):
        with unittest.mock.patch.dict(os.environ, {'WM_WEB_SOCKET': '/run/web'}):
            one = M.Application(['board', '--at=%s', '100%%', '%b'], '/12/', False)
            self.assertEqual((one.command(), one.address), (['board', '--at=/run/web', '100%', '/12/'], '/run/web'))
            two = M.Application(['serve', '%p'], '/12/', True)
            self.assertEqual(two.address, '127.0.0.1:' + two.command()[1])

    def test_jupyter_listens_at_a_socket_and_nowhere_else(self):
        with unittest.mock.patch.dict(os.environ, {'WM_WEB_SOCKET': '/run/web'}), \
                unittest.mock.patch.object(M.shutil, 'which', lambda name: '/usr/bin/' + name):
            words = M.Jupyter('/12/').command()
        self.assertIn('--NotebookApp.sock=/run/web', words)
        self.assertIn('--NotebookApp.sock_mode=0600', words)
        self.assertFalse([word for word in words if '.port' in word or '.ip' in word])

    def test_an_element_has_addresses_of_its_own(self):
        with unittest.mock.patch.dict(os.environ, {'LSB_JOBID': '12', 'LSB_JOBINDEX': '3'}):
            self.assertEqual(M.base_of(), '/12.3/')

    def test_what_is_below_a_process(self):
        parents = {5: 4, 4: 3, 3: 1, 9: 1}
        self.assertEqual([M.is_below(p, 4, parents) for p in (5, 4, 3, 9)], [True, True, False, False])

    def test_moments_of_kernels(self):
        self.assertEqual(M.when('1970-01-01T00:01:00.000000Z'), 60)
        self.assertEqual(M.when(''), 0)


if __name__ == '__main__':
    unittest.main()
