"""Role: ELog: training lines in the form that WMLA's tools turn into tables, appended to
$LOG_DIR/stdout, or printed when there is no such folder (reference: wmla-surface 3.4).
"""

import os
import sys
import time

from wm_last import give_way

give_way(__name__, __file__)


class ELog:
    """A context manager; open() gives one."""

    def __init__(self, sub_id=None):
        folder = os.environ.get('LOG_DIR') or ''
        if not folder and os.environ.get('JOB_STATE_DIR'):
            folder = os.path.join(os.environ['JOB_STATE_DIR'], 'logs')
        if sub_id and folder:
            folder = os.path.join(folder, sub_id)
            os.makedirs(folder, exist_ok=True)
        self._owned = bool(folder) and os.path.isdir(folder)
        self._file = open(os.path.join(folder, 'stdout'), 'a', encoding='utf-8') \
            if self._owned else sys.stdout

    @staticmethod
    def open(subId=None):
        return ELog(subId)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def recordText(self, text):
        """One line with the time before it."""
        self._file.write(f"[{time.strftime('%Y-%m-%d %H:%M:%S')}] {text}\n")
        self._file.flush()

    def recordTrain(self, title, iteration, global_steps, loss, accuracy, worker):
        """signature fixed by WMLA's ELog"""
        self.recordText(f'{title},\tTimestamp: {int(time.time() * 1000)},\tGlobal steps: {global_steps},'
                        f'\tIteration: {iteration},\tLoss: {loss},\tAccuracy: {accuracy}')

    def recordTest(self, title, loss, accuracy, worker):
        self.recordText(f'{title},\tTimestamp: {int(time.time() * 1000)},\tLoss: {loss},'
                        f'\tAccuracy: {accuracy}')

    def close(self):
        if self._owned:
            self._file.close()
