"""Role: a whole Slurm cluster: slurm.conf, topology.conf, partitions, scheduling, and the order in which files are read."""

import os

from convert import slurm_values as values
from convert.site import Refused, Site, read
from convert.slurm_accounts import Accounts, QualitiesOfService
from convert.slurm_nodes import Nodes
from convert.slurm_text import Conf

# Places, ports, plugins, logs and timers of Slurm's own daemons, and what WM does always.
SILENT = {
    'slurmuser', 'slurmduser', 'slurmctldport', 'slurmdport', 'authtype', 'authinfo', 'authalttypes', 'authaltparameters', 'credtype',
    'cryptotype', 'statesavelocation', 'slurmdspooldir', 'switchtype', 'mpidefault', 'mpiparams', 'slurmctldpidfile', 'slurmdpidfile',
    'proctracktype', 'plugindir', 'plugstackconfig', 'firstjobid', 'returntoservice', 'maxjobcount', 'maxjobid', 'treewidth', 'taskplugin',
    'taskpluginparam', 'tmpfs', 'usepam', 'slurmctldtimeout', 'slurmdtimeout', 'inactivelimit', 'waittime', 'messagetimeout',
    'schedulerparameters', 'schedulertimeslice', 'selecttype', 'selecttypeparameters', 'slurmctlddebug', 'slurmddebug', 'slurmctldlogfile',
    'slurmdlogfile', 'slurmschedlogfile', 'slurmschedloglevel', 'jobcomptype', 'jobcomploc', 'jobcomphost', 'jobcompuser', 'jobcompport',
    'jobacctgathertype', 'jobacctgatherfrequency', 'jobacctgatherparams', 'accountingstoragetype', 'accountingstoragehost',
    'accountingstorageloc', 'accountingstoragepass', 'accountingstorageuser', 'accountingstorageport', 'accountingstoragebackuphost',
    'accountingstoragetres', 'accountingstoreflags', 'accountingstorejobcomment', 'grestypes', 'clustername', 'srunportrange',
    'slurmctldparameters', 'slurmdparameters', 'debugflags', 'topologyplugin', 'topologyparam', 'minjobage', 'killwait', 'maxarraysize',
    'prolog', 'epilog', 'prologepilogtimeout', 'prioritydecayhalflife', 'prioritytype', 'preempttype', 'preemptmode', 'jobrequeue',
    'schedulertype', 'defmempercpu', 'defmempernode', 'maxmempercpu', 'controladdr', 'backupaddr', 'slurmctldaddr', 'fastschedule',
    'jobfileappend', 'jobcredentialprivatekey', 'jobcredentialpubliccertificate', 'communicationparameters', 'prioritycalcperiod',
    'rebootprogram', 'cachegroups', 'logtimeformat', 'propagateresourcelimits', 'propagateresourcelimitsexcept', 'groupupdatetime',
    'groupupdateforce', 'checkpointtype', 'jobcheckpointdir', 'mailprog', 'slurmctldsyslogdebug', 'slurmdsyslogdebug', 'maxtaskspernode',
    'enforcepartlimits', 'priorityweightfairshare', 'prologflags', 'parameters'}
# What begins so, and why it has no place. The first that fits counts.
REASONS = (
    ('healthcheck', 'health programs have no place in WM yet'), ('licenses', 'licences are not counted'), ('x11', 'X11 is not forwarded'),
    ('jobsubmitplugins', 'submit_filter of wm.conf looks at jobs before they are submitted'),
    ('prologslurmctld', 'programs at the master are told by notify_command'), ('epilogslurmctld', 'programs at the master are told by notify_command'),
    ('taskprolog', 'job_starter of a queue begins each command'), ('taskepilog', 'post_exec of a queue ends a job'),
    ('srun', 'there is no srun: mpirun and blaunch start tasks'), ('suspend', 'hosts are not switched off'), ('resume', 'hosts are not switched on'),
    ('federation', 'there is one cluster'), ('priorityweight', 'priority is of queues, then order and bsub -sp'), ('priority', 'priority is of queues, then order and bsub -sp'),
    ('acctgather', 'energy and networks are not measured'), ('disablerootjobs', 'limits.conf with users = root and jobs = 0 keeps root out'),
    ('accountingstorageenforce', 'plans and limits hold always'), ('unkillablestep', 'a slot counts as stuck kill_grace after SIGKILL'))


