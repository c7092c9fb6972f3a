"""Role: how the gradients of all members become a step. Ways, one form:

  Summed   one all-reduce of everything; each member's optimizer steps                          (group.py, flat.py)
  Sharded  one all-reduce; each member's optimizer steps an interval, which the others are told      (shards.py)
  Served   gradients are pushed to parameter servers, one all-reduce of the small rest decides, the servers step   (servers/)

  sum() ─► square() where somebody wants it ─► apply()         enter() at each epoch; state() whenever one is kept or handed out

Invariant: a step is decided by the one all-reduce of sum(): when that has succeeded, apply() is the same on all members.
"""

import math

import torch

from . import batch
from .communicator import GroupBroken
from .plain import Damaged
from .progress import Progress
from .servers import arranging, cut, links, nursery, pieces, places, posts, replica, server, tasks
from .steps import Steps


_LEAVE_S = 20.0  # for servers beside a member that goes to be moved


class Summed(Steps):
    """@thread the training thread"""

    def _step(self, tail):
        self._flat.take((self._compute.scale, tail.weight))
        if self._script.clip_grad_norm is not None:
            self._flat.clip(self._script.clip_grad_norm)
        batch.step(self._script.optimizer, tail.gain or 1.0)

    def loaded(self, saved):
        if 'desk' in saved:
            prefix_of(saved)


class Served(Summed):
    """Steps are the servers'. @thread the training thread"""

    _has_desk = False

    def __init__(self, script, flat, compute, servers, key):
        """Forks: before there is any thread or connection. `key`: function that gives the job's.
        @errors ValueError: that number of servers, or this optimizer, cannot be"""
        super().__init__(script, flat, compute)
        self._blueprint = replica.Blueprint(flat.parameters, flat.kinds, script.optimizer)
        whole = pieces.is_whole(script.optimizer)
        pieces.numbers_of(script.optimizer)
        self._intervals = cut.cut(self._blueprint.sizes, servers, whole)
        self._nursery, self._get_key = nursery.Nursery(self._blueprint), key
        folder = tasks.folder_of_workers()
        self._arranging = arranging.Arranging(self._blueprint, self._intervals, self._nursery, self._has_desk, posts.Posts(folder) if folder else None)
        self._links = links.Links(self._blueprint, self._intervals)
        self._group, self._number, self._last, self._behind, self._is_fresh = None, 0, None, False, False

    @property
    def is_behind(self):
        """A server was lost while it applied the newest step, which counts: callbacks of this worker still see the parameters of
        before, in part; those of the step come from the server's copy before the next one."""
        return self._behind

    # ---- a step ----------------------------------------------------------------------------

    def sum(self, group, progress, weight, first, tail):
        """Pushes first: when the small sum has succeeded, every server has the gradients of every member."""
        self._number = progress.step + 1
        with group.waiting():
            self._links.push(self._flat.gradients(), group.members[group.rank], self._number)
        return self._flat.sum(group, weight, first, tail, gradients=False)

    def square(self):
        with self._group.waiting():
            return self._links.square(list(self._group.members), self._number)

    def _is_finite(self):
        return math.isfinite(self.square())

    def _step(self, tail):
        divisor, factor, longest = self._compute.scale, 1.0, self._script.clip_grad_norm
        if longest is not None:  # as torch.nn.utils.clip_grad_norm_
            factor = min(1.0, longest / (math.sqrt(self.square()) / divisor + 1e-6))
        groups = pieces.numbers_of(self._script.optimizer)
        for one in groups:
            one['lr'] = one['lr'] * (tail.gain or 1.0)
        how = {'divisor': divisor, 'factor': factor, 'groups': groups, 'without': self._flat.without_gradient()}
        self._flat.take((divisor, tail.weight), gradients=False)
        count(self._script.optimizer)
        self._tell(how)

    def leave_out(self):
        self._tell({'skip': True})

    def _tell(self, how):
        """It is decided: a server that is lost now is made good at the next epoch."""
        members = list(self._group.members)
        self._last = {'n': self._number, 'of': members, 'how': how}
        try:
            with self._group.waiting():
                self._links.step(self._number, members, how)
        except GroupBroken as error:
            print(f'{error}; it goes on with what its copy has', flush=True)
            self._behind = True
            self._group.abort()  # which is found at the next boundary

    # ---- epochs ------------------------------------------------------------------------------

    def enter(self, group, source, fresh, progress, begin_anew):
        own, anew = group.rank == source, False
        fresh = self._is_fresh = own and (fresh or self._is_fresh)  # until the servers have it
        self._arranging.key = self._get_key()
        held = {} if fresh or not own else self._arranging.look(group)
        if own and not fresh:
            try:
                for name in self._arranging.names:
                    places.source(name, held, self._version(progress()))
            except places.Lost as loss:
                begin_anew(f'the parameter servers have lost {loss}')
                held, anew, self._is_fresh = {}, True, True
        anew = self._arranging.settle(group, source, held, anew)
        self._group = group
        self._links.go(self._arranging.owners(), self._arranging.key, group)
        if own:
            version = progress().step if not held else self._version(progress())
            self._arranging.restore(group, held, version, self._last or {})
            self._make_good(progress(), not held)
        _meet(group)
        self._arranging.finish(group, source)
        self._is_fresh = False
        self._script.optimizer.state.clear()  # the servers have it
        if self._behind or anew:
            self._links.pull()
        self._behind = False
        if own:
            print(f'parameter servers, epoch {group.epoch}: {self._arranging.told()}', flush=True)
        return anew

    @staticmethod
    def _version(progress):
        """That the intervals are brought to."""
        return progress.step

    def _make_good(self, progress, fresh):
        """The servers hold what they are to hold; all stand still."""

    def leave(self):
        self._nursery.wait(_LEAVE_S)

    def state(self, progress):
        self.bring_home()
        state = self._script.state(progress)
        self._script.optimizer.state.clear()
        return state

    def bring_home(self):
        try:
            trees = [server.tree_of(size, memory) for size, memory in self._links.contents()]
        except Damaged as error:
            raise GroupBroken(f'a parameter server: {error}') from None
        replica.put_states(self._blueprint, trees)

    def close(self):
        self._links.close()
        self._nursery.close()


def prefix_of(saved):
    """Makes a checkpoint of async one that the others go on from. @errors ValueError: more than the first samples of a pass are done"""
    progress, kept = Progress.unpack(saved['progress']), saved.pop('desk')
    gaps = {int(number): work['gaps'] for number, work in kept['passes'].items() if work['gaps']}
    done = gaps.pop(progress.data_epoch, [])
    if gaps or len(done) > 1 or (done and done[0][0]):
        raise ValueError("the checkpoint is of control='async', in the middle of a pass whose samples are done in another order: go on with control='async'")
    progress.cursor = done[0][1] if done else 0
    saved['progress'] = progress.pack()


def _meet(group):
    """All are here."""
    group.sum(torch.zeros(1, dtype=torch.float64))


def count(optimizer):
    """A scheduler looks at whether its optimizer has stepped."""
    optimizer._opt_called = True
    if hasattr(optimizer, '_step_count'):
        optimizer._step_count += 1
