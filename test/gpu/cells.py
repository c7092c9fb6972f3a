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
optimizer.zero_grad()
model(data).pow(2).mean().backward()
optimizer.step()
places = (str(data.device), str(next(model.parameters()).device))
places
'''


def main():
    if not importlib.util.find_spec('torch'):
        print('cells: skipped: no torch')
        sys.exit(77)
    kernel = {}
    wm_gpu_cell.gpu('num=1', FIRST, kernel)
    assert kernel['total'] == 28, kernel
    first = kernel['model'].weight.detach().clone()
    at_home = {name: str(kernel[name].device) for name in ('data',)}
    places = wm_gpu_cell.gpu('num=1', SECOND, kernel)
    assert not first.equal(kernel['model'].weight.detach().to(first.device)), 'nothing was trained on'
    print(f'agreed: between two cells {at_home}, in the second {places}')


if __name__ == '__main__':
    main()
