"""Role: the trained model as an ONNX file (save_to_onnx, enable_onnx), checked by onnx itself before
it gets its name. Batches of any size fit it; it evaluates, as model.eval() does.
"""

import inspect
import os
import sys

import torch


def _write(model, example, path):
    axes, inputs = {}, example if isinstance(example, tuple) else (example,)
    if torch.is_tensor(example):
        axes = {'input_names': ['input'], 'output_names': ['output'],
                'dynamic_axes': {'input': {0: 'batch'}, 'output': {0: 'batch'}}}
    if 'dynamo' in inspect.signature(torch.onnx.export).parameters:
        axes['dynamo'] = False  # the newer exporter, torch's choice since 2.9, wants a package that few have: onnxscript
    torch.onnx.export(model, inputs, path, **axes)


def _device(model):
    return next((p.device for p in model.parameters()), torch.device('cpu'))


def save(model, example, path):
    """Writes it to `path`. What cannot be said in ONNX is printed and does not end the training:
    the weights are on disk already. `example`: the input of one sample, or a tuple of several, the last a
    dict of those that have names. @errors OSError"""
    try:
        import onnx
    except ImportError:
        print('save_to_onnx: the Python package onnx is not installed, no ONNX file is written: '
              'install python3-onnx', flush=True)
        return
    temporary = f'{path}.{os.getpid()}.tmp'
    try:
        _write(model, example.to(_device(model)) if torch.is_tensor(example) else example, temporary)
        onnx.checker.check_model(temporary)
        os.replace(temporary, path)
    except OSError:
        raise
    except Exception as error:  # the exporter runs the model's own code: anything can come
        print(f'save_to_onnx: no ONNX file is written: {type(error).__name__}: {error}', file=sys.stderr,
              flush=True)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
