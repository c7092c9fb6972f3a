"""Role: the training script of 053-servers.bats: a small CNN on scikit-learn's digits, in float64, with parameter servers or without.

usage: digits_served.py PASSES [sync | async] [SEED]
  without a word of control: by all-reduce, or as WM_PARAMETER_SERVERS asks from outside
STEP_MS (environment): work that each step stands for; SLOW_TASK: the task that needs three times as long. A file `hurry` in the working
directory ends that, as in small_train.py.
Writes RESULT_DIR/model/result.json: the held-out accuracy; and RESULT_DIR/returned.pt: the parameters.
"""

import json
import os
import sys
import time

import torch
from sklearn.datasets import load_digits
from torch import nn

from fabric_model import FabricModel

PASSES, CONTROL = int(sys.argv[1]), (sys.argv[2:3] or [''])[0]
SEED = int((sys.argv[3:4] or ['1'])[0])
HELD_OUT, SHARE = 357, 24  # samples: 1,440 are trained on; a worker computes so many at once
STEP_S = float(os.environ.get('STEP_MS', '0')) / 1000 * (3 if os.environ.get('WM_TASK') == os.environ.get('SLOW_TASK') else 1)


class Digits(torch.utils.data.Dataset):
    """Images of 8 × 8 with their labels."""

    def __init__(self, images, labels):
        self.images, self.labels = images, labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


class Network(nn.Module):
    """Two convolutions and two linear layers, which take a known time."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                                   nn.Flatten(), nn.Linear(256, 32), nn.ReLU(), nn.Linear(32, 10))

    def forward(self, images):
        if self.training and not os.path.exists('hurry'):
            time.sleep(STEP_S)
        return self.inner(images)


def digits():
    """(to train on, held out)"""
    images, labels = load_digits(return_X_y=True)
    images = torch.tensor(images).reshape(-1, 1, 8, 8) / 16
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(1797))
    return [Digits(images[part], torch.tensor(labels)[part]) for part in (order[HELD_OUT:], order[:HELD_OUT])]


def accuracy(model, held_out):
    model.eval()
    with torch.no_grad():
        return (model(held_out.images).argmax(1) == held_out.labels).double().mean().item()


torch.manual_seed(SEED)
model = Network().double()
train_set, held_out = digits()
asked = {'servers': 2, 'control': CONTROL} if CONTROL else {}
fabric = FabricModel(model, lambda: (train_set, None), nn.functional.cross_entropy, torch.optim.Adam(model.parameters(), lr=0.002), **asked)
# Async has no batch of all: a step is one worker's.
fabric.train(PASSES, SHARE, effective_batch_size=SHARE if CONTROL == 'async' else 2 * SHARE, validation_freq=0, checkpoint_freq=0)
folder = os.environ['RESULT_DIR']
os.makedirs(os.path.join(folder, 'model'), exist_ok=True)
torch.save(model.state_dict(), os.path.join(folder, 'returned.pt'))
with open(os.path.join(folder, 'model', 'result.json'), 'w', encoding='utf-8') as out:
    json.dump({'accuracy': accuracy(model, held_out)}, out)
print('training is complete', flush=True)
