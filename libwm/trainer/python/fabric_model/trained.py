"""Role: the trained model of torch in $RESULT_DIR/model, as people take it along."""

import functools
import os

import torch

from . import onnx_file
from .checkpoint import write_file


def save_model(result_dir, script, onnx):
    """The trained model: $RESULT_DIR/model/train/model_epoch_final.pth and its optimizer's state,
    model/saved_model.pt with the weights, and model/model.onnx if asked for."""
    if not result_dir:
        return
    folder = os.path.join(result_dir, 'model')
    os.makedirs(os.path.join(folder, 'train'), exist_ok=True)
    weights, optimizer = script.model.state_dict(), script.optimizer.state_dict()
    for value, name in ((weights, 'saved_model.pt'), (weights, 'train/model_epoch_final.pth'),
                        (optimizer, 'train/model_epoch_final_optimizer_state.pth')):
        write_file(os.path.join(folder, name), functools.partial(torch.save, value))
    if onnx is not None:
        onnx_file.save(script.model, onnx, os.path.join(folder, 'model.onnx'))
