"""Role: hosts, host groups, resources, load thresholds: lsf.cluster, lsb.hosts, compute units."""

import re

from convert import lsf_values as values
from convert.lsf_keys import WHY
from convert.lsf_text import value_of

LOADS = ('R15S', 'R1M', 'R15M', 'UT', 'IT', 'TMP', 'SWP', 'MEM')
# Thresholds that LSF knows and WM does not measure.
OTHER_LOADS = ('PG', 'IO', 'LS')


def load_limit(name, text):
    """r1m = 0.7/2.0 as r1m=0.7/2.0; tmp, swp and mem are in megabytes. '' where neither is given."""
    parts = [value_of(part) for part in text.split('/')]
    unit = 'M' if name in ('TMP', 'SWP', 'MEM') else ''
    known = [f'{float(part.rstrip("%")):g}{unit}{"%" * part.endswith("%")}' if part else '-' for part in parts[:2]]
    return '' if set(known) == {'-'} else f'{name.lower()}={"/".join(known)}'


def loads(c, where, section):
    """The load thresholds of a queue or a host: one key of all of its indices."""
    limits = []
    for name in LOADS + OTHER_LOADS:
        text = section.get(name, '')
        if not text:
            continue
        if name in OTHER_LOADS:
            c.lost(where, f'{name}={text}')
            continue
        try:
            limits.append(load_limit(name, text))
        except ValueError:
            c.lost(where, f'{name}={text}', 'could not be read')
    limits = [limit for limit in limits if limit]
    return [('load', ' '.join(limits))] if limits else []


class HostRows:
    """Rows of lsb.hosts by what they are about: a host, a group, a type or model, default."""

    def __init__(self, c, cluster_rows, found):
        self.c, self.rows = c, {}
        self.kinds = {c.hosts.called[host]: (row.get('MODEL', ''), row.get('TYPE', '')) for host, row in cluster_rows.items()}
        for number, row in found:
            self.add(f'lsb.hosts:{number}', row)

    def add(self, where, row):
        """Its name may stand for several hosts. Names go before groups, groups before types."""
        name = row.get('HOST_NAME', '')
        hosts, rank = self.c.hosts.known(name), 1 if name in self.c.hosts.groups else 0
        if not hosts:
            hosts, rank = [host for host, kind in self.kinds.items() if name in kind], 2
        if name == 'default':
            hosts, rank = self.c.hosts.hosts, 3
        if not hosts:
            self.c.lost(where, name or 'a row without HOST_NAME', 'no such host, group, type or model')
        for host in hosts:
            if host not in self.rows or rank < self.rows[host][0]:
                self.rows[host] = (rank, row)

    def of(self, host):
        """The row of a host; empty where it has none."""
        return self.rows.get(host, (0, {}))[1]


def resource_maps(c, found):
    """Resources of ResourceMap by host: what one host has by itself; shared ones are reported."""
    owned = {}
    for number, row in found:
        name, where = row.get('RESOURCENAME', ''), f'lsf.cluster:{number}'
        location = row.get('LOCATION', '')
        instances = re.findall(r'(?:([\w.-]+)@)?\[([^\]]*)\]', location)
        if not name or not instances:
            c.lost(where, f'ResourceMap {name} {location}', 'could not be read')
        for amount, place in instances:
            # LSF writes 500@[host]; [host@500] is seen as well.
            inner = re.fullmatch(r'\s*([\w.-]+)@([\w.-]+)\s*', place)
            amount, place = (inner.group(2), inner.group(1)) if inner else (amount, place)
            hosts, _ = c.hosts.members(place)
            each = place.strip() == 'default' and amount
            if not amount:
                c.lost(where, f'resource {name} of [{place.strip()}]', 'elim programs have no place in WM: give it a value in resources of hosts.conf')
            elif len(hosts) == 1 or each:
                for host in hosts:
                    owned.setdefault(host, {})[name] = amount
            else:
                c.lost(where, f'resource {name} {amount}@[{place.strip()}]', 'licences and what else hosts share are not counted: see jobs of limits.conf')
    return owned


def resources(c, where, text, mapped):
    """RESOURCES of a host, and what ResourceMap gives it."""
    words = []
    for word in values.names(text.replace('(', ' ').replace(')', ' ')):
        name = word.lstrip('!')
        if name != word:
            c.lost(where, f'exclusive resource {word}', 'the host takes jobs that do not ask for it, too')
        words.append(name)
    return ', '.join(dict.fromkeys(words + [f'{name}={amount}' for name, amount in mapped.items()]))


def slots(c, where, text):
    """MXJ: a number, ! for as many as cores."""
    if text in ('', '!'):
        return []
    if not text.isdigit():
        c.lost(where, f'MXJ={text}', 'could not be read')
        return []
    return [('slots', int(text))]


