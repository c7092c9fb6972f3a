"""Role: everything that a newcomer or a member left behind must be given, and a checkpoint must
hold: progress, model, optimizer, learning-rate scheduler, callbacks' state, registered extras.
parcel.py has how it travels.
"""

import torch

from . import plain
from .copies import copy_tensors, without_functions
from .parcel import Delivery, Parcel, receive  # noqa: F401
from .progress import Progress
from .syncbn import warn_of_norms
from .trained import save_model

FORMAT = 1
_WORDS = 400  # characters of what a framework says


def beside(script):
    """Parameters that the optimizer steps and the model has not: those of a loss, or none's."""
    own = {id(p) for p in script.model.parameters()}
    given = [p for group in script.optimizer.param_groups for p in group['params']]
    return [p for p in given if id(p) not in own]


def others_of(script):
    """Of beside(): those that are no loss's either, so that nobody's state_dict has them."""
    loss = getattr(script, 'loss', None)
    known = {id(p) for p in loss.parameters()} if isinstance(loss, torch.nn.Module) else set()
    return [p for p in beside(script) if id(p) not in known]


class _Loose:
    """Parameters that stand in no module, in the optimizer's order."""

    def __init__(self, parameters):
        self._parameters = parameters

    def state_dict(self):
        return {str(at): p.detach() for at, p in enumerate(self._parameters)}

    def load_state_dict(self, values):
        with torch.no_grad():
            for at, p in enumerate(self._parameters):
                p.copy_(values[str(at)])


class Script:
    """What the user gave FabricModel, as far as the engine needs it."""

    def __init__(self, **parts):
        self.__dict__.update(parts)

    def _holders(self):
        """(name, object with state_dict) of everything that has a state."""
        named = {'model': self.model, 'optimizer': self.optimizer, 'scheduler': self.lr_scheduler, **self._beside()}
        named.update({f'extra {name}': value for name, value in self.extras.items()})
        loggers = [self.driver_logger, self.worker_logger]
        for at, callback in enumerate(self.callbacks + loggers):
            named[f'callback {at}'] = callback
        return {name: holder for name, holder in named.items()
                if hasattr(holder, 'state_dict') and hasattr(holder, 'load_state_dict')}

    def _beside(self):
        """What is trained, or counts, beside the model."""
        loss, beside = getattr(self, 'loss', None), {}
        if getattr(self, 'scaler', None):
            beside['scaler'] = self.scaler
        if getattr(self, 'virtual', None):
            beside['virtual'] = self.virtual
        beside.update({f'scaler {at}': scaler for at, scaler in enumerate(getattr(self, 'joined', ()))})
        if isinstance(loss, torch.nn.Module) and any(True for _ in loss.parameters()):
            beside['loss'] = loss
        others = others_of(self)
        if others:
            beside['others'] = _Loose(others)
        return beside

    def state(self, progress):
        """The whole state. Parameters and the optimizer's tensors are the live ones: they
        change only when an optimizer step is applied; all else is copied."""
        parts = {name: self._part(name, holder) for name, holder in self._holders().items()
                 if name != 'model'}
        weights, live = self.model.state_dict(), dict(self.model.named_parameters())
        parts['model'] = {name: value if name in live else copy_tensors(value)
                          for name, value in weights.items()}
        frozen = [name for name, p in self.model.named_parameters() if not p.requires_grad]
        return {'format': FORMAT, 'progress': progress.pack(), 'parts': parts, 'frozen': frozen}

    @staticmethod
    def _part(name, holder):
        values = holder.state_dict()
        if name == 'optimizer':
            return values
        # torch's schedulers put their own methods among their values: every worker has its own.
        return copy_tensors(without_functions(values) if name == 'scheduler' else values)

    def save_trained(self, result_dir):
        """Writes the model, and the optimizer's state, as people take them along. @errors OSError"""
        save_model(result_dir, self, self.onnx_example())

    def save_beside(self, folder):
        """A checkpoint goes to this folder: torch's form of it is the checkpoint's."""

    @staticmethod
    def draw_seed():
        """The job's, where it begins."""
        return torch.initial_seed() % (1 << 52)

    def warn(self):
        """Says once what of the model depends on how many workers there are."""
        if not self.norms:
            warn_of_norms(self.model)

    def check(self):
        """Whether what has a state by now can travel, before a training relies on it.
        @errors plain.NotPlain: naming what cannot"""
        for name, holder in self._holders().items():
            plain.pack(self._part(name, holder) if name != 'model' else holder.state_dict(), f'state of {name}')

    def show(self, state):
        """Makes the model alone that of `state`, for hooks that look at it; take_over() follows."""
        self.model.load_state_dict(state['parts']['model'])

    def take_over(self, state):
        """Makes `state` this worker's. Returns its progress.
        @errors ValueError: of another format, or of another model, optimizer …, by its name"""
        if state.get('format') != FORMAT:
            raise ValueError(f"state of format {state.get('format')}, this program reads {FORMAT}")
        holders = self._holders()
        for name, values in sorted(state['parts'].items(), key=lambda part: part[0] != 'model'):  # its words say most
            if name not in holders:
                continue
            try:
                holders[name].load_state_dict(values)
            except (RuntimeError, ValueError, KeyError) as error:
                raise ValueError(f'the state of the {name} does not fit: {_one_line(error)}') from error
        for name, parameter in self.model.named_parameters():
            if name in state.get('frozen', ()):  # a callback may have frozen it in a pass before
                parameter.requires_grad_(False)
        return Progress.unpack(state['progress'])


def _one_line(error):
    text = ' '.join(str(error).split())
    return text if len(text) <= _WORDS else text[:_WORDS] + ' …'
