"""Role: a ready-made kernel for PyTorch models: an inference service without a line of code.

    import redhareapiversion
    from redharetorch import TorchKernel

    if __name__ == '__main__':
        TorchKernel().run()

  model.json     weight_path: TorchScript, torch.export (.pt2), a module saved whole, or a state dict; the last needs
                 attribute `factory`, MODULE:CALLABLE below the package or its folder code, and may
                 have `factory_args`, a JSON object
  signature.json optional: {"input_shape": [1, 8, 8], "labels": ["0", …]}
  request        {"inputs": [{"name", "shape", "datatype", "data"}], "id"}   KServe's v2, the first input
                 {"instances": [sample, …]}, or a list of samples
  answer         {"outputs": [{"name": "output", …}, {"name": "label", …}]}  or {"predictions": […]}
Samples of all requests of a batch that have one shape are one call of the model. What is wrong with
a request is that request's own answer: {"error": reason}.
"""

import importlib
import json
import os
import sys
import zipfile

from redhareapi import Kernel

_TYPES = {'FP64': 'float64', 'FP32': 'float32', 'FP16': 'float16', 'INT64': 'int64', 'INT32': 'int32', 'INT16': 'int16',
          'INT8': 'int8', 'UINT8': 'uint8', 'BOOL': 'bool'}
_STATES = ('state_dict', 'model_state_dict', 'model')  # where checkpoints keep a state dict


class Wrong(Exception):
    """What is wrong with a request."""


def _names(path):
    """What is in a zip; [] of what is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except zipfile.BadZipFile:
        return []


def _is_script(names):
    """TorchScript has its code in it."""
    return any(name.endswith('/constants.pkl') for name in names)


def _is_exported(names):
    """Of torch.export: in the layout before torch 2.8, or in that since."""
    return any(name == 'serialized_exported_program.json' or name.endswith('/archive_format') for name in names)


def _exported(path, device):
    """The module of a .pt2. @errors SystemExit: this torch has no torch.export"""
    import torch
    if not hasattr(torch, 'export'):
        raise SystemExit(f'{os.path.basename(path)} is of torch.export: torch 2.1 or newer is needed, this is {torch.__version__}')
    program = torch.export.load(path)
    if device != 'cpu':
        from torch.export.passes import move_to_device_pass
        program = move_to_device_pass(program, device)
    return program.module()  # as it was exported: it can be told neither eval() nor train()


def _state_of(found):
    """The state dict in what was loaded, without the prefix of DistributedDataParallel."""
    for key in _STATES:
        if isinstance(found.get(key), dict):
            found = found[key]
    prefix = 'module.'
    return {key[len(prefix):] if key.startswith(prefix) else key: value for key, value in found.items()}


def _made(factory, arguments):
    """What MODULE:CALLABLE makes."""
    module, _, name = factory.partition(':')
    return getattr(importlib.import_module(module.removesuffix('.py').replace('/', '.')), name)(**json.loads(arguments or '{}'))


def load(path, attributes, device='cpu'):
    """The module of a file of weights, ready to be asked. @errors SystemExit: a state dict without factory"""
    import torch
    names = _names(path)
    if _is_exported(names):
        return _exported(path, device)
    if _is_script(names):
        return torch.jit.load(path, map_location=device).eval()
    found = torch.load(path, map_location=device, weights_only=False)  # it is its owner's own, as his kernel is
    if isinstance(found, dict):
        if not attributes.get('factory'):
            raise SystemExit(f'{os.path.basename(path)} is a state dict: model.json needs the attribute factory, MODULE:CALLABLE, '
                             'that makes its module')
        module = _made(attributes['factory'], attributes.get('factory_args'))
        module.load_state_dict(_state_of(found))
        found = module
    return found.to(device).eval()


def _tensor(data, kind, shape):
    import numpy
    import torch
    if kind not in _TYPES:
        raise Wrong(f'datatype {kind!r}: one of {", ".join(_TYPES)} is wanted')
    try:
        array = numpy.asarray(data, dtype=_TYPES[kind])
        array = array.reshape(shape) if shape else array
    except (ValueError, TypeError, OverflowError) as problem:
        raise Wrong(f'data: {problem}') from None
    if array.ndim < 1 or not len(array):
        raise Wrong('data: no sample')
    tensor = torch.from_numpy(array.copy())
    return tensor.float() if kind in ('FP64', 'FP16', 'UINT8') else tensor


class Request:
    """What one client asks: samples, and how it is to be answered."""

    def __init__(self, text):
        try:
            asked = json.loads(text)
        except ValueError as problem:
            raise Wrong(f'no JSON: {problem}') from None
        self.is_v2 = isinstance(asked, dict) and 'inputs' in asked
        self.id = asked.get('id') if self.is_v2 else None
        if self.is_v2:
            first = asked['inputs'][0] if isinstance(asked['inputs'], list) and asked['inputs'] else None
            if not isinstance(first, dict):
                raise Wrong('inputs: a list of {"name", "shape", "datatype", "data"} is wanted')
            self.samples = _tensor(first.get('data'), first.get('datatype', 'FP32'), first.get('shape'))
        else:
            self.samples = _tensor(asked.get('instances') if isinstance(asked, dict) else asked, 'FP32', None)

    def answer(self, rows, model, labels):
        """The model's rows as JSON."""
        names = [labels[i] if i < len(labels) else str(i) for i in rows.argmax(1).tolist()] if labels and rows.ndim == 2 else None
        if not self.is_v2:
            return json.dumps({'predictions': rows.tolist(), **({'labels': names} if names else {})})
        outputs = [{'name': 'output', 'datatype': 'FP32', 'shape': list(rows.shape), 'data': rows.flatten().tolist()}]
        if names:
            outputs.append({'name': 'probability', 'datatype': 'FP32', 'shape': list(rows.shape), 'data': rows.softmax(1).flatten().tolist()})
            outputs.append({'name': 'label', 'datatype': 'BYTES', 'shape': [len(names)], 'data': names})
        return json.dumps({'model_name': model, **({'id': self.id} if self.id is not None else {}), 'outputs': outputs})


