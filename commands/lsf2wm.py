#!/usr/bin/python3 -I
"""lsf2wm: the configuration of an LSF cluster as files of WM, and what could not be carried over.

usage: lsf2wm [-c CLUSTER] [-o FOLDER] [LSF_ENVDIR]

Reads lsf.conf, lsf.cluster.CLUSTER and lsbatch/CLUSTER/configdir/lsb.{params,queues,hosts,users,applications,resources,
serviceclasses} below LSF_ENVDIR (default: $LSF_ENVDIR) or LSF_CONFDIR of lsf.conf; writes wm.conf, queues.conf, hosts.conf, users.conf,
plans.conf, apps.conf and limits.conf to FOLDER (default: wm-conf, which must not exist). The report, a line a setting that has no place
in WM or another meaning, goes to standard output; `badmin ckconfig` says whether the files are sound.
Exit: 0 all carried over, 1 made with a report, 2 nothing made.
"""

import argparse
import os
import re
import signal
import sys


class Refused(Exception):
    """Something a person has to read."""


# ---- LSF's files ----------------------------------------------------------------------------------


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


def cells(line):
    """Blank-separated cells; (a b) and [a, b] and "a b" are one."""
    return [cell.strip() for cell in re.findall(r'\([^)]*\)|"[^"]*"|\S*\[[^\]]*\]\S*|\S+', line)]


def bare(text):
    """Without the brackets or quotes around it."""
    text = text.strip()
    if len(text) > 1 and text[0] + text[-1] in ('()', '""', "''"):
        return text[1:-1].strip()
    return text


def table_rows(heads, lines):
    """Rows of a column table as dicts; () and - are no value."""
    for number, line in lines:
        row = {head: bare(cell) for head, cell in zip(heads, cells(line))}
        yield number, {head: value for head, value in row.items() if value not in ('', '-', '()')}


def sections(text):
    """(kind, line, dict) of every Begin … End section, of tables one a row."""
    kind, lines = None, []
    for number, line in logical_lines(text):
        word = line.split()
        if word[0].lower() == 'begin':
            kind, lines = word[1], []
        elif word[0].lower() == 'end' and kind:
            if any('=' in one.split()[0] or re.match(r'\w+\s*=', one) for _, one in lines[:1]):
                pairs = (one.split('=', 1) for _, one in lines if '=' in one)
                yield kind, number, {key.strip().upper(): value.strip() for key, value in pairs}
            elif lines:
                heads = [head.upper() for head in cells(lines[0][1])]
                for at, row in table_rows(heads, lines[1:]):
                    yield kind, at, row
            kind = None
        elif kind:
            lines.append((number, line))


def settings(text):
    """NAME=value of lsf.conf."""
    found = {}
    for _, line in logical_lines(text):
        name, equals, value = line.partition('=')
        if equals:
            found[name.strip()] = bare(value)
    return found


# ---- values ---------------------------------------------------------------------------------------


def names(text):
    """Members of a list; all and default stand for everybody."""
    return [word for word in re.split(r'[\s,]+', bare(text)) if word]


def listed(text):
    """As WM has lists; empty for everybody."""
    words = names(text)
    return '' if 'all' in words and not any(word.startswith('~') for word in words) else ', '.join(words)


def minutes(text):
    """[hours:]minutes[/host] as a length of time."""
    text = text.split('/')[0].strip()
    hours, _, rest = text.rpartition(':')
    return f'{int(hours or 0) * 60 + int(float(rest))}m'


def limit_pair(text):
    """`[usual] most` of a limit."""
    words = text.split()
    return (words[0], words[-1]) if words else ('', '')


UNITS = {'KB': 'K', 'MB': 'M', 'GB': 'G', 'TB': 'T', 'K': 'K', 'M': 'M', 'G': 'G', 'T': 'T'}


