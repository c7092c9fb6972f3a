"""Role: what prepare() makes under WM: looks at what was given, refuses by name what cannot be, finds what belongs to it,
and puts the engine's parts together.
"""

import atexit
import contextlib
import gc
import os
import signal
import sys
import threading
from dataclasses import dataclass
from types import SimpleNamespace

import torch

from fabric_model import arguments, fixed, group, native
from fabric_model.amp import is_scaler
from fabric_model.chance import Chance
from fabric_model.checkpoint import Checkpoints
from fabric_model.data import Batches
from fabric_model.loaders import Taken
from fabric_model.membership import Alone, Left, Membership
from fabric_model.plain_loop import Loop
from fabric_model.progress import Course
from fabric_model.shapes import mark_whenever_called
from fabric_model.stepping import Summed
from fabric_model.state import Script, without_functions
from fabric_model.versions import Mixed

_SCHEDULERS = tuple(kind for kind in (getattr(torch.optim.lr_scheduler, name, None) for name in (
    'LRScheduler', '_LRScheduler', 'ReduceLROnPlateau', 'ChainedScheduler')) if kind)


def _several(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _check_models(models):
    for model in models:
        if not isinstance(model, torch.nn.Module):
            raise TypeError(f'wm_elastic.prepare: model is {arguments.kind(model)}; it has to be a torch.nn.Module, or a list of them')
        if isinstance(model, (torch.nn.parallel.DistributedDataParallel, torch.nn.DataParallel)) or \
                type(model).__name__.startswith(('FullyShardedDataParallel', 'FSDP')):
            raise TypeError(f'wm_elastic.prepare: model is a {type(model).__name__}, which sums gradients itself; give the module in it')
        names = [name for name, layer in model.named_modules() if isinstance(layer, torch.nn.SyncBatchNorm)]
        if names:
            raise TypeError(f"wm_elastic.prepare: layer '{names[0]}' is a SyncBatchNorm, whose group cannot change; FabricModel(sync_bn=True) has one "
                            'whose group can')


def _check_optimizers(optimizers, models):
    known = {id(p) for model in models for p in model.parameters()}
    for optimizer in optimizers:
        try:
            arguments.optimizer(optimizer)
        except TypeError as error:
            raise TypeError(str(error).replace('FabricModel:', 'wm_elastic.prepare:')) from None
        strange = [p for group in optimizer.param_groups for p in group['params'] if id(p) not in known]
        if strange:
            raise ValueError(f'wm_elastic.prepare: the {type(optimizer).__name__} holds a parameter of shape {tuple(strange[0].shape)} that is in no '
                             'model given; give the module that it is of, too: prepare([model, loss], …)')


class _Plain:
    """The state of a scheduler, without the functions in it."""

    def __init__(self, holder):
        self._holder = holder

    def state_dict(self):
        return without_functions(self._holder.state_dict())

    def load_state_dict(self, values):
        self._holder.load_state_dict(values)


def bare(optimizer):
    """The optimizer of torch in one that a library put around it (accelerate, Lightning)."""
    while isinstance(getattr(optimizer, 'optimizer', None), torch.optim.Optimizer):
        optimizer = optimizer.optimizer
    return optimizer


def found(optimizers, models):
    """([schedulers], [averages], [scalers]) of these, wherever the script keeps them."""
    schedulers, averages, scalers = [], [], []
    kinds = {type(model) for model in models}
    for one in gc.get_objects():
        try:
            if isinstance(one, _SCHEDULERS) and any(bare(getattr(one, 'optimizer', None)) is o for o in optimizers):
                schedulers.append(one)
            elif isinstance(one, torch.optim.swa_utils.AveragedModel) and type(one.module) in kinds:
                averages.append(one)
            elif is_scaler(one):
                scalers.append(one)
        except ReferenceError:  # a proxy of something that is gone
            continue
    inner = {id(part) for one in schedulers for part in getattr(one, '_schedulers', ())}
    return [one for one in schedulers if id(one) not in inner], averages, scalers


class ElasticLoader:
    """The script's loader: this worker's share of each batch. Everything else is the DataLoader's."""

    def __init__(self, prepared, given):
        self._prepared, self._given = prepared, given

    def __iter__(self):
        return self._prepared.batches()

    def __len__(self):
        return self._prepared.batches_a_pass()

    def __getattr__(self, name):
        return getattr(self._given, name)


@dataclass
class Wanted:
    """Options of prepare()."""
    global_batch: int = None
    accumulate: int = 1
    weight: object = None
    checkpoint_freq: int = 1
    resume_from: object = None
    of_window: object = staticmethod(lambda: None)  # of adapters: what a worker's part of a step counts by; None: its samples


class Prepared:
    """@thread the training thread"""

    def __init__(self, model, optimizer, loader, wanted):
        global_batch, weight = wanted.global_batch, wanted.weight
        self._models, self._optimizers = _several(model), _several(optimizer)
        _check_models(self._models)
        _check_optimizers(self._optimizers, self._models)
        arguments.one_device('wm_elastic.prepare', self._models)
        if weight is not None and wanted.accumulate != 1:
            raise ValueError(f'wm_elastic.prepare: weight and accumulate {wanted.accumulate}: give one of them')
        if weight is not None and not callable(weight):
            raise TypeError(f'wm_elastic.prepare: weight is {arguments.kind(weight)}; it has to be a function of a batch')
        accumulate = arguments.number('accumulate', wanted.accumulate, 1)
        source = Taken(loader, 'wm_elastic.prepare: loader')
        if source.keeps_batches and global_batch:
            raise ValueError(f'wm_elastic.prepare: global_batch {global_batch} and a batch_sampler of the script\'s own, whose batches are the steps: give one')
        batch = arguments.number('global_batch', global_batch or source.batch_size * accumulate or 1, 1)
        self.loader, self._source, self._options = ElasticLoader(self, loader), source, SimpleNamespace(
            accumulate=accumulate, weight=weight, of_window=wanted.of_window, optimizers=self._optimizers, scalers=[])
        self._course = Course(1 << 40, batch, batch, 0, arguments.number('checkpoint_freq', wanted.checkpoint_freq, 0, empty=0), 1 << 50)
        self._resume_from, self._begun, self._has_failed = wanted.resume_from, False, False
        self._script = Script(
            model=self._models[0] if len(self._models) == 1 else torch.nn.ModuleList(self._models), optimizer=self._optimizers[0],
            lr_scheduler=None, callbacks=[], driver_logger=None, worker_logger=None, loss=None, nonfinite='stop',
            measured=SimpleNamespace(width=0, values=lambda *_: []), scaler=None, joined=[],
            extras={f'optimizer {n}': o for n, o in enumerate(self._optimizers) if n})
        self._batches = Batches(source.dataset, source.collate, source.processes)  # forked before there is any connection
        self._loop = None

    # ---- for the script ------------------------------------------------------------------

    @property
    def step(self):
        return self._loop.progress.step if self._loop else 0

    @property
    def rank(self):
        return self._loop.group.rank if self._loop and self._loop.group else int(os.environ.get('RANK') or 0)

    @property
    def world(self):
        return self._loop.group.world if self._loop and self._loop.group else int(os.environ.get('WORLD_SIZE') or 1)

    @property
    def counts(self):
        return self._loop is None or self._loop.counts

    def again(self):
        """As Loop.again()."""
        return self._ending(self._loop.again)

    @property
    def loop(self):
        """The engine's, once it has begun; for adapters."""
        return self._loop

    def start(self):
        """Becomes a member and takes over the state, where that has not been yet."""
        self._start()

    def finish(self):
        """No step follows: the last one counts, and all go on by themselves."""
        self._start()
        self._ending(self._loop.finish)
        self._close()

    def excused(self):
        """While this worker does what may take long, as evaluating and saving: nobody takes it for hanging."""
        return self._loop.agent.excused() if self._loop else contextlib.nullcontext()

    def register(self, name, value):
        self._script.extras[f'registered {name}'] = value

    def epochs(self, number):
        self._start()
        for epoch in range(self._loop.progress.passes_done, number):
            self._loop.stands_before(epoch)
            yield epoch
        self.finish()

    def total(self, numbers):
        self._start()
        return self._ending(lambda: self._loop.total(numbers))

    def batches_a_pass(self):
        self._start()
        return self._loop.steps_a_pass * self._options.accumulate

    def batches(self):
        """One pass over this worker's shares."""
        self._start()
        if not self._loop.begin_pass():
            return
        while True:
            bite = self._ending(self._loop.next_bite)
            if bite is None:
                return
            self._batches.expect([bite, *self._loop.coming(self._batches.ahead)])
            batch = self._batches.get(*bite)
            self._loop.handed(batch)
            yield batch

    # ---- parts -------------------------------------------------------------------------------

    def _start(self):
        if self._begun:
            return
        self._begun = True
        self._follow()
        lib = native.load()
        agent = native.Agent(lib, 0)
        self._script.check()
        first = next((p for p in self._script.model.parameters()), None)
        group.Rendezvous.model_device = device = first.device if first is not None else torch.device('cpu')
        self._membership = self._members(agent)
        self._records = native.Records(lib, os.environ.get('LOG_DIR', ''))
        parts = SimpleNamespace(
            agent=agent, membership=self._membership, hooks=None, records=self._records,
            checkpoints=Checkpoints(os.environ.get('RESULT_DIR', ''), 1, self._resume_from),
            train_batches=self._batches, test_batches=None, lib=lib, result_dir='', chooser=None, skipped=False, source=self._source,
            flat=SimpleNamespace(elements=1, undo=lambda: None, on_cpu=device.type == 'cpu'),
            compute=SimpleNamespace(chance=Chance(device), device=device), stepping=Summed(self._script, None, None),
            parameters=list(dict.fromkeys(p for o in self._optimizers for g in o.param_groups for p in g['params'])))
        self._loop = Loop(self._course, self._script, parts, self._options)
        for model in self._models:
            mark_whenever_called(model)
        for optimizer in self._optimizers:
            optimizer.step = self._loop.step_of(optimizer, optimizer.step)
        for one, method in self._followed:
            kind = type(one)
            one.__class__ = type(kind.__name__, (kind,), {method: self._loop.follows(getattr(kind, method)), '__module__': kind.__module__})
        self._listen()
        self._watch_failures()
        atexit.register(self._at_exit)
        self._ending(self._loop.start)

    def _follow(self):
        schedulers, averages, self._options.scalers = found(self._optimizers, self._models)
        self._followed = [(one, 'step') for one in schedulers] + [(one, 'update_parameters') for one in averages]
        for n, one in enumerate(schedulers):
            self._script.extras[f'scheduler {n} {type(one).__name__}'] = _Plain(one)
        for n, one in enumerate(averages + self._options.scalers):
            self._script.extras[f'found {n} {type(one).__name__}'] = one
        if self._followed or self._options.scalers:
            names = ', '.join(type(one).__name__ for one in [*schedulers, *averages, *self._options.scalers])
            print(f'wm_elastic: found and registered: {names}', flush=True)

    def _members(self, agent):
        if agent.present:
            return Membership(agent)
        if fixed.expected():
            try:
                return fixed.Fixed(agent)
            except Mixed as refusal:
                sys.exit(str(refusal))
        return Alone(agent)

    def _listen(self):
        if threading.current_thread() is not threading.main_thread():
            return
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR2):
            signal.signal(number, lambda number, _frame: self._loop.request_stop(number))
        signal.signal(signal.SIGUSR1, lambda _number, _frame: self._loop.request_checkpoint())

    def _ending(self, work):
        """Does it; a worker that is not wanted any more ends here."""
        try:
            return work()
        except Left as reason:
            print(f'worker leaves: {reason}', flush=True)
            self._close()
            atexit.unregister(self._at_exit)
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
        except Mixed as refusal:
            self._close()
            sys.exit(str(refusal))

    def _watch_failures(self):
        """A script that ends by an error of its own has not ended its training: the others are woken at once, and train on."""
        real = sys.excepthook

        def failed(kind, error, trace):
            real(kind, error, trace)
            self._has_failed = True
            said = self._loop.fail(error, '. Its part of a step is smaller with a smaller batch_size, or with prepare(accumulate=)')
            if said:
                print(f'wm_elastic: {said}', file=sys.stderr, flush=True)
        sys.excepthook = failed

    def _at_exit(self):
        """A loop over something else than epochs() ends with the script."""
        if self._loop.can_end and not self._has_failed:
            self._loop.agent.done(self._loop.progress.step)
        self._close()

    def _close(self):
        atexit.unregister(self._at_exit)
        self._membership.close()
        self._records.close()
        self._batches.close()
