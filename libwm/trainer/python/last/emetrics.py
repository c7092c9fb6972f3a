"""Role: EMetrics: metrics of a trial as lines of JSON in $LOG_DIR[/subid]/evaluation-metrics.txt, and as
$RESULT_DIR/val_dict_list.json when a sub-execution ends (reference: wmla-surface 3.4).
"""

import json
import os
import time

from wm_last import give_way

give_way(__name__, __file__)

_TYPES = ((bool, None), (int, 2), (float, 3))


def _typed(value):
    for kind, number in _TYPES:
        if isinstance(value, kind):
            return {'value': str(value)} if number is None else {'type': number, 'value': str(value)}
    return {'value': str(value)}


def _folder():
    state = os.environ.get('JOB_STATE_DIR')
    return os.environ.get('LOG_DIR') or (os.path.join(state, 'logs') if state else '.')


class EMetrics:
    """A context manager; open() gives one."""

    TEST_GROUP = 'test'
    TRAIN_GROUP = 'train'

    def __init__(self, sub_id=None):
        self._sub_id, self._index, self._tests = sub_id, 0, {}
        folder = os.path.join(_folder(), sub_id) if sub_id else _folder()
        os.makedirs(folder, exist_ok=True)
        self._file = open(os.path.join(folder, 'evaluation-metrics.txt'), 'a', encoding='utf-8')

    @staticmethod
    def open(subId=None):
        return EMetrics(subId)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def record(self, group, iteration, values):
        """Appends one line; `values` maps names to numbers or text."""
        self._index += 1
        meta = {'training_id': os.environ.get('TRAINING_ID', ''),
                'time': int(time.time() * 1000), 'rindex': self._index}
        if self._sub_id:
            meta['subid'] = self._sub_id
        line = {'meta': meta, 'grouplabel': group,
                'etimes': {'iteration': _typed(iteration),
                           'time_stamp': {'value': time.strftime('%Y-%m-%dT%H:%M:%S%z')}},
                'values': {name: _typed(value) for name, value in values.items()}}
        self._file.write(json.dumps(line) + '\n')
        self._file.flush()
        if group == self.TEST_GROUP:
            self._tests.setdefault(iteration, {}).update(values)

    def close(self):
        """Ends it; of a sub-execution also the list of test results is written."""
        if self._file.closed:
            return
        self._file.close()
        result = os.environ.get('RESULT_DIR')
        if self._sub_id and result:
            steps = [{'steps': i, **values} for i, values in sorted(self._tests.items())]
            with open(os.path.join(result, 'val_dict_list.json'), 'w', encoding='utf-8') as file:
                json.dump(steps, file)
