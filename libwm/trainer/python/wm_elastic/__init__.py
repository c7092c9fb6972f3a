"""Role: elastic training of the loop that a script has already, by three lines:

    import wm_elastic as wm
    model, optimizer, loader = wm.prepare(model, optimizer, loader, global_batch=512)
    for epoch in wm.epochs(10):
        for batch in loader: …

Outside WM prepare() returns what it was given, epochs(n) is range(n), and all else speaks of one worker. Under WM the
loader gives this worker's share of each batch; workers come and go between two of them. Guide: libwm/trainer/LOOPS.md.
"""

import os

from fabric_model import fixed

__all__ = ['prepare', 'epochs', 'step', 'rank', 'world', 'is_first', 'counts', 'total', 'mean', 'any_of', 'register']

_loop = None


def _is_elastic():
    return bool(os.environ.get('WM_ELASTIC_SOCKET')) or fixed.expected()


def prepare(model, optimizer, loader, *, global_batch=None, accumulate=1, weight=None, **checkpoints):
    """(model, optimizer, loader), as they are to be used from now on.
    model           a torch module, or a list or tuple of them (GANs)
    optimizer       one of torch.optim, or a list or tuple of them
    loader          the DataLoader of the training
    global_batch    samples of a step over all workers; None: the loader's batch_size times `accumulate`
    accumulate      batches of which the gradients are added up before a step
    weight          a function of a batch: what its mean loss counts by, as the number of its tokens; None: samples
    checkpoint_freq in passes, into $RESULT_DIR/checkpoint; 0: on demand only. 1 where nothing is said
    resume_from     another job's number or RESULT_DIR, or a checkpoint file, as in FabricModel.train()
    Schedulers, AveragedModels and GradScalers that exist when the first pass begins are found and travel, too.
    @errors TypeError, ValueError: something that cannot be trained elastically, named   @thread the training thread"""
    global _loop
    if not _is_elastic():
        return model, optimizer, loader
    from . import parts
    if _loop is not None:
        raise ValueError('wm_elastic.prepare: called a second time; give lists of models and optimizers at once')
    wrong = set(checkpoints) - {'checkpoint_freq', 'resume_from', 'of_window'}
    if wrong:
        raise TypeError(f"wm_elastic.prepare: unexpected keyword '{wrong.pop()}'")
    if os.environ.get('WM_PARAMETER_SERVERS'):
        print('wm_elastic.prepare: parameter servers are for FabricModel: here gradients are summed by all-reduce', flush=True)
    _loop = made = parts.Prepared(model, optimizer, loader, parts.Wanted(global_batch, accumulate, weight, **checkpoints))
    return model, optimizer, made.loader


def epochs(number):
    """The passes that are to be done, from the one that the training is in. When they are over all workers go on behind the loop."""
    if _loop is None:
        yield from range(number)
        return
    yield from _loop.epochs(number)


def step():
    """Applied steps since the training began; 0 outside WM."""
    return _loop.step if _loop else 0


def rank():
    """Of this worker in the epoch. 0 outside WM."""
    return _loop.rank if _loop else 0


def world():
    """Number of workers."""
    return _loop.world if _loop else 1


def is_first():
    """Whether this worker is the one that saves and prints."""
    return rank() == 0


def counts():
    """Whether what the loop does now counts: not in an iteration in which a worker was lost, which is done again. True outside WM."""
    return _loop.counts if _loop else True


def total(*numbers):
    """The sums over all workers of numbers that each has; all call it, outside of steps. One number: that sum."""
    found = _loop.total(list(map(float, numbers))) if _loop else list(map(float, numbers))
    return found[0] if len(found) == 1 else found


def mean(value, count=1):
    """The mean over all workers of values that count so much."""
    top, bottom = total(float(value) * count, count)
    return top / bottom


def any_of(flag):
    """Whether it is true on any worker: so that all stop early together."""
    return total(1.0 if flag else 0.0) > 0


def register(name, value):
    """An object with state_dict and load_state_dict that newcomers and checkpoints get, too; before the first pass."""
    if _loop:
        _loop.register(name, value)
