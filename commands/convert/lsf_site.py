"""Role: a whole LSF cluster: its folder, lsf.conf, and the order in which files are read.

Hosts and names come first, since queues, limits and classes name them.
"""

import os

from convert import lsf_hosts, lsf_rules
from convert import lsf_values as values
from convert.lsf_keys import APP, PARAMS, QUEUE, convert
from convert.lsf_text import Reader, settings
from convert.lsf_users import Users
from convert.site import Refused, Site, read

# Of lsf.conf: places of LSF's own files and daemons, ports, logs, and what WM does always.
SILENT = {'LSF_CONFDIR', 'LSB_CONFDIR', 'LSF_ENVDIR', 'LSF_LOGDIR', 'LSF_LOG_MASK', 'LSF_MANDIR', 'LSF_INCLUDEDIR', 'LSF_MISC', 'LSF_BINDIR',
          'LSF_SERVERDIR', 'LSF_LIBDIR', 'XLSF_APPDIR', 'XLSF_UIDDIR', 'LSF_MACHDEP', 'LSF_INDEP', 'LSF_TOP', 'LSF_VERSION', 'LSF_LIM_PORT',
          'LSF_RES_PORT', 'LSB_MBD_PORT', 'LSB_SBD_PORT', 'LSB_QUERY_PORT', 'LSF_MASTER_LIST', 'LSF_SERVER_HOSTS', 'LSF_UNIT_FOR_LIMITS',
          'LSB_SHAREDIR', 'LSF_STRIP_DOMAIN', 'LSB_BSUB_PARSE_SCRIPT', 'LSB_STDOUT_DIRECT', 'LSF_PROCESS_TRACKING', 'LSF_LINUX_CGROUP_ACCT',
          'LSB_RESOURCE_ENFORCE', 'LSB_JOB_MEMLIMIT', 'LSB_MEMLIMIT_ENFORCE', 'LSF_AUTH', 'LSF_ID_PORT', 'LSB_LOCALDIR', 'LSF_TMPDIR',
          'LSF_DAEMONS_CPUS', 'LSF_LIM_DEBUG', 'LSB_DEBUG', 'LSB_SHORT_HOSTLIST', 'LSB_BJOBS_CONSISTENT_EXIT_CODE', 'LSF_GPU_AUTOCONFIG'}
# What begins so has no place, and why. The first that fits counts.
REASONS = (
    (('LSF_LICENSE', 'LSF_LIC', 'LSB_LIC', 'LSF_ENTITLEMENT'), 'licences are not counted, and WM needs none'),
    (('LSF_EGO', 'EGO_', 'LSF_ENABLE_EGO'), 'there is no EGO'),
    (('LSF_XFORWARD', 'LSB_SSH_XFORWARD', 'LSF_SSH_X'), 'X11 is not forwarded'),
    (('LSF_PAM', 'LSB_PAM', 'LSF_HPC_PJL', 'LSB_PJL'), 'there is no pam: mpirun and blaunch start tasks'),
    (('LSF_HEALTH', 'LSB_EADMIN', 'LSF_CLOSE_ON'), 'health programs have no place in WM yet'),
    (('LSF_MASTER_',), 'there is one master: no failover'),
    (('LSF_RSH', 'LSF_SSH'), 'daemons are started by systemd'),
)


class Lsf:
    """What all parts of the conversion know: the site that is made, names, hosts, users."""

    def __init__(self, site, unit):
        self.site, self.unit, self.lost = site, unit, site.lost
        self.queue_names, self.app_names = set(), set()
        self.hosts, self.users = values.HostNames([]), Users(self)

    def only(self, where, key, words, known, kind):
        """Those words that are known; the others are reported."""
        for word in words:
            if word not in known:
                self.lost(where, f'{key}: {word}', f'no such {kind}')
        return [word for word in words if word in known]

    def shares(self, where, found, root):
        """Shares of a queue's FAIRSHARE."""
        self.users.add_shares(where, found, '' if root else '')

    def user_list(self, where, text):
        """A list of users and groups, empty for everybody. WM's has no ~name: groups are written out for it."""
        words = [word.rstrip('@') for word in values.names(text)]
        off = {one for word in words if word.startswith('~') for one in (self.users.members(word[1:]) or [word[1:]])}
        kept = [word for word in words if not word.startswith('~')]
        if not off:
            return [] if 'all' in kept else kept
        if 'all' in kept or not kept:
            self.lost(where, f'USERS {text}', 'all may: see users = and jobs = 0 of limits.conf for those that may not')
            self.forbid(where, sorted(off))
            return []
        return [one for word in kept for one in (self.users.members(word) or [word]) if one not in off]

    def forbid(self, where, users):
        """Keeps users from running anything in a queue that is open to all others."""
        queue = where.partition(': ')[2]
        if queue in self.queue_names:
            self.site.put('limits', f'not_in_{queue}', [('users', ', '.join(users)), ('queues', queue), ('jobs', '0')], where)

    def host_list(self, where, text):
        """HOSTS of a queue."""
        words = values.host_words(text)
        if any('+' in word for word in words):
            self.lost(where, f'HOSTS={text}', 'the order of +n: order[] of res_req chooses among hosts')
        plain = [word.partition('+')[0] for word in words]
        hosts, strange = self.hosts.members(text)
        for word in strange:
            self.lost(where, f'HOSTS: {word}', 'is no host of lsf.cluster and no group')
        if not hosts:
            return [('hosts', 'none_of_its_hosts_is_known')]
        if len(hosts) == len(self.hosts.hosts):
            return []
        if all(word in self.hosts.groups for word in plain):
            return [('hosts', ', '.join(plain))]
        return [('hosts', ', '.join(hosts))]


