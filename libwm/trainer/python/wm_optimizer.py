"""Role: the job of a search whose optimizer is a user's plugin: asks the plugin what to try, and gives it to
the search's open array. Runs as the user, in a small job of its own; started again, it goes on.

  bsearch -json JOB ─► trials that have ended ─► optimizer.py: search(n, results) ─► checked ─► bgive JOB
                                                  (a child: it may hang, die, answer nonsense)
What was asked for is in optimizer.json: {"search": {…}, "name", "limit_s", "python"}; the plugin's files are
in plugin/. optimizer.state holds what is to be given before it is: killed at any time, nothing comes twice.
Exit: 0, the search is closed; 1, with the reason as the last line on standard error, the array closed, too.
@source wmla-surface 5.4
Callers: wuserd (search_plugins.cc).
"""

import contextlib
import importlib.util
import json
import math
import os
import select
import subprocess
import sys
import time
import traceback

SETTINGS, STATE = 'optimizer.json', 'optimizer.state'
POLL_S = float(os.environ.get('WM_OPTIMIZER_POLL_S', '0.5'))
OVER = ('finished', 'failed', 'killed', 'error')
MOST_SHOWN = 200


class Failed(Exception):
    """Why the search cannot go on, for people."""


# ---- the child, in which the plugin runs --------------------------------------------------------


def _number(text):
    """What clients send as a number or as its text; None: neither, or not said."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return int(value) if value.is_integer() else value if math.isfinite(value) else None


def _upper(params):
    """As plugins compare and count with them: Range and Discrete, data types in capitals, step and power as numbers, the step of whole numbers 1
    where none is said."""
    shown = []
    for p in params:
        kind = str(p.get('dataType', 'str')).upper()
        one = {**p, 'dataType': {'STRING': 'STR'}.get(kind, kind), 'type': str(p.get('type', 'Range')).capitalize()}
        for key in ('step', 'power'):
            if key in one:
                one[key] = _number(one[key])
        if one['type'] == 'Range' and one.get('step') is None:
            one['step'] = 1 if kind == 'INT' else None
        shown.append(one)
    return shown


def _load(folder):
    """The class PluginOptimizer of the plugin's optimizer.py."""
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location('optimizer', os.path.join(folder, 'optimizer.py'))
    module = importlib.util.module_from_spec(spec)
    sys.modules['optimizer'] = module
    spec.loader.exec_module(module)
    return module.PluginOptimizer


def host(folder):
    """Answers lines of JSON; what the plugin prints is no answer."""
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'last'))
    answers = os.fdopen(os.dup(1), 'w', encoding='utf-8')
    os.dup2(2, 1)
    optimizer = None
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            if optimizer is None:
                optimizer = _load(folder)(asked['name'], _upper(asked['space']), **asked['params'])
                if asked['state'] is not None:
                    optimizer.set_state(asked['state'])
            found = optimizer.search(asked['wanted'], asked['results'])
            answer = {'configs': found, 'state': optimizer.get_state() if hasattr(optimizer, 'get_state') else {}}
            text = json.dumps(answer, default=_plain)
        except BaseException as problem:  # pylint: disable=broad-except
            traceback.print_exc()
            text = json.dumps({'error': f'{type(problem).__name__}: {problem}'[:MOST_SHOWN]})
        answers.write(text + '\n')
        answers.flush()


def _plain(value):
    """Numbers and lists of numpy."""
    for name in ('item', 'tolist'):
        with contextlib.suppress(AttributeError, TypeError, ValueError):
            return getattr(value, name)()
    raise TypeError(f'{type(value).__name__} is neither a number nor a text')


class Plugin:
    """The child. One that is gone or hangs is a failure."""

    def __init__(self, settings):
        self.limit_s = float(settings.get('limit_s') or 60)
        os.environ['WM_PLUGIN_LOG_LEVEL'] = settings.get('log_level') or 'INFO'
        words = [settings.get('python') or sys.executable, os.path.abspath(__file__), '--host', os.path.abspath('plugin')]
        self.child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # pylint: disable=consider-using-with

    def ask(self, question):
        """Its answer. @errors Failed: an exception, no answer in time, its death"""
        try:
            self.child.stdin.write(json.dumps(question).encode() + b'\n')
            self.child.stdin.flush()
        except OSError:
            raise Failed(f'the plugin has died{self._how()}') from None
        deadline, held = time.monotonic() + self.limit_s, b''
        while not held.endswith(b'\n'):
            ready, _, _ = select.select([self.child.stdout], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                self.child.kill()
                raise Failed(f'search() has given no answer in {self.limit_s:g} s')
            block = os.read(self.child.stdout.fileno(), 1 << 16)
            if not block:
                raise Failed(f'the plugin has died{self._how()}')
            held += block
        answer = json.loads(held)
        if 'error' in answer:
            raise Failed(f'search() failed: {answer["error"]}')
        return answer

    def _how(self):
        code = self.child.wait()
        return f' of signal {-code}' if code < 0 else f' with exit code {code}'


# ---- what is asked and checked ------------------------------------------------------------------


def checked(configs, space, wanted):
    """The configs as they are given. @errors Failed: what is no list of settings of the space"""
    if not isinstance(configs, list):
        raise Failed(f'search() returned {type(configs).__name__}, no list')
    if len(configs) > wanted:
        configs = configs[:wanted]
    names = {p['name']: str(p.get('dataType', 'str')).lower() for p in space}
    for config in configs:
        if not isinstance(config, dict) or set(config) != set(names):
            raise Failed(f'search() returned {json.dumps(config)[:MOST_SHOWN]}; a value for each of {", ".join(sorted(names))} is wanted')
        for name, value in config.items():
            config[name] = _value(name, value, names[name])
    return configs


def _value(name, value, kind):
    if kind not in ('int', 'double'):
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return str(value)
        raise Failed(f'search() returned {json.dumps(value)[:80]} for {name}, which is a text')
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number) or (kind == 'int' and number != int(number)):
        raise Failed(f'search() returned {json.dumps(value)[:80]} for {name}, which is {"a whole number" if kind == "int" else "a number"}')
    return int(number) if kind == 'int' else number


