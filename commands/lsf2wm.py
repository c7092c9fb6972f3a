#!/usr/bin/python3 -I
"""lsf2wm: the configuration of an LSF cluster as files of WM, and what could not be carried over.

usage: lsf2wm [-c CLUSTER] [-o FOLDER] [LSF_ENVDIR]

Reads lsf.conf, lsf.cluster.CLUSTER and lsb.{params,queues,hosts,users,applications,resources,serviceclasses}, where LSF_CONFDIR and
LSB_CONFDIR of lsf.conf say or below LSF_ENVDIR (default: $LSF_ENVDIR); writes WM's files to FOLDER (default: wm-conf, which must not
exist), and has `badmin ckconfig` read them. The report, a line a setting that has no place in WM or another meaning, goes to
standard output. Exit: 0 all carried over, 1 made with a report, 2 nothing made.
"""

import argparse
import os
import sys

from convert.ending import convert
from convert.lsf_site import made
from convert.site import Refused


def main(words):
    """The command."""
    parser = argparse.ArgumentParser(prog='lsf2wm', description=__doc__.partition('\n')[0])
    parser.add_argument('-c', dest='cluster', metavar='CLUSTER')
    parser.add_argument('-o', dest='out', metavar='FOLDER', default='wm-conf')
    parser.add_argument('envdir', metavar='LSF_ENVDIR', nargs='?', default=os.environ.get('LSF_ENVDIR', ''))
    args = parser.parse_args(words)

    def make():
        if not args.envdir:
            raise Refused('which LSF_ENVDIR? Name it, or set the variable')
        return made(args.envdir, args.cluster)

    return convert('lsf2wm', args.out, make)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
