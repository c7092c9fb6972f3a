"""Role: a workflow of toil: three jobs in parallel, then one that adds what they say."""

import os

from toil.common import Toil
from toil.job import Job


def square(job, number):
    """What one job does; the second fails once where somebody asks for it."""
    once = os.environ.get('BREAK_ONCE')
    if once and number == 2 and not os.path.exists(once):
        with open(once, 'w', encoding='utf-8'):
            raise RuntimeError('as was asked')
    return number * number


def add(job, numbers):
    """The sum."""
    return sum(numbers)


def fan_out(job):
    """Three squares and then their sum."""
    parts = [job.addChildJobFn(square, n, cores=1, memory='200M', disk='10M') for n in (1, 2, 3)]
    return job.addFollowOnJobFn(add, [p.rv() for p in parts], cores=1, memory='200M', disk='10M').rv()


if __name__ == '__main__':
    options = Job.Runner.getDefaultArgumentParser().parse_args()
    with Toil(options) as toil:
        print('sum', toil.start(Job.wrapJobFn(fan_out, cores=1, memory='200M', disk='10M')))
