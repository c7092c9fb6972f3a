"""Role: elastic training by Hugging Face's Trainer, and by trainers made of it. Guide: libwm/trainer/HUGGINGFACE.md.

    from wm_elastic.huggingface import Trainer              in place of transformers'
    class MyTrainer(Elastic, SFTTrainer): pass              of another one

Trainer believes that it is alone: one process, whose batch is that of the whole step. This mixin gives it

  get_train_dataloader   this worker's share of each batch; one update step of Trainer is one step of the job
  training_step          which returns when the step's sum has succeeded: where a worker was lost within it, the step is dealt
                         again in there, so that Trainer counts, clips, logs and saves applied steps only
  process_index          the rank in the epoch, so that the first worker alone prints and saves
  the optimizer          and the scheduler, as wm_elastic.prepare() has them

What Trainer knows of the training (TrainerState, counters of callbacks) travels to newcomers and into checkpoints.
Invariant: between two update steps Trainer's state and the engine's are of the same step.
"""

import contextlib
import itertools
import os
import sys

import torch
import transformers
from transformers.trainer_callback import CallbackHandler, ExportableState

import wm_elastic as wm
from fabric_model.checkpoint import Checkpoints
from fabric_model.loaders import Taken

_ELASTIC = wm._is_elastic()
# accelerate would make a group of its own of these, as soon as TrainingArguments are made. prepare() gets them back.
_HIDDEN = {name: os.environ.pop(name) for name in ('LOCAL_RANK', 'WORLD_SIZE') if _ELASTIC and name in os.environ}

_STATE = ('global_step', 'epoch', 'num_input_tokens_seen', 'total_flos', 'log_history', 'best_metric', 'best_global_step',
          'best_model_checkpoint')
_COUNTERS = ('current_flos', '_total_loss_scalar', '_globalstep_last_logged')


def _refuse(what, instead):
    raise ValueError(f'wm_elastic.huggingface: {what} cannot be elastic: {instead}')


def _check_args(args):
    """Before Trainer looks at them. @errors ValueError: named"""
    for name in ('deepspeed', 'fsdp'):
        if getattr(args, name, None):
            _refuse(f'{name}={getattr(args, name)!r}', 'it divides the model among a fixed number of processes; leave it out, or run the job at a fixed size')


def _check(trainer):
    """@errors ValueError: named"""
    args = trainer.args
    if getattr(trainer, 'is_deepspeed_enabled', False) or getattr(trainer, 'is_fsdp_enabled', False):
        _refuse('deepspeed or FSDP of accelerate', 'start the script with python, not with accelerate launch')
    if args.world_size > 1 or torch.distributed.is_available() and torch.distributed.is_initialized():
        _refuse(f'a group of {args.world_size} processes of torch.distributed', 'start the script with python, not with torchrun or accelerate launch')
    if args.n_gpu > 1:
        _refuse(f'{args.n_gpu} GPUs in one worker', 'Trainer would put DataParallel over them; ask for one GPU a worker')
    if args.auto_find_batch_size:
        _refuse('auto_find_batch_size', "the batch is the whole job's; give per_device_train_batch_size")
    if isinstance(trainer.train_dataset, torch.utils.data.IterableDataset):
        _refuse(f'train_dataset, a stream ({type(trainer.train_dataset).__name__})', 'its samples cannot be dealt; give a set with a length')
    if getattr(trainer, 'is_distributed_loading_by_transformers', False):
        _refuse('a model loaded with a DistributedConfig', 'load it whole')
    if getattr(trainer, 'use_apex', False):
        _refuse("apex's mixed precision", "its scaler cannot travel; leave half_precision_backend out")
    if args.fp16 and not trainer.accelerator.native_amp:
        _refuse('fp16=True without a GPU', 'Trainer would compute in float32 without a word; bf16=True is there on CPUs, too')


class _Loader:
    """What Trainer takes for its DataLoader. Iterated, it gives this worker's shares."""

    def __init__(self, trainer, given):
        accumulate = trainer.args.gradient_accumulation_steps
        self.given, self.source = given, Taken(given, 'wm_elastic.huggingface: train_dataloader')
        if self.source.keeps_batches and accumulate > 1:
            _refuse(f'gradient_accumulation_steps={accumulate} over a batch sampler', 'its batches are the steps; make them larger')
        self.dataset, self._accumulate = given.dataset, accumulate
        self._steps = self.source.steps((self.source.batch_size or 1) * accumulate)
        self.elastic = None

    def __iter__(self):
        return iter(self.elastic)

    def __len__(self):
        return self._steps * self._accumulate

    def __getattr__(self, name):
        return getattr(self.given, name)