class Slurm:
    """What all parts of the conversion know."""

    def __init__(self, site, folder, dump, qos):
        self.site, self.lost = site, site.lost
        self.conf = Conf(site, folder, 'slurm.conf')
        self.topology = Conf(site, folder, 'topology.conf')
        self.cluster = self.conf.keys.get('clustername', '')
        self.nodes = Nodes(self)
        self.accounts = Accounts(self, dump)
        self.qos = QualitiesOfService(self, qos)


class Partitions:
    """queues.conf."""

    # Keys that say nothing that WM has to know.
    SILENT = {'partitionname', 'nodes', 'default', 'hidden', 'disablerootjobs', 'priority', 'prioritytier', 'maxtime', 'defaulttime', 'state',
              'oversubscribe', 'shared', 'maxcpuspernode', 'defmempercpu', 'maxmempercpu', 'lln', 'preemptmode', 'gracetime', 'rootonly',
              'allowgroups', 'allowaccounts', 'denyaccounts', 'qos', 'allocnodes', 'maxnodes', 'minnodes', 'allowqos', 'denyqos'}
    BY = {'REQUEUE': 'requeue', 'SUSPEND': 'suspend', 'CANCEL': 'kill', 'OFF': 'shrink', 'GANG': ''}

    def __init__(self, c):
        self.c, self.default = c, ''

    def make(self):
        """A queue each; preemption once all are known."""
        tiers = {}
        for where, pairs in self.c.conf.each('partitionname'):
            for text in values.items(pairs['partitionname']):
                name = self.c.site.name(where, 'a queue', text)
                if name and self.make_one(where, name, pairs):
                    tiers[name] = max(1, int(pairs.get('prioritytier', pairs.get('priority', '1'))))
        if 'partition_prio' in self.c.conf.keys.get('preempttype', ''):
            for name, tier in tiers.items():
                if min(tiers.values()) < tier:
                    self.c.site.section('queues', name).keys['preempts'] = 'lower'

    def make_one(self, where, name, pairs):
        """False where it has no nodes: without that line the queue would have all."""
        hosts = self.c.nodes.known(where, pairs.get('nodes', ''))
        if not hosts:
            self.c.lost(where, f'PartitionName={name}', 'has no nodes: it is not made')
            return False
        made = []
        for part in (self.times, self.memory, self.access, self.preemption, self.others):
            try:
                made += part(where, name, pairs)
            except ValueError as problem:
                self.c.lost(where, f'partition {name}', f'{problem} could not be read')
        if len(hosts) < len(self.c.nodes.rows):
            self.c.nodes.groups[name] = hosts
            made.append(('hosts', name))
        for key in set(pairs) - self.SILENT:
            self.c.lost(where, f'partition {name}: {key}={pairs[key]}')
        self.c.site.put('queues', name, made, where)
        self.c.site.section('queues', name)
        if pairs.get('default', 'no').lower() in ('yes', 'true'):
            self.default = name
        return True

    def times(self, where, name, pairs):
        """MaxTime and DefaultTime; without the latter a job has the former. A QOS of the partition bounds both."""
        most, usual = pairs.get('maxtime', ''), pairs.get('defaulttime', '')
        usual = '' if usual.upper() == 'NONE' else usual
        bound = self.quality(pairs).get('maxwall', '')
        if values.seconds(bound) and (values.seconds(most) or 10**12) > values.seconds(bound):
            most = bound
        return [('run_limit_max', values.time(most)), ('run_limit', values.time(usual or most))]

    def quality(self, pairs):
        """The partition's own QOS."""
        name = pairs.get('qos', '')
        if name and name not in self.c.qos.rows:
            self.c.lost('slurm.conf', f'QOS={name}', 'give the table of `sacctmgr -P show qos` with -q')
        return self.c.qos.rows.get(name, {})

    def memory(self, where, name, pairs):
        """DefMemPerCPU and MaxMemPerCPU, by partition or for all."""
        conf = self.c.conf.keys
        for key in ('defmempernode', 'maxmempernode'):
            if pairs.get(key, conf.get(key)):
                self.c.lost(where, f'{key}={pairs.get(key, conf.get(key))}', 'memory is of tasks here: mem_limit')
        return [('mem_limit', values.size(pairs.get('defmempercpu', conf.get('defmempercpu', '0')))),
                ('mem_limit_max', values.size(pairs.get('maxmempercpu', conf.get('maxmempercpu', '0'))))]

    def access(self, where, name, pairs):
        """AllowAccounts are groups; UNIX groups are known to WM by groups_command."""
        users, accounts = [], pairs.get('allowaccounts', 'ALL')
        if pairs.get('allowgroups', 'ALL').upper() != 'ALL':
            users += pairs['allowgroups'].split(',')
            self.c.lost(where, f'AllowGroups={pairs["allowgroups"]}', 'groups of accounts are known where groups_command of wm.conf prints them')
        if accounts.upper() != 'ALL':
            users += accounts.split(',')
        if pairs.get('rootonly', 'no').lower() in ('yes', 'true'):
            users = ['root']
        for account in pairs.get('denyaccounts', '').split(',') if 'denyaccounts' in pairs else []:
            self.c.site.put('limits', f'{account}_not_in_{name}', [('users', account), ('queues', name), ('jobs', '0')], where)
        for key in ('allowqos', 'denyqos', 'allocnodes'):
            if pairs.get(key, 'ALL').upper() != 'ALL':
                self.c.lost(where, f'partition {name}: {key}={pairs[key]}')
        return [('users', ', '.join(users))]

    def preemption(self, where, name, pairs):
        """How its jobs make way, in PreemptMode's words."""
        if 'partition_prio' not in self.c.conf.keys.get('preempttype', ''):
            return []
        mode = pairs.get('preemptmode', self.c.conf.keys.get('preemptmode', 'OFF')).upper().split(',')
        by = [self.BY[word] for word in mode if self.BY.get(word)]
        grace = pairs.get('gracetime', '')
        return [('preempt_by', by[0] if by else 'shrink'), ('preempt_grace', f'{int(grace)}s' if grace else '')]

    def others(self, where, name, pairs):
        """Priority, sharing of nodes, placing."""
        conf = self.c.conf.keys
        share = pairs.get('oversubscribe', pairs.get('shared', 'NO')).upper()
        state = pairs.get('state', 'UP').upper()
        if state != 'UP':
            self.c.lost(where, f'partition {name}: State={state}', 'badmin qclose and qinact close queues')
        for key in ('maxnodes', 'minnodes'):
            if pairs.get(key, '').upper() not in ('', '0', '1' if key == 'minnodes' else '', 'UNLIMITED'):
                self.c.lost(where, f'partition {name}: {key}={pairs[key]}', 'max_tasks counts tasks')
        whole = share == 'EXCLUSIVE' or 'linear' in conf.get('selecttype', '')
        if whole:
            self.c.lost(where, f'partition {name}: whole nodes', 'jobs have them where they ask (bsub -x)')
        elif share.startswith('FORCE'):
            self.c.lost(where, f'partition {name}: OverSubscribe={share}', 'slots of hosts.conf say how many tasks a host has')
        row, limits = self.quality(pairs), {}
        for key, ours in (('maxtrespu', 'user_slots'), ('grptres', 'max_slots')):
            limits[ours] = values.tres(row.get(key, '')).get('cpu', '')
        return [('priority', max(1, int(pairs.get('prioritytier', pairs.get('priority', '1'))))), ('exclusive', 'yes'),
                ('host_slots', pairs.get('maxcpuspernode', '') if pairs.get('maxcpuspernode', '').isdigit() else ''),
                ('order', 'fairshare' if conf.get('priorityweightfairshare', '0') != '0' else ''),
                ('place', 'spread' if pairs.get('lln', 'no').lower() == 'yes' else ''),
                ('rerunnable', 'no' if conf.get('jobrequeue') == '0' else 'yes'), *limits.items()]


