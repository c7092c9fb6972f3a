"""Role: the class that training scripts construct. Accepts both generations of keywords of the
WMLA API (reference: wmla-surface 4.2, 4.3), builds the parts, runs the engine, and sees to it
that only the final rank 0 returns from train().
"""

import atexit
import contextlib
import faulthandler
import os
import signal
import sys
import threading
import time
from types import SimpleNamespace

import torch

from . import amp as mixed
from . import arguments, fixed, native, own_steps, stepping, succession
from . import control as control_of
from .batch import Chooser, Range
from .checkpoint import Checkpoints
from .compute import Compute, divided, warm_up
from .data import Batches
from .dealing import Deals
from .download import write_zip
from .engine import Engine
from .flat import FlatModel
from .hooks import Hooks, check_scheduler
from .loaders import Taken
from .logs import DriverLogger, WorkerLogger
from .membership import Alone, Left, Membership
from .metrics import Metrics
from .progress import Course
from .shards import Sharded
from .state import Script, beside
from .streams import Stream
from .syncbn import Norms, convert
from .unsynced import Unsynced, Unwaited
from .versions import Mixed
from .virtual import Virtual

_TRAININGS = 'WM_TRAININGS_DONE'  # in the environment: how often train() has returned
_SKIPPED = 'WM_TRAININGS_SKIPPED'  # likewise, of a worker that came when a later one was under way
_FINAL, _DONE, _LEAVES, _LATER = range(4)  # how a worker comes to the end of a training
_TRAIN = ('epoch_number', 'batch_size', 'engines_number', 'num_dataloader_threads', 'validation_freq',
          'checkpoint_freq', 'effective_batch_size', 'resume_from')
_STDERR = 2  # the descriptor: scripts replace sys.stderr
# keyword of one generation → our name
_OLDER = {'loss_function': 'loss', 'getDatasets': 'datasets_function'}


