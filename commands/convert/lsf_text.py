"""Role: LSF's files as text: lines, sections, tables. Knows no key.

@source LSF: lsf.conf, lsb.queues: "#" begins a comment, "\\" continues a line, #include "file", #if time(...) #else #endif
"""

import os
import re

from convert.site import read

# Sections of key = value; others are tables where their first line has no '='.
VERTICAL = {'queue', 'application', 'parameters', 'serviceclass', 'guaranteedresourcepool', 'resourcereservation', 'hostexport',
            'clusteradmins'}


class Reader:
    """Reads a folder's files; what they say to the reader is reported."""

    def __init__(self, site, folder):
        self.site, self.folder = site, folder

    def text(self, name, depth=0):
        """A file with what it includes; of #if time(...) the part of #else, which holds at no special time."""
        kept, skipping = [], []
        for line in read(self.folder, name).splitlines():
            word, _, rest = line.strip().partition(' ')
            if word == '#if' or word.startswith('#if('):
                self.site.lost(name, line.strip(), 'what holds at other times (#else) is carried over; see windows of limits.conf, run_window')
                skipping.append(True)
            elif word == '#else' and skipping:
                skipping[-1] = not skipping[-1]
            elif word in ('#endif', '#elif') and skipping:
                skipping[-1:] = [] if word == '#endif' else [True]
            elif any(skipping):
                kept.append('')
            elif word == '#include':
                kept += self.included(name, rest, depth)
            else:
                kept.append(line)
        return '\n'.join(kept) + '\n' if kept else ''

    def included(self, name, rest, depth):
        """The lines of an included file."""
        path = rest.strip().strip('"')
        if depth > 8 or not os.path.exists(os.path.join(self.folder, path)):
            self.site.lost(name, f'#include {path}', 'no such file')
            return []
        return self.text(path, depth + 1).splitlines()

    def sections(self, name, *kinds):
        """(kind, line, dict) of the Begin ... End sections of these kinds, of all without any; of tables one a row."""
        for kind, number, section in sections(self.text(name), lambda what, why: self.site.lost(name, what, why)):
            if not kinds or kind in kinds:
                yield kind, number, section


def logical_lines(text):
    """Lines without comments, continued ones joined, with their numbers."""
    kept, started = '', 0
    for number, line in enumerate(text.splitlines(), 1):
        line = re.sub(r'(^|\s)#.*', '', line).rstrip()
        started = started or number
        if line.endswith('\\'):
            kept += line[:-1].rstrip() + ' '
            continue
        if (kept + line).strip():
            yield started, (kept + line).strip()
        kept, started = '', 0
    if kept.strip():
        yield started, kept.strip()


def cells(line):
    """Blank-separated cells; (a b), [a, b], "a b" and what of them stands without a blank between is one."""
    return re.findall(r'(?:\((?:[^()]|\([^)]*\))*\)|\[[^\]]*\]|"[^"]*"|[^\s(\["])+', line)


def bare(text):
    """Without the brackets or quotes around it."""
    text = text.strip()
    if len(text) < 2 or text[0] + text[-1] not in ('()', '""', "''"):
        return text
    inner, depth = text[1:-1], 0
    for letter in inner:
        depth += (letter == '(') - (letter == ')')
        if depth < 0 or (text[0] != '(' and letter == text[0]):
            return text  # "(a) (b)"
    return inner.strip()


def value_of(cell):
    """A cell of a table: brackets around several groups, as of ([a, 1] [b, 2]), go as well; () and - are no value."""
    text = bare(cell)
    return '' if text in ('-', '()') else text


def rows(lines):
    """(line, dict) of a table, by its head."""
    heads = [head.upper() for head in cells(lines[0][1])]
    for number, line in lines[1:]:
        yield number, {head: value for head, cell in zip(heads, cells(line)) if (value := value_of(cell))}


def is_vertical(kind, lines):
    """Are its lines KEY = value?"""
    return kind in VERTICAL or bool(re.match(r'[\w/]+\s*=', lines[0][1]))


def pairs(lines, tell):
    """KEY = value lines as a dict; a key without '=' has no value. Of one that comes twice the first counts."""
    found = {}
    for _, line in lines:
        key, _, value = line.partition('=')
        key = key.strip().upper()
        if key in found:
            tell(line, 'is given twice: the first counts')
        found.setdefault(key, value.strip())
    return {key: value for key, value in found.items() if value not in ('', '()', '-')}


def sections(text, tell=lambda what, why: None):
    """(kind in small letters, line, dict) of every Begin ... End section, of tables one a row."""
    kind, lines = None, []
    for number, line in logical_lines(text):
        word = line.split()
        if word[0].lower() == 'begin' and len(word) > 1:
            kind, lines = word[1].lower(), []
        elif word[0].lower() == 'end' and kind:
            if lines and is_vertical(kind, lines):
                yield kind, lines[0][0], pairs(lines, tell)
            elif lines:
                yield from ((kind, at, row) for at, row in rows(lines))
            kind = None
        elif kind:
            lines.append((number, line))
        else:
            tell(line, 'stands outside any section')
    if kind:
        tell(f'Begin {kind}', 'has no End')


def settings(text):
    """NAME=value of lsf.conf."""
    found = {}
    for _, line in logical_lines(text):
        name, equals, value = line.partition('=')
        if equals and re.fullmatch(r'\w+', name.strip()):
            found[name.strip()] = bare(value)
    return found
