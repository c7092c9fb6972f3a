"""Role: makes the training wrong on purpose, so that tests can show that the checks of the demo
find it. WM_SABOTAGE or DEMO_SABOTAGE = drop-sample | skip-step; anything else does nothing.

  drop-sample  every tenth step the cursor jumps over one sample
  skip-step    every tenth step is counted but neither applied nor recorded
"""

import os

_EACH = 10


def chosen():
    """What is asked for, or ''."""
    wanted = os.environ.get('WM_SABOTAGE') or os.environ.get('DEMO_SABOTAGE') or ''
    return wanted if wanted in ('drop-sample', 'skip-step') else ''


def skips(progress, kind):
    """Whether the next step is to be left out."""
    return kind == 'skip-step' and progress.step % _EACH == _EACH - 1


def drop(progress, course, kind):
    """After a step: may move the cursor over a sample that nobody used."""
    if kind == 'drop-sample' and progress.step % _EACH == 0 and \
            0 < progress.cursor < course.train_samples - 1:
        progress.cursor += 1
