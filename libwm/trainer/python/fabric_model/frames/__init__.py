"""Role: which framework a script trains with, and what the engine asks of each. A frame is one file: of_torch, of_keras, of_jax;
what it has to give is in of_torch (all of it) and in arrays (for frameworks whose gradients come as arrays).

Frameworks are imported by the script, never here: a model of one that is not loaded cannot be.
"""

import importlib
import sys


def _is_torch(model):
    torch = sys.modules.get('torch')
    return torch is not None and isinstance(model, torch.nn.Module)


def _is_keras(model):
    return any(isinstance(model, sys.modules[name].Model) for name in ('keras', 'tf_keras') if hasattr(sys.modules.get(name), 'Model'))


def _is_jax(model):
    if 'jax' not in sys.modules:
        return False
    from . import of_jax
    return of_jax.is_parameters(model)


# The first that knows the model. A model of Keras over torch is both: Keras's own rules hold.
_FRAMES = ((_is_keras, 'of_keras'), (_is_torch, 'of_torch'), (_is_jax, 'of_jax'))


def of(model, given):
    """The frame of a model. @shape given: {argument of FabricModel: value}
    @errors TypeError: of none; TypeError, ValueError: an argument that is not for it, by name"""
    for knows, name in _FRAMES:
        if knows(model):
            return importlib.import_module('.' + name, __package__).Frame(model, given)
    raise TypeError(f'FabricModel: model is a {type(model).__name__}; it has to be a torch.nn.Module, a keras.Model, or parameters of JAX: '
                    'a dict, list or tuple of jax arrays, or a TrainState')