def cluster_of(conf, given):
    """The cluster's name: given, or the only lsf.cluster file there."""
    found = sorted(name[12:] for name in os.listdir(conf) if name.startswith('lsf.cluster.') and '.' not in name[12:])
    if given:
        return given
    if len(found) != 1:
        raise Refused(f'{conf}: which cluster? -c {" | ".join(found) or "NAME"}')
    return found[0]


def places(envdir, lsf):
    """Folders to look for lsf.cluster and the folder lsbatch, the nearest first: paths of lsf.conf may be of another machine."""
    named = [lsf.get('LSF_CONFDIR', ''), envdir, os.path.join(envdir, 'conf')]
    conf = [place for place in named if os.path.isdir(place) and any(name.startswith('lsf.cluster.') for name in os.listdir(place))]
    return conf[0] if conf else envdir


def batch_folder(conf, lsf, cluster):
    """Where lsb.queues is: LSB_CONFDIR/CLUSTER/configdir, the same below lsbatch, or all in one folder."""
    tried = [os.path.join(place, *inner) for place in (lsf.get('LSB_CONFDIR', ''), os.path.join(conf, 'lsbatch'), conf) if place
             for inner in ((cluster, 'configdir'), ('configdir',), ())]
    for folder in tried:
        if os.path.exists(os.path.join(folder, 'lsb.queues')) or os.path.exists(os.path.join(folder, 'lsb.params')):
            return folder
    raise Refused(f'no lsb.queues and no lsb.params in {", ".join(dict.fromkeys(tried))}')


def cluster_hosts(c, sections):
    """Rows of lsf.cluster's hosts by name; ranges are written out."""
    rows = {}
    for _, number, row in sections:
        try:
            found = values.expanded(row.get('HOSTNAME', ''))
        except ValueError:
            c.lost(f'lsf.cluster:{number}', row['HOSTNAME'], 'could not be read')
            continue
        rows.update({name: row for name in found if name})
    return rows


def make_cluster(c, cluster, lsf, params, admins):
    """wm.conf."""
    pairs = [('cluster_name', cluster)]
    masters = values.names(lsf.get('LSF_MASTER_LIST', '')) or list(c.hosts.hosts[:1])
    if masters:
        pairs.append(('master_host', c.hosts.called.get(masters[0], masters[0])))
    for other in masters[1:]:
        c.lost('lsf.conf', f'LSF_MASTER_LIST: {other}', 'there is one master: no failover')
    for section in admins:
        pairs.append(('admins', ', '.join(values.names(section.get('ADMINISTRATORS', '')))))
    unit = lsf.get('LSF_UNIT_FOR_LIMITS', '').upper()
    if unit in ('KB', 'MB', 'GB', 'TB', 'PB'):
        pairs.append(('unit_for_limits', unit))
    elif unit:
        c.lost('lsf.conf', f'LSF_UNIT_FOR_LIMITS={unit}', 'KB to PB are known')
    for key, ours in (('LSB_DEFAULTPROJECT', 'default_project'), ('LSB_MAILPROG', 'sendmail')):
        if lsf.get(key):
            pairs.append((ours, lsf[key]))
    for section in params:
        pairs += convert(c, PARAMS, 'lsb.params', section)
    if 'default_queue' not in dict(pairs) and c.queue_names and 'normal' not in c.queue_names:
        first = min(c.queue_names)
        c.lost('lsb.params', 'no DEFAULT_QUEUE', f'queue {first} is the default')
        pairs.append(('default_queue', first))
    c.site.put('wm', 'cluster', pairs, 'wm.conf')


def tell_lsf_conf(c, lsf):
    """Keys of lsf.conf that are read nowhere."""
    for key, value in lsf.items():
        if key in SILENT or key in ('LSB_DEFAULTPROJECT', 'LSB_MAILPROG') or key.endswith(('_DEBUG', '_DEBUG_CMD', '_TIME_CMD')):
            continue
        c.lost('lsf.conf', f'{key}={value}', next((why for starts, why in REASONS if key.startswith(starts)), 'has no place in WM'))


