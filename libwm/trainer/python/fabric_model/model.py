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
from dataclasses import replace
from types import SimpleNamespace

from . import arguments, fixed, frames, native, succession
from .checkpoint import Checkpoints
from .download import write_zip
from .hooks import Hooks
from .membership import Alone, Left, Membership
from .progress import Course
from .servers.tasks import is_post
from .versions import Mixed

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
                 control=None, servers=None, staleness=None, shard=None, class_weight=None, **older):
        """signature fixed by the WMLA API, both generations; ours are the last thirteen:
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
        class_weight    of Keras: {class: weight}, as that of fit()
        `model`: a torch.nn.Module, a keras.Model, or parameters of JAX; what an argument means, and which there are, is its frame's
        (frames/). @errors TypeError: no model, an argument of a wrong kind, unknown keyword; ValueError: unknown
          loss_reduction, a scheduler that cannot be stepped like that, a length of 0 or less"""
        older = {_OLDER.get(k, k): v for k, v in older.items()}
        datasets_function = datasets_function or older.pop('datasets_function', None)
        loss = loss or older.pop('loss', None)
        if older:
            raise TypeError(f"FabricModel: unexpected keyword '{next(iter(older))}'")
        self._datasets = datasets_function
        self._frame = frames.of(model, {
            'loss': loss, 'optimizer': optimizer, 'metrics': metrics, 'driver_logger': driver_logger, 'worker_logger': worker_logger,
            'driver_logger_callback': driver_logger_callback, 'worker_logger_callback': worker_logger_callback,
            'user_callback': user_callback, 'enable_onnx': enable_onnx, 'save_to_onnx': save_to_onnx,
            'fn_step_train': fn_step_train, 'fn_test': fn_test, 'keras_custom_objects': keras_custom_objects,
            'fn_batch_collate': fn_batch_collate, 'loss_reduction': loss_reduction, 'sync_bn': sync_bn,
            'lr_scheduler': lr_scheduler, 'lr_scheduler_each': lr_scheduler_each, 'clip_grad_norm': clip_grad_norm, 'amp': amp,
            'nonfinite': nonfinite, 'deterministic': deterministic, 'control': control, 'servers': servers,
            'staleness': staleness, 'shard': shard, 'class_weight': class_weight})
        self._script = self._frame.script
        self._trained = False

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
        self._frame.prepare()
        if is_post():
            self._frame.be_post()
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
        self._fabric, self._script, self._frame = fabric, fabric._script, fabric._frame
        self._epochs = arguments.number('epoch_number', epochs, 1)
        self.auto = isinstance(batch_size, str) and batch_size == 'auto'
        self._batch_size = 0 if self.auto else arguments.number('batch_size', batch_size, 1)
        self._training = int(os.environ.get(_TRAININGS, '0')) + 1
        self._resume_from, self._engines = resume_from, max_tasks
        self._lib = native.load()
        self.agent = native.Agent(self._lib, max_tasks, trainings=self._training - 1)
        self.train_set, self.test_set = self._frame.data_sets(arguments.pair_of(fabric._datasets))
        self.records, self.membership, self.batches = None, None, []
        self._handlers = {number: signal.getsignal(number)
                          for number in self._stop_signals() + self._save_signals()}

    def course(self, validation_freq, checkpoint_freq, effective):
        """What is to be done, from train()'s arguments. @errors ValueError: not that"""
        validation_freq = arguments.number('validation_freq', validation_freq, 0, empty=0)
        checkpoint_freq = arguments.number('checkpoint_freq', checkpoint_freq, 0, empty=0)
        self.deals = self._frame.deals(self.train_set)
        if not len(self.train_set) or (self.deals and self.deals.is_stream and not self.deals.mark):
            raise ValueError('train: training data set of 0 samples: at least 1')
        if self.auto and self.deals:
            raise ValueError("train: batch_size 'auto' wants a data set that is dealt by chance, no sampler and no stream")
        self._chooser = None
        if self.auto:
            limits, self._chooser = self._frame.chooser(effective, len(self.train_set))
            self._batch_size, effective = limits.at_once, limits.initial
            self.agent.batch_range(limits)
        self._script.virtual = self._frame.virtual(self.auto, self._engines)
        self._course = Course(self._epochs, self._batch_size, effective, validation_freq,
                              checkpoint_freq, len(self.train_set),
                              len(self.test_set) if self.test_set is not None else 0, (), self.auto)

    def engine(self, loaders):
        """Builds every part. Loaders are forked before there is any connection; the worker is
        ready only when all is built."""
        self.batches = [self._frame.batches(one, loaders) for one in (self.train_set, self.test_set)]
        result_dir = os.environ.get('RESULT_DIR', '')
        flat, compute, self._stepping = self._frame.build(self, self._batch_size)  # may fork as well
        self._flat = flat
        self._course = replace(self._course, metric_names=self._script.measured.names)  # some frameworks know them by now
        hooks = Hooks(self._script, self._course)
        hooks.train_begin()
        self._script.check()
        self._frame.warm_up()
        self.records = native.Records(self._lib, os.environ.get('LOG_DIR', ''))
        self.membership = self._find_members()
        parts = SimpleNamespace(
            agent=self.agent, membership=self.membership, hooks=hooks, records=self.records,
            checkpoints=Checkpoints(result_dir, self._training, self._resume_from),
            train_batches=self.batches[0],
            test_batches=self.batches[1], lib=self._lib, result_dir=result_dir, flat=flat,
            chooser=self._chooser, deals=self.deals, skipped=os.environ.get(_SKIPPED) == str(self._training - 1),
            compute=compute, stepping=self._stepping)
        return self._frame.engine(self._course, self._script, parts)

    def get_key(self):
        """The job's, by which its processes know each other."""
        return self.membership.key

    def _find_members(self):
        if self.agent.present:
            return Membership(self.agent, self._frame.carrier)
        # Of a group of fixed size all but one end with the first training.
        if self._training == 1 and fixed.expected():
            try:
                return fixed.Fixed(self.agent, self._frame.carrier)
            except Mixed as refusal:
                sys.exit(str(refusal))
        if self._engines > 1 and self._training == 1:
            print(_alone(self._engines), flush=True)
        return Alone(self.agent, self._frame.carrier)

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
        yield from (batches.close for batches in self.batches)


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