class Site:
    """What is read, made and reported."""

    def __init__(self):
        self.report, self.unit = [], 'K'
        self.out = {name: [] for name in ('wm', 'queues', 'hosts', 'users', 'plans', 'apps', 'limits')}
        self.groups, self.host_groups, self.users = {}, {}, {}
        self.queue_limits = {}
        self.plans = {}

    def lost(self, where, what, why='has no place in WM'):
        """A line of the report."""
        self.report.append(f'{where}: {what}: {why}')

    def size(self, text):
        """A limit of memory with its unit."""
        number, unit = re.fullmatch(r'([\d.]+)\s*([A-Za-z]*)', text.split('/')[0].strip()).groups()
        return f'{int(float(number))}{UNITS.get(unit.upper(), self.unit)}'


# ---- what becomes what ------------------------------------------------------------------------------


def tasks(site, _, text):
    """TASKLIMIT [min [default]] max."""
    words = text.split()
    pairs = [('max_tasks', words[-1])]
    return ([('min_tasks', words[0])] if len(words) > 1 else []) + pairs


def run_limit(site, where, text):
    """RUNLIMIT [default] max."""
    usual, most = limit_pair(text)
    return [('run_limit_max', minutes(most))] + ([('run_limit', minutes(usual))] if usual != most else [])


def fairshare(site, where, text):
    """USER_SHARES[[u, n] …] of a queue: shares of users.conf."""
    for name, share in re.findall(r'\[\s*([\w@.-]+)\s*,\s*(\d+)\s*\]', text):
        if name in ('default', 'others'):
            site.users.setdefault('default', {})['shares'] = share
        elif name.endswith('@'):
            site.lost(where, f'FAIRSHARE of {name}', 'give each member its shares in users.conf')
        else:
            key = f'@{name}' if name in site.groups else name
            site.users.setdefault(key, {})['shares'] = share
    site.lost(where, 'FAIRSHARE', 'shares hold for the cluster, not for one queue: see users.conf and plans.conf')
    return []


def preemption(site, where, text):
    """PREEMPTIVE[low1+2 low2] PREEMPTABLE[…]."""
    found = re.search(r'PREEMPTIVE(?:\[([^\]]*)\])?', text)
    if not found:
        return []
    queues = [re.sub(r'\+\d+$', '', word) for word in (found.group(1) or '').split()]
    return [('preempts', ', '.join(queues) or 'lower')]


def priority_step(site, where, text):
    """JOB_PRIORITY_OVER_TIME=increment/minutes."""
    increment, _, interval = text.partition('/')
    return [('priority_step', f'{max(1, round(60 * int(interval) / int(increment)))}s')]


def warning(site, where, text):
    """JOB_WARNING_ACTION: a signal by its number, a command as it is."""
    name = bare(text).removeprefix('SIG')
    known = getattr(signal, f'SIG{name}', None)
    if name == 'CHKPNT':
        site.lost(where, f'JOB_WARNING_ACTION={text}', 'bsub -k has periodic checkpoints')
        return []
    return [('warn_action', str(int(known)) if known else bare(text))]


def plain(key):
    """The value as it is."""
    return lambda site, where, text: [(key, bare(text))]


def named(key):
    """A list."""
    return lambda site, where, text: [(key, listed(text))] if listed(text) else []


def sized(key):
    """A size of memory."""
    return lambda site, where, text: [(key, site.size(limit_pair(text)[1]))]


def timed(key):
    """Minutes."""
    return lambda site, where, text: [(key, minutes(limit_pair(text)[1]))]


def windows(key):
    """Parts of the week, written as here."""
    return lambda site, where, text: [(key, ' '.join(text.replace('(', ' ').replace(')', ' ').split()))]


def flag(key):
    """Y or N."""
    return lambda site, where, text: [(key, 'yes' if text.upper().startswith('Y') else 'no')]


def act(site, where, name, text):
    """A signal or a command of JOB_CONTROLS, or of *_CONTROL: none where it is a checkpoint's."""
    key, text = f'{name.lower()}_control', ' '.join(text.split())
    if text == 'CHKPNT':
        site.lost(where, f'{name}[CHKPNT]', f'a command of {key} may run echkpnt')
        return []
    return [(key, text)]


def controls(site, where, text):
    """JOB_CONTROLS = SUSPEND[signal | command] RESUME[…] TERMINATE[…]."""
    found = re.findall(r'\b(SUSPEND|RESUME|TERMINATE)\[((?:[^\[\]]|\[[^\]]*\])*)\]', text)
    if not found:
        raise ValueError(text)
    return [pair for name, what in found for pair in act(site, where, name, what)]


