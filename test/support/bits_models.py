"""Role: the models on which deterministic=True is proved: each has something that depends on who computes what, if nobody takes
care. All learn from one sample of 8 numbers what bits_models.answer() says of it.

  mlp       matrix products          cnn   batch normalisation, dropout
  decoder   attention, dropout       lstm  recurrence, dropout between its layers
"""

import torch
from torch import nn


class _Images(nn.Module):
    """Two channels of 4 x 4."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(2, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(), nn.Dropout(0.3), nn.Flatten(), nn.Linear(96, 1))

    def forward(self, x):
        return self.net(torch.cat([x, x.flip(1), x.sin(), x.cos()], 1).view(-1, 2, 4, 4))


class _Words(nn.Module):
    """A sample is a sentence of eight."""

    def __init__(self):
        super().__init__()
        self.wide = nn.Linear(1, 12)
        self.layer = nn.TransformerEncoderLayer(12, 3, 24, dropout=0.2, batch_first=True)
        self.out = nn.Linear(12, 1)

    def forward(self, x):
        return self.out(self.layer(self.wide(x.unsqueeze(2))).mean(1))


class _Series(nn.Module):
    """A sample is a series of eight."""

    def __init__(self):
        super().__init__()
        self.memory = nn.LSTM(1, 10, num_layers=2, dropout=0.2, batch_first=True)
        self.out = nn.Linear(10, 1)

    def forward(self, x):
        return self.out(self.memory(x.unsqueeze(2))[0][:, -1])


KINDS = {'mlp': lambda: nn.Sequential(nn.Linear(8, 24), nn.Tanh(), nn.Linear(24, 1)), 'cnn': _Images, 'decoder': _Words, 'lstm': _Series}


def made(kind, seed=7):
    """A model of that kind, the same each time."""
    torch.manual_seed(seed)
    return KINDS[kind]()


def answer(x):
    """What is learned of samples. @shape [n, 8] → [n, 1]"""
    return torch.sin(x.sum(1, keepdim=True))
