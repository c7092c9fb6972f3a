"""Role: torch as the engine's framework. Which of the modules around are its own: compute, flat, buffers, chance, amp, shapes, data,
loaders, streams, stepping and what is below it, state, metrics, virtual, syncbn.
"""

import os
from types import SimpleNamespace

from .. import versions

versions.check_torch()  # a script that has imported another framework before is looked at here

import torch  # noqa: E402

from .. import amp as mixed  # noqa: E402
from .. import arguments, group, own_steps, stepping  # noqa: E402
from .. import control as control_of  # noqa: E402
from ..batch import Chooser, Range  # noqa: E402
from ..compute import Compute, divided, warm_up  # noqa: E402
from ..data import Batches  # noqa: E402
from ..dealing import Deals  # noqa: E402
from ..engine import Engine  # noqa: E402
from ..flat import FlatModel  # noqa: E402
from ..hooks import check_scheduler  # noqa: E402
from ..loaders import Taken  # noqa: E402
from ..metrics import Metrics  # noqa: E402
from ..servers import posts, replica, tasks  # noqa: E402
from ..shards import Sharded  # noqa: E402
from ..state import Script, beside  # noqa: E402
from ..streams import Stream  # noqa: E402
from ..syncbn import Norms, convert  # noqa: E402
from ..unsynced import Unsynced, Unwaited  # noqa: E402
from ..virtual import Virtual  # noqa: E402


