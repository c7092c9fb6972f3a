"""Role: what scripts hand to FabricModel and train(), looked at before anything begins: each refusal names the
argument, what it is and what is wanted. Converts what is meant well: 10.0 is 10, one callback a list of one.
"""

import inspect
import operator

from .logs import DriverLogger, WorkerLogger

# Options of the WMLA API for its cluster; here a job's resources are given when it is submitted.
_OF_A_CLUSTER = ('worker_memory', 'driver_memory')
_OPTIMIZER = ('step', 'zero_grad', 'state_dict', 'load_state_dict', 'param_groups')
_LOGGER_HOOKS = ('log_train_metrics', 'log_test_metrics', 'on_train_begin', 'on_train_end')
_CALLBACK_HOOKS = ('on_train_begin', 'on_epoch_begin', 'on_step_end', 'on_epoch_end', 'on_train_end')


def kind(value):
    """What a value is, for a message."""
    if isinstance(value, type):
        return f'the class {value.__name__}'
    return f"'{value}'" if isinstance(value, str) else f'a {type(value).__name__}'


def number(name, value, least, empty=None):
    """A whole number of at least `least`. `empty`: what None stands for; None: it has to be given.
    @errors ValueError"""
    if value is None and empty is not None:
        return empty
    try:
        whole = int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
    except TypeError:
        raise ValueError(f'train: {name} {value!r}: a whole number of at least {least}') from None
    if whole < least:
        raise ValueError(f'train: {name} {whole}: at least {least}')
    return whole


def refuse_others(function, given, taken):
    """@errors TypeError: `given` has names that are not taken"""
    others = sorted(set(given) - set(taken) - set(_OF_A_CLUSTER))
    if others:
        raise TypeError(f"{function}: unexpected keyword '{others[0]}'; it takes {', '.join(taken)}")


def one_of_two(effective_batch_size, engines_number):
    """@errors ValueError: both are given"""
    if effective_batch_size and engines_number:
        raise ValueError(f'train: effective_batch_size {effective_batch_size} and engines_number {engines_number}: '
                         'give one of them. The first fixes the samples of a step, whatever the number of workers; what the '
                         'second limits, bsub -n limits too')


def function(name, value, form, needed=True):
    """@errors TypeError: `value` cannot be called like `form`"""
    if value is None and not needed:
        return
    if isinstance(value, type) or not callable(value):
        hint = f'; give an object of it: {value.__name__}()' if isinstance(value, type) else ''
        raise TypeError(f'FabricModel: {name} is {kind(value)}; it has to be a function {form}{hint}')


def optimizer(value):
    """@errors TypeError: it is none"""
    lacks = [name for name in _OPTIMIZER if not hasattr(value, name)]
    if lacks or isinstance(value, type):
        raise TypeError(f'FabricModel: optimizer is {kind(value)}; it has to be a torch.optim optimizer over the '
                        "model's parameters, as torch.optim.SGD(model.parameters(), lr=0.1)")
    if hasattr(value, 'first_step') or _needs_closure(value):
        raise TypeError(f'FabricModel: optimizer is {kind(value)}, which computes the loss several times in a step: the workers would have '
                        'to agree on each of them, which is not done here. Those whose step() needs no function do')


def one_device(caller, models):
    """Where the parameters of the modules lie. @errors ValueError: on several devices, or one is not made yet"""
    import torch
    found = {}
    for name, parameter in (pair for model in models for pair in model.named_parameters()):
        if torch.nn.parameter.is_lazy(parameter):
            raise ValueError(f"{caller}: parameter '{name}' has no shape yet: let the model compute one batch before, on every worker the same way")
        found.setdefault(parameter.device, name)
    if len(found) > 1:
        where = ' and '.join(f"'{name}' on {device}" for device, name in found.items())
        raise ValueError(f'{caller}: the model lies on several devices, {where}: a worker has one here. Put it on one, or cut it by '
                         'torchrun with FSDP, as a job of its own')
    return next(iter(found), torch.device('cpu'))


def _needs_closure(optimizer):
    """Whether step() cannot be called with nothing, as that of LBFGS."""
    try:
        inspect.signature(type(optimizer).step).bind(optimizer)
    except TypeError:
        return True
    except ValueError:  # of a callable that tells nothing
        pass
    return False


def _object_with_hooks(name, value, hooks):
    if isinstance(value, (type, str)) or not any(hasattr(value, hook) for hook in (*hooks, 'state_dict')):
        raise TypeError(f'FabricModel: {name} is {kind(value)}; it has to be an object with one or more of '
                        f"{', '.join(hooks)}")


def logger(name, value, default):
    """The logger, or `default` where there is none. @errors TypeError"""
    if value is None:
        return default
    _object_with_hooks(name, value, _LOGGER_HOOKS)
    return value


def callbacks(value):
    """As a list. @errors TypeError"""
    chosen = list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]
    for callback in chosen:
        _object_with_hooks('user_callback', callback, _CALLBACK_HOOKS)
    return chosen


def user_code(options):
    """Callbacks and loggers, as the engine has them. @shape {name: value}   @errors TypeError"""
    later = options.driver_logger_callback is not None or options.worker_logger_callback is not None
    return {'callbacks': callbacks(options.user_callback),
            'driver_logger': logger('driver_logger', options.driver_logger or options.driver_logger_callback, DriverLogger()),
            'worker_logger': logger('worker_logger', options.worker_logger or options.worker_logger_callback, WorkerLogger()),
            'logger_generation': 2 if later else 1}


def pair_of(get):
    """(training set, test set or None) of the script's function. @errors TypeError: these are none"""
    function('datasets_function', get, '() that returns (training set, test set or None)')
    pair = get()
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        what = f'{len(pair)} values' if isinstance(pair, (tuple, list)) else kind(pair)
        raise TypeError(f'train: datasets_function returned {what}; it has to return (training set, test set or None)')
    if pair[0] is None:
        raise TypeError('train: datasets_function returned no training set')
    return pair


def by_number(pair):
    """What torch's models are trained on: DataLoaders as loaders.Taken, a training set that can only be read from front to end as
    streams.Stream; a test set of that kind is read into memory here. @errors TypeError: these are none"""
    return [None if one is None else _by_number(name, one) for name, one in zip(('training', 'test'), pair)]


def data_sets(get):
    """by_number() of pair_of(). @errors TypeError"""
    return by_number(pair_of(get))


def _by_number(name, data):
    import torch
    from .loaders import Taken
    from .streams import Stream
    streams = isinstance(data, torch.utils.data.IterableDataset)
    if isinstance(data, torch.utils.data.DataLoader):
        return Taken(data, f'train: the {name} set')
    if not streams and hasattr(data, '__getitem__') and hasattr(data, '__len__'):
        return data
    if not hasattr(data, '__iter__') or isinstance(data, (str, bytes)):
        raise TypeError(f'train: the {name} set is {kind(data)}; it has to have __len__ and __getitem__, or __iter__')
    return Stream(data) if name == 'training' else _read_whole(data)


def _read_whole(data):
    """All samples, in the same order on all workers where chance has a part in it."""
    from .loaders import seeded
    return seeded(0, lambda: list(data))
