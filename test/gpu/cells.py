"""Role: two %%gpu cells with tensors on the GPU, as a notebook's kernel runs them, for scripts/gpu_acceptance: the first
leaves a tensor, a model and its optimizer on the device, the second goes on with them. Prints "agreed: …".
"""

import importlib.util
import sys

import wm_gpu_cell

FIRST = '''
import torch
model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
data = torch.arange(8.0, device='cuda').reshape(2, 4)
model(data).pow(2).mean().backward()
optimizer.step()
stream = torch.cuda.Stream()
total = data.sum().item()
'''
SECOND = '''
before = model.weight.detach().clone()
optimizer.zero_grad()
model(data).pow(2).mean().backward()
optimizer.step()
trained = not before.equal(model.weight)
data.device.type, model.weight.device.type
'''


def main():
    if not importlib.util.find_spec('torch'):
        print('cells: skipped: no torch')
        sys.exit(77)
    kernel = {}
    wm_gpu_cell.gpu('num=1', FIRST, kernel)
    assert kernel['total'] == 28, kernel
    assert kernel['data'].device.type == kernel['model'].weight.device.type == 'cpu', kernel
    assert 'stream' not in kernel, kernel
    places = wm_gpu_cell.gpu('num=1', SECOND, kernel)
    assert kernel['trained'], 'the optimizer is not that of the model'
    assert places == ('cuda', 'cuda'), places
    print(f'agreed: on the CPU between two cells, on {places} in the second, whose optimizer trained on')


if __name__ == '__main__':
    main()
