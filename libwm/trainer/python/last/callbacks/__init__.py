"""Role: base classes of what a training script hands to FabricModel: hooks around the training
and loggers of its numbers. A class may leave out any hook, and need not inherit from these.
"""


class Callback:
    """Hooks that run on every worker. Before the first one, `model` is the model and `params`
    holds 'epochs' and 'optimizer' (the real one: its param_groups may be changed).
    With state_dict and load_state_dict its state goes to newcomers and into checkpoints."""

    params = {}
    model = None

    def on_train_begin(self):
        """Before this worker's first step."""

    def on_epoch_begin(self, epoch):
        """A pass over the data begins; the first is 0."""

    def on_step_end(self, step):
        """An optimizer step has been applied, the `step`-th of the training, from 1. Not slow: all members wait."""

    def on_epoch_end(self, epoch, save_model=False):
        """A pass and its validation are over; `save_model` once, after the last, on rank 0."""

    def on_train_end(self):
        """After the last step."""


class LoggerCallback(Callback):
    """Gets the numbers of the training. `acc` in percent; `completed_batch` counts applied steps."""

    def log_train_metrics(self, loss, acc, completed_batch, worker=0):
        """After an applied step: of the pass so far on the driver, of this step on a worker."""

    def log_test_metrics(self, loss, acc, completed_batch, worker=0):
        """After a validation."""
