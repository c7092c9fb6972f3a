"""Role: the training script of the tests of wm_elastic.huggingface: a small GPT-2 by Trainer, its labels of unequal length.

  TEST_SAMPLES, TEST_PASSES, TEST_EFFECTIVE (samples of a step), TEST_ACCUMULATE, TEST_STEP_MS, TEST_MAX_STEPS
  TEST_KILL=STEP   kill -9 of this worker before the backward of that step
  TEST_MISSED: missed.py
  TEST_AMP=bf16 | fp16  mixed precision; fp16 with the scaler that accelerate would have on a GPU

Writes $LOG_DIR/hash.csv: step, epoch, hash of all parameters after it; $LOG_DIR/seen.json: what Trainer knows at the end.
"""

import hashlib
import json
import os
import signal
import time

import torch
import transformers

import missed
import wm_elastic as wm
from wm_elastic.huggingface import Trainer


def setting(name, default):
    return type(default)(os.environ.get('TEST_' + name, default))


AMP = setting('AMP', '')


class Sentences(torch.utils.data.Dataset):
    """Samples that are functions of their number; as many labels count as the number says."""

    def __init__(self, count):
        self._count = count

    def __len__(self):
        return self._count

    def __getitem__(self, number):
        text = torch.randint(0, 40, (8,), generator=torch.Generator().manual_seed(number))
        labels = text.clone()
        labels[1 + number % 8:] = -100  # of some none counts
        return {'input_ids': text, 'labels': labels}


class Writes(transformers.TrainerCallback):
    """The hash of the parameters after each step; and the pace."""

    def on_step_begin(self, args, state, control, **kwargs):
        if state.global_step + 1 == setting('KILL', 0):
            os.kill(os.getpid(), signal.SIGKILL)

    def on_step_end(self, args, state, control, model=None, **kwargs):
        text = hashlib.sha256()
        for value in model.state_dict().values():
            text.update(value.numpy().tobytes())
        group = wm._loop.loop.group if wm._loop else None
        with open(os.path.join(os.environ['LOG_DIR'], 'hash.csv'), 'a', encoding='ascii') as out:
            out.write(f'{state.global_step},{group.epoch if group else 0},{text.hexdigest()}\n')
        time.sleep(setting('STEP_MS', 5) / 1000)


def made_trainer():
    accumulate = setting('ACCUMULATE', 1)
    options = {'output_dir': os.path.join(os.environ['RESULT_DIR'], 'out'), 'use_cpu': True, 'report_to': [], 'disable_tqdm': True, 'seed': 7,
               'per_device_train_batch_size': setting('EFFECTIVE', 24) // accumulate, 'gradient_accumulation_steps': accumulate,
               'num_train_epochs': setting('PASSES', 3), 'max_steps': setting('MAX_STEPS', -1), 'learning_rate': 1e-3, 'max_grad_norm': 0.5,
               'lr_scheduler_type': 'cosine', 'logging_steps': 10, 'eval_strategy': 'steps', 'eval_steps': 20, 'save_strategy': 'steps',
               'save_steps': 20, 'save_total_limit': 2, 'load_best_model_at_end': True, 'metric_for_best_model': 'loss', 'optim': 'adamw_torch'}
    config = transformers.GPT2Config(vocab_size=40, n_positions=8, n_embd=16, n_layer=2, n_head=2, resid_pdrop=0.0, embd_pdrop=0.0,
                                     attn_pdrop=0.0, bos_token_id=0, eos_token_id=0)
    transformers.set_seed(7)
    model = transformers.GPT2LMHeadModel(config)
    return Trainer(model=model if AMP else model.double(), args=transformers.TrainingArguments(bf16=AMP == 'bf16', **options),
                   train_dataset=Sentences(setting('SAMPLES', 499)), eval_dataset=Sentences(32), callbacks=[Writes()])


def with_scaler(trainer):
    """As on a GPU: accelerate has none on CPUs. Its first scale is too large for some step."""
    accelerator = trainer.accelerator
    accelerator.state._mixed_precision = 'fp16'
    accelerator.native_amp, accelerator.scaler = True, torch.amp.GradScaler('cpu', init_scale=2.0 ** 24, growth_interval=20)


missed.arm()
trainer = made_trainer()
if AMP == 'fp16':
    with_scaler(trainer)
output = trainer.train()
trainer.save_model(os.path.join(os.environ['RESULT_DIR'], 'model'))
with open(os.path.join(os.environ['LOG_DIR'], 'seen.json'), 'w', encoding='ascii') as out:
    json.dump({'steps': output.global_step, 'epoch': trainer.state.epoch, 'rate': trainer.lr_scheduler.get_last_lr()[0], 'first': wm.is_first(),
               'scale': trainer.accelerator.scaler.get_scale() if AMP == 'fp16' else 1.0,
               'evaluated': [[row['step'], row['eval_loss']] for row in trainer.state.log_history if 'eval_loss' in row]}, out)
if wm.is_first():
    torch.save(trainer.model.state_dict(), os.path.join(os.environ['RESULT_DIR'], 'returned.pt'))
    print('train returned', flush=True)
