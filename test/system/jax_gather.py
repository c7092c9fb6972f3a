"""JAX over the tasks of a job: each gathers the numbers of all. With the word `told` the script passes what WM says,
without it JAX finds the job by itself.
"""

import os
import sys

import jax
import numpy as np
from jax.experimental import multihost_utils

if sys.argv[1:] == ['told']:
    jax.distributed.initialize(f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", int(os.environ['WORLD_SIZE']),
                               int(os.environ['RANK']))
else:
    jax.distributed.initialize()
numbers = multihost_utils.process_allgather(np.array([10 ** jax.process_index()]))
print('gathered', *numbers.ravel().tolist(), 'of', jax.process_count(), flush=True)
