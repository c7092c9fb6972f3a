"""Role: the smallest FabricModel script for system tests: a linear model on made-up numbers.

usage: small_train.py STEPS [SLEEP_MS [each|apart]]   SLEEP_MS stands for work in each step, as long
with however many workers; with `each` for that of a whole batch, so that workers divide it; with
`apart` all but the first keep it waiting 100 ms more, as exchange between hosts would
A file `hurry` in the working directory ends the sleeping: a test does what it has to while the
steps are slow, however busy the machine is, and need not wait for the rest.
Writes RESULT_DIR/model/result.json as the demo's script does; prints what the tests look for.
"""

import json
import os
import sys
import time

import torch
from torch import nn

from callbacks import Callback
from fabric_model import FabricModel

SAMPLES, BATCH = 64, 16
EACH, APART = sys.argv[3:] in (['each'], ['apart']), sys.argv[3:] == ['apart']
LATE_MS = 100 if APART and os.environ['WM_TASK'] != '1' else 0
STEPS, SLEEP_MS = int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 5.0


class Numbers(torch.utils.data.Dataset):
    """y is the sum of x; every sample is different."""

    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        x = torch.tensor([index / SAMPLES, 1.0 - index / SAMPLES, (index * 7 % SAMPLES) / SAMPLES])
        return x, x.sum().reshape(1)


class Slow(nn.Module):
    """A linear model whose step takes a known time."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 1)

    def forward(self, x):
        if not os.path.exists('hurry'):
            time.sleep((SLEEP_MS * (len(x) / BATCH if EACH else 1) + LATE_MS) / 1000)
        return self.inner(x)


class Passes(Callback):
    """Writes a hash of the parameters after each pass, as the demo's script does."""

    def on_epoch_end(self, epoch, save_model=False):
        with open(os.path.join(os.environ['LOG_DIR'], 'hash.csv'), 'a', encoding='ascii') as out:
            out.write(f'{epoch},{[p.detach().numpy().tobytes().hex() for p in MODEL.parameters()]}'.replace(', ', '/') + '\n')


torch.manual_seed(3)
MODEL = Slow()
passes = STEPS * BATCH // SAMPLES
fabric = FabricModel(MODEL, lambda: (Numbers(), Numbers()), nn.functional.mse_loss,
                     torch.optim.SGD(MODEL.parameters(), lr=0.1), user_callback=[Passes()])
fabric.train(passes, BATCH, effective_batch_size=BATCH, validation_freq=0,
             checkpoint_freq=int(os.environ.get('CHECKPOINT_FREQ', '0')))
os.makedirs(os.path.join(os.environ['RESULT_DIR'], 'model'), exist_ok=True)
with open(os.path.join(os.environ['RESULT_DIR'], 'model', 'result.json'), 'w', encoding='utf-8') as out:
    json.dump({'passes': passes}, out)
print('training is complete', flush=True)
