"""Role: Slurm's files as text: slurm.conf and its like, sacctmgr's dump and tables. Knows no key.

@source Slurm: slurm.conf(5): Keyword=Value, case does not matter, "\\" continues a line, "include FILE"; sacctmgr(1): dump, -P
"""

import os
import re

from convert.site import read


def logical_lines(text):
    """(number, line) without comments, continued ones joined."""
    kept, started = '', 0
    for number, line in enumerate(text.splitlines(), 1):
        line = re.sub(r'(?<!\\)#.*', '', line).replace('\\#', '#').rstrip()
        started = started or number
        if line.endswith('\\'):
            kept += line[:-1] + ' '
            continue
        if (kept + line).strip():
            yield started, (kept + line).strip()
        kept, started = '', 0


def words(line):
    """Keyword=Value pairs of a line, keywords in small letters; a value may be quoted, and '=' may stand between blanks."""
    found = re.findall(r'([A-Za-z_][\w-]*)\s*=\s*("[^"]*"|\S+)', line)
    return {key.lower(): value.strip('"') for key, value in found}


class Conf:
    """slurm.conf with what it includes: lines of one object each (NodeName, PartitionName ...), and all other keys."""

    OBJECTS = ('nodename', 'partitionname', 'nodeset', 'downnodes', 'frontendname', 'switchname', 'blockname')

    def __init__(self, site, folder, name):
        self.site, self.folder = site, folder
        self.keys, self.objects, self.hosts = {}, {kind: [] for kind in self.OBJECTS}, []
        self.spelled = {}
        self.read(name, 0)

    def read(self, name, depth):
        """One file."""
        for number, line in logical_lines(read(self.folder, name)):
            where, first = f'{os.path.basename(name)}:{number}', line.split()
            if first[0].lower() == 'include' and len(first) > 1 and '=' not in line:
                self.include(where, first[1], depth)
                continue
            pairs = words(line)
            kind = next(iter(pairs), '')
            if not pairs:
                self.site.lost(where, line, 'is no Keyword=Value')
            elif kind in self.OBJECTS:
                self.objects[kind].append((where, pairs))
            else:
                self.globals(line, pairs)

    def include(self, where, path, depth):
        """An included file: its folder may be that of another machine."""
        tried = [path, os.path.basename(path)]
        known = next((one for one in tried if os.path.exists(os.path.join(self.folder, one))), None)
        if known is None or depth > 8:
            self.site.lost(where, f'include {path}', 'no such file')
        else:
            self.read(known, depth + 1)

    def globals(self, line, pairs):
        """Keys of the cluster. SlurmctldHost may come several times."""
        for key, value in pairs.items():
            if key in ('slurmctldhost', 'controlmachine', 'backupcontroller'):
                self.hosts += [re.sub(r'\(.*', '', host) for host in value.split(',')]
            else:
                self.keys[key] = value
                self.spelled[key] = re.search(rf'\b{re.escape(key)}\b', line, re.I).group()

    def each(self, kind):
        """(where, pairs) of the objects of a kind, over what DEFAULT said before them."""
        defaults = {}
        for where, pairs in self.objects[kind]:
            if pairs[kind].upper() == 'DEFAULT':
                defaults.update({key: value for key, value in pairs.items() if key != kind})
            else:
                yield where, defaults | pairs


def dump_lines(text):
    """(number, kind, name, options) of a sacctmgr dump: Kind - 'name':Key=value:Key='value'."""
    for number, line in enumerate(text.splitlines(), 1):
        found = re.fullmatch(r"\s*(Cluster|Parent|Account|User)\s*-\s*'([^']*)'(.*)", line)
        if found:
            options = re.findall(r":([A-Za-z]+)=('[^']*'|[^:]*)", found.group(3))
            yield number, found.group(1), found.group(2), {key.lower(): value.strip("'") for key, value in options}


def table(text):
    """Rows of a table of sacctmgr -P (columns divided by |), keys in small letters; empty cells are left out."""
    lines = [line.split('|') for line in text.splitlines() if line.strip()]
    heads = [head.strip().lower() for head in lines[0]] if lines else []
    return [{head: cell.strip() for head, cell in zip(heads, line) if cell.strip()} for line in lines[1:]]
