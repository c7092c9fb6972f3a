#!/usr/bin/python3 -I
"""slurm2wm: the configuration of a Slurm cluster as files of WM, and what could not be carried over.

usage: slurm2wm [-a DUMP] [-q TABLE] [-o FOLDER] [FOLDER_OF_SLURM_CONF]

Reads slurm.conf with what it includes and topology.conf (default: the folder of $SLURM_CONF, else /etc/slurm), with -a what
`sacctmgr dump CLUSTER file=DUMP` wrote, with -q what `sacctmgr -P show qos` printed; writes WM's files to FOLDER (default: wm-conf,
which must not exist), and has `badmin ckconfig` read them. The report, a line a setting that has no place in WM or another meaning,
goes to standard output. Exit: 0 all carried over, 1 made with a report, 2 nothing made.
"""

import argparse
import os
import sys

from convert.ending import convert
from convert.site import Refused, read
from convert.slurm_site import made


def usual_folder():
    """Where Slurm looks."""
    return os.path.dirname(os.environ.get('SLURM_CONF', '/etc/slurm/slurm.conf'))


def text_of(path):
    """A file that is named has to be there."""
    if path and not os.path.isfile(path):
        raise Refused(f'{path}: no such file')
    return read(path) if path else ''


def main(words):
    """The command."""
    parser = argparse.ArgumentParser(prog='slurm2wm', description=__doc__.partition('\n')[0])
    parser.add_argument('-a', dest='dump', metavar='DUMP', default='')
    parser.add_argument('-q', dest='qos', metavar='TABLE', default='')
    parser.add_argument('-o', dest='out', metavar='FOLDER', default='wm-conf')
    parser.add_argument('folder', metavar='FOLDER_OF_SLURM_CONF', nargs='?', default=usual_folder())
    args = parser.parse_args(words)
    return convert('slurm2wm', args.out, lambda: made(args.folder, text_of(args.dump), text_of(args.qos)))


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
