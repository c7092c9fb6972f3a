"""Role: the loggers that train() uses when the script gives none: lines on stdout, in the form
that tools written for WMLA read.
"""

import time

_EACH_S = 1.0  # at most one report a second


class _Paced:
    """Says something at most once a second."""

    def __init__(self):
        self._last = 0.0

    def _due(self):
        now = time.monotonic()
        if now - self._last < _EACH_S:
            return False
        self._last = now
        return True


def _say(kind, loss, acc, iteration):
    print(f'Timestamp {int(time.time() * 1000)}, Iteration {iteration}\n'
          f'Iteration {iteration}: tag {kind}_loss, simple_value {loss:.6f}\n'
          f'Iteration {iteration}: tag {kind}_accuracy, simple_value {acc / 100:.6f}', flush=True)


class DriverLogger(_Paced):
    """Means over the pass, and the results of validations."""

    def log_train_metrics(self, loss, acc, completed_batch, worker=0):
        if self._due():
            _say('train', loss, acc, completed_batch)

    def log_test_metrics(self, loss, acc, completed_batch, worker=0):
        _say('test', loss, acc, completed_batch)
        print(f'Test loss: {loss:.6f}\nTest accuracy: {acc / 100:.6f}', flush=True)


class WorkerLogger(_Paced):
    """This worker's own steps."""

    def log_train_metrics(self, loss, acc, completed_batch, worker=0):
        if self._due():
            print(f'batches :{completed_batch} {loss:.6f}', flush=True)
