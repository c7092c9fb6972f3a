"""Role: who works on what in async, what is decided of it, and how late a gradient is. A value that changes by calls alone: the server that
has it and its copy make the same calls in the same order. Pure: no clock, no chance.

  next ─► a deal: samples of a pass, or of a validation ─► commit: the push that it became counts from now on ─► applied on all servers
            └── the worker is lost: its samples are dealt again (void)

A gradient's age is the number of commits between the parameters that it is of and its own. Up to `staleness` it is applied as it is;
an older one at staleness/age of the learning rate (not of the gradient: Adam would not see that). Nobody waits for it.

Invariants: a sample of a pass is in one commit exactly; a commit that is repeated is the first one; passes end in order.
"""

from dataclasses import asdict, dataclass, field


def factor(age, staleness):
    """What the learning rate of a gradient of that age is multiplied by."""
    return 1.0 if age <= staleness else staleness / age


@dataclass
class Work:
    """Samples that are dealt: of a pass, or of its validation."""
    total: int
    size: int           # of a deal
    cursor: int = 0     # dealt at least once up to here
    returned: list = field(default_factory=list)  # [begin, end] that nobody works on any more
    done: int = 0
    weight: float = 0.0
    sums: list = field(default_factory=list)
    gaps: list = field(default_factory=list)  # [begin, end] that are done, in order, for going on from a checkpoint

    def deal(self):
        """[begin, end], or None: all of it is dealt."""
        if self.returned:
            begin, end = self.returned.pop(0)
            if end - begin > self.size:
                self.returned.insert(0, [begin + self.size, end])
            return [begin, min(end, begin + self.size)]
        if self.cursor >= self.total:
            return None
        begin, self.cursor = self.cursor, min(self.total, self.cursor + self.size)
        return [begin, self.cursor]

    def finish(self, begin, end, weight, sums):
        """They are done."""
        self.done += end - begin
        self.weight += weight
        self.sums = [a + b for a, b in zip(self.sums or [0.0] * len(sums), sums)]
        self.gaps = joined(self.gaps + [[begin, end]])

    def void(self, begin, end):
        """Nobody works on them any more."""
        self.returned = sorted(self.returned + [[begin, end]])

    @property
    def is_done(self):
        return self.done == self.total


def joined(ranges):
    """The same numbers in as few ranges as there can be. @shape [[begin, end]]"""
    found = []
    for begin, end in sorted(ranges):
        if found and found[-1][1] >= begin:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([begin, end])
    return found


