"""Role: control='async': how a worker trains where nobody waits for anybody. What is to be done next, and what counts, the desk says
(servers/desk.py); gradients are applied by the servers, each alone, as they come.

  next ─► samples ─► gradient ─► push to all servers ─► commit ─► apply on all, parameters pulled ─► next …
    └► the end, or a change of members: there all meet, as in sync

Invariants: a push counts when it is on all servers and the desk has taken it, else nowhere; who is lost between commit and apply has it
applied for him when the others meet; progress is what the desk says.
"""

import time

from . import amp
from .engine import Engine
from .native import Step
from .progress import FINISH, TRAIN, Progress, Tally
from .servers import pieces
from .servers.links import NotTaken
from .stepping import Served, count

_POLL_S = 0.01       # of who has nothing to do
_SAVED_S = 60.0      # for rank 0 to write the checkpoint that a worker which is told to end waits for


class Unwaited(Served):
    """The servers' side of it. @thread the training thread"""

    _has_desk = True

    def __init__(self, script, flat, compute, control, key):
        super().__init__(script, flat, compute, control.servers, key)
        self._staleness, self._kept, self._course = control.staleness, None, None
        self._base, self._is_old = 0, True
        self._lost = {}  # commits of which it is not known whether who made them has written them down, by who

    def plan(self, course):
        """What the training is. @shape Course"""
        self._course = course

    # ---- epochs ------------------------------------------------------------------------------

    @staticmethod
    def _version(_progress):
        return None  # each interval its newest

    def loaded(self, saved):
        self._kept = saved.pop('desk', None) or _kept_of(saved)

    def _make_good(self, progress, fresh):
        course = self._course
        if fresh:
            told = {'epochs': course.epochs, 'samples': course.train_samples, 'size': course.effective_batch_size or course.batch_size,
                    'tests': course.test_samples, 'test_size': course.batch_size, 'validation_freq': course.validation_freq}
            self._links.desk('begin', course=told, kept=self._kept)
        unapplied = self._links.desk('enter', members=list(self._group.members))
        for who, commit in unapplied.items():
            self._links.take(int(who), commit['n'], commit['how'])
        self._arranging.forget(self._group)
        self._lost = unapplied

    def enter(self, group, source, fresh, progress, begin_anew):
        anew = super().enter(group, source, fresh, progress, begin_anew)
        self._is_old = True
        return anew

    def lost_commits(self):
        """Those that perhaps nobody has written down, told to the member that hands out the state until it calls settled()."""
        return list(self._lost.values())

    def settled(self):
        """They are written down here. @errors GroupBroken"""
        if self._lost:
            with self._group.waiting():
                self._links.desk('settled', commits={who: commit['n'] for who, commit in self._lost.items()})
        self._lost = {}

    # ---- work ----------------------------------------------------------------------------------

    @property
    def _who(self):
        return self._group.members[self._group.rank]

    def next(self, ready, wanted):
        """What this worker does now. @errors GroupBroken"""
        with self._group.waiting():
            return self._links.desk('next', who=self._who, ready=ready, wanted=wanted)

    def refresh(self, anyhow=False):
        """Parameters are the servers'. @errors GroupBroken"""
        if self._is_old or anyhow:
            with self._group.waiting():
                self._base = self._links.pull()
        self._is_old = False

    def give(self, number, weight, own, finite):
        """Push `number` of this worker, of its deal. Returns what the desk says of it. @errors GroupBroken; NotTaken: it is not finite"""
        how = {'divisor': 1, 'groups': pieces.numbers_of(self._script.optimizer), 'without': self._flat.missing()}
        with self._group.waiting():
            self._links.push(self._flat.gradients(), self._who, number, finite)
            return self._commit(number, weight, own, how)

    def leave_out(self, number, weight):
        """The deal is spent, its gradient is not applied. @errors GroupBroken"""
        with self._group.waiting():
            return self._commit(number, weight, [], {'skip': True})

    def _commit(self, number, weight, own, how):
        while True:
            answer = self._links.desk('commit', who=self._who, n=number, base=self._base, how=how, weight=weight, sums=own,
                                      staleness=self._staleness)
            if 'again' not in answer:
                break
            time.sleep(_POLL_S)
        if 'step' in answer:
            for group in how.get('groups', ()):
                group['lr'] = group['lr'] * answer['factor']
            self._base = self._links.take(self._who, number, how)
            count(self._script.optimizer)
        return answer

    def validated(self, weight, own):
        """The deal of a validation is done. @errors GroupBroken"""
        self._is_old = True
        self._links.desk('validated', who=self._who, weight=weight, sums=own)

    # ---- checkpoints -----------------------------------------------------------------------------

    def state(self, progress):
        """While it is fetched nothing is committed; nobody's computing is waited for."""
        with self._group.waiting():
            standing = self._links.desk('freeze', on=True)
            while standing['unapplied']:
                time.sleep(_POLL_S)
                standing = self._links.desk('freeze', on=True)
            view_into(progress, standing['view'], self._course)
            self.refresh(anyhow=True)  # the parameters of all that is done, not of this worker's newest step
            state = super().state(progress)
            self._links.desk('freeze', on=False)
        return {**state, 'desk': standing['keep']}

    def saved(self):
        """A checkpoint is written. @errors GroupBroken"""
        self._links.desk('saved')