def terminate_when(site, where, text):
    """TERMINATE_WHEN = LOAD PREEMPT WINDOW."""
    known = [word for word in ('load', 'preempt', 'window') if word in text.lower().split()]
    for word in set(text.split()) - {word.upper() for word in known}:
        site.lost(where, f'TERMINATE_WHEN={word}')
    return [('terminate_when', ' '.join(known))] if known else []


LOADS = ('R15S', 'R1M', 'R15M', 'UT', 'IT', 'TMP', 'SWP', 'MEM')


def load_limit(name, text):
    """r1m = 0.7/2.0 as r1m=0.7/2.0; tmp, swp and mem are in megabytes."""
    parts = [part.strip() for part in text.split('/')]
    unit = 'M' if name in ('TMP', 'SWP', 'MEM') else ''
    values = [f'{float(part):g}{unit}' if part not in ('', '-') else '-' for part in parts]
    return '' if set(values) == {'-'} else f'{name.lower()}={"/".join(values)}'


def loads(site, where, section):
    """The load thresholds of a queue: one key of all of its indices."""
    limits = []
    for name in (name for name in LOADS if section.get(name)):
        try:
            limits.append(load_limit(name, section[name]))
        except ValueError:
            site.lost(where, f'{name}={section[name]}', 'could not be read')
    limits = [limit for limit in limits if limit]
    return [('load', ' '.join(limits))] if limits else []


COMMON = {
    'DESCRIPTION': plain('description'), 'RES_REQ': plain('res_req'), 'RUNLIMIT': run_limit, 'RERUNNABLE': flag('rerunnable'),
    'PRE_EXEC': plain('pre_exec'), 'POST_EXEC': plain('post_exec'), 'REQUEUE_EXIT_VALUES': plain('requeue_exits'), 'NICE': plain('nice'),
    'RUNTIME': timed('run_estimate'), 'TASKLIMIT': tasks, 'PROCLIMIT': tasks, 'CPULIMIT': timed('cpu_limit'), 'GPU_REQ': plain('gpu'),
    'SWAPLIMIT': sized('swap_limit'), 'FILELIMIT': sized('file_limit'), 'DATALIMIT': sized('data_limit'),
    'STACKLIMIT': sized('stack_limit'), 'CORELIMIT': sized('core_limit'), 'PROCESSLIMIT': plain('process_limit'),
    'THREADLIMIT': plain('thread_limit'),
    'JOB_STARTER': lambda site, where, text: [('job_starter', text)],
}
QUEUE = COMMON | {
    'PRIORITY': plain('priority'), 'USERS': named('users'), 'HOSTS': named('hosts'), 'ADMINISTRATORS': named('admins'),
    'QJOB_LIMIT': plain('max_slots'), 'UJOB_LIMIT': plain('user_slots'), 'HJOB_LIMIT': plain('host_slots'),
    'MEMLIMIT': sized('mem_limit_max'), 'JOB_WARNING_ACTION': warning, 'JOB_ACTION_WARNING_TIME': timed('warn_time'),
    'MAX_JOB_REQUEUE': plain('max_requeue'), 'MAX_JOB_PREEMPT': plain('max_preempt'),
    'RUN_WINDOW': windows('run_window'), 'DISPATCH_WINDOW': windows('dispatch_window'),
    'JOB_CONTROLS': controls, 'TERMINATE_WHEN': terminate_when,
    'FAIRSHARE': fairshare, 'PREEMPTION': preemption, 'EXCLUSIVE': flag('exclusive'), 'DEFAULT_APPLICATION': plain('app'),
    'INTERACTIVE': lambda site, where, text: [('interactive', {'Y': 'yes', 'N': 'no', 'O': 'only'}[text[0].upper()])],
}
# What WM does always, or never needs to be told.
SILENT = {'QUEUE_NAME', 'NAME', 'BACKFILL', 'SLOT_RESERVE', 'RESOURCE_RESERVE', 'FAIRSHARE_QUEUES', 'DISPATCH_ORDER', 'MBD_SLEEP_TIME',
          'SBD_SLEEP_TIME', 'MAX_JOBID', 'MAX_JOB_NUM', 'MAX_SBD_FAIL', 'PEND_REASON_UPDATE_INTERVAL'}
