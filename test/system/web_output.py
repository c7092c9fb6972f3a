"""Role: two workers for 099-web-acts.bats: long output with a needle in it, a checkpoint, an error of the second; a run that goes on from
another says from which."""
import os
import sys
import time

rank, results = int(os.environ['RANK']), os.environ['RESULT_DIR']
if rank == 0:
    print('goes on from', os.environ.get('WM_RESUME_FROM', 'nothing'), 'with', *sys.argv[1:], flush=True)
    os.makedirs(f'{results}/checkpoint', exist_ok=True)
    with open(f'{results}/checkpoint/checkpoint.pt', 'w') as file:
        file.write('state')
for step in range(20000):
    print('a needle' if step == 10 and rank == 0 else f'step {step} of rank {rank}')
sys.stdout.flush()
if rank == 0:
    open(f'{results}/checkpoint/.written', 'w').close()
if rank == 1 and '--fails' in sys.argv:
    while not os.path.exists(f'{results}/checkpoint/.written'):  # its end is the other's, too
        time.sleep(0.05)
    raise ValueError('no more of this')
time.sleep(1)
