"""Role: a model of Keras that trains elastically, for tests of jobs: PASSES over 64 made-up samples, each step SLEEP_MS long until a file
`hurry` is in the working directory. Prints what the tests look for.

usage: keras_elastic.py PASSES [SLEEP_MS]
"""

import os
import sys
import time

import keras
import numpy as np

from fabric_model import FabricModel

PASSES, SLEEP_MS = int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0


class Slow:
    """Takes its time after each step."""

    def on_step_end(self, _step):
        if not os.path.exists('hurry'):
            time.sleep(SLEEP_MS / 1000)


keras.utils.set_random_seed(1)
x = np.random.default_rng(1).normal(size=(64, 4)).astype('float32')
y = x.sum(1, keepdims=True)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
fabric = FabricModel(model, lambda: ((x, y), None), 'mse', 'sgd', user_callback=[Slow()])
fabric.train(PASSES, 16, effective_batch_size=16, validation_freq=0)
print('train returned, world', os.environ.get('WORLD_SIZE'), 'torch', 'torch' in sys.modules, 'error', float(abs(model.get_weights()[0] - 1).max()), flush=True)
