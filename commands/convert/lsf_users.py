"""Role: users, groups of users, shares: lsb.users, and FAIRSHARE of queues.

A group's members are written out, those of groups in it as well: WM's groups are words of users' sections. Groups with shares
become nodes of the share tree, [@group], too; a user is below the first one that has the user.
"""

import re

from convert import lsf_values as values
from convert.lsf_keys import WHY

LIMITS = (('MAX_JOBS', 'max_slots', 'slots'), ('MAX_PEND_JOBS', 'max_pend_jobs', ''))


class Users:
    """What users.conf is made of."""

    def __init__(self, c):
        self.c = c
        self.words = {}  # group -> words of its list
        self.everybody = []  # groups of all
        self.tree = {}  # group with shares, or user -> its share
        self.nodes = set()  # groups with shares, or above one that has
        self.parents = {}  # group or user -> the group above it
        self.sections, self.listed = {}, set()

    def read_groups(self, found):
        """UserGroup rows."""
        for number, row in found:
            group, where = row.get('GROUP_NAME', ''), f'lsb.users:{number}'
            name = self.c.site.name(where, 'a group of users', group)
            if not name:
                continue
            members = row.get('GROUP_MEMBER', '')
            if members.strip('()! ') == '' and '!' in members:
                self.c.lost(where, f'group {name} by egroup', 'groups_command of wm.conf prints such groups')
            self.words[name] = [word for word in values.names(members) if word != '!']
            for other in set(row) - {'GROUP_NAME', 'GROUP_MEMBER', 'USER_SHARES'}:
                self.c.lost(where, f'{other}={row[other]} of group {name}', WHY.get(other, 'has no place in WM'))
        for number, row in found:
            shares = values.shares(row.get('USER_SHARES', ''))
            self.add_shares(f'lsb.users:{number}', shares, row.get('GROUP_NAME', ''))

    def members(self, group, seen=()):
        """Users of a group, those of groups in it as well; 'all' stands among them for everybody."""
        chosen, taken_off = [], set()
        for word in self.words.get(group, []):
            name = word.removeprefix('~').rstrip('@')
            found = self.members(name, (*seen, group)) if name in self.words and name not in seen else [name]
            if word.startswith('~'):
                taken_off.update(found)
            else:
                chosen += found
        return [name for name in dict.fromkeys(chosen) if name not in taken_off]

    def taken_off(self, group):
        """Users that `all ~name` of a group leaves out."""
        return [word[1:].rstrip('@') for word in self.words.get(group, []) if word.startswith('~')]

    def add_shares(self, where, shares, above=''):
        """[[name, n] ...] of a queue, or of the group above."""
        for name, share in shares:
            if name in ('default', 'others'):
                if above:
                    self.c.lost(where, f'shares of {name} in {above}', 'give each member its shares in users.conf')
                else:
                    self.set('default', 'shares', share)
            elif name.endswith('@'):
                for member in self.members(name[:-1]) or [name[:-1]]:
                    if member == 'all':
                        self.set('default', 'shares', share)
                    else:
                        self.put_share(where, member, share, above)
            else:
                self.put_share(where, f'@{name}' if name in self.words else name, share, above)

    def put_share(self, where, name, share, above):
        """One share. A user or group has one place in the tree."""
        if name in self.tree and (self.tree[name] != share or self.parents.get(name, '') != above):
            self.c.lost(where, f'share {share} of {name}', f'it has {self.tree[name]} already')
            return
        self.tree[name] = share
        self.nodes.update([name[1:]] if name.startswith('@') else [])
        if above:
            self.parents[name] = above
            self.nodes.add(above)

    def set(self, name, key, value):
        """A key of a section."""
        self.sections.setdefault(name, {})[key] = value

    def read_users(self, found):
        """User rows: of users, of groups together, of each member of a group (name@), of all others (default)."""
        for number, row in found:
            name, where = row.get('USER_NAME', ''), f'lsb.users:{number}'
            self.listed.add(name)
            for theirs, ours, limit in LIMITS:
                text = row.get(theirs, '')
                if not text:
                    continue
                if not text.isdigit():
                    self.c.lost(where, f'{theirs}={text} of {name}', 'could not be read')
                elif name.rstrip('@') in self.words:
                    self.limit_group(where, name, limit, text, theirs)
                else:
                    self.set(name.rstrip('@'), ours, text)
            for other in set(row) - {'USER_NAME', *(one[0] for one in LIMITS)}:
                self.c.lost(where, f'{other}={row[other]} of {name}', WHY.get(other, 'has no place in WM'))

    def limit_group(self, where, name, limit, text, theirs):
        """A limit of a group: together, or with @ of each member."""
        group = name.rstrip('@')
        if not limit:
            self.c.lost(where, f'{theirs}={text} of group {name}', 'is of users only: max_pend_jobs of users.conf')
            return
        each = self.members(group)
        who = ('per_user', ', '.join(each)) if name.endswith('@') else ('users', group)
        if name.endswith('@') and not each:
            self.c.lost(where, f'{theirs}={text} of {name}', 'the group has no members')
            return
        self.c.site.put('limits', self.c.site.name(where, 'a limit', f'{limit}_of_{name}'.replace('@', '_each')), [who, (limit, text)], where)

    def groups_of(self):
        """user -> groups, the user's node of the share tree first."""
        groups = {}
        for group in self.words:
            for user in self.members(group):
                groups.setdefault('default' if user == 'all' else user, []).append(group)
            if 'all' in self.members(group):
                self.everybody.append(group)
        for group in self.everybody:
            for user in set(groups) | set(self.sections) | set(self.taken_off(group)):
                if user != 'default' and user not in self.taken_off(group) and group not in groups.setdefault(user, []):
                    groups[user].append(group)
        return groups

    def node_of(self, user, groups):
        """The node of the share tree above a user: by USER_SHARES, else the user's first group that has shares."""
        if user in self.parents:
            return [f'@{self.parents[user]}']
        return [f'@{group}' for group in groups if group in self.nodes][:1]

    def make(self):
        """Sections of users.conf."""
        groups = self.groups_of()
        for user, listed in groups.items():
            self.set(user, 'groups', ', '.join(self.node_of(user, listed) + listed))
        self.inherit()
        for name in list(self.tree) + [f'@{group}' for group in sorted(self.nodes)]:
            self.sections.setdefault(name, {}).update({'shares': self.tree[name]} if name in self.tree else {})
            above = self.parents.get(name) or self.group_above(name)
            if name.startswith('@') and above:
                self.set(name, 'groups', f'@{above}')
            elif above and 'groups' not in self.sections[name]:
                self.set(name, 'groups', f'@{above}')
        for name, keys in sorted(self.sections.items(), key=lambda item: (item[0] != 'default', item[0])):
            if re.search(r'[\\\s,<>\[\]]', name):
                self.c.lost('lsb.users', name, 'no name for a user')
            else:
                self.c.site.put('users', name, keys.items(), f'user {name}')
                self.c.site.section('users', name)

    def inherit(self):
        """LSF's default row is of users that have none; WM's [default] of those without a section."""
        others = {key: value for key, value in self.sections.get('default', {}).items() if key in ('max_slots', 'max_pend_jobs')}
        for name, keys in self.sections.items():
            if name not in self.listed and name != 'default' and not name.startswith('@'):
                keys.update({key: value for key, value in others.items() if key not in keys})

    def group_above(self, name):
        """The first group with shares that has this group as a member; '' for users and where there is none."""
        found = [group for group, words in self.words.items() if name[1:] in words and group in self.nodes and name[1:] != group]
        return found[0] if name.startswith('@') and found else ''
