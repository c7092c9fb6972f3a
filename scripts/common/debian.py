#!/usr/bin/env python3
"""Role: which release of Debian this machine has, which is the other one that WM supports, and where its packages come
from: read from files below an /etc, decided without effects.

  here(etc)               codename: bookworm, trixie, …
  sources(etc)            [(URI, suite)] of apt, in both of its formats
  sources_of(release, …)  the same mirrors, for another release
  state(text)             a mirror's InRelease → how new it is: 13.8
usage: debian.py release | mirror     prints the codename, or the URI of this machine's mirror, nothing where apt has none
Callers: scripts/other_debian, scripts/install_check.
"""

import glob
import os
import re
import sys

OTHER = {'bookworm': 'trixie', 'trixie': 'bookworm'}
REACHABLE = ('http:', 'https:', 'file:')


def here(etc='/etc'):
    """The codename of the machine's release; '' where its os-release has none."""
    try:
        with open(os.path.join(etc, 'os-release'), encoding='utf-8') as text:
            found = re.search(r'^VERSION_CODENAME="?([a-z]+)"?$', text.read(), re.M)
    except OSError:
        return ''
    return found.group(1) if found else ''


def sources(etc='/etc'):
    """[(URI without a slash at its end, suite)] that apt has packages from, in the order of its files; a URI that is
    no http, https or file is left out."""
    found = []
    for path in [f'{etc}/apt/sources.list', *sorted(glob.glob(f'{etc}/apt/sources.list.d/*.list'))]:
        found += _of_lines(_text(path))
    for path in sorted(glob.glob(f'{etc}/apt/sources.list.d/*.sources')):
        found += _of_paragraphs(_text(path))
    return [(uri.rstrip('/'), suite) for uri, suite in found if uri.startswith(REACHABLE)]


def _text(path):
    """Of a file, without its comments; '' where there is none."""
    try:
        with open(path, encoding='utf-8') as text:
            return ''.join(line for line in text if not line.startswith('#'))
    except OSError:
        return ''


def _of_lines(text):
    """`deb [options] URI suite component…`."""
    return re.findall(r'^deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+(\S+)', text, re.M)


def _of_paragraphs(text):
    """Fields `Types: URIs: Suites:`, a paragraph a source."""
    found = []
    for paragraph in re.split(r'\n\s*\n', text):
        field = {name.lower(): value.split() for name, value in re.findall(r'^([A-Za-z-]+):(.*)$', paragraph, re.M)}
        if 'deb' in field.get('types', []) and field.get('enabled') != ['no']:
            found += [(uri, suite) for uri in field.get('uris', []) for suite in field.get('suites', [])]
    return found


def sources_of(release, of_here, known):
    """What `known` sources of release `of_here` are for `release`: [(URI, suite)], the release's own first. Of others
    than Debian's own suites there is nothing; [] with no source of the release itself."""
    parts = ('', '-updates', '-security')
    found = [(uri, release + part) for part in parts for uri, suite in known if suite == of_here + part]
    return found if found and found[0][1] == release else []


def state(in_release):
    """How new a mirror is by its InRelease: its point release, or the day it was made; '' where it says neither."""
    version = re.search(r'^Version: ([0-9.]+)$', in_release, re.M)
    if version:
        return version.group(1)
    day = re.search(r'^Date: \w+, (\d+) (\w+) (\d+) ', in_release, re.M)
    return '-'.join(day.group(3, 2, 1)) if day else ''


def main(words):
    """Prints what is asked for."""
    if words == ['release']:
        print(here())
    elif words == ['mirror']:
        print(*[uri for uri, _ in sources_of(here(), here(), sources())[:1]])
    else:
        sys.exit('usage: debian.py release | mirror')


if __name__ == '__main__':
    main(sys.argv[1:])
