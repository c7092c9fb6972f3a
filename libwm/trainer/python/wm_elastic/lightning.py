"""Role: elastic training by Lightning's Trainer, as a strategy. Guide: libwm/trainer/LIGHTNING.md.

    Trainer(strategy=ElasticStrategy(), use_distributed_sampler=False, …)

Trainer believes that it is alone: one process on one device, whose batch is that of the whole step. The strategy gives it

  process_dataloader   this worker's share of each batch of the training set; validation sets stay whole
  optimizer_step       which steps when the step's sum has succeeded: where a worker was lost within it, the step is dealt
                       again in there, so that Trainer counts, clips, logs and saves applied steps only
  training_step        the same for manual optimization, whose steps are in there
  global_rank          that of the epoch, so that the first worker alone prints and saves

What Trainer knows of the training (counters of its loops, states of callbacks) travels to newcomers and into checkpoints,
as when it resumes within a pass. Outside WM this is Lightning's strategy of one device.
"""

import contextlib
import os

import torch
from lightning.pytorch.callbacks import EarlyStopping, GradientAccumulationScheduler, Timer
from lightning.pytorch.strategies import SingleDeviceStrategy
from lightning.pytorch.trainer import call
from lightning.pytorch.trainer.states import RunningStage, TrainerFn, TrainerStatus
from lightning.pytorch.utilities.rank_zero import rank_zero_only

import wm_elastic as wm
from fabric_model.checkpoint import Checkpoints
from fabric_model.loaders import Taken


def _refuse(what, instead):
    raise ValueError(f'wm_elastic.lightning: {what} cannot be elastic: {instead}')


def _check(trainer):
    """@errors ValueError: named"""
    devices = getattr(trainer._accelerator_connector, '_devices_flag', 'auto')  # a strategy of one device hides them
    if devices not in ('auto', 1, '1', -1, '-1') and not (isinstance(devices, (list, tuple)) and len(devices) == 1) or trainer.num_nodes > 1:
        _refuse(f'Trainer(devices={devices}, num_nodes={trainer.num_nodes})', 'a worker has one device; WM starts as many workers as there are slots')
    if trainer._accelerator_connector.use_distributed_sampler:
        _refuse("Lightning's own distributed sampler", 'WM deals the samples; give use_distributed_sampler=False')
    if trainer.limit_train_batches != 1.0 or trainer.overfit_batches or trainer.fast_dev_run:
        _refuse('a part of the training set (limit_train_batches, overfit_batches, fast_dev_run)', 'every sample is dealt once in a pass; give a '
                'torch.utils.data.Subset, or max_steps')
    if trainer.reload_dataloaders_every_n_epochs:
        _refuse('reload_dataloaders_every_n_epochs', 'the set is taken apart once; draw anew in its sampler or in __getitem__')
    for one in trainer.callbacks:
        if isinstance(one, GradientAccumulationScheduler):
            _refuse('GradientAccumulationScheduler', 'give accumulate_grad_batches a number')
        if isinstance(one, Timer):
            _refuse('a Timer, or max_time', "each worker's clock would stop it at another step; give max_steps, or bsub -W")
    if trainer.ckpt_path:
        path = Checkpoints(os.environ.get('RESULT_DIR', '')).path
        if not path or not os.path.exists(path):
            _refuse(f'ckpt_path={str(trainer.ckpt_path)!r}', "under WM a job goes on from its own checkpoint, of bsub -resume too; to begin with what "
                    'Lightning has saved, use load_from_checkpoint()')
        print(f'wm_elastic: the job goes on from {path}', flush=True)


class _Loader:
    """What Trainer takes for its DataLoader. Iterated, it gives this worker's shares."""

    def __init__(self, given, accumulate):
        source = Taken(given, 'wm_elastic.lightning: train_dataloader')
        if source.keeps_batches and accumulate > 1:
            _refuse(f'accumulate_grad_batches={accumulate} over a batch sampler', 'its batches are the steps; make them larger')
        self._length = source.steps((source.batch_size or 1) * accumulate) * accumulate
        self.dataset, self.elastic, self.passing = given.dataset, None, None

    def __iter__(self):
        """Begins nothing before the first batch is asked for: then all that follows the pass before is done."""
        self.end_pass()
        self.passing = iter(self.elastic)
        yield from self.passing

    def end_pass(self):
        """The pass ends for all workers at once."""
        if self.passing is not None:
            next(self.passing, None)
            self.passing = None

    def __len__(self):
        return self._length


class _State:
    """What Trainer knows of the training, for newcomers and checkpoints. Members do the same anyway, also around a step
    that others applied: for these it is done without the optimizer."""

    def __init__(self, strategy, trainer):
        self._strategy, self._trainer = strategy, trainer

    def state_dict(self):
        found = {'loops': self._trainer.fit_loop.state_dict(), 'callbacks': call._call_callbacks_state_dict(self._trainer)}
        found['folders'] = [getattr(one, 'dirpath', None) for one in self._trainer.callbacks]
        return found

    def load_state_dict(self, values):
        if not self._strategy.joining:
            return
        for one, folder in zip(self._trainer.callbacks, values['folders']):
            if folder is not None and hasattr(one, 'dirpath'):
                one.dirpath = str(folder)  # where the first worker saves; a name of its own would have another number
        call._call_callbacks_load_state_dict(self._trainer, {'callbacks': values['callbacks'], 'pytorch-lightning_version': '2'})
        self._trainer.fit_loop.load_state_dict(values['loops'])


