"""Role: accounts, users and QOS of sacctmgr: plans, users' sections, limits, profiles.

An account is a plan at its place in the tree, and a group of its users. A QOS is an application profile: bsub reads --qos as -app.
"""

from convert import slurm_values as values
from convert.slurm_text import dump_lines, table

# Options of an association that are read; organisation and description are for people.
READ = {'fairshare', 'description', 'organization', 'defaultaccount', 'adminlevel', 'grptres', 'grpjobs', 'grpsubmitjobs', 'maxjobs',
        'maxsubmitjobs', 'qos', 'coordinator', 'defaultqos', 'wckey', 'defaultwckey'}
QOS_SILENT = {'name', 'id', 'description', 'usagefactor', 'flags', 'gracetime'}


class Accounts:
    """A dump: accounts by name with their parent, users with their accounts."""

    def __init__(self, c, text):
        self.c, self.parents, self.options, self.users = c, {}, {}, {}
        parent = 'root'
        for number, kind, name, options in dump_lines(text):
            where = f'dump:{number}'
            if kind == 'Parent':
                parent = name
            elif kind == 'Account' and name != 'root':
                self.parents[name], self.options[name] = parent, (where, options)
            elif kind == 'User':
                self.users.setdefault(name, []).append((where, parent, options))
            if kind == 'Cluster' and c.cluster and name != c.cluster:
                c.lost(where, f'Cluster {name}', f'slurm.conf is of {c.cluster}')
            self.tell(where, f'{kind.lower()} {name}', options)

    def tell(self, where, what, options):
        """Options that are not read."""
        for key, value in options.items():
            if key not in READ or (key == 'coordinator' and value):
                self.c.lost(where, f'{what}: {key}={value}', 'limits of associations are slots, jobs and waiting jobs here')

    def path(self, account):
        """/parent/account of the tree of plans."""
        path, seen = [], set()
        while account in self.parents and account not in seen:
            seen.add(account)
            path.insert(0, account)
            account = self.parents[account]
        return '/' + '/'.join(path)

    def make(self):
        """plans.conf, users.conf, limits.conf; administrators. Nothing without a dump."""
        self.c.site.section('plans', '/')
        if self.parents and self.c.conf.keys.get('accountingstorageenforce', 'none').lower() not in ('none', '0'):
            self.c.site.put('plans', '/', [('users', 'root')], 'dump')  # nobody runs outside of an account
        for account in self.parents:
            self.make_plan(account)
        admins = [self.make_user(name, found) for name, found in sorted(self.users.items()) if name != 'root']
        return [name for name in admins if name]

    def make_plan(self, account):
        """One account."""
        where, options = self.options[account]
        path, limits = self.path(account), values.tres(options.get('grptres', ''))
        pairs = [('shares', self.share(where, account, options)), ('limit', limits.pop('cpu', '')), ('users', account),
                 ('description', options.get('description', ''))]
        if 'users' in dict(pairs) and any(parent == account for parent in self.parents.values()):
            below = [other for other in self.parents if self.path(other).startswith(path + '/')]
            pairs = [(key, ', '.join([account, *below]) if key == 'users' else value) for key, value in pairs]
        self.c.site.put('plans', path, pairs, where)
        if 'mem' in limits:
            self.c.site.put('limits', f'mem_of_{account}', [('plans', path), ('mem', values.size(limits.pop('mem')))], where)
        for key, value in limits.items():
            self.c.lost(where, f'account {account}: GrpTRES={key}={value}', 'plans and limits count slots and memory')
        if values.seconds(options.get('grpjobs', '-1')) is not None:
            self.c.site.put('limits', f'jobs_of_{account}', [('plans', path), ('jobs', options['grpjobs'])], where)
        for key in ('grpsubmitjobs', 'maxjobs', 'maxsubmitjobs'):
            if options.get(key, '-1') != '-1':
                self.c.lost(where, f'account {account}: {key}={options[key]}', 'give it to users, or see jobs of limits.conf')

    def share(self, where, name, options):
        """Fairshare; parent means that it has none of its own."""
        text = options.get('fairshare', '1')
        if text.isdigit() and int(text) > 0:
            return text
        if text != 'parent':
            self.c.lost(where, f'{name}: Fairshare={text}', 'shares are whole numbers from 1 on')
        return ''

    def make_user(self, name, found):
        """One user in all of its accounts. Returns the name of an administrator."""
        accounts = [account for _, account, _ in found if account in self.parents]
        usual = next((o['defaultaccount'] for _, _, o in found if o.get('defaultaccount') in accounts), accounts[0] if accounts else '')
        where, _, options = next((one for one in found if one[1] == usual), found[0])
        if len(accounts) > 1:
            self.c.lost(where, f'user {name} in {", ".join(accounts)}', f'plan {self.path(usual)} and those below it are open to a user')
        pairs = [('groups', ', '.join(dict.fromkeys(accounts))), ('plan', self.path(usual) if usual else ''),
                 ('shares', self.share(where, name, options)), ('max_pend_jobs', self.most(options, 'maxsubmitjobs'))]
        self.c.site.put('users', name, pairs, where)
        self.c.site.section('users', name)
        if self.most(options, 'maxjobs'):
            self.c.site.put('limits', f'jobs_of_user_{name}', [('users', name), ('jobs', options['maxjobs'])], where)
        limits = values.tres(options.get('grptres', ''))
        if 'cpu' in limits:
            self.c.site.put('users', name, [('max_slots', limits.pop('cpu'))], where)
        for key, value in limits.items():
            self.c.lost(where, f'user {name}: GrpTRES={key}={value}', 'users have limits of slots')
        level = options.get('adminlevel', '').lower()
        if level.startswith('operator'):
            self.c.lost(where, f'user {name}: AdminLevel=Operator', 'admins of a queue are operators of that queue')
        return name if level.startswith('admin') else ''

    @staticmethod
    def most(options, key):
        """A number, '' for no limit."""
        return options.get(key, '') if options.get(key, '-1') != '-1' else ''