class Frame:
    """@thread the training thread"""

    name, carrier = 'torch', group

    def __init__(self, model, given):
        """@errors TypeError, ValueError: an argument that cannot be, by name"""
        self.model = model
        options = self._options = SimpleNamespace(**given)
        if options.class_weight is not None:
            raise ValueError('FabricModel: class_weight is for models of Keras; torch\'s losses take weight=')
        self._check(options)
        device = arguments.one_device('FabricModel', [model])
        mixed.check(options.amp, options.nonfinite, device)
        for name, other in (('sync_bn', options.sync_bn), ('fn_step_train', options.fn_step_train)):
            if options.deterministic and other:
                raise ValueError(f'FabricModel: deterministic and {name}: what it does depends on how many workers there are; give one of them')
        self.control = control_of.chosen(options.control, options.servers, options.staleness)
        control_of.check_shard(options.shard, self.control)
        self.script = self._script(model, options, device)
        control_of.check(self.control, sum(p.numel() for p in [*model.parameters(), *beside(self.script)] if p.requires_grad),
                         {'deterministic': options.deterministic, 'sync_bn': options.sync_bn, 'clip_grad_norm': options.clip_grad_norm,
                          'fp16': options.amp == 'fp16', 'GradScaler': self.script.joined})

    @staticmethod
    def _check(options):
        if options.loss_reduction not in ('mean', 'sum'):
            raise ValueError(f"loss_reduction '{options.loss_reduction}': 'mean' or 'sum'")
        needs_loss = options.fn_step_train is None or options.fn_test is None
        arguments.function('loss', options.loss, '(outputs, labels)', needed=needs_loss)
        arguments.optimizer(options.optimizer)
        for name in ('fn_step_train', 'fn_test', 'fn_batch_collate'):
            arguments.function(name, getattr(options, name), '', needed=False)
        if options.fn_step_train is not None:
            own_steps.check(options.fn_step_train, options.optimizer)
        if options.lr_scheduler is not None:
            check_scheduler(options.lr_scheduler, options.lr_scheduler_each)
        if options.clip_grad_norm is not None and not options.clip_grad_norm > 0:
            raise ValueError(f'clip_grad_norm {options.clip_grad_norm}: more than 0')

    @staticmethod
    def _script(model, options, device):
        norms = Norms() if options.sync_bn else None
        steps = options.fn_step_train
        return Script(
            model=convert(model, norms) if options.sync_bn else model, norms=norms, loss=options.loss, optimizer=options.optimizer,
            measured=Metrics(options.metrics), lr_scheduler=options.lr_scheduler, loss_reduction=options.loss_reduction,
            lr_scheduler_each=options.lr_scheduler_each, clip_grad_norm=options.clip_grad_norm,
            fn_step_train=steps, fn_test=options.fn_test, **arguments.user_code(options), extras={},
            amp=options.amp, nonfinite=options.nonfinite, scaler=mixed.Scaler() if options.amp == 'fp16' else None,
            joined=[mixed.JoinedScaler(one, device) for one in own_steps.scalers(steps)] if steps else [])

    @property
    def engine(self):
        """The class of the engine that goes with it."""
        return Unsynced if self.control.is_async else Engine

    @staticmethod
    def prepare():
        """Before anything of a training."""
        versions.use('torch')
        torch.set_num_threads(int(os.environ.get('OMP_NUM_THREADS') or torch.get_num_threads()))

    @staticmethod
    def data_sets(pair):
        """[training set, test set or None] of what the script's function has returned. @errors TypeError"""
        return arguments.by_number(pair)

    @staticmethod
    def deals(train_set):
        """How samples are dealt, where it is not by chance."""
        return Deals.of(train_set)

    def chooser(self, effective, samples):
        """(what batch_size 'auto' may choose, who chooses)"""
        limits = Range.of(effective, samples)
        return limits, Chooser(limits, self.script.optimizer)

    def virtual(self, auto, engines):
        """The virtual workers of deterministic=; None: there are none. @errors ValueError"""
        wanted = self._options.deterministic
        if not wanted:
            return None
        if auto:
            raise ValueError("train: batch_size 'auto' and deterministic: the batch follows from how fast the workers are; give one of them")
        torch.use_deterministic_algorithms(True)
        torch.backends.cudnn.benchmark = False
        return Virtual(self.script.model, engines or 4 if wanted is True else int(wanted))

    def batches(self, given, loaders):
        """Of a data set, or of what a DataLoader was made of. Loaders are forked."""
        collate = self._options.fn_batch_collate
        if isinstance(given, Taken):
            return Batches(given.dataset, collate or given.collate, loaders or given.processes)
        return Batches(given, collate, loaders if given is not None and not isinstance(given, Stream) else 0)

    def build(self, run, batch_size):
        """(flat buffers, compute, how gradients become steps), in this order; the last may fork. `run`: agent, deals, auto, batches,
        get_key. @errors ValueError"""
        script = self.script
        flat = FlatModel(script.model, script.measured.width, beside(script), bool(script.virtual))
        script.onnx_example = lambda: self._example(run.batches[0])
        compute = Compute(script, flat, batch_size, run.agent)
        group.Rendezvous.model_device = compute.device
        return flat, compute, self._stepping(flat, compute, run)

    def be_post(self):
        """This process is of the job's server tasks: it never returns. @errors ValueError: nobody asks for servers"""
        if not self.control.servers:
            raise ValueError(f"train: a task of group {tasks.GROUP}, and the script asks for no parameter servers: say how many, servers=N")
        script = self.script
        flat = FlatModel(script.model, script.measured.width, beside(script), False)
        posts.serve(replica.Blueprint(flat.parameters, flat.kinds, script.optimizer))

    def _stepping(self, flat, compute, run):
        if not self.control.servers:
            return (Sharded if self._options.shard else stepping.Summed)(self.script, flat, compute)
        if self.control.is_async:
            _refuse_in_async(run)
            return Unwaited(self.script, flat, compute, self.control, run.get_key)
        return stepping.Served(self.script, flat, compute, self.control.servers, run.get_key)

    def _example(self, batches):
        """An input batch of one sample, or None when no ONNX file is wanted."""
        if not (self._options.enable_onnx or self._options.save_to_onnx):
            return None
        inputs, named, _ = divided(batches.get([0], [0]))
        if len(inputs) == 1 and not named:
            return inputs[0]
        return (*inputs, named) if named else tuple(inputs)

    def warm_up(self):
        """A newcomer's first steps must not be slow."""
        warm_up(next((p.device for p in self.script.model.parameters()), 'cpu'))


def _refuse_in_async(run):
    """@errors ValueError"""
    for name, given, why in (("batch_size 'auto'", run.auto, 'steps have no size that all agree on'),
                             ('a stream', run.deals and run.deals.is_stream, 'samples are dealt in any order, and a stream has one'),
                             ('a sampler', run.deals, 'samples are dealt in deals of one size')):
        if given:
            raise ValueError(f"train: {name} and control='async': {why}")
