"""Role: what a converter makes: sections of WM's files, and a report of what is not carried over.

No value is dropped in silence: `put` refuses what WM's files cannot hold and says so, `judge` (judge.py) what ckconfig refuses.
"""

import os

FILES = ('wm', 'queues', 'hosts', 'users', 'plans', 'apps', 'limits', 'slas')


class Refused(Exception):
    """Something a person has to read; nothing is made."""


class Section:
    """A heading, '' for keys without one, and its keys in order."""

    def __init__(self, heading):
        self.heading, self.keys = heading, {}

    def lines(self):
        """As the file has it, with the key of each line; None for the heading's and the blank one."""
        if self.heading:
            yield f'[{self.heading}]', None
        for key, value in self.keys.items():
            yield f'{key} = {value}', key
        yield '', None


class Site:
    """What is made, and reported."""

    def __init__(self, maker, source):
        self.maker, self.source = maker, source
        self.report = []
        self.files = {name: [] for name in FILES}

    def lost(self, where, what, why='has no place in WM'):
        """A line of the report; each stands there once."""
        line = f'{where}: {what}: {why}'
        if line not in self.report:
            self.report.append(line)

    def section(self, file, heading):
        """The section of that heading, made where there is none."""
        for section in self.files[file]:
            if section.heading == heading:
                return section
        self.files[file].append(Section(heading))
        return self.files[file][-1]

    def headings(self, file):
        """Names of the sections of a file."""
        return [section.heading for section in self.files[file]]

    def put(self, file, heading, pairs, where):
        """Keys of a section. What a line cannot hold is reported."""
        section = self.section(file, heading)
        for key, value in pairs:
            text = ' '.join(str(value).split())
            if '#' in text:
                self.lost(where, f'{key} = {text}', "'#' begins a comment in WM's files: put it into a script")
            elif text:
                section.keys[key] = text

    def drop(self, file, section):
        """Without that section."""
        self.files[file] = [one for one in self.files[file] if one is not section]

    def name(self, where, what, text):
        """A name of a section: without blanks, commas and brackets of any kind, '' and reported where none is left."""
        kept = ''.join('_' if letter in ' \t,<>[]#=' else letter for letter in text.strip())
        if kept != text:
            self.lost(where, text, f'{what} is called {kept} now')
        if kept.strip('_.') and kept != 'default':
            return kept
        self.lost(where, text or 'a section without a name', f'no name for {what}')
        return ''

    def text(self, file):
        """A file as it is written, and for each of its lines the section and the key."""
        lines, marks = [f'# Made by {self.maker} of {self.source}.', ''], [None, None]
        for section in self.files[file]:
            for line, key in section.lines():
                lines.append(line)
                marks.append((section, key))
        return '\n'.join(lines).rstrip('\n') + '\n', marks

    def write(self, folder):
        """All files, over what is there."""
        for name in FILES:
            with open(os.path.join(folder, f'{name}.conf'), 'w', encoding='utf-8') as file:
                file.write(self.text(name)[0])


def new_folder(folder):
    """Makes it; it must not be there."""
    try:
        os.makedirs(folder)
    except FileExistsError:
        raise Refused(f'{folder}: is there already') from None


def read(*path):
    """A file's text, '' where there is none."""
    try:
        with open(os.path.join(*path), encoding='utf-8', errors='replace') as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return ''
