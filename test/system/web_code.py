"""Role: what 095-web.bats has run as an execution: prints its options and leaves a result."""

import argparse
import os
import time

parser = argparse.ArgumentParser()
parser.add_argument('--lr', default='-')
parser.add_argument('--sleep', type=float, default=0)
options = parser.parse_args()
print('lr', options.lr, os.environ.get('WORD', ''), flush=True)
time.sleep(options.sleep)
with open(os.path.join(os.environ['SAVED_MODEL_DIR'], 'answer.txt'), 'w', encoding='ascii') as out:
    out.write('42\n')
