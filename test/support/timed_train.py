"""Role: small_train.py for benchmarks: also notes how long the worker's imports took.

usage: timed_train.py STEPS [SLEEP_MS]
Writes LOG_DIR/import.csv: milliseconds from the start of the process (clock ticks of 10 ms)
to the end of its imports, and CPU milliseconds used by then. Callers: test/bench.
"""

import os
import runpy
import time

import torch  # noqa: F401
import fabric_model  # noqa: F401

CPU_MS = time.process_time() * 1e3
with open('/proc/self/stat', encoding='ascii') as line:
    STARTED_S = int(line.read().rpartition(')')[2].split()[19]) / os.sysconf('SC_CLK_TCK')
WALL_MS = (time.clock_gettime(time.CLOCK_BOOTTIME) - STARTED_S) * 1e3
with open(os.path.join(os.environ['LOG_DIR'], 'import.csv'), 'w', encoding='ascii') as out:
    out.write(f'wall_ms,cpu_ms\n{WALL_MS:.0f},{CPU_MS:.0f}\n')
HERE = os.path.dirname(os.path.realpath(__file__))
runpy.run_path(os.path.join(HERE, '..', 'system', 'small_train.py'), run_name='__main__')
