"""Role: which files of a daemon that is pure otherwise do its system calls. Read by check_layers, which refuses such
calls elsewhere, and by mutants, which breaks the others only.
"""

SHEPHERD = 'daemons/wshepherd/'
# Rooms that make system calls: those of the loop and its kernel, and what runs as the job's user.
ROOMS = ('rim/', 'user/')


def is_pure_shepherd(path):
    """Whether a file is of the shepherd's logic, behind env.h."""
    below = path.removeprefix(SHEPHERD)
    return below != path and below != 'main.cc' and not below.startswith(ROOMS)
