"""Role: tests of wm_elastic.huggingface and wm_elastic.lightning without other processes: what is refused by name when a
training begins, and what they do with an optimizer that a library has put another around. Each where its library is installed.
"""

import importlib.util
import os
import tempfile
import unittest
from types import SimpleNamespace
from unittest import mock

import torch

import wm_elastic as wm

TRANSFORMERS = all(importlib.util.find_spec(name) for name in ('transformers', 'accelerate'))
LIGHTNING = importlib.util.find_spec('lightning')
DATA = torch.utils.data.TensorDataset(torch.arange(8.0).reshape(8, 1), torch.arange(8.0).reshape(8, 1))


class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(range(3))


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = folder.name
        self.set(WM_ELASTIC_SOCKET='none', RESULT_DIR=self.base)

    def set(self, **environment):
        patch = mock.patch.dict(os.environ, **environment)
        patch.start()
        self.addCleanup(patch.stop)


@unittest.skipUnless(TRANSFORMERS, 'not run: transformers and accelerate are not installed for this Python')
class HuggingFace(InFolder):
    """Of a Trainer under WM."""

    def setUp(self):
        super().setUp()
        from wm_elastic import huggingface
        self.ours = huggingface
        patch = mock.patch.object(huggingface, '_ELASTIC', True)
        patch.start()
        self.addCleanup(patch.stop)

    def trainer(self, data=DATA, **options):
        import transformers
        model = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=8, n_positions=4, n_embd=4, n_layer=1, n_head=1,
                                                                     bos_token_id=0, eos_token_id=0))
        args = transformers.TrainingArguments(output_dir=self.base, use_cpu=True, report_to=[], disable_tqdm=True, **options)
        return self.ours.Trainer(model=model, args=args, train_dataset=data)

    def test_what_cannot_be_elastic_is_named(self):
        for said, work in (("fsdp=.* cannot be elastic", lambda: self.trainer(fsdp='full_shard')),
                           ('fp16=True without a GPU cannot', lambda: self.trainer(fp16=True)),
                           ('auto_find_batch_size cannot be elastic', lambda: self.trainer(auto_find_batch_size=True)),
                           (r'train_dataset, a stream \(Stream\)', lambda: self.trainer(Stream(), max_steps=3)),
                           ("resume_from_checkpoint='elsewhere' cannot", lambda: self.trainer().train(resume_from_checkpoint='elsewhere')),
                           ('hyperparameter_search cannot', lambda: self.trainer().hyperparameter_search())):
            with self.subTest(said), self.assertRaisesRegex(ValueError, said):
                work()

    def test_deepspeed_is_named_before_trainer_looks_for_it(self):
        with self.assertRaisesRegex(ValueError, "deepspeed='zero.json' cannot be elastic"):
            self.ours._check_args(SimpleNamespace(deepspeed='zero.json', fsdp=''))
        self.ours._check_args(None)
        self.ours._check_args(SimpleNamespace(deepspeed=None, fsdp=[]))

    def test_a_group_of_torch_and_several_gpus_are_named(self):
        for said, given in (('a group of 2 processes', {'world_size': 2}), ('3 GPUs in one worker', {'n_gpu': 3})):
            args = SimpleNamespace(**{'world_size': 1, 'n_gpu': 1, 'auto_find_batch_size': False, **given})
            with self.subTest(said), self.assertRaisesRegex(ValueError, said):
                self.ours._check(SimpleNamespace(args=args, train_dataset=DATA))

    def test_a_pass_has_as_many_batches_as_its_steps_have_at_any_size(self):
        for accumulate, drops, batches in ((1, False, 3), (2, False, 4), (2, True, 2)):
            trainer = self.trainer(per_device_train_batch_size=3, gradient_accumulation_steps=accumulate, dataloader_drop_last=drops)
            self.assertEqual(len(trainer.get_train_dataloader()), batches)

    def test_a_step_behind_a_grad_scaler_is_ours(self):
        from accelerate import Accelerator
        from accelerate.optimizer import AcceleratedOptimizer
        Accelerator(cpu=True)
        model = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        outer = AcceleratedOptimizer(optimizer, scaler=torch.amp.GradScaler('cpu', init_scale=4.0))
        steps, real = [], optimizer.step
        optimizer.step = lambda *a, **k: steps.append(1) or real(*a, **k)
        self.ours._follow_accelerate(outer, optimizer)
        for number in (1, 2):
            outer.scaler.scale(model(torch.ones(1, 1)).sum()).backward()
            outer.step()
            self.assertEqual((len(steps), outer.step_was_skipped), (number, False))

    def test_outside_wm_a_trainer_is_what_it_was(self):
        import transformers
        with mock.patch.object(self.ours, '_ELASTIC', False):
            trainer = self.trainer(auto_find_batch_size=True)
            self.assertIsInstance(trainer.get_train_dataloader(), torch.utils.data.DataLoader)
            self.assertIs(type(trainer.callback_handler), transformers.trainer_callback.CallbackHandler)