class _State:
    """What Trainer knows of the training, for newcomers and checkpoints. Members do the same anyway, also around a step
    that others applied: for these it is done without the optimizer."""

    def __init__(self, trainer):
        self._trainer = trainer

    def _callbacks(self):
        return [one for one in self._trainer.callback_handler.callbacks if isinstance(one, ExportableState)]

    def state_dict(self):
        trainer = self._trainer
        loss = getattr(trainer, '_tr_loss', None)  # logged is its share by the steps since the last line
        return {'state': {name: getattr(trainer.state, name, None) for name in _STATE},
                'counters': {name: getattr(trainer, name) for name in _COUNTERS if hasattr(trainer, name)},
                'loss': float(loss) if loss is not None else 0.0,
                'callbacks': [[type(one).__name__, dict(one.state().get('attributes', {}))] for one in self._callbacks()]}

    def load_state_dict(self, values):
        trainer = self._trainer
        if not trainer._wm.loop.joining:  # one that was a member has done itself what Trainer does
            return
        for name, value in values['state'].items():
            setattr(trainer.state, name, value)
        for name, value in values['counters'].items():
            setattr(trainer, name, value)
        if getattr(trainer, '_tr_loss', None) is not None:
            trainer._tr_loss.fill_(values['loss'])
        for one, (name, attributes) in zip(self._callbacks(), values['callbacks']):
            if type(one).__name__ == name:
                for attribute, value in attributes.items():
                    setattr(one, attribute, value)


class _Events(CallbackHandler):
    """Trainer's callbacks, told of what counts alone."""

    def call_event(self, event, args, state, control, **kwargs):
        trainer = self.wm_trainer
        before = getattr(trainer, f'_wm_{event}', None)
        goes_on = before(control) if before else True
        trainer._wm_tell_rank()
        return super().call_event(event, args, state, control, **kwargs) if goes_on is not False else control


