#!/usr/bin/env python3
"""Role: what Optuna finds on the surfaces of test/support/surfaces.h, turned and shifted by the same
seeds, in as many trials: lines `search_regret_SURFACE_optuna_SAMPLER value regret`.

usage: optuna_quality.py OBJECTIVES.py [--seeds N] [--sampler tpe|random] [--surfaces A,B]
OBJECTIVES.py defines the surfaces (OBJ[name].f, .space, .best).
"""

import importlib.util
import math
import statistics
import sys

TRIALS = {'branin': 60, 'hartmann6': 60, 'rosenbrock5': 100, 'ackley10': 100, 'mlsurface': 100}
PI = math.pi
LEAST = {  # low, high, middle, places of the least value
    'branin': (0, 15, [2.5, 7.5], [[-PI, 12.275], [PI, 2.275], [9.42478, 2.475]]),
    'hartmann6': (0, 1, [.5] * 6, [[.20169, .150011, .476874, .275332, .311652, .6573]]),
    'rosenbrock5': (-5, 10, [2.5] * 5, [[1] * 5]),
    'ackley10': (-32.768, 32.768, [0] * 10, [[3.1, -7.7, 12.4, -15.2, 8.8, -1.3, 20.5, -18.1, 5.9, -11.6]])}
MASK = (1 << 64) - 1


class Source:
    """The numbers of surfaces.cc."""

    def __init__(self, key):
        self.key, self.counter = key, 0

    def uniform(self):
        """In [0, 1)."""
        self.counter += 1
        z = (self.key + self.counter * 0x9e3779b97f4a7c15) & MASK
        z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & MASK
        z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & MASK
        return ((z ^ (z >> 31)) >> 11) * 2.0 ** -53

    def normal(self):
        """Box and Muller's."""
        u = 1 - self.uniform()
        return math.sqrt(-2 * math.log(u)) * math.cos(2 * PI * self.uniform())


def rotation(d, source):
    """Rows of normal numbers made orthogonal to each other."""
    rows = [[source.normal() for _ in range(d)] for _ in range(d)]
    for i, row in enumerate(rows):
        for other in rows[:i]:
            along = sum(a * b for a, b in zip(row, other))
            row[:] = [a - along * b for a, b in zip(row, other)]
        length = math.sqrt(sum(a * a for a in row))
        row[:] = [a / length for a in row]
    return rows


class Turned:
    """A surface turned and shifted by a seed; 0: as it is."""

    def __init__(self, name, f, seed):
        self.f, self.turn = f, None
        if name not in LEAST or seed == 0:
            return
        low, high, self.middle, least = LEAST[name]
        source, d = Source(seed * 1000003 + 17), len(self.middle)
        while True:
            self.turn = rotation(d, source)
            self.shift = [(source.uniform() - .5) * .2 * (high - low) for _ in range(d)]
            if any(self.holds(place, (high - low) / 2) for place in least):
                return

    def holds(self, least, half):
        """Whether the least value lies in the box."""
        d = len(self.middle)
        return all(abs(self.shift[j] + sum(self.turn[i][j] * (least[i] - self.middle[i]) for i in range(d))) <= .95 * half
                   for j in range(d))

    def value(self, params):
        """At {name: value}."""
        if self.turn is None:
            return self.f(params)
        d = len(self.middle)
        z = [params[f'x{j}'] - self.middle[j] - self.shift[j] for j in range(d)]
        return self.f({f'x{i}': self.middle[i] + sum(self.turn[i][j] * z[j] for j in range(d)) for i in range(d)})


def ask(trial, space):
    """{name: value} of a trial of Optuna's."""
    params = {}
    for e in space:
        if e.get('when') and not all(k in params and params[k] in v for k, v in e['when'].items()):
            continue
        if e['type'] == 'categorical':
            params[e['name']] = trial.suggest_categorical(e['name'], e['choices'])
        elif e['type'] == 'int':
            params[e['name']] = trial.suggest_int(e['name'], e['low'], e['high'], log=e['log'])
        else:
            params[e['name']] = trial.suggest_float(e['name'], e['low'], e['high'], log=e['log'])
    return params


def regret(name, surface, sampler, seed):
    """Of one study."""
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    turned = Turned(name, surface.f, seed)
    samplers = {'tpe': optuna.samplers.TPESampler, 'random': optuna.samplers.RandomSampler}
    study = optuna.create_study(sampler=samplers[sampler](seed=seed))
    study.optimize(lambda trial: turned.value(ask(trial, surface.space)), n_trials=TRIALS[name])
    return study.best_value - surface.best


def main(args):
    """One line a surface."""
    options = dict(zip(args[1::2], args[2::2]))
    spec = importlib.util.spec_from_file_location('objectives', args[0])
    objectives = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(objectives)
    sampler = options.get('--sampler', 'tpe')
    for name in options.get('--surfaces', ','.join(TRIALS)).split(','):
        seeds = range(1, int(options.get('--seeds', 5)) + 1)
        found = statistics.median(regret(name, objectives.OBJ[name], sampler, seed) for seed in seeds)
        print(f'search_regret_{name}_optuna_{sampler} {found:.4g} regret', flush=True)


if __name__ == '__main__':
    main(sys.argv[1:])
