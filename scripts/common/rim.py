"""Role: which files of a daemon that is pure otherwise do its system calls. Read by check_layers, which refuses such
calls elsewhere, and by mutants, which breaks the others only.
"""

SHEPHERD = 'daemons/wshepherd/'
# Rooms that make system calls: those of the loop and its kernel, and what runs as the job's user.
ROOMS = ('rim/', 'user/')
FILES = ('main.cc', 'place.cc')


def is_pure_shepherd(path):
    """Whether a file is of the shepherd's logic, behind kernel.h."""
    below = path.removeprefix(SHEPHERD)
    return below != path and below not in FILES and not below.startswith(ROOMS)