def without_jobs(rows, host_rows):
    """Hosts that take no jobs: clients (server 0), and those that a row of their own gives MXJ 0."""
    none = {row.get('HOST_NAME') for _, row in host_rows if row.get('MXJ') == '0'}
    return {host for host, row in rows.items() if row.get('SERVER') == '0' or host in none or host.partition('.')[0] in none}


def make_groups(c, found):
    """HostGroup and ComputeUnit: their hosts by name."""
    waiting = [(kind, number, row.get('GROUP_NAME') or row.get('NAME', ''), row) for kind, number, row in found]
    for _ in range(len(waiting) + 1):
        for kind, number, name, row in waiting:
            hosts, _ = c.hosts.members(row.get('GROUP_MEMBER') or row.get('MEMBER', ''))
            c.hosts.groups[name] = hosts
    for kind, number, name, row in waiting:
        where = f'lsb.hosts:{number}'
        for strange in c.hosts.members(row.get('GROUP_MEMBER') or row.get('MEMBER', ''))[1]:
            c.lost(where, f'{strange} of {name}', 'is no host of lsf.cluster and no group')
        if not c.hosts.groups[name]:
            c.lost(where, f'group {name}', 'has no hosts')
        for other in ('GROUP_ADMIN', 'CONDENSE'):
            if other in row and not (other == 'CONDENSE' and row[other].upper().startswith('N')):
                c.lost(where, f'{other}={row[other]} of {name}', WHY.get(other, 'has no place in WM'))


def make_switches(c, found):
    """Compute units as switches: path of each host from the widest unit to its own."""
    above = {}
    for _, _, row in found:
        for host in c.hosts.groups.get(row.get('NAME', ''), []):
            above.setdefault(host, []).append((len(c.hosts.groups[row['NAME']]), row['NAME']))
    return {host: '/'.join(name for _, name in sorted(units, reverse=True)) for host, units in above.items()}


class Hosts:
    """What hosts.conf is made of."""

    def __init__(self, c, cluster_rows, found, maps, units):
        self.c, self.cluster_rows = c, cluster_rows
        self.rows = HostRows(c, cluster_rows, found)
        self.owned = resource_maps(c, maps)
        self.switches = make_switches(c, units)

    def make(self):
        """Sections of hosts.conf, and of limits.conf for JL/U."""
        renamed = [host for host, name in self.c.hosts.called.items() if name != host]
        if renamed:
            self.c.lost('lsf.cluster', f'{renamed[0]}{" and others" * (len(renamed) > 1)}',
                        f'is called {self.c.hosts.called[renamed[0]]}, as wnoded calls itself: else start it with --name')
        for host, row in self.cluster_rows.items():
            name = self.c.hosts.called[host]
            if name in self.c.hosts.running:
                self.make_one(name, row)
            elif row.get('SERVER') == '0':
                self.c.lost('lsf.cluster', name, 'is a client only: it needs no section')
            else:
                self.c.lost('lsb.hosts', f'{name}: MXJ=0', 'takes no jobs: it has no section, and needs no wnoded')

    def make_one(self, name, cluster_row):
        """One host."""
        c, row = self.c, self.rows.of(name)
        where = f'lsb.hosts: {row.get("HOST_NAME", name)}'
        made = slots(c, where, row.get('MXJ', ''))
        groups = [group for group, hosts in c.hosts.groups.items() if name in hosts]
        asked = {key: row.get(key) or cluster_row.get(key, '') for key in LOADS + OTHER_LOADS}
        window = row.get('DISPATCH_WINDOW') or cluster_row.get('RUNWINDOW', '')
        made += [('groups', ', '.join(groups)), ('switches', self.switches.get(name, '')),
                 ('resources', resources(c, where, cluster_row.get('RESOURCES', ''), self.owned.get(name, {})))]
        made += loads(c, where, asked)
        try:
            made += [('dispatch_window', values.windows(window))] if window else []
        except ValueError:
            c.lost(where, f'DISPATCH_WINDOW={window}', 'could not be read')
        c.site.put('hosts', name, made, where)
        c.site.section('hosts', name)
        if row.get('JL/U', '').isdigit():
            c.site.put('limits', f'of_each_user_on_{name}', [('per_host', name), ('per_user', 'all'), ('slots', row['JL/U'])], where)
        known = {'HOST_NAME', 'MXJ', 'JL/U', 'DISPATCH_WINDOW', 'AFFINITY', *LOADS, *OTHER_LOADS}
        for other in set(row) - known:
            c.lost(where, f'{other}={row[other]}', WHY.get(other, 'has no place in WM'))
