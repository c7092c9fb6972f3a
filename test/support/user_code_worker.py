"""Role: the training script of test/system/trainer_user_code_test.py: what scripts bring beside a model, on several workers.

Writes, below $LOG_DIR, `steps.txt`: step, RANK and WORLD_SIZE as the script finds them, units that were dropped, the
loss's own parameter, and which parameters are trained.
"""

import os
import time

import torch

from fabric_model import FabricModel


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 240

    def __getitem__(self, number):
        x = torch.randn(4, generator=torch.Generator().manual_seed(number))
        return x, x.sum().reshape(1)


class Dropping(torch.nn.Module):
    """Keeps what was dropped last."""

    def forward(self, x):
        mask = (torch.rand(16) > 0.5).float()
        self.dropped = ''.join(str(int(one)) for one in mask)
        return x * mask[:x.shape[1]]


class Loss(torch.nn.Module):
    """One with a parameter."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor(2.0))

    def forward(self, outputs, labels):
        time.sleep(0.004)
        return ((outputs - labels) * self.weight).square().mean() + (self.weight - 1).square()


class Callback:
    """Freezes a layer in the first pass, and writes what the script sees."""

    def on_epoch_begin(self, epoch):
        if epoch == 0:
            model[0].requires_grad_(False)

    def on_step_end(self, step):
        trained = ''.join(str(int(p.requires_grad)) for p in model.parameters())
        with open(os.path.join(os.environ['LOG_DIR'], 'steps.txt'), 'a', encoding='ascii') as out:
            out.write(f"{step} {os.environ['RANK']} {os.environ['WORLD_SIZE']} {model[1].dropped} {loss.weight.item():.9f} {trained}\n")


torch.manual_seed(3)
model, loss = torch.nn.Sequential(torch.nn.Linear(4, 4), Dropping(), torch.nn.Linear(4, 1)), Loss()
optimizer = torch.optim.SGD([*model.parameters(), *loss.parameters()], lr=0.01)
FabricModel(model, lambda: (Data(), None), loss, optimizer, user_callback=Callback()).train(
    4, 12, effective_batch_size=12, checkpoint_freq=0)