def make_cluster(c, partitions, admins):
    """wm.conf."""
    conf, masters = c.conf.keys, c.conf.hosts
    pairs = [('cluster_name', c.cluster or 'wm'), ('admins', ', '.join(admins)), ('default_queue', partitions.default)]
    if masters:
        pairs.append(('master_host', masters[0]))
    for other in masters[1:]:
        c.lost('slurm.conf', f'SlurmctldHost={other}', 'there is one master: no failover')
    queues = c.site.headings('queues')
    if not partitions.default and queues and 'normal' not in queues:
        c.lost('slurm.conf', 'no default partition', f'queue {queues[0]} is the default')
        pairs.append(('default_queue', queues[0]))
    if any('mem_limit' in section.keys for section in c.site.files['queues']):
        pairs.append(('reserve_per_task', 'yes'))
    for key, ours in (('minjobage', 'clean_period'), ('killwait', 'kill_grace'), ('prologepilogtimeout', 'prolog_time')):
        if conf.get(key, '').isdigit() and conf[key] != '65534':
            pairs.append((ours, f'{conf[key]}s'))
    if conf.get('maxarraysize', '').isdigit():
        pairs.append(('max_array_size', max(1, int(conf['maxarraysize']) - 1)))
    pairs += [('prolog', conf.get('prolog', '')), ('epilog', conf.get('epilog', ''))]
    for key in ('prolog', 'epilog'):
        if key in conf:
            c.lost('slurm.conf', f'{c.conf.spelled[key]}={conf[key]}', 'is run before or after a job on each host, without variables SLURM_*; see wm.conf(5)')
    half = values.seconds(conf.get('prioritydecayhalflife', '')) if 'prioritydecayhalflife' in conf else None
    pairs.append(('usage_half_life', f'{half}s' if half else ''))
    if 'builtin' in conf.get('schedulertype', ''):
        pairs.append(('backfill', 'none'))
    if 'normal' in c.qos.rows:
        pairs.append(('default_app', 'normal'))
    if 'qos' in conf.get('preempttype', ''):
        c.lost('slurm.conf', f'PreemptType={conf["preempttype"]}', 'queues preempt queues: preempts of queues.conf')
    c.site.put('wm', 'cluster', pairs, 'slurm.conf')


