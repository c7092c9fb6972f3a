"""Role: the Python and the torch, or other framework, that this worker runs with. Those that the trainer cannot work with are refused by
name before anything else is imported; the workers of one job have to have the same ones, and tell each other.

Invariant: nothing here needs more than Python 3.6, so that an older one than is wanted is told so.
"""

import importlib.util
import os
import re
import sys
import sysconfig

OLDEST_PYTHON = (3, 9)
OLDEST_TORCH = (1, 13)


class Mixed(RuntimeError):
    """This worker has another Python or framework than the job's first one."""


_OTHERS = ('tensorflow', 'keras', 'jax')  # what a script may train with that has no torch


def check():
    """check_torch(), but for a script that has imported another framework and no torch: it is left without."""
    if 'torch' in sys.modules or not any(one in sys.modules for one in _OTHERS):
        check_torch()


def check_torch():
    """Refuses what the trainer cannot work with. In a task of WM that is one line, which its job's output and bjobs -l
    show, and not a traceback. Where there is no torch but another framework, that may be what is trained with. @errors ImportError; in a task SystemExit"""
    problem = _problem()
    if problem is None:
        return
    if 'WM_TASK' in os.environ:
        sys.exit('fabric_model: ' + problem)
    raise ImportError('fabric_model: ' + problem)


_used = ['torch']


def use(*modules):
    """What this worker trains with, where that is not torch."""
    _used[:] = modules


def name():
    """What has to be the same in all workers of a job, as people say it. Builds of one version may differ: CPUs
    and GPUs of several kinds can train together."""
    return 'Python {}.{}'.format(*sys.version_info[:2]) + ''.join(
        ', {} {}'.format(one, sys.modules[one].__version__.partition('+')[0]) for one in _used)


def told():
    """What a worker tells the others: name(), and in a second line who says so."""
    return name() + '\n' + _who()


def compare(theirs):
    """`theirs`: what the job's first worker told; None: it is of an earlier WM, and told nothing. @errors Mixed"""
    if theirs is None:
        return
    has, who = (theirs.split('\n', 1) + [''])[:2]
    if has != name():
        raise Mixed('fabric_model: mixed versions in one job: {} has {}; {} has {}'.format(_who(), name(), who, has))


def _who():
    return 'task {} on {}'.format(os.environ.get('WM_TASK', '?'), os.environ.get('HOSTNAME') or 'this host')


def _python():
    return 'Python {}.{}.{} ({})'.format(*sys.version_info[:3], sys.executable)


def _dotted(version):
    return '.'.join(map(str, version))


def _problem():
    """In one sentence; None: they are fine."""
    if sys.version_info[:2] < OLDEST_PYTHON:
        return '{} is too old: {} or newer is wanted'.format(_python(), _dotted(OLDEST_PYTHON))
    found = importlib.util.find_spec('torch')
    if (found is None or not found.origin) and any(importlib.util.find_spec(one) for one in _OTHERS):
        return None
    if found is None or not found.origin:
        return '{} has no torch: install it there, or submit with another Python in PATH'.format(_python())
    folder = os.path.dirname(found.origin)
    try:
        import torch
    except (ImportError, OSError) as error:
        return _other_abi(folder) or 'torch of {} cannot be imported by {}: {}'.format(folder, _python(), error)
    return _problem_of(torch, folder)


def _problem_of(torch, folder):
    version = tuple(int(number) for number in re.findall(r'\d+', torch.__version__)[:2])
    if version < OLDEST_TORCH:
        return 'torch {} of {} is too old: {} or newer is wanted'.format(torch.__version__, folder, _dotted(OLDEST_TORCH))
    try:
        from torch.distributed import ProcessGroupGloo  # noqa: F401
    except ImportError:
        return 'torch {} of {} has no gloo, by which workers exchange gradients'.format(torch.__version__, folder)
    return None


def _other_abi(folder):
    """None: torch's compiled part is for this Python, or there is none to see."""
    own = (sysconfig.get_config_var('SOABI') or '').split('-')
    there = sorted(set(re.findall(r'^_C\.([a-z]+-\d+)', '\n'.join(os.listdir(folder)), re.MULTILINE)))
    if not there or '-'.join(own[:2]) in there:
        return None
    return 'torch of {} is built for the ABI {}; {} has the ABI {}'.format(
        folder, ' and '.join(there), _python(), '-'.join(own[:2]))
