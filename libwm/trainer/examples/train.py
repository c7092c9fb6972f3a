"""Role: the smallest elastic training script: a network learns to add up its inputs.

bsub -app training -ar -n 1,4 -gpu num=1 python3 train.py    # or without bsub: one process
"""
import torch
from fabric_model import FabricModel

inputs = torch.rand(8192, 16)
examples = torch.utils.data.TensorDataset(inputs, inputs.sum(1, keepdim=True))
net = torch.nn.Sequential(torch.nn.Linear(16, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1))
sgd = torch.optim.SGD(net.parameters(), lr=0.01)

fabric = FabricModel(net, lambda: (examples, examples), torch.nn.functional.mse_loss, sgd)
fabric.train(epoch_number=100, batch_size=32, effective_batch_size=128)
print(f'trained; the sum of sixteen halves is {net(torch.full((1, 16), 0.5)).item():.2f}')