APP = COMMON | {
    'MEMLIMIT': sized('mem_limit'),
    'SUSPEND_CONTROL': lambda site, where, text: act(site, where, 'SUSPEND', text),
    'RESUME_CONTROL': lambda site, where, text: act(site, where, 'RESUME', text),
    'TERMINATE_CONTROL': lambda site, where, text: act(site, where, 'TERMINATE', text),
    'SUCCESS_EXIT_VALUES': lambda site, where, text: [('success_exits', ', '.join(names(text)))],
    'RESIZE_NOTIFY_CMD': lambda site, where, text: [('resize', 'notify'), ('resize_command', bare(text))],
    # A job is resized where it asks for it (-ar), whatever its profile.
    'RESIZABLE_JOBS': lambda site, where, text: [],
}
USER = {'MAX_JOBS': 'max_slots', 'MAX_PEND_JOBS': 'max_pend_jobs'}
PARAMS = {
    'DEFAULT_QUEUE': lambda site, where, text: [('default_queue', names(text)[0])], 'DEFAULT_PROJECT': plain('default_project'),
    'DEFAULT_APPLICATION': plain('default_app'), 'MAX_JOB_ARRAY_SIZE': plain('max_array_size'),
    'CLEAN_PERIOD': lambda site, where, text: [('clean_period', f'{int(text)}s')],
    'JOB_TERMINATE_INTERVAL': lambda site, where, text: [('kill_grace', f'{int(text)}s')],
    'MAX_JOB_REQUEUE': plain('max_user_requeue'), 'MAX_JOB_PREEMPT': plain('max_preempt'),
    'RESOURCE_RESERVE_PER_TASK': flag('reserve_per_task'), 'MAX_USER_PRIORITY': plain('max_user_priority'),
    'JOB_PRIORITY_OVER_TIME': priority_step, 'MAX_PEND_JOBS': plain('max_pend_jobs'),
    'JOB_DEP_LAST_SUB': lambda site, where, text: [('dep_last_sub', 'yes' if text.strip() == '1' else 'no')],
    'HIST_HOURS': lambda site, where, text: [('usage_half_life', f'{max(1, round(float(text) * 0.301))}h')],
}


def convert(site, table, where, section):
    """A section's settings as WM's keys."""
    pairs = []
    for name, text in section.items():
        if name in SILENT or not text or (name in LOADS and table is QUEUE):
            continue
        if name not in table:
            site.lost(where, f'{name}={text}')
            continue
        try:
            pairs += table[name](site, where, text)
        except (AttributeError, KeyError, ValueError, IndexError):
            site.lost(where, f'{name}={text}', 'could not be read')
    return pairs


def put(site, file, heading, pairs):
    """A section of an output file."""
    site.out[file].append(f'[{heading}]' if heading else '')
    site.out[file] += [f'{key} = {value}' for key, value in pairs]
    site.out[file].append('')


def make_queues(site, found):
    """lsb.queues."""
    for number, section in found:
        name = section.get('QUEUE_NAME', '')
        if not re.fullmatch(r'[\w.-]+', name):
            site.lost(f'lsb.queues:{number}', f'QUEUE_NAME={name}', 'no name for a queue')
            continue
        where = f'lsb.queues: {name}'
        put(site, 'queues', name, convert(site, QUEUE, where, section) + loads(site, where, section))


def make_apps(site, found):
    """lsb.applications."""
    for number, section in found:
        name = section.get('NAME', '')
        if name:
            put(site, 'apps', name, convert(site, APP, f'lsb.applications: {name}', section))


