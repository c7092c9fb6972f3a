"""Role: what the engine asks of the way in which gradients become steps, and what it gets where nobody says otherwise: one
all-reduce of everything, and each member steps. Of any framework; stepping.py has torch's, with parameter servers and shards.
"""


class Steps:
    """@thread the training thread"""

    is_shared = False  # whether all members take part in state() and bring_home(), which then give rank 0 what it wants

    def __init__(self, script, flat, compute):
        self._script, self._flat, self._compute = script, flat, compute

    def sum(self, group, _progress, weight, first, tail):
        """Everything of a step, over all members. Returns the Tail. @errors GroupBroken"""
        return self._flat.sum(group, weight, first, tail)

    def square(self):
        """Square of the length of the gradient that sum() has summed."""
        return self._flat.square()

    def _is_finite(self):
        return self._flat.is_finite()

    def apply(self, tail):
        """The step that was summed, unless it is not finite: all members see the same sum, and do the same. Returns whether it was."""
        scalers = [s for s in (self._script.scaler, *self._script.joined) if s]
        finite = not tail.suspects and (not scalers or self._is_finite())
        if finite:
            self._step(tail)
        else:
            self.leave_out()
        for scaler in scalers:
            scaler.update(finite)
        return finite

    def _step(self, tail):
        self._flat.take((self._compute.scale, tail.weight))
        self._script.step()

    def leave_out(self):
        """The step that was summed is one, and nothing is applied."""

    def enter(self, group, source, fresh, progress, begin_anew):
        """At an epoch, before state is handed out. `fresh`: the source has just made it; `progress()`: where this member stands;
        `begin_anew(why)`: makes the source's state that of a checkpoint. Returns whether that was done. @errors GroupBroken"""
        return False

    def loaded(self, saved):
        """The source goes on from this checkpoint. @errors ValueError: it cannot"""
        if 'desk' in saved:
            raise ValueError("the checkpoint is of control='async': go on with that")

    def part(self, group, members):
        """All members of `group` agreed to go on as `members`. @errors GroupBroken"""

    def leave(self):
        """This member goes, the others train on."""

    def state(self, progress):
        """The whole state, for a checkpoint. @errors GroupBroken"""
        return self._script.state(progress)

    def bring_home(self):
        """The script's optimizer has its state, on this member. @errors GroupBroken"""

    def close(self):
        """The training is over."""