def _kept_of(saved):
    """What a checkpoint of sync says of the pass under way."""
    progress = Progress.unpack(saved['progress'])
    done = {str(progress.data_epoch): {'gaps': [[0, progress.cursor]], 'done': progress.cursor, 'weight': progress.trained.weight,
                                       'sums': progress.trained.sums}} if progress.cursor and progress.phase == TRAIN else {}
    return {'commits': progress.step, 'samples': progress.samples, 'passes_done': progress.passes_done,
            'validated': [progress.validated.weight, progress.validated.sums], 'trained': [progress.trained.weight, progress.trained.sums],
            'passes_validated': progress.passes_validated, 'passes': done}


def view_into(progress, view, course):
    """Progress as the desk sees it: what is not done of a pass is under way."""
    progress.step, progress.samples, progress.passes_done = view['step'], view['samples'], view['passes_done']
    progress.data_epoch, progress.cursor = view['passes_done'], view['cursor']
    progress.trained, progress.validated = Tally(*view['trained']), Tally(*view['validated'])
    progress.passes_validated, progress.round = view['passes_validated'], max(progress.round, view['round'])
    progress.phase = FINISH if progress.passes_done >= course.epochs else TRAIN


class Unsynced(Engine):
    """@thread the training thread; request_stop: a signal handler on it"""

    def __init__(self, course, script, parts):
        super().__init__(course, script, parts)
        self._stepping.plan(course)
        self._number, self._is_over = 0, False  # of this worker's pushes; whether the desk has nothing more to do
        self._saves_seen = None  # how many checkpoints there were when this worker was told to end

    def _round(self):
        if self._is_over and self.progress.phase == FINISH:
            super()._round()
            return
        wanted = bool(self._stopping or self._asked or self.membership.checkpoint_wanted)
        answer = self._stepping.next(self.membership.ready_epoch, wanted)
        self._see(answer['view'])
        if 'switch' in answer:
            self._switch(answer['switch'])
            return
        self.membership.drop_withdrawn()
        self._save_if_wanted(answer)
        if 'train' in answer:
            self._train_deal(*answer['train'])
        elif 'valid' in answer:
            self._valid_deal(*answer['valid'])
        elif 'wait' in answer:
            with self.group.waiting():
                time.sleep(_POLL_S)
        else:
            self._stepping.refresh(anyhow=True)
            self._is_over = True

    def _see(self, view):
        view_into(self.progress, view, self.course)
        with self.agent.excused():
            ended = self.hooks.catch_up(self.progress, self.group.rank)
        if ended:
            self._checkpoint_if_due()

    def _enter(self, group):
        self._is_over = False
        super()._enter(group)
        for commit in self._stepping.lost_commits():  # who made it may not have come to write it
            now = time.monotonic_ns()
            self.records.step(Step(commit['step'], group.epoch, group.world, commit['end'] - commit['begin'], now, now, commit['pass'],
                                   commit['begin'], commit['end'], 0, commit['end'] - commit['begin']))
        self._stepping.settled()

    # ---- deals -----------------------------------------------------------------------------------

    def _train_deal(self, data_epoch, begin, end):
        began, samples = time.monotonic_ns(), end - begin
        self._stepping.refresh()
        numbers, seeds = self._ledger.samples(data_epoch, begin, samples)
        self._flat.begin()
        self._train.expect(self._compute.bites(numbers, seeds))
        own = self._compute.train(self._train, numbers, seeds, samples)
        computed = time.monotonic_ns()
        self._number += 1
        try:
            answer = self._stepping.give(self._number, samples, own, self.script.nonfinite != 'apply')
        except NotTaken as refusal:
            self._refuse(refusal)
            self._number += 1
            answer = self._stepping.leave_out(self._number, 0)
        if 'void' in answer:
            self._flat.undo()  # its samples are dealt again: running statistics would see them twice
            return
        self._flat.keep()
        self._exchanged_ns = time.monotonic_ns() - computed
        self._record(Step(answer['step'], self.group.epoch, self.group.world, samples, began, time.monotonic_ns(), data_epoch, begin, end, 0,
                          samples))
        self.progress.step = max(self.progress.step, answer['step'])
        self.hooks.step(self.progress, self.script.measured.values(own, samples), self.group)

    def _refuse(self, refusal):
        """@errors NotFinite: that ends the training"""
        self._flat.undo()
        task = f' (task {self.agent.task})' if self.agent.present else ''
        said = f'a gradient of rank {self.group.rank}{task} is not applied: {refusal}'
        if self.script.nonfinite == 'stop':
            with self.agent.excused():
                self.checkpoints.save(self._stepping.state(self.progress), wait=True)
            raise amp.NotFinite(f"{said}. The training ends; nonfinite='skip' would leave such gradients out")
        print(said, flush=True)

    def _valid_deal(self, _pass, begin, end):
        self._stepping.refresh()
        numbers = list(range(begin, end))
        self._test.expect(self._compute.bites(numbers, numbers))
        self._stepping.validated(end - begin, self._compute.validate(self._test, numbers, numbers))

    # ---- checkpoints ------------------------------------------------------------------------------

    def _save_if_wanted(self, answer):
        """Rank 0 saves what any worker wants; who is told to end goes when that is done."""
        self.membership.checkpoint_taken()
        self._asked = False
        if self.group.rank == 0 and answer['checkpoint']:
            with self.agent.excused():
                self.checkpoints.save(self._stepping.state(self.progress), wait=bool(self._stopping))
            self._stepping.saved()
            if self._stopping:
                self._end_by_signal()
            return
        if not self._stopping:
            return
        if self._saves_seen is None:
            self._saves_seen = (answer['saved'], time.monotonic())
        seen, since = self._saves_seen
        if answer['saved'] > seen or time.monotonic() - since > _SAVED_S:
            self._end_by_signal()