@unittest.skipUnless(LIGHTNING, 'not run: lightning is not installed for this Python')
class Lightning(InFolder):
    """Of a Trainer with our strategy."""

    def fit(self, loaders=None, ckpt_path=None, **options):
        import lightning
        from wm_elastic.lightning import ElasticStrategy

        class Net(lightning.LightningModule):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(1, 1)

            def training_step(self, batch, batch_idx):
                loss = torch.nn.functional.mse_loss(self.layer(batch[0]), batch[1])
                self.log('own', loss)
                return loss

            def configure_optimizers(self):
                return torch.optim.SGD(self.parameters(), lr=0.01)

        trainer = lightning.Trainer(strategy=ElasticStrategy(), **{
            'accelerator': 'cpu', 'logger': False, 'enable_progress_bar': False, 'enable_model_summary': False, 'enable_checkpointing': False,
            'use_distributed_sampler': False, 'max_epochs': 1, **options})
        trainer.fit(Net(), loaders or torch.utils.data.DataLoader(DATA, batch_size=4), ckpt_path=ckpt_path)
        return trainer

    def checkpoint(self):
        """One of Lightning's."""
        path = os.path.join(self.base, 'elsewhere.ckpt')
        with mock.patch.dict(os.environ):
            os.environ.pop('WM_ELASTIC_SOCKET')
            self.fit().save_checkpoint(path)
        return path

    def test_what_cannot_be_elastic_is_named(self):
        from lightning.pytorch.callbacks import GradientAccumulationScheduler
        accepted = mock.patch.object(wm, 'prepare', side_effect=AssertionError('it was not refused'))
        accepted.start()
        self.addCleanup(accepted.stop)
        for said, options in (('own distributed sampler cannot', {'use_distributed_sampler': True}), ('devices=2, num_nodes=1', {'devices': 2}),
                              ('limit_train_batches', {'limit_train_batches': 0.5}), ('overfit_batches', {'overfit_batches': 1}),
                              ('reload_dataloaders', {'reload_dataloaders_every_n_epochs': 1}), ('max_time', {'max_time': {'hours': 1}}),
                              ('GradientAccumulationScheduler', {'callbacks': [GradientAccumulationScheduler({1: 2})]}),
                              ("ckpt_path='.*elsewhere.ckpt'", {'ckpt_path': self.checkpoint()})):
            with self.subTest(said), self.assertRaisesRegex(ValueError, said):
                self.fit(**options)

    def test_decisions_on_what_each_worker_has_of_its_own_are_named(self):
        from lightning.pytorch.callbacks import EarlyStopping
        from wm_elastic.lightning import ElasticStrategy
        strategy = ElasticStrategy()
        own = {'training_step.own': SimpleNamespace(meta=SimpleNamespace(name='own'))}
        for monitor, said in (('own', r"EarlyStopping\(monitor='own'\)"), ('tested', None)):
            trainer = SimpleNamespace(callbacks=[EarlyStopping(monitor)], fit_loop=SimpleNamespace(epoch_loop=SimpleNamespace(_results=own)))
            strategy._own_checked, strategy._lightning_module = False, SimpleNamespace(trainer=trainer)
            if said:
                with self.assertRaisesRegex(ValueError, said):
                    strategy._refuse_own_metrics()
            else:
                strategy._refuse_own_metrics()
        strategy._own_checked = False
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(torch.optim.SGD(torch.nn.Linear(1, 1).parameters(), lr=0.1))
        strategy.lr_scheduler_configs = [SimpleNamespace(reduce_on_plateau=True, monitor='own', scheduler=scheduler)]
        with self.assertRaisesRegex(ValueError, "ReduceLROnPlateau over 'own'"):
            strategy._refuse_own_metrics()

    def test_outside_wm_it_is_lightning_s_strategy_of_one_device(self):
        os.environ.pop('WM_ELASTIC_SOCKET')
        trainer = self.fit(use_distributed_sampler=True, limit_train_batches=1)
        self.assertEqual((trainer.global_step, trainer.global_rank, trainer.world_size), (1, 0, 1))
        self.assertIsNone(wm._loop)


if __name__ == '__main__':
    unittest.main()
