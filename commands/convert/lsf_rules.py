"""Role: lsb.resources and lsb.serviceclasses: limits, who may reserve, guarantees, goals."""

import re

from convert import lsf_values as values
from convert.lsf_text import bare

CONSUMERS = ('USER', 'QUEUE', 'PROJECT', 'APP')
KNOWN = {'NAME', 'DESCRIPTION', 'SLOTS', 'JOBS', 'MEM', 'PER_HOST', *(f'{one}S' for one in CONSUMERS), *(f'PER_{one}' for one in CONSUMERS)}


def consumers(c, where, section):
    """Whom a limit is about; None where that cannot be said."""
    made = []
    for kind in CONSUMERS:
        for key, ours in ((f'{kind}S', f'{kind.lower()}s'), (f'PER_{kind}', f'per_{kind.lower()}')):
            words = values.names(section.get(key, ''))
            if kind == 'USER':
                words = [one for word in words for one in each_member(c, word, key)]
            if words and words != ['-']:
                made.append((ours, ', '.join(words)))
    if 'PER_HOST' in section:
        hosts, strange = c.hosts.members(section['PER_HOST'])
        if strange or not hosts:
            c.lost(where, f'Limit {section.get("NAME", "")} PER_HOST={section["PER_HOST"]}', 'names no hosts')
            return None
        made.append(('per_host', 'all' if len(hosts) == len(c.hosts.hosts) else ', '.join(hosts)))
    return made


def each_member(c, word, key):
    """LSF counts each member of a group in PER_USER; WM a group as one."""
    group = word.rstrip('@')
    if group in c.users.words and (key == 'PER_USER' or word.endswith('@')):
        return c.users.members(group)
    return [word]


def amount(c, where, name, text):
    """A number of slots, jobs or memory; none where it changes with time, or is a part of something."""
    text = bare(text)
    if re.fullmatch(r'\d+', text):
        return f'{text}{"M" if name == "MEM" else ""}'
    if name == 'MEM' and re.fullmatch(r'[\d.]+\s*[KMGTP]B?', text, re.I):
        return values.size(text, 'M')
    c.lost(where, f'{name}={text}', 'is a plain number here; see windows of limits.conf')
    return ''


def make_limits(c, found):
    """Limit sections: those of one queue are keys of the queue, the others are limits.conf's."""
    for number, section in found:
        where = f'lsb.resources:{number}'
        amounts = [(key.lower(), amount(c, where, key, section[key])) for key in ('SLOTS', 'JOBS', 'MEM') if key in section]
        amounts = [pair for pair in amounts if pair[1]]
        others = {key: value for key, value in section.items() if key not in KNOWN and key not in ('ELIGIBLE_PEND_JOBS', 'INELIGIBLE')}
        for key, value in others.items():
            why = 'licences and other shared resources are not counted' if key in ('RESOURCE', 'LICENSE') else 'limits count slots, jobs and memory'
            c.lost(where, f'Limit {section.get("NAME", "")}: {key}={value}', why)
        about = consumers(c, where, section)
        if about is None or not amounts or 'HOSTS' in others:
            c.lost(where, f'Limit {section.get("NAME", "")}', 'is not made')
            continue
        if not of_queue(c, about, amounts):
            name = c.site.name(where, 'a limit', section.get('NAME') or f'limit_{number}')
            c.site.put('limits', name or f'limit_{number}', about + amounts, where)


def of_queue(c, about, amounts):
    """Slots of one queue, or of each user of it, are a key of the queue. False: it is about something else."""
    keys = {(): 'max_slots', ('per_user',): 'user_slots', ('per_host',): 'host_slots'}
    queues = [value for key, value in about if key in ('queues', 'per_queue')]
    rest = [(key, value) for key, value in about if key not in ('queues', 'per_queue')]
    plain = len(queues) == 1 and queues[0] in c.queue_names and all(value == 'all' for _, value in rest)
    key = keys.get(tuple(key for key, _ in rest))
    if not plain or not key or [name for name, _ in amounts] != ['slots']:
        return False
    section = c.site.section('queues', queues[0])
    if key not in section.keys:
        section.keys[key] = amounts[0][1]
    return True


def make_reservations(c, found):
    """Who may make advance reservations: sections of limits.conf."""
    for number, section in found:
        where = f'lsb.resources:{number}'
        name = c.site.name(where, 'a limit', section.get('NAME') or f'reservations_{number}')
        made = [('reservations', 'yes'), ('users', ', '.join(values.names(section.get('USERS', 'all'))))]
        if section.get('HOSTS', 'all') != 'all':
            hosts, strange = c.hosts.members(section['HOSTS'])
            for word in strange:
                c.lost(where, f'HOSTS: {word}', 'no such host or group')
            groups = [word for word in values.names(section['HOSTS']) if word in c.hosts.groups]
            made.append(('hosts', ', '.join(groups if groups == values.names(section['HOSTS']) else hosts)))
        try:
            made.append(('windows', values.windows(section.get('TIME_WINDOW', ''))))
        except ValueError:
            c.lost(where, f'TIME_WINDOW={section["TIME_WINDOW"]}', 'could not be read: nothing is made')
            continue
        for key in set(section) - {'NAME', 'USERS', 'HOSTS', 'TIME_WINDOW', 'DESCRIPTION'}:
            c.lost(where, f'{key}={section[key]}')
        c.site.put('limits', name or f'reservations_{number}', made, where)