def make_queues(c, found):
    """lsb.queues; who is preempted makes way by being suspended, as in LSF."""
    for number, section in found:
        name = section.get('QUEUE_NAME', '')
        if name not in c.queue_names:
            c.lost(f'lsb.queues:{number}', f'QUEUE_NAME={name}', 'no name for a queue')
            continue
        where = f'lsb.queues: {name}'
        made = convert(c, QUEUE, where, section, lsf_hosts.LOADS + lsf_hosts.OTHER_LOADS)
        if ('hosts', 'none_of_its_hosts_is_known') in made:
            c.lost(where, 'the whole queue', 'none of its hosts is known: it is not made')
            c.queue_names.discard(name)
            continue
        c.site.put('queues', name, made + lsf_hosts.loads(c, where, section), where)
        c.site.section('queues', name)
    for section in c.site.files['queues']:
        for victim in victims(c, section):
            victim.keys.setdefault('preempt_by', 'suspend')


def victims(c, section):
    """Sections of the queues that this one preempts."""
    named = section.keys.get('preempts', '').split(', ')
    priority = int(section.keys.get('priority', 50))
    return [other for other in c.site.files['queues'] if other.heading in named or (
        named == ['lower'] and int(other.keys.get('priority', 50)) < priority)]


def queue_names(found):
    """Names that WM's queues can have."""
    return {section['QUEUE_NAME'] for _, section in found if section.get('QUEUE_NAME', 'default') != 'default'
            and not set(' \t,<>[]') & set(section['QUEUE_NAME'])}


def made(envdir, given):
    """Everything of a cluster."""
    if not os.path.isdir(envdir):
        raise Refused(f'{envdir}: no such folder')
    lsf = settings(read(envdir, 'lsf.conf'))
    conf = places(envdir, lsf)
    cluster = cluster_of(conf, given)
    site = Site('lsf2wm', envdir)
    top, batch = Reader(site, conf), Reader(site, batch_folder(conf, lsf, cluster))
    unit = lsf.get('LSF_UNIT_FOR_LIMITS', 'KB').upper()
    c = Lsf(site, values.UNITS.get(unit, 'K'))

    def found(name, *kinds):
        return [(number, section) for _, number, section in batch.sections(name, *kinds)]

    queues = found('lsb.queues', 'queue')
    apps = [section for _, section in found('lsb.applications', 'application')]
    c.queue_names = queue_names(queues) or {'normal'}  # which is there without any
    c.app_names = {section.get('NAME', '') for section in apps} | {'batch', 'training', 'notebook', 'inference'}
    rows = cluster_hosts(c, top.sections(f'lsf.cluster.{cluster}', 'host'))
    host_rows = found('lsb.hosts', 'host')
    if not rows:
        rows = {row['HOST_NAME']: {} for _, row in host_rows if row.get('HOST_NAME', 'default') != 'default'}
    c.hosts = values.HostNames(list(rows), lsf_hosts.without_jobs(rows, host_rows))
    groups = list(batch.sections('lsb.hosts', 'hostgroup', 'computeunit'))
    lsf_hosts.make_groups(c, groups)
    c.users.read_groups(found('lsb.users', 'usergroup'))
    make_queues(c, queues)
    for section in apps:
        name = site.name('lsb.applications', 'a profile', section.get('NAME', ''))
        if name:
            site.put('apps', name, convert(c, APP, f'lsb.applications: {name}', section), f'lsb.applications: {name}')
            site.section('apps', name)
    make_cluster(c, cluster, lsf, [section for _, section in found('lsb.params', 'parameters')],
                 [section for _, _, section in top.sections(f'lsf.cluster.{cluster}', 'clusteradmins')])
    lsf_rules.make_limits(c, found('lsb.resources', 'limit'))
    lsf_rules.make_reservations(c, found('lsb.resources', 'resourcereservation'))
    lsf_rules.Classes(c, found('lsb.serviceclasses', 'serviceclass'), found('lsb.resources', 'guaranteedresourcepool')).make()
    lsf_hosts.Hosts(c, rows, host_rows, [(number, row) for _, number, row in top.sections(f'lsf.cluster.{cluster}', 'resourcemap')],
                    [one for one in groups if one[0] == 'computeunit']).make()
    c.users.read_users(found('lsb.users', 'user'))
    c.users.make()
    tell_lsf_conf(c, lsf)
    tell_sections(c, top, batch, cluster)
    return site


# Sections that are read; the others of a file are reported.
READ = {'queue', 'host', 'hostgroup', 'computeunit', 'usergroup', 'user', 'application', 'parameters', 'limit', 'resourcereservation',
        'guaranteedresourcepool', 'serviceclass', 'resourcemap', 'clusteradmins'}


def tell_sections(c, top, batch, cluster):
    """Sections that are about what WM has not: host partitions, other clusters, licences."""
    for reader, files in ((batch, ('lsb.hosts', 'lsb.users', 'lsb.queues', 'lsb.params', 'lsb.resources', 'lsb.serviceclasses', 'lsb.applications')),
                          (top, (f'lsf.cluster.{cluster}',))):
        for name in files:
            for kind, number, section in reader.sections(name):
                if kind not in READ or (reader is top and kind == 'parameters'):
                    c.lost(f'{name}:{number}', f'{kind} {" ".join(section.values())}', 'has no place in WM')
