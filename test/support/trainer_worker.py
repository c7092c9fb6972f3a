"""Role: the training script of the trainer's tests: a small model, data that are made up, and
faults on demand. Everything it is told comes in TEST_* variables.

  TEST_SAMPLES, TEST_PASSES, TEST_BATCH, TEST_EFFECTIVE, TEST_DTYPE, TEST_STEP_MS, TEST_WIDTH
  TEST_DETERMINISTIC=V  so many virtual workers, and dropout;  TEST_MODEL  one of bits_models.py
  TEST_SERVERS=N, TEST_CONTROL, TEST_STALENESS  parameter servers;  TEST_SHARD;  TEST_ADAM=1  Adam and not SGD;  TEST_CLIP
  TEST_SERVER_KILL=WHERE:STEP  kill -9 of a server: push | step, in the middle of answering this
  TEST_TRAININGS=N      calls train() so often, each time of a FabricModel of its own around the same model,
  TEST_BETWEEN=FILE     and in between waits for this file
  TEST_KILL=WHERE:STEP  kill -9 of this worker: before | inside | after the all-reduce that makes
                        STEP (+N: the Nth that this worker takes part in), connect (while building any group but the first), switch (after
                        agreeing, before the first step)
  TEST_KILL_BY=SIGSTOP  it stops there, and is not killed
  TEST_FULL=STEP        its GPU has no memory left in that step

Writes $LOG_DIR/hash.csv: step, epoch, hash of all parameters after it.
"""

import contextlib
import faulthandler
import hashlib
import os
import signal
import time

import torch

import bits_models
from fabric_model import FabricModel, engine, group
from fabric_model.servers import replica


def setting(name, default):
    return type(default)(os.environ.get('TEST_' + name, default))


WHERE, _, AT = setting('KILL', '').partition(':')
DTYPE = getattr(torch, setting('DTYPE', 'float64'))


def die():
    os.kill(os.getpid(), getattr(signal, setting('KILL_BY', 'SIGKILL')))


class Data:
    """Samples that are functions of their number."""

    def __init__(self, count):
        self._count = count

    def __len__(self):
        return self._count

    def __getitem__(self, number):
        source = torch.Generator().manual_seed(number)
        x = torch.randn(8, generator=source, dtype=DTYPE)
        return x, torch.sin(x.sum()).reshape(1)


def plant_faults():
    """Puts the wanted fault and the hash record into the engine. Returns where that stands once it runs."""
    plain_sum, plain_record = group.Group.sum, engine.Engine._record
    plain_connect, plain_enter = group._connect, engine.Engine._enter
    running, first = [], []
    hashes = open(os.path.join(os.environ['LOG_DIR'], 'hash.csv'), 'a', encoding='ascii', buffering=1)

    def hit(self, where):
        step = running[0].progress.step + 1 if running else 0
        if AT.startswith('+'):
            step -= first[0] if first else step
        return WHERE == where and step == int(AT) and self.joined and \
            running[0].progress.phase == 0

    def faulty_sum(self, tensor):
        if hit(self, 'before'):
            die()
        if hit(self, 'inside') and self._mesh:
            # As it is asked of gloo now: by the members of one host they meet behind a copy, else of all of it.
            self._run = lambda start: start(self._mesh) and die()
        kill = hit(self, 'after')
        plain_sum(self, tensor)
        if kill:
            die()

    def record(self, step):
        plain_record(self, step)
        if not setting('HASH', 1) or getattr(self._stepping, 'is_behind', False):
            return
        text = hashlib.sha256()
        for value in self.script.model.state_dict().values():
            text.update(value.numpy().tobytes())
        hashes.write(f'{step.step},{step.epoch},{text.hexdigest()}\n')

    def connect(plan, rank, rendezvous, cancelled):
        if WHERE == 'connect' and plan.epoch >= int(AT):
            die()
        return plain_connect(plan, rank, rendezvous, cancelled)

    def enter(self, entered):
        running[:] = [self]
        if WHERE == 'switch' and entered.epoch >= int(AT):
            die()
        plain_enter(self, entered)
        first.append(self.progress.step)
        if WHERE == 'switched' and entered.epoch >= int(AT):
            die()

    plant_server_faults()
    group.Group.sum, engine.Engine._record = faulty_sum, record
    group._connect, engine.Engine._enter = connect, enter
    return running