class FabricModel:
    """A model with what is needed to train it elastically."""

    def __init__(self, model, datasets_function=None, loss=None, optimizer=None, *, metrics=None,
                 driver_logger=None, worker_logger=None, driver_logger_callback=None,
                 worker_logger_callback=None, user_callback=None, enable_onnx=False,
                 save_to_onnx=False, fn_step_train=None, fn_test=None, keras_custom_objects=None,
                 fn_batch_collate=None, loss_reduction='mean', sync_bn=False, lr_scheduler=None,
                 lr_scheduler_each='pass', clip_grad_norm=None, amp=None, nonfinite='stop', deterministic=False,
                 control=None, servers=None, staleness=None, shard=None, **older):
        """signature fixed by the WMLA API, both generations; ours are the last twelve:
        loss_reduction  'mean' or 'sum': what the loss function returns for a batch
        sync_bn         batch normalisation over the samples of all members
        lr_scheduler    a torch scheduler, stepped after every pass; ReduceLROnPlateau by the newest
                        validation's loss, or the pass's own where there is none
        lr_scheduler_each  'pass' or 'step': after what it is stepped
        clip_grad_norm  longest that the gradient of a whole step, summed over all members, may be
        amp             'bf16' or 'fp16': model and loss are computed under autocast; fp16 with one scaler for the job
        nonfinite       of a step whose gradients have a NaN or inf: 'stop' ends the training and names the ranks, 'skip'
                        leaves it out on all workers, 'apply' looks at nothing, as plain PyTorch does
        deterministic   the same bits at any number of workers; a number: so many virtual workers, True: engines_number, or 4
        control         'sync' or 'async', of parameter servers: a step is the sum of all workers' gradients, as without servers; or
                        each worker's gradient is applied when it comes, and nobody waits
        servers         how many parameter servers, fixed for the job
        staleness       of async: steps by which a gradient may be late at the whole learning rate; 0: sync
        shard           'optimizer': each worker has a part of the optimizer's state, and a copy of another's part
        @errors TypeError: no torch model, an argument of a wrong kind, unknown keyword; ValueError: unknown
          loss_reduction, a scheduler that cannot be stepped like that, a length of 0 or less"""
        older = {_OLDER.get(k, k): v for k, v in older.items()}
        datasets_function = datasets_function or older.pop('datasets_function', None)
        loss = loss or older.pop('loss', None)
        if older:
            raise TypeError(f"FabricModel: unexpected keyword '{next(iter(older))}'")
        if not isinstance(model, torch.nn.Module):
            raise TypeError(f'FabricModel: model is a {type(model).__name__}; this version trains '
                            'torch.nn.Module only')
        if loss_reduction not in ('mean', 'sum'):
            raise ValueError(f"loss_reduction '{loss_reduction}': 'mean' or 'sum'")
        needs_loss = fn_step_train is None or fn_test is None
        arguments.function('loss', loss, '(outputs, labels)', needed=needs_loss)
        arguments.optimizer(optimizer)
        for name, step in (('fn_step_train', fn_step_train), ('fn_test', fn_test),
                           ('fn_batch_collate', fn_batch_collate)):
            arguments.function(name, step, '', needed=False)
        if fn_step_train is not None:
            own_steps.check(fn_step_train, optimizer)
        if lr_scheduler is not None:
            check_scheduler(lr_scheduler, lr_scheduler_each)
        if clip_grad_norm is not None and not clip_grad_norm > 0:
            raise ValueError(f'clip_grad_norm {clip_grad_norm}: more than 0')
        device = arguments.one_device('FabricModel', [model])
        mixed.check(amp, nonfinite, device)
        for name, other in (('sync_bn', sync_bn), ('fn_step_train', fn_step_train)):
            if deterministic and other:
                raise ValueError(f'FabricModel: deterministic and {name}: what it does depends on how many workers there are; give one of them')
        self._control = control_of.chosen(control, servers, staleness)
        control_of.check_shard(shard, self._control)
        self._deterministic, self._shard = deterministic, shard
        later = driver_logger_callback is not None or worker_logger_callback is not None
        self._datasets, self._collate = datasets_function, fn_batch_collate
        self._onnx = enable_onnx or save_to_onnx
        self._trained = False
        norms = Norms() if sync_bn else None
        self._script = Script(
            model=convert(model, norms) if sync_bn else model, norms=norms, loss=loss,
            optimizer=optimizer,
            measured=Metrics(metrics), lr_scheduler=lr_scheduler, loss_reduction=loss_reduction,
            lr_scheduler_each=lr_scheduler_each, clip_grad_norm=clip_grad_norm,
            fn_step_train=fn_step_train, fn_test=fn_test, callbacks=arguments.callbacks(user_callback),
            driver_logger=arguments.logger('driver_logger', driver_logger or driver_logger_callback, DriverLogger()),
            worker_logger=arguments.logger('worker_logger', worker_logger or worker_logger_callback, WorkerLogger()),
            logger_generation=2 if later else 1, extras={}, amp=amp, nonfinite=nonfinite,
            scaler=mixed.Scaler() if amp == 'fp16' else None,
            joined=[mixed.JoinedScaler(one, device) for one in own_steps.scalers(fn_step_train)] if fn_step_train else [])
        control_of.check(self._control, sum(p.numel() for p in [*model.parameters(), *beside(self._script)] if p.requires_grad),
                         {'deterministic': deterministic, 'sync_bn': sync_bn, 'clip_grad_norm': clip_grad_norm, 'fp16': amp == 'fp16',
                          'GradScaler': self._script.joined})

    @property
    def model(self):
        """The model, trained once train() has returned."""
        return self._script.model

    def register(self, name, value):
        """Adds an object with state_dict and load_state_dict to what newcomers and
        checkpoints get."""
        self._script.extras[name] = value

    def download(self, out_dir='/tmp'):
        """signature fixed by the WMLA API. Writes the trained model, as it lies in RESULT_DIR/model, into
        <out_dir>/<job>.zip. Returns its path.
        @errors RuntimeError: nothing was trained yet; OSError"""
        if not self._trained:
            raise RuntimeError('download: nothing is trained yet: call train() before')
        path = write_zip(out_dir, self._script)
        print(f'Save model:  {path}', flush=True)
        return path

    def train(self, epoch_number, batch_size, engines_number=None, num_dataloader_threads=0,
              validation_freq=1, checkpoint_freq=1, effective_batch_size=None, resume_from=None,
              **cluster_options):
        """signature fixed by the WMLA API. Trains `epoch_number` passes; returns in the final
        rank 0 only: every other worker waits in here whether that calls train() once more. If it does,
        they return as well and come to that call; else they end with status 0 in here.
        batch_size            samples that a worker computes at once; also of a worker's step,
                              unless effective_batch_size fixes the samples of the whole step.
                              'auto': the samples of a step are chosen while it trains, from
                              effective_batch_size (None: 32) on, the learning rate with them
        engines_number        most workers; None: as many as the job gets. Not with effective_batch_size
        num_dataloader_threads  loader processes a worker; 0: in the worker itself
        validation_freq, checkpoint_freq  in passes; 0: never (checkpoints on demand stay)
        resume_from           begin with the newest checkpoint of another job: its number or
                              RESULT_DIR, or a checkpoint file. Passes done there count. Once this
                              job has a checkpoint of its own, it goes on from that
        With a varying number of workers and no effective_batch_size the global batch varies;
        the learning rate is left alone.
        @errors ValueError: nothing to train, or a number out of range"""
        began = time.monotonic()
        torch.set_num_threads(int(os.environ.get('OMP_NUM_THREADS') or torch.get_num_threads()))
        arguments.refuse_others('train', cluster_options, _TRAIN)
        engines = engines_number and arguments.number('engines_number', engines_number, 1)
        loaders = arguments.number('num_dataloader_threads', num_dataloader_threads, 0, empty=0)
        effective = arguments.number('effective_batch_size', effective_batch_size, 0, empty=0)
        arguments.one_of_two(effective, engines)
        run = _Run(self, epoch_number, batch_size, engines or 0, resume_from)
        run.course(validation_freq, checkpoint_freq, effective)
        run.call_the_others()
        engine = run.engine(loaders)
        print('--------START TRAINING--------', flush=True)
        end = run.to_the_end(engine)
        run.close()
        self._trained = True  # here, or before this worker came
        if end == _LATER:
            return self.model  # as the script made it: the next training gives it its state
        if end == _LEAVES or (end == _DONE and not run.is_called(engine.group)):
            _end_process()
        took = time.monotonic() - began
        print(f'--------END TRAINING: completed epoch {epoch_number} in time {took:.1f}, completed '
              f'{engine.progress.step} iterations in {took:.1f} seconds.--------', flush=True)
        return self.model


