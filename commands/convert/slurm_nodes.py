"""Role: nodes, node sets, topology: hosts.conf. Partitions and node sets are host groups there."""

import re

from convert import slurm_values as values

# Said by the host itself, or of no meaning for jobs.
SILENT = {'nodename', 'nodehostname', 'port', 'procs', 'cpus', 'sockets', 'boards', 'socketsperboard', 'corespersocket', 'threadspercore',
          'realmemory', 'tmpdisk', 'memspeclimit', 'gres', 'feature', 'features', 'nodeaddr', 'state', 'reason'}
# States of nodes that are not there yet.
ABSENT = {'FUTURE', 'CLOUD'}


class Nodes:
    """Nodes by name with what slurm.conf says of each, their groups and switches."""

    def __init__(self, c):
        self.c, self.lines, self.rows = c, [], {}
        self.groups, self.switches = {}, {}
        for where, pairs in c.conf.each('nodename'):
            self.add(where, pairs)
        for where, pairs in c.conf.each('nodeset'):
            self.add_set(where, pairs)
        self.read_topology()

    def add(self, where, pairs):
        """One line of nodes."""
        try:
            names = values.expanded(pairs['nodename'])
            addresses = values.expanded(pairs.get('nodeaddr', '')) or ['']
        except ValueError:
            self.c.lost(where, f'NodeName={pairs["nodename"]}', 'could not be read')
            return
        state = pairs.get('state', '').upper()
        if any(word in state for word in ABSENT):
            self.c.lost(where, f'NodeName={pairs["nodename"]} State={pairs["state"]}', 'nodes that come by need are not made')
            return
        if any(word in state for word in ('DOWN', 'DRAIN', 'FAIL')):
            self.c.lost(where, f'NodeName={pairs["nodename"]} State={pairs["state"]}', 'badmin hclose closes hosts')
        if pairs.get('nodehostname', pairs['nodename']) != pairs['nodename']:
            self.c.lost(where, f'NodeHostname={pairs["nodehostname"]}', 'wnoded --name gives a host the name of its section')
        own = len(addresses) == len(names) and pairs.get('nodeaddr') != pairs['nodename']
        self.lines.append((where, pairs, names))
        for name, address in zip(names, addresses if own else [''] * len(names)):
            self.rows[name] = (where, pairs, address)
        for key in set(pairs) - SILENT:
            self.c.lost(where, f'{key}={pairs[key]} of {pairs["nodename"]}', self.why(key))

    @staticmethod
    def why(key):
        """Why it has no place."""
        return {'weight': 'order[] of -R chooses among hosts', 'corespeccount': 'slots say how many cores jobs have',
                'cpuspeclist': 'slots say how many cores jobs have'}.get(key, 'has no place in WM')

    def add_set(self, where, pairs):
        """NodeSet=name Nodes=list or Feature=word."""
        name = self.c.site.name(where, 'a group of hosts', pairs['nodeset'])
        if 'feature' in pairs:
            members = [node for node, row in self.rows.items() if pairs['feature'] in self.features(row[1])]
        else:
            members = self.known(where, pairs.get('nodes', ''))
        self.groups[name] = members

    @staticmethod
    def features(pairs):
        """Features of a line."""
        return [word for word in re.split(r'[\s,]+', pairs.get('feature', pairs.get('features', ''))) if word]

    def known(self, where, text):
        """Nodes of a list, of sets by name; ALL is every one. Unknown ones are reported."""
        if text.upper() == 'ALL':
            return list(self.rows)
        found = []
        for item in values.items(text):
            try:
                names = self.groups[item] if item in self.groups else values.expanded_one(item)
            except ValueError:
                names = [item]
            missing = [name for name in names if name not in self.rows]
            if missing:
                self.c.lost(where, f'Nodes={item}', f'{missing[0]} is no node')
            found += [name for name in names if name in self.rows]
        return list(dict.fromkeys(found))

    def read_topology(self):
        """topology.conf: SwitchName=s Switches=list or Nodes=list; each node's path from the top."""
        above, leaf = {}, {}
        for where, pairs in self.c.topology.each('switchname'):
            for switch in values.expanded(pairs.get('switches', '')):
                above[switch] = pairs['switchname']
            for node in self.known(where, pairs['nodes']) if 'nodes' in pairs else []:
                leaf[node] = pairs['switchname']
        for where, pairs in self.c.topology.each('blockname'):
            leaf.update({node: pairs['blockname'] for node in self.known(where, pairs.get('nodes', ''))})
        for node, switch in leaf.items():
            path = [switch]
            while path[0] in above and len(path) < 16:
                path.insert(0, above[path[0]])
            self.switches[node] = '/'.join(path)

    def slots(self, where, pairs):
        """CPUs, or cores where SelectTypeParameters allots those."""
        threads, cores = int(pairs.get('threadspercore', 1)), int(pairs.get('corespersocket', 1))
        sockets = int(pairs.get('sockets', int(pairs.get('socketsperboard', 1)) * int(pairs.get('boards', 1))))
        count = int(pairs.get('cpus', pairs.get('procs', 0))) or sockets * cores * threads
        if 'CR_CPU' in self.c.conf.keys.get('selecttypeparameters', 'CR_Core').upper() or threads == 1:
            return count
        self.c.lost(where, f'ThreadsPerCore={threads}', 'a slot is a core here: its threads are of one task')
        return max(1, count // threads)

    def keys(self, name):
        """Of one host."""
        where, pairs, address = self.rows[name]
        number, models, others = values.gpus(pairs.get('gres', ''))
        for part in others:
            self.c.lost(where, f'Gres={part}', 'generic resources are resources of hosts.conf: they are not counted')
        if len(models) > 1:
            self.c.lost(where, f'Gres={pairs["gres"]}', f'one model of GPUs a host: {models[0]}')
        memory = values.size(pairs.get('realmemory', '0'))
        if memory and 'memspeclimit' in pairs:
            memory = f'{int(memory[:-1]) - int(pairs["memspeclimit"])}M'
        groups = [group for group, members in self.groups.items() if name in self.members_of(group, members)]
        return [('address', address), ('slots', self.slots(where, pairs)), ('mem', memory), ('gpus', number or ''),
                ('gpu_model', models[0] if models else ''), ('groups', ', '.join(groups)),
                ('resources', ', '.join(self.features(pairs))), ('switches', self.switches.get(name, ''))]

    def members_of(self, group, members):
        """A set of the list, made once."""
        cache = self.__dict__.setdefault('sets', {})
        if group not in cache:
            cache[group] = set(members)
        return cache[group]

    def make(self):
        """Sections of hosts.conf: of a range of nodes that are alike one."""
        for where, pairs, _ in self.lines:
            for item in values.items(pairs['nodename']):
                names = values.expanded_one(item)
                try:
                    made = [self.keys(name) for name in names]
                except ValueError:
                    self.c.lost(where, f'NodeName={item}', 'could not be read')
                    continue
                alike = item.count('[') == 1 and all(keys == made[0] for keys in made)
                for name, keys in ([(item, made[0])] if alike else zip(names, made)):
                    self.c.site.put('hosts', name, keys, where)
                    self.c.site.section('hosts', name)
