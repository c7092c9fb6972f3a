"""Role: the demo's rigid job: ordinary torch.distributed on as many tasks as it was given, with
nothing but the environment that torchrun would set. It would not survive a lost task.

usage: rigid.py SECONDS     all-reduces for that long, then says how many took part
Callers: scripts/demo, through bsub -n 2.
"""

import sys
import time

import torch
import torch.distributed as dist

dist.init_process_group('gloo')
until = time.monotonic() + float(sys.argv[1])
rounds, going = 0, torch.ones(1)
while going.item() > 0:
    value = torch.full((1000, 1000), float(dist.get_rank() + 1)) @ torch.eye(1000)
    dist.all_reduce(value)
    rounds += 1
    # everybody stops after the same round: the one that is late in time decides
    going = torch.tensor([1.0 if time.monotonic() < until else 0.0])
    dist.all_reduce(going, dist.ReduceOp.MIN)
world = dist.get_world_size()
assert value[0, 0].item() == world * (world + 1) / 2
print(f'{world} tasks, {rounds} all-reduces', flush=True)
dist.destroy_process_group()
