"""Role: scripts in the form that users of WMLA have, run as they are: both generations of keywords and
loggers, own step functions, imports from the packages and from fabric.zip (reference:
wmla-surface 3.4, 4).
"""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get('B', 'build'))

COMMON = '''
import os, sys, torch
import torch.nn.functional as F
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(6, 3)
    def forward(self, x):
        return F.log_softmax(self.fc(x), dim=1)
torch.manual_seed(1)
X = torch.randn(90, 6)
Y = (X @ torch.randn(6, 3)).argmax(1)
def getDatasets():
    return (torch.utils.data.TensorDataset(X, Y), torch.utils.data.TensorDataset(X[:31], Y[:31]))
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
'''

OLDER = '''
sys.path.insert(0, os.path.join(os.environ['FABRIC_HOME'], 'libs', 'fabric.zip'))
from fabric_model import FabricModel
from callbacks import Callback
from edtcallback import EDTLoggerCallback
class Decay(Callback):
    def on_epoch_end(self, epoch, save_model=False):
        for group in self.params['optimizer'].param_groups:
            group['lr'] *= 0.9
        if epoch == self.params['epochs'] - 1:
            print('last epoch', self.model is model, save_model)
def step(model, data, eva, train_loader, fn_args):
    model.get_optimizer().zero_grad()
    output = model(data[0])
    loss = model.get_loss_function()(output, data[1])
    loss.backward()
    return eva(output, data[1]), loss
def test(model, test_iter, fn_args):
    total = 0.0
    for data, label in test_iter:
        total += F.nll_loss(model(data), label).item()
    return total / len(test_iter)
edt_m = FabricModel(model, getDatasets, F.nll_loss, optimizer, enable_onnx=False, fn_step_train=step,
                    fn_test=test, user_callback=[Decay()], driver_logger=EDTLoggerCallback())
edt_m.train(8, 16, 2)
print('lr %.3f' % optimizer.param_groups[0]['lr'])
edt_m.train(2, 16)  # anew, not from the first one's checkpoint
'''

LATER = '''
from pyedt.fabric_model import FabricModel
class Logger:
    def on_train_begin(self): print('begin')
    def log_train_metrics(self, metrics, iteration, epoch, workers): self.last = (metrics, iteration, epoch, workers)
    def log_test_metrics(self, metrics, iteration, epoch): print('test', sorted(metrics), iteration, epoch)
    def on_train_end(self): print('end', self.last[1:])
def spread(outputs, labels):
    return (outputs.max() - outputs.min()).item()
spread.of_batches = True
def collate(samples):
    return torch.stack([s[0] for s in samples]), torch.tensor([int(s[1]) for s in samples])
fabric = FabricModel(model, datasets_function=getDatasets, loss=F.nll_loss, optimizer=optimizer,
                     metrics=['accuracy', spread], driver_logger_callback=Logger(), save_to_onnx=True,
                     fn_batch_collate=collate)
fabric.train(epoch_number=3, batch_size=16, engines_number=2, validation_freq=2, num_dataloader_threads=1)
'''

# Each module is looked up twice: with fabric.zip behind the script's own folder, and before it.
FINDS = '''
import importlib
sys.path.append(os.environ['ADDED'])
for first in (False, True):
    if first:
        sys.path.insert(0, os.path.join(os.environ['FABRIC_HOME'], 'libs', 'fabric.zip'))
        from fabric_model import FabricModel
    for name in '{names}'.split(', '):
        sys.modules.pop(name, None)
        module = importlib.import_module(name)
        print(getattr(module, 'WHOSE', 'ours'))
'''


