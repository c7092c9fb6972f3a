"""Role: the training scripts of the tests of wm_elastic: loops as people have them, changed by three lines.

  TEST_LOOP=plain | gan | accumulate | tokens (means over them) | scaler (of fp16; one sample is infinite)     TEST_SAMPLES, TEST_PASSES, TEST_EFFECTIVE, TEST_STEP_MS
  TEST_KILL=WHERE:STEP   kill -9 of this worker: between (the two steps of a GAN) | before (the backward) | after (the step)
  TEST_FAIL=WHERE:STEP   an error of it: before (no memory is left) | passes (between two, once STEP is done)

Writes $LOG_DIR/hash.csv: step, epoch, hash of all parameters after it, and $LOG_DIR/passes.txt: pass, learning rate, average.
"""

import hashlib
import os
import signal
import time

import torch

import wm_elastic as wm


def setting(name, default):
    return type(default)(os.environ.get('TEST_' + name, default))


WHERE, _, AT = setting('KILL', '').partition(':')
FAILS, _, FAILS_AT = setting('FAIL', '').partition(':')
KIND, GLOBAL = setting('LOOP', 'plain'), setting('EFFECTIVE', 24)


class Data(torch.utils.data.Dataset):
    """Samples that are functions of their number."""

    def __len__(self):
        return setting('SAMPLES', 499)

    def __getitem__(self, number):
        x = torch.randn(8, generator=torch.Generator().manual_seed(number), dtype=torch.float64)
        return x, torch.sin(x.sum()).reshape(1)


def hit(where):
    if WHERE == where and wm.step() + 1 == int(AT):
        os.kill(os.getpid(), signal.SIGKILL)
    if FAILS == where == 'before' and wm.step() + 1 == int(FAILS_AT):
        raise torch.cuda.OutOfMemoryError('CUDA out of memory. Tried to allocate 2.00 GiB')
    if FAILS == where == 'passes' and wm.step() >= int(FAILS_AT):
        raise ValueError('tests are unreadable')


def write_hash(model):
    text = hashlib.sha256()
    for value in model.state_dict().values():
        text.update(value.numpy().tobytes())
    group = wm._loop._loop.group if wm._loop else None
    with open(os.path.join(os.environ['LOG_DIR'], 'hash.csv'), 'a', encoding='ascii') as out:
        out.write(f'{wm.step() + 1},{group.epoch if group else 0},{text.hexdigest()}\n')


def failed():
    """Whether this iteration does not count."""
    return wm._loop is not None and wm._loop._loop._failed


def net(inside, out):
    return torch.nn.Sequential(torch.nn.Linear(8, inside), torch.nn.Tanh(), torch.nn.Linear(inside, out)).double()


def plain():
    model = net(16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    loader = torch.utils.data.DataLoader(Data(), batch_size=GLOBAL, shuffle=True, num_workers=setting('LOADERS', 0))
    model, optimizer, loader = wm.prepare(model, optimizer, loader, accumulate=1)
    by_pass = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    average = torch.optim.swa_utils.AveragedModel(model)
    for epoch in wm.epochs(setting('PASSES', 3)):
        for x, y in loader:
            hit('before')
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            hit('after')
            average.update_parameters(model)
            if not failed():
                write_hash(model)
            time.sleep(setting('STEP_MS', 5) / 1000)
        by_pass.step()
        hit('passes')
        seen = wm.mean(optimizer.param_groups[0]['lr'])
        with open(os.path.join(os.environ['LOG_DIR'], 'passes.txt'), 'a', encoding='ascii') as out:
            out.write(f'{epoch} {seen} {int(average.n_averaged)}\n')
    return torch.nn.ModuleList([model, average.module])


def accumulate():
    model = net(16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    loader = torch.utils.data.DataLoader(Data(), batch_size=GLOBAL // 4, shuffle=True)
    model, optimizer, loader = wm.prepare(model, optimizer, loader, accumulate=4)
    for _ in wm.epochs(setting('PASSES', 3)):
        for n, (x, y) in enumerate(loader):
            torch.nn.functional.mse_loss(model(x), y).backward()
            if n % 4 == 3:
                optimizer.step()
                optimizer.zero_grad()
                if not failed():
                    write_hash(model)
            time.sleep(setting('STEP_MS', 5) / 4000)
    return model


def gan():
    maker, judge = net(16, 8), net(8, 1)
    of_maker = torch.optim.Adam(maker.parameters(), lr=1e-3)
    of_judge = torch.optim.Adam(judge.parameters(), lr=1e-3)
    loader = torch.utils.data.DataLoader(Data(), batch_size=GLOBAL, shuffle=True)
    _, _, loader = wm.prepare([maker, judge], [of_maker, of_judge], loader)
    both = torch.nn.ModuleList([maker, judge])
    say = torch.nn.functional.binary_cross_entropy_with_logits
    for _ in wm.epochs(setting('PASSES', 3)):
        for x, _ in loader:
            made = maker(x.roll(1, 1))
            of_judge.zero_grad()
            (say(judge(x), torch.ones(len(x), 1).double()) + say(judge(made.detach()), torch.zeros(len(x), 1).double())).backward()
            of_judge.step()
            hit('between')
            of_maker.zero_grad()
            say(judge(made), torch.ones(len(x), 1).double()).backward()
            of_maker.step()
            if not failed():
                write_hash(both)
            time.sleep(setting('STEP_MS', 5) / 1000)
    return both


def tokens():
    """A sample has as many as its number says; the loss is a mean over all of them."""
    def count(batch):
        return (1 + batch[0][:, 0].abs() * 7 // 1).sum()

    model = net(16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    loader = torch.utils.data.DataLoader(Data(), batch_size=GLOBAL, shuffle=True)
    model, optimizer, loader = wm.prepare(model, optimizer, loader, weight=count)
    for _ in wm.epochs(setting('PASSES', 3)):
        for x, y in loader:
            optimizer.zero_grad()
            each = (model(x) - y).pow(2).squeeze(1) * (1 + x[:, 0].abs() * 7 // 1)
            (each.sum() / count([x])).backward()
            optimizer.step()
            if not failed():
                write_hash(model)
            time.sleep(setting('STEP_MS', 5) / 1000)
    return model


class Infinite(Data):
    def __getitem__(self, number):
        x, y = super().__getitem__(number)
        return x * (float('inf') if number == 100 else 1), y


def scaler():
    model = net(16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    loader = torch.utils.data.DataLoader(Infinite(), batch_size=GLOBAL, shuffle=True)
    scales = torch.amp.GradScaler('cpu', init_scale=1024.0)
    model, optimizer, loader = wm.prepare(model, optimizer, loader)
    for _ in wm.epochs(setting('PASSES', 3)):
        for x, y in loader:
            optimizer.zero_grad()
            scales.scale(torch.nn.functional.mse_loss(model(x), y)).backward()
            scales.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scales.step(optimizer)
            scales.update()
            if not failed():
                write_hash(model)
            time.sleep(setting('STEP_MS', 5) / 1000)
    print(f'scale {scales.get_scale()}', flush=True)
    return model


torch.manual_seed(7)
trained = {'plain': plain, 'gan': gan, 'accumulate': accumulate, 'tokens': tokens, 'scaler': scaler}[KIND]()
if wm.is_first():
    torch.save(trained.state_dict(), os.path.join(os.environ['RESULT_DIR'], 'returned.pt'))
    print('train returned', flush=True)