def make_groups(site, found):
    """UserGroup and HostGroup: members by group."""
    for kind, _, section in found:
        group, members = section.get('GROUP_NAME'), names(section.get('GROUP_MEMBER', ''))
        into = {'usergroup': site.groups, 'hostgroup': site.host_groups}.get(kind.lower())
        if group and into is not None:
            into[group] = members
            if 'all' in members or any(word.startswith('~') for word in members):
                site.lost(f'{kind} {group}', ' '.join(members), 'all and ~ are not carried over: name the members')
        if group and section.get('USER_SHARES'):
            for name, share in re.findall(r'\[\s*([\w.-]+)\s*,\s*(\d+)\s*\]', section['USER_SHARES']):
                site.users.setdefault(f'@{name}' if name in site.groups else name, {})['shares'] = share


def make_users(site, found):
    """lsb.users."""
    for number, section in found:
        name = section.get('USER_NAME', '').rstrip('@')
        if not name:
            continue
        for theirs, ours in USER.items():
            if section.get(theirs):
                site.users.setdefault(name, {})[ours] = section[theirs]
        for other in set(section) - {'USER_NAME', *USER}:
            site.lost(f'lsb.users:{number}', f'{other} of {name}')
    for group, members in site.groups.items():
        for member in members:
            if member == 'all' or member.startswith('~'):
                continue
            key = f'@{member}' if member in site.groups else member
            site.users.setdefault(key, {}).setdefault('groups', []).append(group)
    for name, keys in sorted(site.users.items(), key=lambda item: (item[0] != 'default', item[0])):
        pairs = [(key, ', '.join(value) if isinstance(value, list) else value) for key, value in keys.items()]
        put(site, 'users', name, pairs)


def make_hosts(site, cluster_hosts, found):
    """lsb.hosts with the hosts of lsf.cluster."""
    rows = {row['HOSTNAME']: row for row in cluster_hosts if row.get('HOSTNAME')}
    limits = {row.get('HOST_NAME'): row for _, row in found}
    listed_hosts = list(rows) or [name for name in limits if name and name != 'default']
    for name in listed_hosts:
        row, pairs = limits.get(name, limits.get('default', {})), []
        most = row.get('MXJ', '!')
        if most.isdigit():
            pairs.append(('slots', most))
        groups = [group for group, members in site.host_groups.items() if name in members or 'all' in members]
        if groups:
            pairs.append(('groups', ', '.join(groups)))
        resources = names(rows.get(name, {}).get('RESOURCES', ''))
        if resources:
            pairs.append(('resources', ', '.join(word.replace('(', '').replace(')', '') for word in resources)))
        put(site, 'hosts', name, pairs)
        if row.get('JL/U', '').isdigit():
            put(site, 'limits', f'of_each_user_on_{name}', [('per_host', name), ('per_user', 'all'), ('slots', row['JL/U'])])
        for other in set(row) - {'HOST_NAME', 'MXJ', 'JL/U'}:
            site.lost('lsb.hosts', f'{other} of {name}')


def own_limit(site, where, section):
    """A section of limits.conf: of whatever it is about, but for what is not counted here."""
    name, pairs = re.sub(r'[\s,<>]', '_', section.get('NAME', '')) or where.replace(':', '_'), []
    for kind in ('USER', 'QUEUE', 'PROJECT', 'APP'):
        for key, ours in ((f'{kind}S', f'{kind.lower()}s'), (f'PER_{kind}', f'per_{kind.lower()}')):
            if key in section:
                pairs.append((ours, ', '.join(names(section[key]))))
    amounts = [(ours, section[key]) for key, ours in (('SLOTS', 'slots'), ('JOBS', 'jobs')) if section.get(key, '').isdigit()]
    if re.fullmatch(r'[\d.]+\s*[A-Za-z]*', section.get('MEM', '')):
        amounts.append(('mem', f'{section["MEM"]}M' if section['MEM'].isdigit() else section['MEM']))
    known = {'NAME', 'DESCRIPTION', 'SLOTS', 'JOBS', 'MEM', 'USERS', 'PER_USER', 'QUEUES', 'PER_QUEUE', 'PROJECTS', 'PER_PROJECT',
             'APPS', 'PER_APP'}
    if not amounts or set(section) - known:
        site.lost(where, f'Limit {section.get("NAME", "")}', 'set it in limits.conf, queues.conf, users.conf or plans.conf by hand')
        return
    put(site, 'limits', name, pairs + amounts)


