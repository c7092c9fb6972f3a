"""Role: plain PyTorch DDP, nothing of WM in it: what torchrun would start.

Prints one line a rank; a wrong environment makes it fail or hang.
"""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group('gloo')
rank, world = dist.get_rank(), dist.get_world_size()
assert rank == int(os.environ['RANK']) and world == int(os.environ['WORLD_SIZE'])
assert int(os.environ['LOCAL_RANK']) < int(os.environ['LOCAL_WORLD_SIZE'])
torch.manual_seed(rank)
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    model(torch.randn(8, 4)).pow(2).mean().backward()
    optimizer.step()
weights = [torch.zeros_like(model.module.weight) for _ in range(world)]
dist.all_gather(weights, model.module.weight.data)
assert all(torch.equal(weights[0], w) for w in weights)
print(f'rank {rank} of {world} local {os.environ["LOCAL_RANK"]} group {os.environ["GROUP_RANK"]} agreed', flush=True)
# What still holds the group keeps its threads alive into the interpreter's end, where torch may abort.
del model, optimizer
dist.destroy_process_group()
