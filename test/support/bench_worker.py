"""Role: one training process of the figures about efficiency: the same CNN on the same data, trained
in one of three ways. Prints JSON: CPU and wall seconds a step, and samples a second.

usage: bench_worker.py fabric | ddp RANK WORLD STORE_FILE | alone
"""

import json
import sys
import time

import torch
from torch import nn

WARM, STEPS, BATCH = 30, 150, 32
SAMPLES = (WARM + STEPS + 5) * BATCH


def network():
    torch.manual_seed(1)
    return nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(32 * 49, 128), nn.ReLU(), nn.Linear(128, 10))


def images(count):
    source = torch.Generator().manual_seed(2)
    return torch.utils.data.TensorDataset(torch.randn(count, 1, 28, 28, generator=source),
                                          torch.randint(0, 10, (count,), generator=source))


class Stopwatch:
    """CPU and wall time of the steps after the warm-up."""

    def __init__(self):
        self._step, self._start = 0, None

    def step(self):
        self._step += 1
        now = (time.process_time(), time.monotonic())
        if self._step == WARM:
            self._start = now
        if self._step == WARM + STEPS:
            cpu, wall = (b - a for a, b in zip(self._start, now))
            print(json.dumps({'cpu_s': cpu / STEPS, 'wall_s': wall / STEPS}), flush=True)


def plain(model, data, watch, sampler=None):
    """The loop that everybody writes."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loader = torch.utils.data.DataLoader(data, BATCH, shuffle=sampler is None, sampler=sampler)
    for inputs, labels in loader:
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = nn.functional.cross_entropy(outputs, labels)
        loss.backward()
        optimizer.step()
        loss.item()
        watch.step()


def run_ddp(rank, world, store):
    import torch.distributed as dist
    dist.init_process_group('gloo', init_method='file://' + store, rank=rank, world_size=world)
    data = images(SAMPLES * world)
    plain(nn.parallel.DistributedDataParallel(network()), data, Stopwatch(),
          torch.utils.data.DistributedSampler(data))
    dist.barrier()


def run_fabric():
    from fabric_model import FabricModel, engine
    watch, record = Stopwatch(), engine.Engine._record

    def timed(self, step):
        record(self, step)
        watch.step()

    engine.Engine._record = timed
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    FabricModel(model, lambda: (images(SAMPLES * 2), None), nn.functional.cross_entropy,
                optimizer).train(1, BATCH, checkpoint_freq=0)


torch.set_num_threads(1)
if sys.argv[1] == 'fabric':
    run_fabric()
elif sys.argv[1] == 'ddp':
    run_ddp(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
else:
    plain(network(), images(SAMPLES), Stopwatch())