def result_of(trial, search):
    """A trial that has ended, in every spelling that plugins were seen to read."""
    value = trial['value']
    types = {p['name']: str(p.get('dataType', 'str')).upper() for p in search['space']}
    params = [{'name': n, 'dataType': types.get(n, 'STR'), 'fixedVal': v} for n, v in trial['config'].items()]
    return {'id': trial['index'] - 1, 'state': trial['state'].upper(), 'score': value, 'metricVal': value, 'metrics': trial['metrics'],
            'hyperParams': params, 'hyper_parameters': dict(trial['config']), 'config': dict(trial['config'])}


class Search:
    """The open array, through the commands."""

    def __init__(self, job):
        self.job = job
        self.bin = os.environ.get('LSF_BINDIR', '')

    def _run(self, name, *words, text=None):
        done = subprocess.run([os.path.join(self.bin, name), *words], input=text, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(f'{name}: {done.stderr.strip()[:MOST_SHOWN]}')
        return done.stdout

    def told(self):
        """As bsearch -json has it."""
        return json.loads(self._run('bsearch', '-json', self.job))

    def give(self, configs):
        """More trials."""
        self._run('bgive', '-lines', self.job, text=''.join(json.dumps(c) + '\n' for c in configs))

    def close(self):
        """No more."""
        self._run('bgive', '-close', self.job)


class Driver:
    """Goes round until the search is full, or the plugin has no more."""

    def __init__(self, search, settings):
        self.search, self.settings = search, settings
        self.space, self.most = settings['search']['space'], settings['search'].get('max_trials')
        self.plugin = Plugin(settings)
        self.state = {'plugin': None, 'seen': [], 'first': True, 'given': None, 'configs': []}
        if os.path.exists(STATE):
            with open(STATE, encoding='utf-8') as kept:
                self.state = json.load(kept)

    def keep(self):
        """Whole, or as it was."""
        with open(STATE + '.part', 'w', encoding='utf-8') as out:
            json.dump(self.state, out)
            out.flush()
            os.fsync(out.fileno())
        os.replace(STATE + '.part', STATE)

    def ask(self, trials, wanted):
        """What to try next, checked."""
        seen = set(self.state['seen'])
        ended = [t for t in trials if t['state'] in OVER and t['index'] not in seen]
        results = None if self.state['first'] else [result_of(t, self.settings['search']) for t in ended]
        answer = self.plugin.ask({'name': self.settings['name'], 'space': self.space, 'params': self.params(), 'state': self.state['plugin'],
                                  'wanted': wanted, 'results': results})
        self.state.update(plugin=answer.get('state'), first=False, seen=sorted(seen | {t['index'] for t in ended} if results is not None else seen))
        return checked(answer['configs'], self.space, wanted)

    def params(self):
        """algoParams as texts."""
        given = self.settings['search'].get('params') or []
        pairs = given.items() if isinstance(given, dict) else ((p['name'], p['value']) for p in given)
        return {name: str(value) for name, value in pairs}

    def turn(self):
        """One look; False: it is over."""
        told = self.search.told()
        if told['closed']:
            return False
        if self.state['configs'] and told['given'] <= self.state['given']:  # killed between keeping and giving
            self.search.give(self.state['configs'])
            self.state['configs'] = []
            return True
        trials = sorted(told['trials'], key=lambda t: t['index'])
        live = told['given'] - sum(t['state'] in OVER for t in trials)
        left = min(self.most or told['reserved'], told['reserved']) - told['given']
        wanted = min(self.settings['at_once'] - live, left)
        if left <= 0:
            self.search.close()
            return False
        if wanted <= 0 or told.get('held'):
            time.sleep(POLL_S)
            return True
        configs = self.ask(trials, wanted)
        if not configs and live:  # it may want to see these first
            time.sleep(POLL_S)
            return True
        if not configs:
            self.search.close()
            return False
        self.state.update(given=told['given'], configs=configs)
        self.keep()
        self.search.give(configs)
        return True


def main():
    """The job's number is the one argument."""
    if sys.argv[1] == '--host':
        return host(sys.argv[2])
    search = Search(sys.argv[1])
    try:
        with open(SETTINGS, encoding='utf-8') as text:
            driver = Driver(search, json.load(text))
        while driver.turn():
            pass
        driver.plugin.child.kill()
    except (Failed, KeyError, ValueError, OSError) as problem:
        with contextlib.suppress(Failed):
            search.close()
        print(problem if isinstance(problem, Failed) else f'{type(problem).__name__}: {problem}', file=sys.stderr, flush=True)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
