"""Role: EDTLoggerCallback, the driver logger that WMLA's samples ship: every report goes to EMetrics and
ELog, test results also to $RESULT_DIR/val_dict_list.json at the end.
"""

import json
import os

import elog  # the modules: either may be one that the script brings along
import emetrics
from wm_last import give_way

give_way(__name__, __file__)


class EDTLoggerCallback:
    """Driver logger of the first generation: `acc` comes in percent."""

    def __init__(self):
        self.gs = 0
        self._tests = []

    def log_train_metrics(self, loss, acc, completed_batch, worker=0):
        acc = acc / 100.0
        self.gs = completed_batch
        with emetrics.EMetrics.open() as metrics:
            metrics.record(emetrics.EMetrics.TRAIN_GROUP, completed_batch, {'loss': loss, 'accuracy': acc})
        with elog.ELog.open() as log:
            log.recordTrain('Train', completed_batch, self.gs, loss, acc, worker)

    def log_test_metrics(self, loss, acc, completed_batch, worker=0):
        acc = acc / 100.0
        self._tests.append({'step': completed_batch, 'loss': loss, 'accuracy': acc})
        with emetrics.EMetrics.open() as metrics:
            metrics.record(emetrics.EMetrics.TEST_GROUP, completed_batch, {'loss': loss, 'accuracy': acc})
        with elog.ELog.open() as log:
            log.recordTest('Test', loss, acc, worker)

    def on_train_end(self):
        folder = os.environ.get('RESULT_DIR')
        if folder:
            with open(os.path.join(folder, 'val_dict_list.json'), 'w', encoding='utf-8') as file:
                json.dump(self._tests, file)

    def state_dict(self):
        """Newcomers may become rank 0: they get the results so far."""
        return {'tests': self._tests}

    def load_state_dict(self, state):
        self._tests = list(state['tests'])
