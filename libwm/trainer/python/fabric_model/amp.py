"""Role: mixed precision, and gradients that are not finite. One scaler for the job: whether a step is applied is decided
on what all members see, so that one member's inf skips it for all, and the scale is equal everywhere.

  amp='bf16'   autocast alone                      amp='fp16'   autocast, the loss times scale; a step whose gradient is
                                                                not finite is skipped and the scale halved
Each member says in the all-reduce whether its own share was finite: the members that were not are known by rank.
Invariant: a skipped step is a step: its samples are spent, parameters, optimizer and buffers stay as they were.
@source loss scaling: P. Micikevicius et al., Mixed Precision Training, ICLR 2018; growth as torch's GradScaler
"""

import contextlib

import torch

from .finite import SUSPECTS, NotFinite, suspect, suspects  # noqa: F401

_INITIAL, _GROWTH, _INTERVAL = 65536.0, 2.0, 2000
_LEAST = 1.0     # a scale below which it is not the scale's fault
KINDS = {'bf16': torch.bfloat16, 'fp16': torch.float16}


def check(amp, nonfinite, device):
    """@errors ValueError: not these, or not on this device"""
    if amp is not None and amp not in KINDS:
        raise ValueError(f"FabricModel: amp {amp!r}: None, 'bf16' or 'fp16'")
    if nonfinite not in ('stop', 'skip', 'apply'):
        raise ValueError(f"FabricModel: nonfinite {nonfinite!r}: 'stop', 'skip' or 'apply'")
    if amp == 'fp16' and device.type == 'cpu' and torch.__version__ < '2.4':
        raise ValueError(f"FabricModel: amp 'fp16': torch {torch.__version__} has it on GPUs only; 'bf16' is there on CPUs, too")


def autocast(amp, device):
    """The context that a share is computed in."""
    return torch.autocast(device.type, KINDS[amp]) if amp else contextlib.nullcontext()


class Scaler:
    """That of amp='fp16': a job has one. @thread the training thread"""

    def __init__(self):
        self.scale, self._good, self.skipped = _INITIAL, 0, 0

    def update(self, finite):
        """After a step."""
        self._good = self._good + 1 if finite else 0
        if not finite:
            self.scale /= 2
            self.skipped += 1
        elif self._good == _INTERVAL:
            self.scale, self._good = self.scale * _GROWTH, 0

    @property
    def is_exhausted(self):
        """Whether what is not finite is so without a scale."""
        return self.scale < _LEAST

    def state_dict(self):
        return {'scale': self.scale, 'good': self._good, 'skipped': self.skipped}

    def load_state_dict(self, values):
        self.scale, self._good, self.skipped = values['scale'], values['good'], values['skipped']


def is_scaler(value):
    """Whether it is a GradScaler of torch, of whatever version."""
    return any(kind.__name__ == 'GradScaler' and kind.__module__.startswith('torch') for kind in type(value).__mro__)


class JoinedScaler:
    """A script's own GradScaler in fn_step_train. In there it scales and unscales; whether the step is applied, and what
    becomes of the scale, follows from the sum. @thread the training thread"""

    def __init__(self, scaler, device):
        self._scaler, self._device = scaler, device
        self.calls = 0  # of step(), in the function's call under way

    @contextlib.contextmanager
    def joined(self):
        """While the function runs. Its step() takes a view of the optimizer, which does not step."""
        scaler = self._scaler

        def step(optimizer, *_arguments, **_options):
            state = scaler._per_optimizer_states[id(optimizer)]
            if scaler.is_enabled() and state['stage'].name == 'READY':
                scaler.unscale_(optimizer)
            self.calls += 1

        scaler.step, scaler.update = step, lambda *_: None
        self.calls = 0
        try:
            yield
        finally:
            del scaler.step, scaler.update
            scaler._per_optimizer_states.clear()  # the next bite unscales, too

    def update(self, finite):
        """After the sum: as torch does where one process has found it."""
        scaler = self._scaler
        if not scaler.is_enabled():
            return
        if scaler._scale is None:  # this member had no sample yet
            scaler._lazy_init_scale_growth_tracker(self._device)
        scaler._per_optimizer_states[id(self)]['found_inf_per_device'] = {
            self._device: torch.full((), 0.0 if finite else 1.0, device=self._device)}
        scaler.update()

    def state_dict(self):
        return self._scaler.state_dict()

    def load_state_dict(self, values):
        if values:
            self._scaler.load_state_dict(values)
