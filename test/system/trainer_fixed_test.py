"""Role: tests of fabric_model/fixed.py on real processes: the tasks of a job of fixed size train as one group."""

import csv
import os
import socket
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get('B', 'build'))
WORLD, SAMPLES, PASSES = 3, 50, 2
STEPS_A_PASS = -(-SAMPLES // (4 * WORLD))

SCRIPT = f'''
import os, torch
if os.environ['RANK'] == os.environ.get('OTHER_TORCH'):
    torch.__version__ = '9.9.0+cpu'
from fabric_model import FabricModel
class Numbers(torch.utils.data.Dataset):
    def __len__(self): return {SAMPLES}
    def __getitem__(self, k): return torch.tensor([float(k)]), torch.tensor([2.0 * k])
class Ends:
    def on_epoch_end(self, epoch):
        if os.environ['RANK'] == os.environ.get('ENDS'):
            os._exit(7)
torch.manual_seed(int(os.environ['RANK']))
model = torch.nn.Linear(1, 1)
def loss(outputs, labels):
    found = torch.nn.functional.mse_loss(outputs, labels)
    return found * float('nan') if os.environ['RANK'] == os.environ.get('NAN') and labels.max() > 60 else found
FabricModel(model, lambda: (Numbers(), None), loss,
            torch.optim.SGD(model.parameters(), lr=1e-5), user_callback=[Ends()]).train({PASSES}, 4)
print('returned to the script', flush=True)
'''


class Members:
    """The tasks, as WM starts those of `bsub -app training -n 3`. `path`: PYTHONPATH; None: there is none"""

    def __init__(self, folder, python=sys.executable, path=os.path.join(BUILD, 'lib', 'python'), **environment):
        self.folder, self._python, self._path = folder, python, path
        with socket.create_server(('127.0.0.1', 0)) as free:
            port = free.getsockname()[1]
        self._processes = [self._start(rank, port, environment) for rank in range(WORLD)]

    def _start(self, rank, port, environment):
        log = os.path.join(self.folder, 'log', str(rank + 1))
        os.makedirs(log)
        return subprocess.Popen(
            [self._python, '-c', SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**{k: v for k, v in os.environ.items() if not k.startswith('WM_') and k != 'PYTHONPATH'},
                 **({'PYTHONPATH': self._path} if self._path else {}), 'WM_TASK': str(rank + 1),
                 'RESULT_DIR': self.folder, 'LOG_DIR': log, 'RANK': str(rank), 'WORLD_SIZE': str(WORLD),
                 'MASTER_ADDR': '127.0.0.1', 'MASTER_PORT': str(port), 'OMP_NUM_THREADS': '1', **environment})

    def end(self):
        """[(exit code, output, errors)] of all."""
        said = [process.communicate(timeout=120) for process in self._processes]
        return [(process.returncode, *texts) for process, texts in zip(self._processes, said)]

    def kill(self):
        for process in self._processes:
            process.kill()


class FixedSize(unittest.TestCase):
    def start(self, **environment):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        members = Members(folder.name, **environment)
        self.addCleanup(members.kill)
        return members

    def test_all_tasks_train_together_and_one_returns(self):
        members = self.start()
        ends = members.end()
        self.assertEqual([code for code, _, _ in ends], [0] * WORLD, ends)
        self.assertEqual([said.count('returned to the script') for _, said, _ in ends], [1, 0, 0])
        shares = {}
        for task in range(1, WORLD + 1):
            with open(os.path.join(members.folder, 'log', str(task), 'ledger.csv'), encoding='ascii') as file:
                for line in csv.DictReader(file):
                    shares.setdefault(int(line['step']), []).append(line)
        self.assertEqual(sorted(shares), list(range(1, PASSES * STEPS_A_PASS + 1)))
        for step in shares.values():
            self.assertEqual(len({(line['begin'], line['end']) for line in step}), 1)
            self.assertEqual(sum(int(line['size']) for line in step), int(step[0]['end']) - int(step[0]['begin']))
        self.assertTrue(os.path.exists(os.path.join(members.folder, 'model', 'saved_model.pt')))

    def test_the_loss_of_one_ends_the_others_with_an_error(self):
        ends = self.start(ENDS='2').end()
        self.assertEqual(ends[2][0], 7)
        for code, said, errors in ends[:2]:
            self.assertNotEqual(code, 0)
            self.assertNotIn('returned to the script', said)
            self.assertIn('a member of this group of 3 was lost', errors)

    def test_gradients_that_are_not_finite_end_all_and_name_who_had_them(self):
        ends = self.start(NAN='1').end()
        self.assertEqual([code for code, _, _ in ends], [1] * WORLD, ends)
        for _, _, errors in ends:
            self.assertRegex(errors, r'NotFinite: step \d+ is not applied: .* of rank 1\. The training ends')

    def test_all_of_them_refuse_to_train_with_one_of_another_torch(self):
        for code, _, errors in self.start(OTHER_TORCH='1').end():
            self.assertEqual(code, 1)
            self.assertIn('mixed versions in one job: task 1 on ', errors)
            self.assertIn('; task 2 on ', errors)
            self.assertEqual(errors.count('torch 9.9.0'), 1)
            self.assertNotIn('Traceback', errors)


if __name__ == '__main__':
    unittest.main()