class WmlaScripts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_script(self, text, **environment):
        path = os.path.join(self.folder.name, 'main.py')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(COMMON + textwrap.dedent(text))
        log = os.path.join(self.folder.name, 'log', '1')
        os.makedirs(log, exist_ok=True)
        plain = {k: v for k, v in os.environ.items() if k not in ('PYTHONPATH', 'WM_ELASTIC_SOCKET')}
        done = subprocess.run([sys.executable, path], cwd=self.folder.name, capture_output=True, text=True,
                              env={**plain, 'TMPDIR': self.folder.name, 'RESULT_DIR': self.folder.name, 'LOG_DIR': log,
                                   'FABRIC_HOME': os.path.join(BUILD, 'fabric'), **environment}, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def file(self, name):
        with open(os.path.join(self.folder.name, name), encoding='utf-8') as file:
            return file.read()

    def test_a_script_of_the_older_kind_runs_from_fabric_zip(self):
        said = self.run_script(OLDER)
        for words in ('START TRAINING', 'END TRAINING: completed epoch 8', 'END TRAINING: completed epoch 2',
                      'last epoch True True', f'lr {0.5 * 0.9 ** 8:.3f}'):
            self.assertIn(words, said)
        results = json.loads(self.file('val_dict_list.json'))
        self.assertEqual(len(results), 10)
        self.assertLess(results[-1]['loss'], results[0]['loss'])
        first = json.loads(self.file('log/1/evaluation-metrics.txt').splitlines()[0])
        self.assertEqual(first['grouplabel'], 'train')
        self.assertEqual(first['etimes']['iteration'], {'type': 2, 'value': '1'})
        self.assertEqual(first['values']['loss']['type'], 3)
        self.assertIn('Train,\tTimestamp: ', self.file('log/1/stdout'))

    def test_a_script_of_the_later_kind_runs_from_the_packages(self):
        said = self.run_script(LATER, PYTHONPATH=os.path.join(BUILD, 'lib', 'python'))
        self.assertIn("test ['accuracy', 'loss', 'spread'] 0 1", said)
        self.assertIn("test ['accuracy', 'loss', 'spread'] 0 2", said)
        self.assertIn('end (18, 2, 1)', said)
        self.assertEqual(said.count('test '), 2)  # the pass between was not validated
        for name in ('model/saved_model.pt', 'model/train/model_epoch_final.pth', 'checkpoint/checkpoint.pt',
                     'model/model.onnx'):
            self.assertTrue(os.path.exists(os.path.join(self.folder.name, name)), name)

    def test_modules_that_a_script_brings_along_go_before_ours_wherever_they_lie(self):
        names = ('edtcallback', 'elog', 'emetrics')
        places = {name: os.path.join(self.folder.name, name) for name in ('.', 'on_path', 'added')}
        python = os.path.join(BUILD, 'lib', 'python')  # PYTHONPATH as tasks have it
        for place, paths in (('.', ''), ('on_path', places['on_path'] + ':'), ('added', '')):
            os.makedirs(places[place], exist_ok=True)
            for name in names:
                with open(os.path.join(places[place], name + '.py'), 'w', encoding='utf-8') as file:
                    file.write(f'WHOSE = "{place}"\n')
            said = self.run_script(FINDS.format(names=', '.join(names)),
                                   PYTHONPATH=f'{python}:{paths}{python}/last', ADDED=places['added'])
            self.assertEqual(said.split(), [place] * 6)
            for name in names:
                os.unlink(os.path.join(places[place], name + '.py'))

    def test_where_a_script_brings_none_along_ours_are_found(self):
        python = os.path.join(BUILD, 'lib', 'python')
        said = self.run_script(FINDS.format(names='edtcallback, elog, emetrics, callbacks'),
                               PYTHONPATH=f'{python}:{python}/last', ADDED=self.folder.name)
        self.assertEqual(said.split(), ['ours'] * 8)

    def test_what_is_wrong_is_named(self):
        for text, words in (('FabricModel("x", getDatasets, F.nll_loss, optimizer)', 'model is a str'),
                            ('FabricModel(model, getDatasets, F.nll_loss, optimizer, colour=1)', "keyword 'colour'"),
                            ('FabricModel(model, getDatasets, F.nll_loss, optimizer, metrics=["f1"])'
                             '.train(1, 4)', "metric 'f1'")):
            with self.assertRaisesRegex(AssertionError, words):
                self.run_script('from fabric_model import FabricModel\n' + text,
                                PYTHONPATH=os.path.join(BUILD, 'lib', 'python'))


if __name__ == '__main__':
    unittest.main()
