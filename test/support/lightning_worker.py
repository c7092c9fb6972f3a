"""Role: the training scripts of the tests of wm_elastic.lightning: a small net, and a GAN by manual optimization.

  TEST_LOOP=net | gan      TEST_SAMPLES, TEST_PASSES, TEST_EFFECTIVE (samples of a step), TEST_ACCUMULATE, TEST_STEP_MS
  TEST_KILL=WHERE:STEP     kill -9 of this worker: before (the backward) | between (the two steps of a GAN)
  TEST_MISSED: missed.py
  TEST_AMP=bf16 | fp16     mixed precision; fp16 with the scaler that Lightning would have on a GPU

Writes $LOG_DIR/hash.csv: step, epoch, hash of all parameters after it; $LOG_DIR/seen.json: what Trainer knows at the end.
"""

import hashlib
import json
import os
import signal
import time
import warnings

import lightning
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.plugins.precision import MixedPrecision

import missed
import wm_elastic as wm
from wm_elastic.lightning import ElasticStrategy

warnings.simplefilter('ignore')


def setting(name, default):
    return type(default)(os.environ.get('TEST_' + name, default))


WHERE, _, AT = setting('KILL', '').partition(':')
ACCUMULATE = setting('ACCUMULATE', 1)
AMP = setting('AMP', '')
DTYPE = torch.float32 if AMP else torch.float64


class Data(torch.utils.data.Dataset):
    """Samples that are functions of their number."""

    def __init__(self, count):
        self._count = count

    def __len__(self):
        return self._count

    def __getitem__(self, number):
        x = torch.randn(8, generator=torch.Generator().manual_seed(number), dtype=DTYPE)
        return x, torch.sin(x.sum()).reshape(1)


def loader(count, **options):
    return torch.utils.data.DataLoader(Data(count), batch_size=setting('EFFECTIVE', 24) // ACCUMULATE, **options)


def hit(where, step):
    if WHERE == where and step + 1 == int(AT):
        os.kill(os.getpid(), signal.SIGKILL)


class Writes(lightning.Callback):
    """The hash of the parameters after each step; and the pace."""

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        if (batch_idx + 1) % ACCUMULATE == 0:
            text = hashlib.sha256()
            for value in module.state_dict().values():
                text.update(value.numpy().tobytes())
            group = wm._loop.loop.group if wm._loop else None
            step = wm.step() + wm.counts()  # one that others have applied is counted already
            with open(os.path.join(os.environ['LOG_DIR'], 'hash.csv'), 'a', encoding='ascii') as out:
                out.write(f'{step},{group.epoch if group else 0},{text.hexdigest()}\n')
        time.sleep(setting('STEP_MS', 5) / 1000)


def layers(inside, out):
    return torch.nn.Sequential(torch.nn.Linear(8, inside), torch.nn.Tanh(), torch.nn.Linear(inside, out)).to(DTYPE)


class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = layers(16, 1)

    def training_step(self, batch, batch_idx):
        hit('before', wm.step())
        x, y = batch
        loss = torch.nn.functional.mse_loss(self.layers(x).to(DTYPE), y)
        self.log('own_loss', loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log('tested', torch.nn.functional.mse_loss(self.layers(x), y))

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)
        by_step = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.99)
        return {'optimizer': optimizer, 'lr_scheduler': {'scheduler': by_step, 'interval': 'step'}}


class Gan(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.maker, self.judge = layers(16, 8), layers(8, 1)

    def training_step(self, batch, batch_idx):
        say = torch.nn.functional.binary_cross_entropy_with_logits
        of_maker, of_judge = self.optimizers()
        x, _ = batch
        ones = torch.ones(len(x), 1).double()
        made = self.maker(x.roll(1, 1))
        of_judge.zero_grad()
        self.manual_backward(say(self.judge(x), ones) + say(self.judge(made.detach()), 0 * ones))
        of_judge.step()
        hit('between', wm.step())
        of_maker.zero_grad()
        self.manual_backward(say(self.judge(made), ones))
        of_maker.step()

    def configure_optimizers(self):
        return [torch.optim.Adam(self.maker.parameters(), lr=1e-3), torch.optim.Adam(self.judge.parameters(), lr=1e-3)]


missed.arm()
lightning.seed_everything(7)
module = Gan() if setting('LOOP', 'net') == 'gan' else Net()
saves = ModelCheckpoint(dirpath=os.path.join(os.environ['RESULT_DIR'], 'saved'), save_last=True, every_n_epochs=1)
options = {'max_epochs': setting('PASSES', 3), 'logger': False, 'enable_progress_bar': False, 'enable_model_summary': False, 'accelerator': 'cpu',
           'callbacks': [Writes(), saves], 'use_distributed_sampler': False, 'val_check_interval': 0.5}
if setting('LOOP', 'net') == 'net':
    options.update(accumulate_grad_batches=ACCUMULATE, gradient_clip_val=1.0)
if AMP == 'bf16':
    options['precision'] = 'bf16-mixed'
if AMP == 'fp16':  # its first scale is too large for some step
    options['plugins'] = MixedPrecision('16-mixed', 'cpu', torch.amp.GradScaler('cpu', init_scale=2.0 ** 24, growth_interval=20))
trainer = lightning.Trainer(strategy=ElasticStrategy(), **options)
if setting('LOOP', 'net') == 'net':
    trainer.fit(module, loader(setting('SAMPLES', 499), shuffle=True), loader(32))
else:
    trainer.fit(module, loader(setting('SAMPLES', 499), shuffle=True))
with open(os.path.join(os.environ['LOG_DIR'], 'seen.json'), 'w', encoding='ascii') as out:
    json.dump({'steps': trainer.global_step, 'epoch': trainer.current_epoch, 'first': trainer.is_global_zero,
               'scale': trainer.precision_plugin.scaler.get_scale() if AMP == 'fp16' else 1.0,
               'tested': float(trainer.callback_metrics.get('tested', 0)), 'rate': trainer.optimizers[0].param_groups[0]['lr']}, out)
if wm.is_first():
    torch.save(module.state_dict(), os.path.join(os.environ['RESULT_DIR'], 'returned.pt'))
    print('train returned', flush=True)