def tell_rest(c):
    """Keys of slurm.conf that are read nowhere, and objects that WM has not."""
    for key, value in c.conf.keys.items():
        if key not in SILENT and value.lower() not in ('no', '0', 'none', '(null)'):
            reason = next((why for starts, why in REASONS if key.startswith(starts)), 'has no place in WM')
            c.lost('slurm.conf', f'{c.conf.spelled[key]}={value}', reason)
    if 'X11' in c.conf.keys.get('prologflags', '').upper():
        c.lost('slurm.conf', 'PrologFlags=X11', 'X11 is not forwarded')
    for kind in ('downnodes', 'frontendname'):
        for where, pairs in c.conf.objects[kind]:
            c.lost(where, ' '.join(pairs.values()), 'badmin hclose closes hosts' if kind == 'downnodes' else 'has no place in WM')


def made(folder, dump, qos):
    """Everything of a cluster. `dump`, `qos`: texts of sacctmgr, '' without."""
    if not os.path.exists(os.path.join(folder, 'slurm.conf')):
        raise Refused(f'{folder}: no slurm.conf')
    site = Site('slurm2wm', folder)
    c = Slurm(site, folder, dump, qos)
    partitions = Partitions(c)
    partitions.make()
    c.qos.make()
    make_cluster(c, partitions, c.accounts.make())
    c.nodes.make()
    for name, why in (('gres.conf', 'hosts find their GPUs themselves'), ('cgroup.conf', 'control groups are used always'),
                      ('job_submit.lua', 'submit_filter of wm.conf looks at jobs before they are submitted')):
        if read(folder, name).strip():
            site.lost(name, 'the whole file', why)
    tell_rest(c)
    return site
