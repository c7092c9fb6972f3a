"""Role: code that reports a loss and an accuracy with every step, for tests of figures, until it has made its steps."""

import argparse
import math
import time

PARSER = argparse.ArgumentParser()
PARSER.add_argument('--lr', type=float, default=0.1)
PARSER.add_argument('--steps', type=int, default=100)
OPTIONS, _ = PARSER.parse_known_args()

for step in range(OPTIONS.steps):
    loss = math.exp(-step * OPTIONS.lr / 100)
    print(f'Timestamp {int(time.time() * 1000)}, Iteration {step}')
    print(f'Iteration {step}: tag train_loss, simple_value {loss}')
    print(f'Iteration {step}: tag test_accuracy, simple_value {1 - loss}', flush=True)
    time.sleep(0.05)