class Desk:
    """@thread one at a time"""

    def __init__(self):
        self.commits = 0   # steps, in all
        self.calls = 0
        self._course, self._passes, self._valid = {}, {}, {}
        self._passes_done, self._validated, self._trained = 0, [0.0, []], [0.0, []]
        self._passes_validated, self._samples = 0, 0
        self._open, self._last, self._unapplied = {}, {}, {}
        self._members, self._ready, self._frozen, self._wanted, self._saved = [], {}, False, False, 0
        self._switch = 0  # epoch that all agreed on

    _STATE = ('commits', 'calls', '_course', '_passes_done', '_validated', '_trained', '_passes_validated', '_samples', '_open', '_last',
              '_unapplied', '_members', '_ready', '_frozen', '_wanted', '_saved', '_switch')

    def call(self, name, values):
        """One call by its name. Returns what is answered. @errors KeyError: there is none"""
        called = {'begin': self.begin, 'enter': self.enter, 'settled': self.settled, 'next': self.next, 'commit': self.commit,
                  'validated': self.validated, 'freeze': self.freeze, 'saved': self.saved, 'look': self.look}[name]
        self.calls += 1
        return called(**values)

    # ---- copies and checkpoints --------------------------------------------------------------

    def contents(self):
        """All of it. @shape plain values"""
        return {**{name: getattr(self, name) for name in self._STATE},
                'passes': {str(p): asdict(w) for p, w in self._passes.items()},
                'valid': {str(p): asdict(w) for p, w in self._valid.items()}}

    def fill(self, tree):
        """Takes that over."""
        for name in self._STATE:
            setattr(self, name, tree[name])
        self._passes = {int(p): Work(**w) for p, w in tree['passes'].items()}
        self._valid = {int(p): Work(**w) for p, w in tree['valid'].items()}

    @property
    def version(self):
        return self.calls

    # ---- epochs ----------------------------------------------------------------------------------

    def begin(self, course, kept):
        """A training. @shape course: {epochs, samples, size, tests, test_size, validation_freq}; kept: what keep() gave, or None"""
        self.__init__()
        self._course = course
        if kept:
            self.commits, self._samples, self._passes_done = kept['commits'], kept['samples'], kept['passes_done']
            self._validated, self._trained, self._passes_validated = kept['validated'], kept['trained'], kept['passes_validated']
            for number, one in kept['passes'].items():
                work = Work(course['samples'], course['size'], **one)
                work.returned, work.cursor = rest_of(work.gaps, work.total), work.total
                self._passes[int(number)] = work
        return {}

    def keep(self):
        """What goes on from here is made of: done work alone. @shape plain values"""
        return {'commits': self.commits, 'samples': self._samples, 'passes_done': self._passes_done, 'validated': self._validated,
                'trained': self._trained, 'passes_validated': self._passes_validated,
                'passes': {str(p): {'gaps': w.gaps, 'done': w.done, 'weight': w.weight, 'sums': w.sums} for p, w in self._passes.items()}}

    def enter(self, members):
        """An epoch of these. Whatever was open is dealt again. Returns the commits that are not known to be applied everywhere, again
        and again until settled() says that they are: an epoch may break at its beginning. @shape {who: {n, how}}"""
        for deal in self._open.values():
            work = (self._valid if deal['valid'] else self._passes)[deal['pass']]
            work.void(*deal['range'])
        self._open, self._ready, self._members, self._frozen, self._switch = {}, {}, list(members), False, 0
        return dict(self._unapplied)

    def settled(self, commits):
        """These of enter() are applied everywhere, and written down. @shape commits: {who: n}"""
        for who, n in commits.items():
            if self._unapplied.get(who, {}).get('n') == n:
                del self._unapplied[who]
        return {}

    # ---- work ----------------------------------------------------------------------------------

    def _work(self, number):
        if number not in self._passes:
            self._passes[number] = Work(self._course['samples'], self._course['size'])
        return self._passes[number]

    def next(self, who, ready, wanted=False):
        """What `who` does now. `ready`: the planned epoch that it stands ready for; `wanted`: a checkpoint is.
        @shape {'train' | 'valid': [pass, begin, end]} | {'switch': epoch} | {'wait': 1} | {'end': 1}, and the view"""
        who = str(who)
        self._unapplied.pop(who, None)  # it comes when it has applied what it committed
        self._wanted = self._wanted or wanted
        self._ready[who] = ready
        answer = {'view': self._view(), 'checkpoint': self._wanted, 'saved': self._saved}
        is_done = self._passes_done >= self._course['epochs']
        is_over = is_done and not self._unapplied  # the parameters are the last ones
        if not self._switch and not is_done and ready and all(self._ready.get(str(m)) == ready for m in self._members):
            self._switch = ready  # decided: for all, whatever comes
        if self._switch:
            return {**answer, 'switch': self._switch}
        if is_over:
            return {**answer, 'end': 1}
        if is_done:
            return {**answer, 'wait': 1}
        if who in self._open:
            deal = self._open[who]  # asked twice
        else:
            deal = self._deal()
        if deal is None:
            return {**answer, 'wait': 1}
        self._open[who] = deal
        return {**answer, 'valid' if deal['valid'] else 'train': [deal['pass'], *deal['range']]}

    def _deal(self):
        for number, work in sorted(self._valid.items()):
            found = work.deal()
            if found:
                return {'valid': True, 'pass': number, 'range': found}
        for number in range(self._passes_done, self._course['epochs']):
            found = self._work(number).deal()
            if found:
                return {'valid': False, 'pass': number, 'range': found}
        return None

    def commit(self, who, n, base, how, weight, sums, staleness):
        """Push `n` of `who`, of its open deal, on all servers, counts. `base`: the version of the parameters that it is of.
        @shape {'step': number of the commit, 'factor': of the learning rate} | {'again': 1}: not now | {'void': 1}: it has no deal"""
        who = str(who)
        last = self._last.get(who)
        if last and last['n'] == n:
            return last['answer']
        deal = self._open.get(who)
        if deal is None or deal['valid']:
            return {'void': 1}
        if self._frozen:
            return {'again': 1}
        del self._open[who]
        age = max(0, self.commits - base)
        self.commits += 1
        begin, end = deal['range']
        self._work(deal['pass']).finish(begin, end, weight, sums)
        self._samples += end - begin
        answer = {'step': self.commits, 'factor': factor(age, staleness), 'age': age}
        self._last[who] = {'n': n, 'answer': answer}
        self._unapplied[who] = {'n': n, 'how': {**how, 'groups': slowed(how.get('groups', []), answer['factor'])}, 'step': self.commits,
                                'pass': deal['pass'], 'begin': begin, 'end': end}
        self._end_passes()
        return answer

    def validated(self, who, weight, sums):
        """The open deal of `who`, of a validation, is done."""
        deal = self._open.get(str(who))
        if deal is None or not deal['valid']:
            return {}
        del self._open[str(who)]
        self._valid[deal['pass']].finish(*deal['range'], weight, sums)
        self._end_passes()
        return {}

    def _end_passes(self):
        """Passes that are done end, in order, each after its validation, if one is due."""
        while self._passes_done < self._course['epochs']:
            number = self._passes_done
            if not self._work(number).is_done:
                return
            if self._is_due(number):
                valid = self._valid.setdefault(number, Work(self._course['tests'], self._course['test_size']))
                if not valid.is_done:
                    return
                self._validated, self._passes_validated = [valid.weight, valid.sums], number + 1
                del self._valid[number]
            work = self._passes.pop(number)
            self._trained = [work.weight, work.sums]
            self._passes_done = number + 1

    def _is_due(self, number):
        freq = self._course['validation_freq']
        return bool(self._course['tests'] and freq and ((number + 1) % freq == 0 or number + 1 == self._course['epochs']))

    # ---- what is told ----------------------------------------------------------------------------

    def _view(self):
        work = self._passes.get(self._passes_done)
        trained = [work.weight, work.sums] if work and work.done else self._trained
        return {'step': self.commits, 'samples': self._samples, 'passes_done': self._passes_done, 'cursor': work.done if work else 0,
                'trained': trained, 'validated': self._validated, 'passes_validated': self._passes_validated, 'round': self.calls}

    def look(self):
        """Where the training stands."""
        return {'view': self._view(), 'unapplied': len(self._unapplied), 'keep': self.keep()}

    def freeze(self, on):
        """While a checkpoint is made nothing is committed. Returns as look()."""
        self._frozen = on
        return self.look()

    def saved(self):
        """A checkpoint is written."""
        self._wanted, self._saved = False, self._saved + 1
        return {}


def rest_of(done, total):
    """The ranges that are not done. @shape done: [[begin, end]], in order"""
    found, at = [], 0
    for begin, end in done:
        if at < begin:
            found.append([at, begin])
        at = end
    if at < total:
        found.append([at, total])
    return found


def slowed(groups, by):
    """Groups of an optimizer with their learning rates so much smaller."""
    return [{**group, 'lr': group['lr'] * by} for group in groups]
