"""Role: the training script of the demo: a PyTorch CNN on handwritten digits, written the way
scripts for IBM's FabricModel are. It knows nothing of hosts, GPUs or resizes; WM starts it on
every slot of the job and changes their number while it runs.

usage: train.py [--digits FOLDER] --steps N    at least N optimizer steps, whole passes; without a folder
                                               DATA_DIR's
Result: RESULT_DIR/model/{result.json,model.pt,signature.json}, written by whoever is rank 0 at the end.
Callers: scripts/demo, through bsub.
"""

import argparse
import hashlib
import json
import math
import os

import torch
from torch import nn

from callbacks import Callback
from edtcallback import EDTLoggerCallback
from fabric_model import FabricModel

import digits

GLOBAL_BATCH = 128
LEARNING_RATE = 0.05


class Digits(torch.utils.data.Dataset):
    """Images with their labels; those to train on are shifted by up to a pixel, at random."""

    def __init__(self, folder, part):
        images, labels = digits.load(folder, part)
        self.images = torch.tensor(images).float().unsqueeze(1) / 255
        self.labels = torch.tensor(labels).long()
        self.is_shifted = part == 'train'

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        image = self.images[index]
        if self.is_shifted:
            down, right = torch.randint(-1, 2, (2,)).tolist()
            image = torch.roll(image, (down, right), (1, 2))
        return image, self.labels[index]


def network(side):
    """Three convolutions and two linear layers for images of `side` × `side`."""
    stride = max(1, side // 14)
    inner = math.ceil(side / stride) // 2
    width = 32 if stride == 1 else 16
    return nn.Sequential(
        nn.Conv2d(1, width, 3, stride=stride, padding=1), nn.ReLU(),
        nn.Conv2d(width, 2 * width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(2 * width, 2 * width, 3, padding=1), nn.ReLU(), nn.Flatten(),
        nn.Linear(2 * width * inner * inner, 64), nn.ReLU(), nn.Linear(64, 10))


class CountingSGD(torch.optim.SGD):
    """SGD that counts its steps; the count travels with the optimizer's state."""

    def step(self, closure=None):
        for group in self.param_groups:
            group['applied'] = group.get('applied', 0) + 1
        return super().step(closure)


class Fingerprint(Callback):
    """Every worker notes a hash of its parameters after each pass: all must agree."""

    def on_epoch_end(self, epoch, save_model=False):
        folder = os.environ.get('LOG_DIR')
        if folder:
            with open(os.path.join(folder, 'hash.csv'), 'a', encoding='ascii') as out:
                out.write(f'{epoch},{fingerprint(MODEL)}\n')


def fingerprint(model):
    """Hash of all parameters, bit for bit."""
    found = hashlib.sha256()
    for parameter in model.parameters():
        found.update(parameter.detach().numpy().tobytes())
    return found.hexdigest()[:16]


def accuracy(model, held_out):
    """Share of the held-out digits that the model names right."""
    model.eval()
    with torch.no_grad():
        right = sum((model(images).argmax(1) == labels).sum().item()
                    for images, labels in torch.utils.data.DataLoader(held_out, 512))
    return right / len(held_out)


def write_model(model, held_out, where):
    """The model as TorchScript, with what it takes and says: what a service is made of."""
    sample, _ = held_out[0]
    torch.jit.save(torch.jit.trace(model.eval(), sample.unsqueeze(0)), os.path.join(where, 'model.pt'))
    with open(os.path.join(where, 'signature.json'), 'w', encoding='utf-8') as out:
        json.dump({'input_shape': list(sample.shape), 'labels': [str(digit) for digit in range(10)]}, out)


def write_result(model, optimizer, folder, passes):
    """What the demo shows at the end."""
    held_out = Digits(folder, 'test')
    result = {'accuracy': accuracy(model, held_out), 'held_out': len(held_out), 'passes': passes,
              'applied_steps': optimizer.param_groups[0].get('applied', 0), 'hash': fingerprint(model)}
    where = os.path.join(os.environ.get('RESULT_DIR', '.'), 'model')
    os.makedirs(where, exist_ok=True)
    with open(os.path.join(where, 'result.json'), 'w', encoding='utf-8') as out:
        json.dump(result, out)
    write_model(model, held_out, where)
    print(f'accuracy {result["accuracy"]:.4f} on {len(held_out)} held-out digits after '
          f'{result["applied_steps"]} steps')


parser = argparse.ArgumentParser()
parser.add_argument('--digits', default=os.environ.get('DATA_DIR'))
parser.add_argument('--steps', type=int, required=True)
arguments = parser.parse_args()


def get_datasets():
    """(to train on, to validate with)"""
    return Digits(arguments.digits, 'train'), Digits(arguments.digits, 'test')


torch.manual_seed(1)
SIDE = digits.load(arguments.digits, 'test')[0].shape[-1]
SAMPLES = len(digits.load(arguments.digits, 'train')[1])
MODEL = network(SIDE)
OPTIMIZER = CountingSGD(MODEL.parameters(), lr=LEARNING_RATE, momentum=0.9)
PASSES = math.ceil(arguments.steps / math.ceil(SAMPLES / GLOBAL_BATCH))

fabric = FabricModel(MODEL, get_datasets, nn.functional.cross_entropy, OPTIMIZER,
                     driver_logger=EDTLoggerCallback(), user_callback=[Fingerprint()])
fabric.train(PASSES, GLOBAL_BATCH, effective_batch_size=GLOBAL_BATCH, validation_freq=max(1, PASSES // 10),
             checkpoint_freq=0)
write_result(MODEL, OPTIMIZER, arguments.digits, PASSES)