def plant_server_faults():
    """Each server process has what the worker had when it was forked."""
    where, _, at = setting('SERVER_KILL', '').partition(':')

    def die_once():
        with contextlib.suppress(FileExistsError):  # the one that takes its place comes here, too
            os.close(os.open(os.path.join(os.environ['LOG_DIR'], 'server.killed'), os.O_CREAT | os.O_EXCL))
            die()

    plain_filled, plain_keep = replica.Replica.filled, replica.Replica._keep

    def filled(self, who, size):
        whole = plain_filled(self, who, size)
        if where == 'push' and self._staged[who].number == int(at):
            die_once()
        return whole

    def keep(self):
        plain_keep(self)
        if self.version == int(at) - 1:  # the step of half of the members is summed, or passed on to the copy, and not applied
            die_once()

    if where == 'push':
        replica.Replica.filled = filled
    elif where == 'step':
        replica.Replica._keep = keep


def main():
    faulthandler.register(signal.SIGUSR1)
    running = plant_faults()
    width, pause = setting('WIDTH', 16), setting('STEP_MS', 5) / 1000
    torch.manual_seed(7 if setting('SEEDED', 1) else os.getpid())
    norm = [torch.nn.BatchNorm1d(width)] if setting('NORM', 0) else []
    drop = [torch.nn.Dropout(0.3)] if setting('DETERMINISTIC', 0) else []
    model = torch.nn.Sequential(torch.nn.Linear(8, width), *norm, torch.nn.Tanh(), *drop,
                                torch.nn.Linear(width, 1)).to(DTYPE)
    if setting('MODEL', ''):
        model = bits_models.made(setting('MODEL', '')).to(DTYPE)
    optimizer = torch.optim.SGD(model.parameters(), lr=setting('LR', 0.05), momentum=0.9)
    if setting('ADAM', 0):
        optimizer = torch.optim.Adam(model.parameters(), lr=setting('LR', 0.01))
    served = {name: value for name, value in (('servers', setting('SERVERS', 0)), ('control', setting('CONTROL', '')),
                                              ('staleness', setting('STALENESS', 0)), ('clip_grad_norm', setting('CLIP', 0.0)),
                                              ('shard', setting('SHARD', ''))) if value}

    def loss(outputs, labels):
        time.sleep(pause)
        if running and running[0].progress.step + 1 == setting('FULL', 0):
            raise torch.cuda.OutOfMemoryError('CUDA out of memory. Tried to allocate 20.00 GiB.\nIts other words')
        return torch.nn.functional.mse_loss(outputs, labels)

    def datasets():
        return Data(setting('SAMPLES', 499)), Data(setting('TESTS', 0)) if setting('TESTS', 0) else None

    batch = setting('BATCH', '8')
    for number in range(setting('TRAININGS', 1)):
        if number:
            print(f'training {number} returned, first weight {next(model.parameters()).flatten()[0].item()}', flush=True)
            while setting('BETWEEN', '') and not os.path.exists(setting('BETWEEN', '')):
                time.sleep(0.01)
        fabric = FabricModel(model, datasets, loss, optimizer, sync_bn=bool(setting('NORM', 0)) and not setting('DETERMINISTIC', 0),
                             deterministic=setting('DETERMINISTIC', 0), **served)
        fabric.train(setting('PASSES', 3), batch if batch == 'auto' else int(batch), setting('ENGINES', 0) or None,
                     num_dataloader_threads=setting('LOADERS', 0), checkpoint_freq=setting('CHECKPOINTS', 0),
                     effective_batch_size=setting('EFFECTIVE', 0) or None)
    torch.save(model.state_dict(), os.path.join(os.environ['RESULT_DIR'], 'returned.pt'))
    print('train returned', flush=True)


main()