def access(section):
    """ACCESS_CONTROL = QUEUES[..] USERS[..] ...: words by kind."""
    found = {kind: values.names(words) for kind, words in re.findall(r'(\w+)\s*\[([^\]]*)\]', section.get('ACCESS_CONTROL', ''))}
    if section.get('USER_GROUP'):
        found.setdefault('USERS', values.names(section['USER_GROUP']))
    return found


class Classes:
    """Service classes: goals become slas.conf's sections, guarantees plans that own slots."""

    def __init__(self, c, classes, pools):
        self.c = c
        self.classes = {section.get('NAME', ''): section for _, section in classes}
        self.owned = {}
        for number, pool in pools:
            self.read_pool(f'lsb.resources:{number}', pool)

    def read_pool(self, where, pool):
        """What a pool guarantees to whom."""
        name, kind = pool.get('NAME', ''), pool.get('TYPE', 'slots').split('[')[0].strip()
        for key in set(pool) - {'NAME', 'TYPE', 'DISTRIBUTION', 'DESCRIPTION'}:
            if not (key == 'HOSTS' and pool[key] == 'all'):
                self.c.lost(where, f'pool {name}: {key}={pool[key]}', 'plans own slots anywhere; lend and borrow of plans.conf say who may use idle ones')
        for owner, amount in re.findall(r'\[\s*([\w.-]+)\s*,\s*(\d+%?)\s*\]', pool.get('DISTRIBUTION', '')):
            if kind != 'slots' or amount.endswith('%'):
                why = 'licences are not counted' if kind == 'resource' else 'plans own numbers of slots'
                self.c.lost(where, f'pool {name} of {pool.get("TYPE", "slots")}: {owner} {amount}', why)
            else:
                self.owned[owner] = self.owned.get(owner, 0) + int(amount)

    def make(self):
        """Sections of plans.conf and slas.conf."""
        self.c.site.section('plans', '/')
        for name in sorted(set(self.classes) | set(self.owned)):
            section = self.classes.get(name, {})
            if re.search('VELOCITY|DEADLINE|THROUGHPUT', section.get('GOALS', '')):
                self.try_goal(name, section)
            elif name:
                self.make_plan(name, section)

    def make_plan(self, name, section):
        """A guarantee. A queue whose jobs are attached to it has its plan."""
        where, may = f'lsb.serviceclasses: {name}', access(section)
        heading = self.c.site.name(where, 'a plan', name)
        users = self.c.user_list(where, ' '.join(may.pop('USERS', [])))
        self.c.site.put('plans', f'/{heading}', [('owns', self.owned.get(name, 0)), ('users', ', '.join(users)),
                                                 ('description', section.get('DESCRIPTION', ''))], where)
        self.c.lost(where, name, f'is plan /{heading} now: -sla {name} becomes -plan /{heading}')
        attached = section.get('AUTO_ATTACH', 'N').upper().startswith('Y')
        for queue in may.pop('QUEUES', []) if attached else []:
            if queue in self.c.queue_names and 'plan' not in self.c.site.section('queues', queue).keys:
                self.c.site.section('queues', queue).keys['plan'] = f'/{heading}'
            else:
                self.c.lost(where, f'AUTO_ATTACH of queue {queue}', 'there is no such queue, or it has another plan')
        self.tell_rest(where, section, may, {'PRIORITY'})

    def try_goal(self, name, section):
        """Reports one whose windows cannot be read."""
        try:
            self.make_goal(name, section)
        except ValueError as problem:
            self.c.lost(f'lsb.serviceclasses: {name}', f'GOALS={section["GOALS"]}', f'{problem} could not be read')

    def make_goal(self, name, section):
        """Velocity, throughput, deadline."""
        where, goals, may = f'lsb.serviceclasses: {name}', section['GOALS'], access(section)
        made, times = [], []
        for kind, text in re.findall(r'\[\s*(VELOCITY|DEADLINE|THROUGHPUT)\b([^\[\]]*)\]', goals):
            number = re.search(r'\d+', text.split('timeWindow')[0])
            window = re.search(r'timeWindow\s*\(([^)]*)\)', text)
            if kind == 'DEADLINE':
                made.append(('deadline', values.windows(window.group(1)) if window else ''))
            elif kind.lower() in dict(made):
                self.c.lost(where, f'[{kind}{text}]', f'a class has one {kind.lower()}')
            elif number:
                made.append((kind.lower(), number.group()))
                times += [values.windows(window.group(1))] if window else []
        if len(set(times)) > 1:
            self.c.lost(where, f'GOALS={goals}', 'the windows of all goals are one')
        users = self.c.user_list(where, ' '.join(may.pop('USERS', [])))
        made += [('windows', ' '.join(dict.fromkeys(times))), ('priority', section.get('PRIORITY', '')), ('users', ', '.join(users)),
                 ('description', section.get('DESCRIPTION', ''))]
        self.c.site.put('slas', self.c.site.name(where, 'a service class', name), made, where)
        self.tell_rest(where, section, may, set())

    def tell_rest(self, where, section, may, more):
        """What of a class is not carried over."""
        for kind, words in may.items():
            self.c.lost(where, f'{kind}[{" ".join(words)}]', 'users of a class or plan are known, no others')
        known = {'NAME', 'GOALS', 'PRIORITY', 'ACCESS_CONTROL', 'USER_GROUP', 'DESCRIPTION', 'AUTO_ATTACH'} - more
        for key in set(section) - known:
            self.c.lost(where, f'{key}={section[key]}')
