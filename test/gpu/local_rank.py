"""Role: what PyTorch's documentation tells a training task to do first, for scripts/gpu_acceptance: it takes device
LOCAL_RANK, meets the others over NCCL and adds up. Prints a line that begins with "agreed".
usage: local_rank.py [LAUNCHER]    its name is only shown
"""

import os
import sys

import torch
import torch.distributed as dist


def main():
    local = int(os.environ['LOCAL_RANK'])
    torch.cuda.set_device(local)
    dist.init_process_group('nccl')
    one = torch.ones(1 << 20, device='cuda')
    dist.all_reduce(one)
    torch.cuda.synchronize()
    if one[0].item() != dist.get_world_size():
        raise ArithmeticError(f'{one[0].item()} is no sum of {dist.get_world_size()} ones')
    print(f'agreed: rank {dist.get_rank()} of {dist.get_world_size()}, LOCAL_RANK {local}, '
          f'{torch.cuda.device_count()} seen, by {(sys.argv[1:] or ["itself"])[0]}', flush=True)
    dist.destroy_process_group()


if __name__ == '__main__':
    main()
