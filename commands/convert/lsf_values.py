"""Role: values of LSF's keys as WM writes them: lists, times, sizes, windows, hosts' names.

A function raises ValueError for what it cannot read; the caller reports that.
"""

import fnmatch
import re

from convert.lsf_text import bare

UNITS = {unit: unit[0] for unit in ('K', 'M', 'G', 'T', 'P', 'KB', 'MB', 'GB', 'TB', 'PB')}
NEVER = {'unlimited', 'none', '-'}


def names(text):
    """Members of a list."""
    return [word for word in re.split(r'[\s,]+', bare(text)) if word]


def minutes(text):
    """[hours:]minutes[/host] as a length of time; '' where there is none."""
    text = text.split('/')[0].strip()
    if text.lower() in NEVER:
        return ''
    hours, _, rest = text.rpartition(':')
    return f'{int(hours or 0) * 60 + int(float(rest))}m'


def seconds_of(text):
    """A whole number of seconds."""
    return f'{int(float(text))}s'


def usual_and_most(text):
    """`[usual] most` of a limit: usual is '' where only one is given."""
    words = text.split()
    if not 0 < len(words) < 3:
        raise ValueError(text)
    return (words[0] if len(words) == 2 else ''), words[-1]


def size(text, unit):
    """A limit of memory with its unit, `unit` where none is written; '' where there is no limit."""
    text = text.split('/')[0].strip()
    if text.lower() in NEVER:
        return ''
    found = re.fullmatch(r'([\d.]+)\s*([A-Za-z]*)', text)
    if not found or found.group(2).upper() not in ('', *UNITS):
        raise ValueError(text)
    return f'{int(float(found.group(1)))}{UNITS.get(found.group(2).upper(), unit)}'


def windows(text):
    """Parts of the week, written as here; brackets as in tables."""
    words = re.sub(r'[()]', ' ', text).split()
    for word in words:
        if not re.fullmatch(r'[\d:]+-[\d:]+', word):
            raise ValueError(text)
    return ' '.join(words)


def shares(text):
    """(name, shares) of [name, n] groups."""
    return re.findall(r'\[\s*([\w@.-]+)\s*,\s*(\d+)\s*\]', text)


def expanded(word):
    """node[1-3,7] and node[01-10] as names; a word without numbers in brackets as it is."""
    found = re.fullmatch(r'([^\[\]]*)\[([\d,\s:-]+)\]([^\[\]]*)', word)
    if not found:
        return [word]
    before, ranges, after = found.groups()
    made = []
    for part in re.split(r'[,\s]+', ranges):
        first, _, last = re.sub(r':\d+$', '', part).partition('-')
        if not first.isdigit() or (last and not last.isdigit()) or int(last or first) - int(first) > 100000:
            raise ValueError(word)
        for number in range(int(first), int(last or first) + 1):
            made.append(f'{before}{number:0{len(first)}d}{after}')
    return [name for one in made for name in expanded(one)]


class HostNames:
    """The hosts and host groups that LSF knows, and what lists of them mean.

    Hosts are called by their names up to the first dot, as wnoded calls itself, unless two would be one. `hosts` are all; those that
    take no jobs are in no list.
    """

    def __init__(self, hosts, takes_no_jobs=()):
        short = {host: host.partition('.')[0] for host in hosts}
        unique = len(set(short.values())) == len(short)
        self.called = short if unique else {host: host for host in hosts}
        self.hosts = [name for host, name in self.called.items() if host not in takes_no_jobs]
        self.running = set(self.hosts)
        self.groups = {}

    def known(self, word):
        """Hosts of one word: a name, a group, a pattern, a range of numbers."""
        if word in self.groups:
            return self.groups[word]
        if word in self.called:
            return [self.called[word]] if self.called[word] in self.running else []
        meant = {name for one in expanded(word) for name in (one, one.partition('.')[0])}
        found = [host for host in self.hosts if host in meant]
        if '*' in word:
            found += [host for host in self.hosts if fnmatch.fnmatch(host, word)]
        return found

    def members(self, text):
        """(hosts, words that are none): of all, others, ~name, name+n, name!."""
        chosen, taken_off, strange = [], set(), []
        for word in host_words(text):
            plain = re.sub(r'(\+\d*|!)$', '', word.removeprefix('~'))
            found = self.hosts if plain in ('all', 'allremote', 'others', 'default') else self.known(plain)
            if not found:
                strange.append(plain)
            if word.startswith('~'):
                taken_off.update(found)
            else:
                chosen += found
        if not chosen and taken_off:
            chosen = self.hosts
        return [host for host in dict.fromkeys(chosen) if host not in taken_off], strange


def host_words(text):
    """Words of a list of hosts; what is in brackets of numbers may have commas."""
    return re.findall(r'[^\s,\[\]]*(?:\[[^\]]*\][^\s,\[\]]*)+|[^\s,]+', bare(text))