class Elastic:
    """Goes before a Trainer among the bases of a class. Outside WM it changes nothing."""

    def __init__(self, *arguments, **options):
        if _ELASTIC:
            _check_args(options.get('args') or (arguments[1] if len(arguments) > 1 else None))
        super().__init__(*arguments, **options)
        self._wm, self._wm_loader, self._wm_passing, self._wm_items = None, None, None, None
        if _ELASTIC:
            _check(self)
            self.callback_handler.__class__ = _Events
            self.callback_handler.wm_trainer = self
            self._wm_tell_rank()

    # ---- of Trainer -----------------------------------------------------------------------

    def train(self, resume_from_checkpoint=None, *arguments, **options):
        """As Trainer's. The job's own checkpoint is gone on from; one of Trainer's is not read under WM."""
        if _ELASTIC and resume_from_checkpoint:
            path = Checkpoints(os.environ.get('RESULT_DIR', '')).path
            if not path or not os.path.exists(path):
                _refuse(f'resume_from_checkpoint={resume_from_checkpoint!r}', 'under WM a job goes on from its own checkpoint, of bsub -resume too; to begin '
                        'with what Trainer has saved, give the model by from_pretrained()')
            print(f'wm_elastic: resume_from_checkpoint is not read: the job goes on from {path}', flush=True)
            resume_from_checkpoint = None
        return super().train(resume_from_checkpoint, *arguments, **options)

    def hyperparameter_search(self, *arguments, **options):
        """As Trainer's; refused under WM. @errors ValueError"""
        if _ELASTIC:
            _refuse('hyperparameter_search', 'one program is one training; wm tunes with many jobs')
        return super().hyperparameter_search(*arguments, **options)

    def get_train_dataloader(self):
        """As Trainer's."""
        given = super().get_train_dataloader()
        if not _ELASTIC:
            return given
        self._wm_loader = _Loader(self, given)
        return self._wm_loader

    def get_batch_samples(self, epoch_iterator, num_batches, *more):
        """As Trainer's: the batches of an update step, and what their loss is divided by: by this worker's own part."""
        if not self._wm_training:
            return super().get_batch_samples(epoch_iterator, num_batches, *more)
        self._wm_passing, self._wm_asked = epoch_iterator, (num_batches, *more)
        batches = list(itertools.islice(epoch_iterator, num_batches))
        real = [batch for batch, size in zip(batches, self._wm.loop.shares) if size]
        counted = real or batches
        _, items = super().get_batch_samples(iter(counted), len(counted), *more)
        scaled = self.model_accepts_loss_kwargs or self.compute_loss_func is not None
        if getattr(self, 'loss_is_scaled_for_ga', None) is not None:
            scaled = self.loss_is_scaled_for_ga
        self._wm_items = None if items is None or not scaled else float(items) if real else 0.0
        if torch.is_tensor(items):
            items = items.clamp(min=1)  # a share without a token adds nothing: 0/1, where 0/0 is a NaN in all gradients
        return batches, items

    def training_step(self, model, inputs, *more, **options):
        """As Trainer's; returns with the gradients of the whole step, whoever was lost meanwhile."""
        loss = super().training_step(model, inputs, *more, **options)
        while self._wm_training and not self._wm.counts and self._wm.again():
            model.zero_grad()
            batches, items = self.get_batch_samples(self._wm_passing, *self._wm_asked)
            for inputs in batches:
                loss = super().training_step(model, inputs, items)
        return loss

    def evaluate(self, *arguments, **options):
        """As Trainer's: each worker evaluates the whole set."""
        with self._wm_excused():
            return super().evaluate(*arguments, **options)

    def predict(self, *arguments, **options):
        """As evaluate()."""
        with self._wm_excused():
            return super().predict(*arguments, **options)

    def _save_checkpoint(self, *arguments, **options):
        with self._wm_excused():
            super()._save_checkpoint(*arguments, **options)

    def _save_rng_state(self, output_dir):
        if self.is_world_process_zero():
            super()._save_rng_state(output_dir)

    def _load_best_model(self):
        if self._wm_training:
            self._wm_finish()  # the first worker has saved it when all are here
        super()._load_best_model()

    # ---- events ---------------------------------------------------------------------------

    @property
    def _wm_training(self):
        return self._wm is not None and self.is_in_train

    def _wm_tell_rank(self):
        self.args.distributed_state.process_index = self.args.distributed_state.local_process_index = wm.rank()
        if hasattr(self, 'state'):
            self.state.is_world_process_zero = self.state.is_local_process_zero = wm.is_first()

    def _wm_excused(self):
        return self._wm.excused() if self._wm_training else contextlib.nullcontext()

    def _wm_on_train_begin(self, _control):
        """All that belongs to a training is there: it becomes one of the job."""
        os.environ.update({name: value for name, value in _HIDDEN.items() if name not in os.environ})
        loader = self._wm_loader
        optimizer = self.optimizer
        while isinstance(getattr(optimizer, 'optimizer', None), torch.optim.Optimizer):
            optimizer = optimizer.optimizer
        wm.prepare(self.model, optimizer, loader.given, accumulate=self.args.gradient_accumulation_steps,
                   of_window=lambda: self._wm_items)
        self._wm = wm._loop
        wm.register('trainer', _State(self))
        loader.elastic = self._wm.loader
        self._wm.start()
        _follow_accelerate(self.optimizer, optimizer)

    def _wm_on_epoch_end(self, control):
        """Returns whether the pass is one that this worker was in, with what belongs behind it still to be done."""
        loop = self._wm.loop
        if loop.ends_pass or not control.should_training_stop:
            if control.should_epoch_stop and not loop.ends_pass:
                _refuse('control.should_epoch_stop within a pass', 'its samples are dealt once each; stop the training, or train on')
            if self._wm_passing is not None:
                next(self._wm_passing, None)  # the pass ends for all workers at once
        if not loop.is_over:
            control.should_training_stop = control.should_training_stop and self._wm_took_part
        took_part, self._wm_took_part = self._wm_took_part, False
        return took_part

    _wm_took_part = False

    def _wm_on_step_begin(self, _control):
        self._wm_took_part = True

    def _wm_on_step_end(self, _control):
        steps = max(len(self._wm_loader) // self.args.gradient_accumulation_steps, 1)
        self.state.epoch = self.state.global_step / steps  # Trainer's own count begins where this worker began

    def _wm_on_save(self, _control):
        if self.state.best_global_step and self.state.best_global_step == self.state.global_step:
            self.state.best_model_checkpoint = os.path.join(self.args.output_dir, f'checkpoint-{self.state.global_step}')

    def _wm_on_train_end(self, _control):
        self._wm_finish()

    def _wm_finish(self):
        if self._wm is not None and not self._wm.loop.ended:
            self._wm.finish()


def _follow_accelerate(outer, optimizer):
    """accelerate keeps the step() that the optimizer had, where there is a GradScaler, and puts it back after each step."""
    if getattr(outer, '_optimizer_original_step_method', None) is not None:
        from accelerate.optimizer import patch_optimizer_step
        outer._optimizer_original_step_method = optimizer.step
        outer._optimizer_patched_step_method = patch_optimizer_step(outer, optimizer.step)


class Trainer(Elastic, transformers.Trainer):
    """transformers.Trainer, elastic under WM."""


if _ELASTIC and not hasattr(transformers.Trainer, 'get_batch_samples'):
    sys.exit(f'wm_elastic.huggingface: transformers {transformers.__version__} is too old: 4.46 or later is needed')