class QualitiesOfService:
    """A table of `sacctmgr -P show qos`."""

    def __init__(self, c, text):
        self.c, self.rows = c, {row['name']: row for row in table(text) if 'name' in row}

    def amounts(self, where, name, row, key):
        """Slots and memory of a limit of trackable resources; others are reported."""
        limits = values.tres(row.get(key, ''))
        made = [('slots', limits.pop('cpu', '')), ('mem', values.size(limits.pop('mem', '0')))]
        for other, value in limits.items():
            self.c.lost(where, f'QOS {name}: {key}={other}={value}', 'limits count slots, jobs and memory')
        return [pair for pair in made if pair[1]]

    def make(self):
        """Profiles and limits."""
        for name, row in self.rows.items():
            where = f'qos: {name}'
            self.c.site.put('apps', name, [('run_limit_max', values.time(row.get('maxwall', '')))], where)
            self.c.site.section('apps', name)
            each = self.amounts(where, name, row, 'maxtrespu') + [('jobs', row.get('maxjobspu', ''))]
            all_of = self.amounts(where, name, row, 'grptres') + [('jobs', row.get('grpjobs', ''))]
            for heading, who, amounts in ((f'{name}_of_each_user', [('apps', name), ('per_user', 'all')], each),
                                          (f'{name}_of_all', [('apps', name)], all_of)):
                if any(value for _, value in amounts):
                    self.c.site.put('limits', heading, who + amounts, where)
            known = QOS_SILENT | {'maxwall', 'maxtrespu', 'maxjobspu', 'grptres', 'grpjobs'}
            for key in row.keys() - known:
                if not (key == 'priority' and row[key] == '0') and not (key == 'preemptmode' and row[key] == 'cluster'):
                    self.c.lost(where, f'{key}={row[key]}', 'has no place in WM')
        if self.rows:
            self.c.lost('qos', ', '.join(self.rows), 'are application profiles now: bsub -app, and --qos of #SBATCH lines')