class _Run:
    """One call of train(): the parts and their end."""

    held = None  # the workers of the training before, while rank 0 keeps them

    def __init__(self, fabric, epochs, batch_size, max_tasks, resume_from):
        self._fabric, self._script = fabric, fabric._script
        self._epochs = arguments.number('epoch_number', epochs, 1)
        self._auto = isinstance(batch_size, str) and batch_size == 'auto'
        self._batch_size = 0 if self._auto else arguments.number('batch_size', batch_size, 1)
        self._training = int(os.environ.get(_TRAININGS, '0')) + 1
        self._resume_from, self._engines = resume_from, max_tasks
        self._lib = native.load()
        self.agent = native.Agent(self._lib, max_tasks, trainings=self._training - 1)
        self.train_set, self.test_set = arguments.data_sets(fabric._datasets)
        self.records, self.membership, self._batches = None, None, []
        self._handlers = {number: signal.getsignal(number)
                          for number in self._stop_signals() + self._save_signals()}

    def course(self, validation_freq, checkpoint_freq, effective):
        """What is to be done, from train()'s arguments. @errors ValueError: not that"""
        validation_freq = arguments.number('validation_freq', validation_freq, 0, empty=0)
        checkpoint_freq = arguments.number('checkpoint_freq', checkpoint_freq, 0, empty=0)
        self.deals = Deals.of(self.train_set)
        if not len(self.train_set) or (self.deals and self.deals.is_stream and not self.deals.mark):
            raise ValueError('train: training data set of 0 samples: at least 1')
        if self._auto and self.deals:
            raise ValueError("train: batch_size 'auto' wants a data set that is dealt by chance, no sampler and no stream")
        names = self._script.measured.names
        self._chooser = None
        if self._auto:
            limits = Range.of(effective, len(self.train_set))
            self._chooser = Chooser(limits, self._script.optimizer)
            self._batch_size, effective = limits.at_once, limits.initial
            self.agent.batch_range(limits)
        self._script.virtual = self._virtual()
        self._course = Course(self._epochs, self._batch_size, effective, validation_freq,
                              checkpoint_freq, len(self.train_set),
                              len(self.test_set) if self.test_set is not None else 0, names,
                              self._auto)

    def engine(self, loaders):
        """Builds every part. Loaders are forked before there is any connection; the worker is
        ready only when all is built."""
        self._batches = [self._batches_of(one, loaders) for one in (self.train_set, self.test_set)]
        result_dir = os.environ.get('RESULT_DIR', '')
        flat = self._flat = FlatModel(self._script.model, self._script.measured.width, beside(self._script),
                                      bool(self._script.virtual))
        self._script.onnx_example = self._onnx_example
        compute = Compute(self._script, flat, self._batch_size, self.agent)
        self._stepping = self._stepping_of(flat, compute)  # forks as well
        hooks = Hooks(self._script, self._course)
        hooks.train_begin()
        self._script.check()
        warm_up(next((p.device for p in self._script.model.parameters()), 'cpu'))
        self.records = native.Records(self._lib, os.environ.get('LOG_DIR', ''))
        self.membership = self._find_members()
        parts = SimpleNamespace(
            agent=self.agent, membership=self.membership, hooks=hooks, records=self.records,
            checkpoints=Checkpoints(result_dir, self._training, self._resume_from),
            train_batches=self._batches[0],
            test_batches=self._batches[1], lib=self._lib, result_dir=result_dir, flat=flat,
            chooser=self._chooser, deals=self.deals, skipped=os.environ.get(_SKIPPED) == str(self._training - 1),
            compute=compute, stepping=self._stepping)
        return (Unsynced if self._fabric._control.is_async else Engine)(self._course, self._script, parts)

    def _stepping_of(self, flat, compute):
        """How gradients become steps. @errors ValueError"""
        control = self._fabric._control
        if not control.servers:
            return (Sharded if self._fabric._shard else stepping.Summed)(self._script, flat, compute)
        if control.is_async:
            self._refuse_in_async()
            return Unwaited(self._script, flat, compute, control, lambda: self.membership.key)
        return stepping.Served(self._script, flat, compute, control.servers, lambda: self.membership.key)

    def _refuse_in_async(self):
        """@errors ValueError"""
        for name, given, why in (("batch_size 'auto'", self._auto, 'steps have no size that all agree on'),
                                 ('a stream', self.deals and self.deals.is_stream, 'samples are dealt in any order, and a stream has one'),
                                 ('a sampler', self.deals, 'samples are dealt in deals of one size')):
            if given:
                raise ValueError(f"train: {name} and control='async': {why}")

    def _virtual(self):
        """The virtual workers of deterministic=; None: there are none. @errors ValueError"""
        wanted = self._fabric._deterministic
        if not wanted:
            return None
        if self._auto:
            raise ValueError("train: batch_size 'auto' and deterministic: the batch follows from how fast the workers are; give one of them")
        torch.use_deterministic_algorithms(True)
        torch.backends.cudnn.benchmark = False
        return Virtual(self._script.model, self._engines or 4 if wanted is True else int(wanted))

    def _batches_of(self, given, loaders):
        """Of a data set, or of what a DataLoader was made of."""
        collate = self._fabric._collate
        if isinstance(given, Taken):
            return Batches(given.dataset, collate or given.collate, loaders or given.processes)
        return Batches(given, collate, loaders if given is not None and not isinstance(given, Stream) else 0)

    def _find_members(self):
        if self.agent.present:
            return Membership(self.agent)
        # Of a group of fixed size all but one end with the first training.
        if self._training == 1 and fixed.expected():
            try:
                return fixed.Fixed(self.agent)
            except Mixed as refusal:
                sys.exit(str(refusal))
        if self._engines > 1 and self._training == 1:
            print(_alone(self._engines), flush=True)
        return Alone(self.agent)

    def _onnx_example(self):
        """An input batch of one sample, or None when no ONNX file is wanted."""
        if not self._fabric._onnx:
            return None
        inputs, named, _ = divided(self._batches[0].get([0], [0]))
        if len(inputs) == 1 and not named:
            return inputs[0]
        return (*inputs, named) if named else tuple(inputs)

    def _stop_signals(self):
        """Signals that ask for a checkpoint and the end. Under WM also those that bkill and a
        run limit begin with; elsewhere Ctrl-C stays what it is."""
        if threading.current_thread() is not threading.main_thread():
            return ()
        if 'WM_TASK' not in os.environ:
            return (signal.SIGTERM,)
        return (signal.SIGTERM, signal.SIGINT, signal.SIGUSR2)

    @staticmethod
    def _save_signals():
        """Signals that ask for a checkpoint alone: of bchkpnt and of a period of bsub -k."""
        under_wm = 'WM_TASK' in os.environ
        main = threading.current_thread() is threading.main_thread()
        return (signal.SIGUSR1,) if under_wm and main else ()

    def to_the_end(self, engine):
        """Trains. Returns how that ended for this worker."""
        if self.agent.present:  # the host asks a worker that hangs where it stands
            faulthandler.register(signal.SIGQUIT, file=_STDERR, all_threads=True)
        for number in self._stop_signals():
            signal.signal(number, lambda number, _frame: engine.request_stop(number))
        for number in self._save_signals():
            signal.signal(number, lambda _number, _frame: engine.request_checkpoint())
        try:
            is_final = engine.run()
        except Left as reason:
            print(f'worker {self.agent.task} leaves: {reason}', flush=True)
            if self.membership.later:
                os.environ[_SKIPPED] = str(self._training)
            return _LATER if self.membership.later else _LEAVES
        except Mixed as refusal:
            self.close()
            sys.exit(str(refusal))
        except BaseException:
            self._abandon()
            raise
        engine.hooks.train_end()
        if is_final and isinstance(self.membership, Membership):
            _Run.held = succession.Held(engine.group)
        return _FINAL if is_final else _DONE

    @staticmethod
    def call_the_others():
        """Those of the training before come to this one."""
        held, _Run.held = _Run.held, None
        if held:
            held.call()

    def is_called(self, group):
        """Whether rank 0 calls train() once more. Of a group of fixed size all but one end with the
        first training; alone there is nobody else."""
        return isinstance(self.membership, Membership) and succession.called(group)

    def close(self):
        """Everything that train() began is ended, but for the connections to the other workers."""
        os.environ[_TRAININGS] = str(self._training)
        for work in self._ends():
            work()

    def _abandon(self):
        """As close(), of a training that has failed: no thread is left inside the framework when the interpreter ends, no loader in a
        notebook; what fails here has no words, the error itself has. It is not counted: one that comes after it goes on from its checkpoint."""
        for work in self._ends():
            with contextlib.suppress(Exception):
                work()

    def _ends(self):
        """Of all that train() began, one after the other."""
        yield lambda: faulthandler.unregister(signal.SIGQUIT)
        for number, handler in self._handlers.items():
            yield lambda number=number, handler=handler: signal.signal(number, handler or signal.SIG_DFL)
        yield from (self.membership.close, self.records.close, self._stepping.close, self._flat.close)
        yield from (batches.close for batches in self._batches)


def _alone(engines):
    """What a script or a notebook is told that asks for several workers where nobody starts them."""
    written = sys.argv[0] if sys.argv and sys.argv[0].endswith('.py') and 'ipykernel' not in sys.modules else 'SCRIPT'
    return f'train: engines_number {engines}, but this is no elastic job of WM: one worker trains alone. With up to {engines}: ' \
        f'bsub -app training -ar -n 1,{engines} python3 {os.path.basename(written)}'


def _end_process():
    """Ends this process with status 0: not by an exception, which scripts catch, and without
    tearing the framework down, whose threads may be in the middle of something."""
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
