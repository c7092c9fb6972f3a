"""Role: what a process knows by its environment of its job's server tasks, a group called `ps` (posts.py). Knows no framework."""

import os

GROUP = 'ps'
_PLACES = 'WM_GROUP_' + GROUP.upper()  # where its tasks are: every task of a job that has the group is told


def is_post(environment=os.environ):
    """Whether this process is one of them."""
    return environment.get('WM_GROUP') == GROUP and 'RESULT_DIR' in environment


def wanted(environment=os.environ):
    """How many there are, as one of them knows it."""
    return len(environment[_PLACES].split(','))


def folder_of_workers(environment=os.environ):
    """Where workers find them; None: the job has no such group."""
    if _PLACES not in environment or is_post(environment) or 'RESULT_DIR' not in environment:
        return None
    return os.path.join(environment['RESULT_DIR'], 'servers')
