"""Role: how what is served stands: when it counts as forgotten, what the page is told, when it is ended."""

import json
import os
import re
import time

from notebooks.use import cpu_seconds, gpus_are_busy

BETWEEN_LOOKS_S = (0.5, 5.0)  # never more often, never less; else a sixtieth of the limit
BETWEEN_TRIES_S = 0.05
UNITS = {'ms': 0.001, 's': 1, 'm': 60, 'h': 3600, 'd': 86400}


def seconds(text):
    """'90s', '10m', '1h': what a configured time is."""
    found = re.fullmatch(r'(\d+(?:\.\d+)?)(ms|s|m|h|d)', text or '0s')
    return float(found[1]) * UNITS[found[2]] if found else 0


class Rule:
    """When it counts as forgotten. Pure: times come in."""

    def __init__(self, limit, warning):
        self.limit, self.warning = limit, min(warning, limit)
        self.active, self.extended, self.warned = 0, 0, None

    def used(self, now):
        """It was used then; what is later counts."""
        self.active = max(self.active, now)

    def extend(self, until):
        """It stays until then, at least."""
        self.extended = until

    def stops_at(self):
        """When it is ended, if nothing happens; 0: never."""
        return max(self.active + self.limit, self.extended) if self.limit else 0

    def word(self, now):
        """ready, warned or idle: the latter only half the warning's time after it was said, at least."""
        stop = self.stops_at()
        if not stop or now < stop - self.warning:
            self.warned = None
            return 'ready'
        self.warned = self.warned or now
        return 'warned' if now < max(stop, self.warned + self.warning / 2) else 'idle'


class Watch:
    """Looks at what is served, says how it stands, ends it when it is forgotten."""

    def __init__(self, served, results):
        self._served, self._results = served, results
        self._rule = Rule(seconds(os.environ.get('WM_IDLE_LIMIT')), seconds(os.environ.get('WM_IDLE_WARNING')))
        self._least_cpu = float(os.environ.get('WM_IDLE_CPU') or 10) / 100
        self._report = {'kind': served.kind, 'state': 'starting', 'strip': served.strip, 'started': time.time()}
        self._said, self._cpu = None, None
        self.ending = False

    def say(self, **changes):
        """Replaces web.json where something has changed."""
        self._report.update(changes)
        text = json.dumps(self._report)
        if text == self._said:
            return
        path = os.path.join(self._results, 'web.json')
        with open(os.open(path + '.new', os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w', encoding='utf-8') as out:
            out.write(text)
        os.rename(path + '.new', path)
        self._said = text

    def wait_until_ready(self, process):
        """False: it has ended before it answered."""
        while process.poll() is None and not self.ending:
            if self._served.is_ready():
                self._rule.used(time.time())
                self.say(state='ready', address=self._served.address, ready=time.time())
                return True
            time.sleep(BETWEEN_TRIES_S)
        return False

    def _computes(self, process, now):
        """Whether its processes use more than a little of a core since the last look."""
        used, before = cpu_seconds(process.pid), self._cpu
        self._cpu = (now, used)
        return before is not None and now > before[0] and (used - before[1]) / (now - before[0]) >= self._least_cpu

    def _look(self, process, now):
        latest, busy = self._served.activity()
        if not busy and self._computes(process, now):
            busy = 'its processes compute'
        if not busy and self._rule.word(now) != 'ready' and gpus_are_busy():
            busy = 'a GPU is busy'
        self._rule.used(now if busy else latest)
        try:
            with open(os.path.join(self._results, 'web.extend'), encoding='ascii') as file:
                self._rule.extend(float(file.read()))
        except (OSError, ValueError):
            pass
        return busy

    def follow(self, process):
        """Until it ends, or is idle; whether it is."""
        told = 'ready'
        while process.poll() is None and not self.ending:
            now = time.time()
            busy = self._look(process, now)
            word, stop = self._rule.word(now), self._rule.stops_at()
            self.say(state=word, busy=busy, active=self._rule.active, stops_at=stop, idle_limit=self._rule.limit)
            if word == 'warned' and told != 'warned':
                print(f'wm-notebook: not used since {clock(self._rule.active)}: it ends at {clock(stop)}', flush=True)
            if word == 'idle':
                print(f'wm-notebook: not used since {clock(self._rule.active)}: ended', flush=True)
                return True
            told = word
            time.sleep(min(max(self._rule.limit / 60 or BETWEEN_LOOKS_S[1], BETWEEN_LOOKS_S[0]), BETWEEN_LOOKS_S[1]))
        return False


def clock(moment):
    """10:43:13."""
    return time.strftime('%H:%M:%S', time.localtime(moment))
