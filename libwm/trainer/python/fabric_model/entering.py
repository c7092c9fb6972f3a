"""Role: how a worker enters the group of an epoch (PROTOCOL W-6): who stands where, state to those who lack it, and, where nobody has any, the
newest checkpoint or the model as the script made it. A part of the engine (engine.py).
"""

import os

import numpy

from . import parcel
from .native import Ledger
from .progress import Progress


class Entering:
    """What of Engine is about that. @thread the training thread"""

    def _enter(self, group):
        """First collective of every group: who stands where; then state to those behind
        (W-6). @errors GroupBroken"""
        self.group = group
        rows = numpy.zeros((group.world, 3))
        mark = (self._deals.mark if self._deals else 0) + (self._virtual.mark() if self._virtual else 0)
        old = self._has_state and group.rank < max(group.survivors, 1)
        if old:
            rows[group.rank] = 1.0, self.progress.round, 0.0
        elif not self._skipped:
            rows[group.rank][1] = 1.0
        rows[group.rank][2] = float(mark)
        group.sum(rows)
        standing = rows.tolist()
        self._refuse_other_streams([row[2] for row in standing])
        stateful = [(-row[1], rank) for rank, row in enumerate(standing) if row[0]]
        source = min(stateful or [(-row[1], rank) for rank, row in enumerate(standing)])[1]
        behind = [rank for rank, row in enumerate(standing)
                  if rank != source and (not row[0] or row[1] < standing[source][1])]
        own = group.rank == source
        if own and not stateful:
            self._initialise()
        with self.agent.excused():
            anew = self._stepping.enter(group, source, not stateful, lambda: self.progress, self._begin_anew)
        if anew:
            behind = [rank for rank in range(group.world) if rank != source]
        if own:
            self._hand_out(behind)
        elif group.rank in behind:
            self._take_over(parcel.receive(group, source), old)
        group.joined = True
        self._compute.chance.enter(self.progress.seed, group.epoch, group.rank)
        self._tell_rank(group)
        for batches in (self._train, self._test):
            if batches is not None:
                batches.whose = f' of rank {group.rank}' + (f' (task {self.agent.task})' if self.agent.present else '')
        self._forget_times()  # those of another size say nothing of this one
        if self._chooser:
            self._chooser.enter()
        self._switched = (group.epoch, self.progress.step)
        self.agent.switched(group.epoch, self.progress.step)

    def _refuse_other_streams(self, marks):
        """@errors RuntimeError: positions are not those of the same samples"""
        others = [rank for rank, mark in enumerate(marks) if mark != marks[0]]
        if others and self._virtual:
            raise RuntimeError(f'deterministic: rank {others[0]} has something else than rank 0, so that their bits would differ; here: {self._virtual.described()}')
        if others:
            raise RuntimeError(f'the stream of rank {others[0]} begins with other samples than that of rank 0: every worker has to read the same one, '
                               'whole; WM divides it. Does it divide itself by RANK, or draw from a generator of its own?')

    @staticmethod
    def _tell_rank(group):
        """Scripts look there for whether they are rank 0, also after the first one is gone."""
        if 'RANK' in os.environ or 'WM_TASK' in os.environ:
            os.environ.update(RANK=str(group.rank), WORLD_SIZE=str(group.world))

    def _hand_out(self, behind):
        if behind:
            whole = parcel.Parcel(self.script.state(self.progress))
            self._delivery = parcel.Delivery(whole, self.group, behind)

    def _initialise(self):
        """Nobody has state: the newest checkpoint, or the model as the script made it."""
        if self.agent.present:
            self.script.warn()
        saved = self.checkpoints.load()
        if saved:
            self._stepping.loaded(saved)
            progress = Progress.unpack(saved['progress'])
            self._refuse_other_data(progress)
            progress.train_on(self.course)
            saved['progress'] = progress.pack()
            if self.checkpoints.source != self.checkpoints.path:
                saved.pop('frozen', None)  # another program says itself what it trains
            self._take_checkpoint(saved)
            if not (self._deals and self._deals.is_stream):
                self.progress.goes_on_with(self.course.train_samples)
            path = self.checkpoints.source
            whose = '' if path == self.checkpoints.path else f', {path}'
            print(f'resumed from checkpoint at step {self.progress.step}{whose}', flush=True)
            return
        self.progress = Progress(seed=self.script.draw_seed(),
                                 train_samples=0 if self._deals and self._deals.is_stream else self.course.train_samples)
        self._own_state()
        self.hooks.catch_up(self.progress, self.group.rank)

    def _take_checkpoint(self, saved):
        """@errors ValueError: it is another training's"""
        try:
            self._take_over(saved, False)
        except ValueError as error:
            raise ValueError(f'checkpoint {self.checkpoints.source}: of another training than this: {error}') from error

    def _begin_anew(self, why):
        """What parameter servers had is gone. @errors RuntimeError: there is no checkpoint"""
        if not self.checkpoints.exists():
            raise RuntimeError(f'{why}. There is no checkpoint to go on from')
        print(f'{why}. The training goes on from the newest checkpoint', flush=True)
        self._initialise()

    def _refuse_other_data(self, saved):
        """@errors ValueError"""
        if self._deals and self._deals.is_stream:
            saved.train_samples = 0
            return
        before, samples = saved.train_samples, self.course.train_samples
        if not saved.goes_on_with(samples):
            raise ValueError(f'checkpoint {self.checkpoints.source}: in the middle of a pass over '
                             f'{before} samples, the data set has {samples} now')

    def _take_over(self, received, old):
        """`old`: this worker was a member before, its hooks go on from where they are."""
        self._has_state = False
        if old:
            with self.agent.excused():
                self.progress = self.hooks.take_over(received, self.group.rank)
        else:
            self.hooks.join(Progress.unpack(received['progress']))
            self.progress = self.script.take_over(received)
        self._own_state()

    def _own_state(self):
        self._has_state = True
        if self._deals:
            self._ledger = self._deals.ledger(self.progress.seed)
            return
        self._ledger = Ledger(self._lib, self.course.train_samples, self.progress.seed)
