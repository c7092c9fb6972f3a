"""Role: the distPyTorch execution of 099-web-frameworks.bats: an ordinary DDP (with --fsdp, FSDP) training of the
digits of scikit-learn, as data scientists write it; nothing of WM in it.
"""

import argparse
import os

import torch
import torch.distributed as dist
from sklearn.datasets import load_digits
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument('--epochs', type=int, default=12)
parser.add_argument('--fsdp', action='store_true')
options = parser.parse_args()

dist.init_process_group('gloo')
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(1797)
images, labels = load_digits(return_X_y=True)
images, labels = torch.tensor(images, dtype=torch.float32) / 16, torch.tensor(labels)
order = torch.randperm(len(images))
train, held_out = order[:1437], order[1437:]
data = TensorDataset(images[train], labels[train])
sampler = DistributedSampler(data)
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
if options.fsdp:
    from torch.distributed.fsdp import FullyShardedDataParallel
    # Later ones take no CPU for granted, the one of Debian 12 knows no other.
    later = tuple(int(part) for part in torch.__version__.split('.')[:2]) >= (2, 6)
    model = FullyShardedDataParallel(model, **({'device_id': torch.device('cpu')} if later else {}))
else:
    model = DistributedDataParallel(model)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(options.epochs):
    sampler.set_epoch(epoch)
    for x, y in DataLoader(data, batch_size=32, sampler=sampler):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
with torch.no_grad():
    right = (model(images[held_out]).argmax(1) == labels[held_out]).float().mean().item()
print(f'rank {rank} of {world} Test accuracy: {right:.3f}', flush=True)
if rank == 0 and not options.fsdp:
    torch.save(model.module.state_dict(), os.path.join(os.environ['RESULT_DIR'], 'model', 'trained_model.pt'))
dist.barrier()
del model, optimizer
dist.destroy_process_group()