def make_limits(site, found):
    """lsb.resources: limits of one queue, or of each user of it, become that queue's."""
    for number, section in found:
        where, slots = f'lsb.resources:{number}', section.get('SLOTS', section.get('JOBS', ''))
        queue = section.get('QUEUES') or section.get('PER_QUEUE') or ''
        others = set(section) - {'NAME', 'SLOTS', 'JOBS', 'QUEUES', 'PER_QUEUE', 'PER_USER', 'PER_HOST', 'DESCRIPTION'}
        if not slots.isdigit() or len(names(queue)) != 1 or others or 'all' in names(queue):
            own_limit(site, where, section)
            continue
        key = 'user_slots' if 'PER_USER' in section else 'host_slots' if 'PER_HOST' in section else 'max_slots'
        site.queue_limits.setdefault(names(queue)[0], []).append((key, slots))


def make_reservations(site, found):
    """Who may make advance reservations: sections of limits.conf."""
    for number, section in found:
        name = re.sub(r'[\s,<>]', '_', section.get('NAME', '')) or f'reservations_{number}'
        pairs = [(ours, ', '.join(names(section[key]))) for key, ours in (('USERS', 'users'), ('HOSTS', 'hosts')) if section.get(key)]
        if section.get('TIME_WINDOW'):
            pairs.append(('windows', section['TIME_WINDOW'].strip('()')))
        put(site, 'limits', name, [('reservations', 'yes')] + pairs)


def add_queue_limits(site):
    """Puts limits of lsb.resources behind the heading of their queue, unless it has its own."""
    for queue, pairs in site.queue_limits.items():
        if f'[{queue}]' not in site.out['queues']:
            site.lost('lsb.resources', f'a limit of queue {queue}', 'there is no such queue')
            continue
        at = site.out['queues'].index(f'[{queue}]') + 1
        end = site.out['queues'].index('', at)
        own = {line.split(' =')[0] for line in site.out['queues'][at:end]}
        site.out['queues'][at:at] = [f'{key} = {value}' for key, value in pairs if key not in own]


def make_plans(site, found):
    """Service classes with guarantees become plans that own slots."""
    put(site, 'plans', '/', [])
    pools = [section for kind, _, section in found if kind.lower() == 'guaranteedresourcepool']
    for pool in pools:
        for name, amount in re.findall(r'\[\s*([\w.-]+)\s*,\s*(\d+%?)\s*\]', pool.get('DISTRIBUTION', '')):
            if amount.endswith('%') or not pool.get('TYPE', 'slots').startswith('slots'):
                site.lost('lsb.resources', f'pool {pool.get("NAME", "")}: {name} {amount}', 'plans own numbers of slots')
            else:
                site.plans[name] = site.plans.get(name, 0) + int(amount)
    for name, owns in sorted(site.plans.items()):
        put(site, 'plans', f'/{name}', [('owns', owns)])
        site.lost('lsb.serviceclasses', name, f'is plan /{name} now: -sla {name} becomes -plan /{name}')


def make_cluster(site, cluster, lsf, params, cluster_sections):
    """wm.conf."""
    pairs = [('cluster_name', cluster)]
    masters = names(lsf.get('LSF_MASTER_LIST', ''))
    if masters:
        pairs.append(('master_host', masters[0]))
        for other in masters[1:]:
            site.lost('lsf.conf', f'LSF_MASTER_LIST: {other}', 'there is one master')
    admins = [section for kind, _, section in cluster_sections if kind.lower() == 'clusteradmins']
    if admins and admins[0].get('ADMINISTRATORS'):
        pairs.append(('admins', ', '.join(names(admins[0]['ADMINISTRATORS']))))
    if lsf.get('LSF_UNIT_FOR_LIMITS'):
        pairs.append(('unit_for_limits', lsf['LSF_UNIT_FOR_LIMITS'].upper()))
    for section in params:
        pairs += convert(site, PARAMS, 'lsb.params', section)
    put(site, 'wm', None, pairs)


# ---- the whole ----------------------------------------------------------------------------------------


