"""Role: which files of a daemon that is pure otherwise do its system calls. Read by check_layers, which refuses such
calls elsewhere, and by mutants, which breaks the others only.
"""

import os

SHEPHERD = ('main', 'loop', 'real_kernel', 'warm_parent', 'node_link', 'log_file', 'user_part', 'sweep', 'place',
            'output', 'passage', 'mail', 'last_words')


def is_pure_shepherd(path):
    """Whether a file is of the shepherd's logic, behind kernel.h."""
    return path.startswith('daemons/wshepherd/') and os.path.basename(path).split('.')[0] not in SHEPHERD
