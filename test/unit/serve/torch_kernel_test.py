"""Role: tests of redharetorch.py, the ready-made kernel: every way to save a model is served, a batch is one call
of the model, and what is wrong with a request is told to that client alone.
"""

import json
import os
import sys
import tempfile
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, 'libwm/trainer/python'))
try:
    import torch
except ImportError:
    torch = None

if torch:
    from redharetorch import TorchKernel

CODE = '''
import torch
calls = []
class Double(torch.nn.Module):
    def __init__(self, factor=2.0):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.tensor(factor))
    def forward(self, x):
        calls.append(len(x))
        return x * self.factor
'''


class Task:
    """One of a batch."""

    def __init__(self, asked, following=None):
        self.asked, self.following, self.said = asked if isinstance(asked, str) else json.dumps(asked), following, None

    def get_input_data(self):
        """As redhareapi's."""
        return self.asked

    def next(self):
        """As redhareapi's."""
        return self.following

    def set_output_data(self, text):
        """As redhareapi's."""
        self.said = json.loads(text)
        return True


class Context:
    """Of a kernel."""

    def __init__(self, model):
        self.model = model

    def get_model_description(self):
        """As redhareapi's."""
        return json.dumps(self.model)


@unittest.skipUnless(torch, 'no torch on this machine')
class TorchKernelTest(unittest.TestCase):
    """A package, its kernel, and what clients are told."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        os.mkdir(os.path.join(self.folder, 'code'))
        self.write('code/twice.py', CODE)
        os.environ['REDHARE_MODEL_PATH'] = self.folder
        self.path, self.modules = list(sys.path), set(sys.modules)

    def tearDown(self):
        sys.path[:] = self.path
        for name in set(sys.modules) & {'twice'}:
            del sys.modules[name]
        del os.environ['REDHARE_MODEL_PATH']

    def write(self, name, text):
        """A file of the package."""
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as out:
            out.write(text)

    def kernel(self, **attributes):
        """One that has started."""
        made = TorchKernel()
        made.on_kernel_start(Context({'name': 'm', 'weight_path': 'weights', 'attributes': [
            {'key': key, 'value': value} for key, value in attributes.items()]}))
        return made

    def saved(self):
        """Where weights are to be."""
        return os.path.join(self.folder, 'weights')

    def ask(self, kernel, *asked):
        """What each is told of one batch."""
        tasks, following = [], None
        for one in reversed(asked):
            following = Task(one, following)
            tasks.insert(0, following)
        kernel.on_task_invoke(tasks[0])
        return [task.said for task in tasks]

    def test_a_state_dict_is_served_with_its_factory_and_refused_without(self):
        torch.save({'model_state_dict': {'module.factor': torch.tensor(3.0)}}, self.saved())
        kernel = self.kernel(factory='twice:Double', factory_args='{"factor": 1.0}')
        self.assertEqual(self.ask(kernel, [[1, 2]]), [{'predictions': [[3, 6]]}])
        with self.assertRaisesRegex(SystemExit, 'weights is a state dict: model.json needs the attribute factory'):
            self.kernel()

    def test_torchscript_needs_no_code(self):
        torch.jit.save(torch.jit.trace(torch.nn.Softmax(1), torch.zeros(1, 2)), self.saved())
        self.assertEqual(self.ask(self.kernel(), {'instances': [[1, 1]]}), [{'predictions': [[0.5, 0.5]]}])

    def test_a_file_of_torch_export_needs_no_code(self):
        if not hasattr(torch, 'export'):
            with zipfile.ZipFile(self.saved(), 'w') as made:
                made.writestr('serialized_exported_program.json', '{}')
            with self.assertRaisesRegex(SystemExit, 'weights is of torch.export: torch 2.1 or newer is needed, this is 1'):
                self.kernel()
            return
        made = torch.export.export(torch.nn.Softmax(1), (torch.zeros(3, 2),), dynamic_shapes=({0: torch.export.Dim('batch')},))
        torch.export.save(made, self.saved() + '.pt2')
        os.rename(self.saved() + '.pt2', self.saved())
        kernel = self.kernel()
        self.assertEqual(self.ask(kernel, {'instances': [[1, 1]]}), [{'predictions': [[0.5, 0.5]]}])
        torch.export.save(torch.export.export(torch.nn.Softmax(1), (torch.zeros(3, 2),)), self.saved() + '.pt2')
        os.rename(self.saved() + '.pt2', self.saved())
        (said,) = self.ask(self.kernel(), [[1, 1]])  # a batch of three alone was exported
        self.assertEqual(list(said), ['error'])

    def test_a_module_saved_whole_finds_its_class(self):
        sys.path.insert(0, os.path.join(self.folder, 'code'))
        import twice
        torch.save(twice.Double(), self.saved())
        self.assertEqual(self.ask(self.kernel(), [[4]]), [{'predictions': [[8]]}])

    def test_a_batch_is_one_call_for_each_shape_and_wrong_requests_are_their_own(self):
        torch.save({'factor': torch.tensor(2.0)}, self.saved())
        self.write('signature.json', '{"labels": ["a", "b"]}')
        kernel = self.kernel(factory='twice:Double')
        v2 = {'id': '7', 'inputs': [{'name': 'x', 'shape': [2, 2], 'datatype': 'INT32', 'data': [1, 2, 4, 3]}]}
        said = self.ask(kernel, v2, [[0, 1]], 'no json', [[1, 2, 3]], {'inputs': [{'datatype': 'BYTES', 'data': ['x']}]},
                        {'inputs': [{'shape': [2], 'datatype': 'FP32', 'data': [1, 2, 3]}]}, [[1], [1, 2]], [], 5)
        self.assertEqual(said[0]['id'], '7')
        self.assertEqual([(o['name'], o['shape']) for o in said[0]['outputs']], [('output', [2, 2]), ('probability', [2, 2]), ('label', [2])])
        self.assertEqual(said[0]['outputs'][0]['data'], [2, 4, 8, 6])
        self.assertEqual(said[0]['outputs'][2]['data'], ['b', 'a'])
        self.assertEqual(said[1], {'predictions': [[0, 2]], 'labels': ['b']})
        self.assertEqual(said[3], {'predictions': [[2, 4, 6]], 'labels': ['2']})
        for wrong in (2, 4, 5, 6, 7, 8):
            self.assertIn('error', said[wrong], wrong)
        self.assertEqual(sorted(sys.modules['twice'].calls), [1, 1, 2])

    def test_samples_of_another_shape_than_the_signature_are_refused(self):
        torch.save({'factor': torch.tensor(2.0)}, self.saved())
        self.write('signature.json', '{"input_shape": [2]}')
        kernel = self.kernel(factory='twice:Double')
        self.assertEqual(self.ask(kernel, [[1, 2, 3]]), [{'error': 'samples of shape [3]: [2] is wanted'}])


if __name__ == '__main__':
    unittest.main()
