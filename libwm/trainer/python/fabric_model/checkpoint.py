"""Role: checkpoints of a job in $RESULT_DIR/checkpoint, written by rank 0, and the final model in
$RESULT_DIR/model. A checkpoint can be resumed at any world size: it holds what a newcomer is
given (state.py) and rank 0's generators.

  checkpoint.pt.<pid>.tmp ──fsync──► rename ──► checkpoint.pt ──► fsync of the folder

Invariants: checkpoint.pt is whole at every instant; periodic ones are written by a thread
from a copy, so that neither training nor a resize waits for the disk.
"""

import os
import random
import sys
import threading

import torch

from . import onnx_file
from .state import copy_tensors

NAME = 'checkpoint.pt'


def _write(value, path):
    """@errors OSError"""
    temporary = f'{path}.{os.getpid()}.tmp'
    try:
        with open(temporary, 'wb') as file:
            torch.save(value, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _generators():
    state = {'torch': torch.get_rng_state(), 'python': random.getstate()}
    if 'numpy' in sys.modules:
        state['numpy'] = sys.modules['numpy'].random.get_state()
    return state


def _set_generators(state):
    torch.set_rng_state(state['torch'])
    random.setstate(state['python'])
    if 'numpy' in state and 'numpy' in sys.modules:
        sys.modules['numpy'].random.set_state(state['numpy'])


class Checkpoints:
    """@thread the training thread; at most one writing thread at a time"""

    def __init__(self, result_dir, training=1):
        """`training`: which call of train() in this program it is; each has its own file."""
        self._folder = os.path.join(result_dir, 'checkpoint') if result_dir else None
        self._name = NAME if training == 1 else f'checkpoint-{training}.pt'
        self._writer = None

    def save(self, state, wait=False):
        """Writes `state`; with `wait` returns when it is on disk. A failure is printed, it
        does not end the training. Returns whether it was begun."""
        if self._folder is None:
            return False
        self.finish()
        whole = {**(state if wait else copy_tensors(state)), 'generators': _generators()}
        self._writer = threading.Thread(target=self._save, args=(whole,), name='wm-checkpoint')
        self._writer.start()
        if wait:
            self.finish()
        return True

    def _save(self, whole):
        try:
            os.makedirs(self._folder, exist_ok=True)
            _write(whole, os.path.join(self._folder, self._name))
        except OSError as error:
            print(f'checkpoint {self._folder}/{self._name}: {error}', file=sys.stderr, flush=True)

    @property
    def busy(self):
        """Whether one is being written."""
        return self._writer is not None and self._writer.is_alive()

    def finish(self):
        """Waits for the one being written."""
        if self._writer:
            self._writer.join()
            self._writer = None

    @property
    def path(self):
        """Of the file; None: there is no folder for it."""
        return self._folder and os.path.join(self._folder, self._name)

    def load(self):
        """The newest state and its generators set, or None when there is none.
        @errors RuntimeError, OSError: it is there but cannot be read"""
        path = self.path
        if not path or not os.path.exists(path):
            return None
        whole = torch.load(path, map_location='cpu')
        _set_generators(whole.pop('generators'))
        return whole


def save_model(result_dir, script, onnx):
    """The trained model: $RESULT_DIR/model/train/model_epoch_final.pth and its optimizer's state,
    model/saved_model.pt with the weights, and model/model.onnx if asked for."""
    if not result_dir:
        return
    folder = os.path.join(result_dir, 'model')
    os.makedirs(os.path.join(folder, 'train'), exist_ok=True)
    weights = script.model.state_dict()
    _write(weights, os.path.join(folder, 'saved_model.pt'))
    _write(weights, os.path.join(folder, 'train', 'model_epoch_final.pth'))
    _write(script.optimizer.state_dict(),
           os.path.join(folder, 'train', 'model_epoch_final_optimizer_state.pth'))
    if onnx is not None:
        onnx_file.save(script.model, onnx, os.path.join(folder, 'model.onnx'))
