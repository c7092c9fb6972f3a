"""Role: the training script of story.py: a decoder that learns arithmetic progressions, in bf16 and compiled where torch can,
by a loop of plain PyTorch. Three lines make it elastic; they end with `# elastic`, and the script is whole without them.

usage: story_train.py [--model small|100m] [--passes N] [--samples N] [--batch N] [--step-ms MS] [--notes DIR]
--step-ms   a step takes so long, the last third of them a second, until there is a file `hurry` in the working directory
--notes     writes DIR/losses.csv (steps so far, samples of this process, their mean loss) and DIR/hash.csv (pass, hash of the
            parameters)
"""

import argparse
import contextlib
import csv
import hashlib
import math
import os
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler

import wm_elastic as wm  # elastic

# of each model: layers, width, heads, words, length of a sample
SIZES = {'small': (2, 48, 4, 61, 24), '100m': (12, 768, 12, 16381, 256)}
WARM_UP = 40  # steps


class Progressions(Dataset):
    """Sample n rises by a stride of its own, modulo the number of words: after two of them the rest follows."""

    def __init__(self, count, words, length):
        self._count, self._words, self._length = count, words, length

    def __len__(self):
        return self._count

    def __getitem__(self, number):
        stride = 1 + number % 7
        return (number * 31 + stride * torch.arange(self._length + 1)) % self._words

    def weights(self):
        """How often each is drawn, beside the others."""
        return [1.0 + number % 3 for number in range(self._count)]


class Block(nn.Module):
    """Attention to what was before, and a layer of four times the width."""

    def __init__(self, width, heads):
        super().__init__()
        self._heads = heads
        self.before, self.behind = nn.LayerNorm(width), nn.LayerNorm(width)
        self.all = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.wide = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x, later):
        count, length, width = x.shape
        parts = self.all(self.before(x)).view(count, length, 3, self._heads, width // self._heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        scores = (query @ key.transpose(-2, -1)) / math.sqrt(width // self._heads)
        seen = torch.softmax(scores.masked_fill(later, float('-inf')), dim=-1)
        x = x + self.out((seen.to(value.dtype) @ value).transpose(1, 2).reshape(count, length, width))
        return x + self.wide(self.behind(x))


class Decoder(nn.Module):
    """What follows each word."""

    def __init__(self, layers, width, heads, words, length):
        super().__init__()
        self.word, self.place = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.last, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.register_buffer('later', torch.ones(length, length, dtype=torch.bool).triu(1), persistent=False)
        self.register_buffer('places', torch.arange(length), persistent=False)

    def forward(self, tokens):
        x = self.word(tokens) + self.place(self.places)
        for block in self.blocks:
            x = block(x, self.later)
        return self.head(self.last(x))


class Notes:
    """What the story compares, and how fast it goes."""

    def __init__(self, folder, step_ms, steps):
        self._folder, self._pause_s, self._steps = folder, step_ms / 1000, steps
        self._losses = open(os.path.join(folder, 'losses.csv'), 'a', encoding='ascii', buffering=1) if folder else None

    def step(self, number, size, loss):
        """`number` steps are done, the last with so many samples of this process."""
        if self._losses:
            csv.writer(self._losses).writerow([number, size, loss])
        if self._pause_s and not os.path.exists('hurry'):
            time.sleep(self._pause_s if number * 3 < self._steps * 2 else 1.0)

    def passed(self, number, model):
        """A pass is over."""
        if not self._folder:
            return
        digest = hashlib.sha256()
        for parameter in model.parameters():
            digest.update(parameter.detach().float().cpu().numpy().tobytes())
        with open(os.path.join(self._folder, 'hash.csv'), 'a', encoding='ascii') as out:
            out.write(f'{number},{digest.hexdigest()}\n')


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument('--model', choices=SIZES, default='small')
    for name, default in (('passes', 12), ('samples', 600), ('batch', 24), ('step-ms', 0)):
        parser.add_argument(f'--{name}', type=int, default=default)
    parser.add_argument('--notes', default=os.environ.get('LOG_DIR', ''))
    return parser.parse_args()


def main():
    options = parsed()
    torch.manual_seed(7)
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    words, length = SIZES[options.model][3:]
    data = Progressions(options.samples, words, length)
    model = Decoder(*SIZES[options.model]).to(device)
    if hasattr(torch, 'compile'):
        model = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    loader = DataLoader(data, batch_size=options.batch, sampler=WeightedRandomSampler(data.weights(), len(data)), num_workers=2)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: min(1.0, (done + 1) / WARM_UP))
    notes = Notes(options.notes, options.step_ms, options.passes * len(loader))
    epochs = range(options.passes)
    model, optimizer, loader = wm.prepare(model, optimizer, loader)  # elastic
    epochs = wm.epochs(options.passes)  # elastic
    for epoch in epochs:
        for tokens in loader:
            tokens = tokens.to(device)
            optimizer.zero_grad()
            with torch.autocast(device, dtype=torch.bfloat16):
                outputs = model(tokens[:, :-1])
            loss = nn.functional.cross_entropy(outputs.float().flatten(0, 1), tokens[:, 1:].flatten())
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            notes.step(schedule.last_epoch, len(tokens), loss.item())
        notes.passed(epoch, model)
    print(f'trained {schedule.last_epoch} steps, {sum(p.numel() for p in model.parameters())} parameters, torch {torch.__version__}, {device}, '
          f'{"compiled" if hasattr(torch, "compile") else "not compiled"}', flush=True)


if __name__ == '__main__':
    with contextlib.suppress(KeyboardInterrupt):
        main()