class TorchKernel(Kernel):
    """Serves the package that it stands in."""

    def on_kernel_start(self, kernel_context):
        """Loads the weights."""
        import torch
        described = json.loads(kernel_context.get_model_description())
        folder = os.environ.get('REDHARE_MODEL_PATH') or os.getcwd()
        sys.path[:0] = [folder, os.path.join(folder, 'code')]
        torch.set_num_threads(max(1, int(os.environ.get('OMP_NUM_THREADS') or 1)))
        self.device = 'cuda' if os.environ.get('CUDA_VISIBLE_DEVICES') and torch.cuda.is_available() else 'cpu'
        attributes = {entry['key']: entry['value'] for entry in described.get('attributes', [])}
        self.name, self.labels, self.shape = described['name'], [], None
        try:
            with open(os.path.join(folder, 'signature.json'), encoding='utf-8') as file:
                signature = json.load(file)
            self.labels, self.shape = [str(one) for one in signature.get('labels', [])], signature.get('input_shape')
        except FileNotFoundError:
            pass
        self.model = load(os.path.join(folder, described['weight_path']), attributes, self.device)

    def on_task_invoke(self, task_context):
        """All that a batch asks, with one call of the model for each shape of samples."""
        asked = {}
        while task_context is not None:
            try:
                request = Request(task_context.get_input_data())
                samples = request.samples
                if self.shape and list(samples.shape[1:]) != self.shape:
                    raise Wrong(f'samples of shape {list(samples.shape[1:])}: {self.shape} is wanted')
                asked.setdefault((tuple(samples.shape[1:]), samples.dtype), []).append((task_context, request))
            except Wrong as problem:
                task_context.set_output_data(json.dumps({'error': str(problem)}))
            task_context = task_context.next()
        for group in asked.values():
            self._answer(group)

    def _answer(self, group):
        import torch
        try:
            with torch.inference_mode():
                rows = self.model(torch.cat([request.samples for _, request in group]).to(self.device)).float().cpu()
        except (RuntimeError, ValueError, TypeError, IndexError, AssertionError) as problem:  # samples that the model does not take
            for task, _ in group:
                task.set_output_data(json.dumps({'error': str(problem).strip().splitlines()[-1]}))
            return
        at = 0
        for task, request in group:
            count = len(request.samples)
            task.set_output_data(request.answer(rows[at:at + count], self.name, self.labels))
            at += count