def read(*path):
    """A file's text, '' where there is none."""
    try:
        with open(os.path.join(*path), encoding='utf-8', errors='replace') as file:
            return file.read()
    except FileNotFoundError:
        return ''


def cluster_of(conf, given):
    """The cluster's name: given, or the only lsf.cluster file there."""
    found = sorted(name[12:] for name in os.listdir(conf) if name.startswith('lsf.cluster.'))
    if given:
        return given
    if len(found) != 1:
        raise Refused(f'{conf}: which cluster? -c {" | ".join(found) or "NAME"}')
    return found[0]


def made(envdir, given):
    """Everything of a cluster."""
    if not os.path.isdir(envdir):
        raise Refused(f'{envdir}: no such folder')
    lsf = settings(read(envdir, 'lsf.conf'))
    conf = lsf.get('LSF_CONFDIR', envdir)
    conf = conf if os.path.isdir(conf) else envdir
    cluster = cluster_of(conf, given)
    batch = os.path.join(conf, 'lsbatch', cluster, 'configdir')
    if not os.path.isdir(batch):
        raise Refused(f'{batch}: no such folder')
    site = Site()
    site.unit = UNITS.get(lsf.get('LSF_UNIT_FOR_LIMITS', 'KB').upper(), 'K')

    def found(name, *kinds):
        return [(kind, number, section) for kind, number, section in sections(read(batch, name))
                if not kinds or kind.lower() in kinds]

    cluster_sections = list(sections(read(conf, f'lsf.cluster.{cluster}')))
    make_groups(site, found('lsb.users', 'usergroup') + found('lsb.hosts', 'hostgroup'))
    make_cluster(site, cluster, lsf, [s for _, _, s in found('lsb.params', 'parameters')], cluster_sections)
    make_queues(site, [(n, s) for _, n, s in found('lsb.queues', 'queue')])
    make_apps(site, [(n, s) for _, n, s in found('lsb.applications', 'application')])
    make_limits(site, [(n, s) for _, n, s in found('lsb.resources', 'limit')])
    make_reservations(site, [(n, s) for _, n, s in found('lsb.resources', 'resourcereservation')])
    add_queue_limits(site)
    make_users(site, [(n, s) for _, n, s in found('lsb.users', 'user')])
    make_hosts(site, [s for kind, _, s in cluster_sections if kind.lower() == 'host'],
               [(n, s) for _, n, s in found('lsb.hosts', 'host')])
    make_plans(site, found('lsb.resources'))
    for kind, number, section in found('lsb.hosts', 'hostpartition', 'computeunit') + found('lsb.users', 'usermap'):
        site.lost(f'{kind}:{number}', ' '.join(section.values()))
    return site


def write(site, folder, source):
    """The files; the folder is new."""
    try:
        os.makedirs(folder)
    except FileExistsError:
        raise Refused(f'{folder}: is there already') from None
    for name, lines in site.out.items():
        with open(os.path.join(folder, f'{name}.conf'), 'w', encoding='utf-8') as file:
            file.write(f'# Made by lsf2wm of {source}.\n\n' + '\n'.join(lines).lstrip('\n').rstrip('\n') + '\n')


def main(words):
    """The command."""
    parser = argparse.ArgumentParser(prog='lsf2wm', description=__doc__.partition('\n')[0])
    parser.add_argument('-c', dest='cluster', metavar='CLUSTER')
    parser.add_argument('-o', dest='out', metavar='FOLDER', default='wm-conf')
    parser.add_argument('envdir', metavar='LSF_ENVDIR', nargs='?', default=os.environ.get('LSF_ENVDIR', ''))
    args = parser.parse_args(words)
    try:
        if not args.envdir:
            raise Refused('which LSF_ENVDIR? Name it, or set the variable')
        site = made(args.envdir, args.cluster)
        write(site, args.out, args.envdir)
    except (Refused, OSError) as problem:
        print(f'lsf2wm: {problem}', file=sys.stderr)
        return 2
    for line in site.report:
        print(line)
    print(f'{args.out}: wm.conf queues.conf hosts.conf users.conf plans.conf apps.conf limits.conf; {len(site.report)} not carried over')
    return 1 if site.report else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
