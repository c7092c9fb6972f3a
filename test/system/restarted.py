"""Role: a program that is started again at each size, one process a host, and says how fast its steps are.

usage: restarted.py SLEEP_MS [each]   SLEEP_MS stands for work in each step, as long with however many
hosts; with `each` for that of a whole batch, so that hosts divide it
Appends the number of its start to starts.JOBID. Ends by SIGTERM, at once.
"""

import os
import sys
import time

import wm_steps

WORLD, START = int(os.environ['WORLD_SIZE']), int(os.environ['WM_START'])
SLEEP = float(sys.argv[1]) / 1e3 / (WORLD if sys.argv[2:] == ['each'] else 1)
with open('starts.' + os.environ['LSB_JOBID'], 'a', encoding='ascii') as starts:
    starts.write(f'{START}\n')
while True:
    time.sleep(SLEEP)
    wm_steps.report(samples=16)
