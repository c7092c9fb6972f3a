"""Role: wm_optimizer runs a plugin as WMLA's, against commands that stand in for bsearch and bgive: what it
gives, that nothing comes twice, and what it says of plugins that hang, die or answer nonsense.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', '..', '..')
PROGRAM = os.path.join(TOP, 'libwm', 'trainer', 'python', 'wm_optimizer.py')
# Trials of the array lie in array.json; what is given has ended at once, with x as its value.
COMMAND = '''#!{python}
import json, os, sys
path = os.path.join({folder!r}, 'array.json')
array = json.load(open(path))
if sys.argv[0].endswith('bsearch'):
    trials = [{{'index': i + 1, 'state': 'finished', 'value': c['x'], 'config': c, 'metrics': {{'m': {{'min': c['x']}}}}}} for i, c in enumerate(array['given'])]
    print(json.dumps({{'reserved': 100, 'given': len(trials), 'closed': array['closed'], 'held': False, 'trials': trials}}))
    sys.exit()
if '-close' in sys.argv:
    array['closed'] = True
else:
    array['given'] += [json.loads(line) for line in sys.stdin]
if os.path.exists(path + '.refuse'):
    os.unlink(path + '.refuse')
    sys.exit('bgive: cannot be reached')
json.dump(array, open(path, 'w'))
'''
SPACE = [{'name': 'x', 'type': 'range', 'dataType': 'double', 'minDbVal': 0, 'maxDbVal': 1, 'step': '0.5'}]
HEAD = '''
from plugins.core.logger import logger
from plugins.core.base_plugin_opt import BasePluginOptimizer
class PluginOptimizer(BasePluginOptimizer):
    def __init__(self, name, hyper_parameters, **kwargs):
        super().__init__(name, hyper_parameters, **kwargs)
        self.n = 0
        assert hyper_parameters[0]['dataType'] == 'DOUBLE' and hyper_parameters[0]['type'] == 'Range'
        assert hyper_parameters[0]['step'] == 0.5 and len(hyper_parameters) == 1
    def get_state(self):
        return {'n': self.n}
    def set_state(self, state):
        self.n = state['n']
'''
COUNTS = HEAD + '''
    def search(self, number_samples, last_exp_results):
        print('what it prints is no answer')
        if self.n == 0:
            assert not last_exp_results and self.kwargs == {'Step': '0.5'}
        else:
            assert [r['metricVal'] for r in last_exp_results] == [(self.n - i) / 2 for i in range(len(last_exp_results), 0, -1)], last_exp_results
        found = []
        while len(found) < number_samples and self.n < 5:
            found.append({'x': self.n * 0.5})
            self.n += 1
        return found
'''


class Optimizer(unittest.TestCase):
    """Each in a folder of its own."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        os.mkdir(os.path.join(self.folder, 'plugin'))
        self.array({'given': [], 'closed': False})
        for name in ('bsearch', 'bgive'):
            path = os.path.join(self.folder, name)
            with open(path, 'w', encoding='ascii') as out:
                out.write(COMMAND.format(python=sys.executable, folder=self.folder))
            os.chmod(path, 0o755)

    def tearDown(self):
        self.temporary.cleanup()

    def array(self, value=None):
        """What the array holds, or is to hold."""
        path = os.path.join(self.folder, 'array.json')
        if value is not None:
            with open(path, 'w', encoding='ascii') as out:
                json.dump(value, out)
        with open(path, encoding='ascii') as text:
            return json.load(text)

    def run_it(self, code, limit_s=20, most=None, at_once=2):
        """(exit code, last line of standard error)"""
        with open(os.path.join(self.folder, 'plugin', 'optimizer.py'), 'w', encoding='ascii') as out:
            out.write(code)
        search = {'metric': 'm', 'space': SPACE, 'params': [{'name': 'Step', 'value': '0.5'}]}
        if most:
            search['max_trials'] = most
        with open(os.path.join(self.folder, 'optimizer.json'), 'w', encoding='ascii') as out:
            json.dump({'search': search, 'name': 'mine', 'at_once': at_once, 'limit_s': limit_s, 'python': None}, out)
        done = subprocess.run([sys.executable, PROGRAM, '7'], cwd=self.folder, capture_output=True, text=True, check=False, timeout=600,
                              env={**os.environ, 'LSF_BINDIR': self.folder, 'WM_OPTIMIZER_POLL_S': '0.01'})
        lines = done.stderr.strip().splitlines()
        return done.returncode, lines[-1] if lines else ''

    def test_gives_what_the_plugin_wants_until_it_has_no_more(self):
        self.assertEqual(self.run_it(COUNTS)[0], 0)
        self.assertEqual(self.array(), {'given': [{'x': n / 2} for n in range(5)], 'closed': True})

    def test_stops_at_the_number_of_trials(self):
        self.assertEqual(self.run_it(COUNTS, most=3)[0], 0)
        self.assertEqual(len(self.array()['given']), 3)
        self.assertTrue(self.array()['closed'])

    def test_goes_on_where_it_was_and_gives_nothing_twice(self):
        refuse = os.path.join(self.folder, 'array.json.refuse')
        with open(refuse, 'w', encoding='ascii'):
            pass
        self.assertEqual(self.run_it(COUNTS)[0], 1)  # asked the plugin, kept it, could not give it
        self.array({'given': [], 'closed': False})
        self.assertEqual(self.run_it(COUNTS)[0], 0)
        self.assertEqual([c['x'] for c in self.array()['given']], [0, 0.5, 1.0, 1.5, 2.0])

    def test_says_what_is_wrong_with_a_plugin_and_closes_the_search(self):
        search = HEAD + '    def search(self, n, results):\n        '
        for code, said in (
                (search + 'return [{"x": "wide"}]', 'search() returned "wide" for x, which is a number'),
                (search + 'return [{"x": float("nan")}]', 'search() returned NaN for x, which is a number'),
                (search + 'return [{"y": 1}]', 'search() returned {"y": 1}; a value for each of x is wanted'),
                (search + 'return 3', 'search() returned int, no list'),
                (search + 'return [object()]', 'search() failed: TypeError: object is neither a number nor a text'),
                (search + 'raise ValueError("odd")', 'search() failed: ValueError: odd'),
                (search + 'import os; os.kill(os.getpid(), 9)', 'the plugin has died of signal 9'),
                (search + 'import os; os._exit(3)', 'the plugin has died with exit code 3'),
                ('import nowhere', "search() failed: ModuleNotFoundError: No module named 'nowhere'"),
                (HEAD, 'search() failed: NotImplementedError: plugin mine: search() is missing')):
            with self.subTest(said):
                self.array({'given': [], 'closed': False})
                self.assertEqual(self.run_it(code), (1, said))
                self.assertTrue(self.array()['closed'])

    def test_a_plugin_that_hangs_is_ended(self):
        code = HEAD + '    def search(self, n, results):\n        import time; time.sleep(1000)'
        self.assertEqual(self.run_it(code, limit_s=0.5), (1, 'search() has given no answer in 0.5 s'))

    def test_takes_numbers_of_numpy(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest('no numpy')
        code = HEAD + '    def search(self, n, results):\n        import numpy; return [{"x": numpy.float64(0.25)}]'
        self.assertEqual(self.run_it(code, most=1), (0, ''))
        self.assertEqual(self.array()['given'], [{'x': 0.25}])


if __name__ == '__main__':
    unittest.main()
