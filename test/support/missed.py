"""Role: a worker that does not hear of a sum that its others have: they apply that step, it does not. The rarest moment of a
loss, made at will.

  TEST_MISSED=STEP[,STEP…]   the steps of whose sums this worker does not hear
"""

import os

import wm_elastic as wm
from fabric_model.group import GroupBroken
from fabric_model.step_sums import StepSums


def arm():
    """From now on, if the environment says so."""
    steps = {int(step) for step in os.environ.get('TEST_MISSED', '').split(',') if step}
    real = StepSums.sum

    def heard(self, group, *rest):
        tail = real(self, group, *rest)
        if wm.step() + 1 in steps:
            steps.remove(wm.step() + 1)
            raise GroupBroken('the sum was not heard of')
        return tail
    if steps:
        StepSums.sum = heard