class ElasticStrategy(SingleDeviceStrategy):
    """One worker of an elastic job. `device`: None: the GPU, where there is one."""

    strategy_name = 'wm_elastic'

    def __init__(self, device=None, **options):
        super().__init__(device or ('cuda:0' if torch.cuda.is_available() else 'cpu'), **options)
        self._is_elastic = wm._is_elastic()
        self._wm, self._loader, self._instead, self._own_checked = None, None, None, False
        self._excuse = contextlib.ExitStack()

    @property
    def global_rank(self):
        """In the epoch; it changes."""
        return wm.rank()

    @global_rank.setter
    def global_rank(self, _value):
        """Of Lightning's constructor: WM says it."""

    @property
    def is_global_zero(self):
        return wm.is_first()

    @property
    def joining(self):
        """Whether a state is taken over by one that was no member before."""
        return self._wm is not None and self._wm.loop.joining

    # ---- set up ---------------------------------------------------------------------------

    def setup(self, trainer):
        if self._is_elastic and trainer.state.fn == TrainerFn.FITTING:
            if self._wm is not None:
                _refuse('a second fit()', 'one program is one training')
            _check(trainer)
        super().setup(trainer)

    def process_dataloader(self, dataloader):
        trainer = self.lightning_module.trainer
        if not self._is_elastic or trainer.state.stage != RunningStage.TRAINING:
            return super().process_dataloader(dataloader)
        if self._loader is not None:
            _refuse('a CombinedLoader of several training sets', 'give one data set, as torch.utils.data.StackDataset or ConcatDataset')
        self._loader = _Loader(dataloader, trainer.accumulate_grad_batches)
        wm.prepare(self.lightning_module, list(self.optimizers), dataloader, accumulate=trainer.accumulate_grad_batches)
        self._wm = wm._loop
        wm.register('lightning', _State(self, trainer))
        self._loader.elastic = self._wm.loader
        self._wm.start()
        rank_zero_only.rank = wm.rank()
        return self._loader

    # ---- a step ---------------------------------------------------------------------------

    @property
    def _is_training(self):
        return self._wm is not None and not self._wm.loop.ended

    def training_step(self, *arguments, **options):
        if not self._is_training:
            return super().training_step(*arguments, **options)
        rank_zero_only.rank = wm.rank()
        if self._instead is not None:
            arguments = (self._instead, *arguments[1:])
        if self.lightning_module.automatic_optimization:
            return super().training_step(*arguments, **options)
        counters = self.lightning_module.trainer.fit_loop.epoch_loop.manual_optimization.optim_step_progress
        before = counters.state_dict()
        output = super().training_step(*arguments, **options)
        while not self._wm.counts and self._wm.again():
            counters.load_state_dict(before)
            for optimizer in self.optimizers:
                optimizer.zero_grad()
            output = super().training_step(self._next_batch(), *arguments[1:], **options)
        return output

    def optimizer_step(self, optimizer, closure, model=None, **options):
        if not self._is_training or not self.lightning_module.automatic_optimization:
            return super().optimizer_step(optimizer, closure, model, **options)
        result = closure()  # with the sum in its backward; optimizer.step() would run it within
        while not self._wm.counts and self._wm.again():
            result = self._done_again(optimizer, closure)
        self._refuse_own_metrics()
        return super().optimizer_step(optimizer, lambda: result, model, **options)

    def _done_again(self, optimizer, closure):
        """The whole step, with the batches that this worker has of it now."""
        result = None
        optimizer.zero_grad()
        for _ in range(self.lightning_module.trainer.accumulate_grad_batches):
            self._instead = self._next_batch()
            try:
                result = closure()
            finally:
                self._instead = None
        return result

    def _next_batch(self):
        batch = self.precision_plugin.convert_input(next(self._loader.passing))
        batch = self.lightning_module._on_before_batch_transfer(batch, dataloader_idx=0)
        return self.batch_to_device(batch, dataloader_idx=0)

    def _refuse_own_metrics(self):
        """Decisions on what each worker has of its own share would differ. @errors ValueError"""
        if self._own_checked:
            return
        self._own_checked = True
        trainer = self.lightning_module.trainer
        own = {item.meta.name for item in trainer.fit_loop.epoch_loop._results.values()}
        for one in trainer.callbacks:
            if isinstance(one, EarlyStopping) and one.monitor in own:
                _refuse(f'{type(one).__name__}(monitor={one.monitor!r}), logged in training_step', 'each worker has it of its own share; monitor what '
                        'validation_step logs')
        for config in self.lr_scheduler_configs:
            if config.reduce_on_plateau and config.monitor in own:
                _refuse(f'{type(config.scheduler).__name__} over {config.monitor!r}, logged in training_step', 'each worker has it of its own share; '
                        'monitor what validation_step logs')

    # ---- what may take long, and the end -----------------------------------------------------

    def on_validation_start(self):
        if self._is_training:
            self._excuse.enter_context(self._wm.excused())

    def on_validation_end(self):
        self._excuse.close()

    def save_checkpoint(self, checkpoint, filepath, storage_options=None):
        with self._wm.excused() if self._is_training else contextlib.nullcontext():
            super().save_checkpoint(checkpoint, filepath, storage_options)

    def on_train_end(self):
        self._finish()

    def teardown(self):
        if self._is_training and self.lightning_module.trainer.state.status == TrainerStatus.RUNNING:
            self._finish()  # a newcomer that found nothing left to do; who was interrupted is missed by the others
        super().teardown()

    def _finish(self):
        if not self._is_training or self._wm.loop.group is None:
            return
        if self._wm.loop.ends_pass:
            self._loader.end_pass()
        self._wm.finish()
