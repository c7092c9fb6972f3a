"""Role: the people of the demo and what they type: bsub as themselves, bjobs, bhist.

As root each has a real account of its own, which is removed afterwards; else both are the invoking
user, told apart by their plans.
Callers: scripts/demo, story.
"""

import json
import os
import pwd
import re
import subprocess
from dataclasses import dataclass

NAME_IN_USE = 9  # exit status of useradd
FIELDS = 'jobid wm_state nalloc_slot epoch nresize attempt pids exec_host pend_reason'


class CommandFailed(Exception):
    """A command of WM ended with an error; the text holds what it said."""


@dataclass
class Person:
    """Somebody who submits jobs."""
    name: str
    plan: str
    account: str  # '' = the invoking user
    home: str

    def run(self, words, environment):
        """Runs a command as this person, in their folder; returns what it printed."""
        env, who = {**environment, 'HOME': self.home}, {}
        if self.account:
            entry = pwd.getpwnam(self.account)
            env.update(USER=self.account, LOGNAME=self.account)
            who = {'user': entry.pw_uid, 'group': entry.pw_gid, 'extra_groups': []}
        return said(words, env, cwd=self.home, **who)

    def bsub(self, words, environment):
        """Submits; returns the job number."""
        text = self.run(['bsub', '-plan', self.plan, *words], environment)
        return int(re.search(r'Job <(\d+)> is submitted', text).group(1))


def said(words, env, **how):
    """Standard output of a command that must succeed."""
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False, **how)
    if done.returncode:
        raise CommandFailed(f'{" ".join(words)}: exit {done.returncode}: {done.stderr.strip() or done.stdout.strip()}')
    return done.stdout


def people(work):
    """Ann and Bob, with a folder each below `work`."""
    real = os.geteuid() == 0
    found = [Person(name, f'/{name}', own_account(name) if real else '', os.path.join(work, name))
             for name in ('ann', 'bob')]
    for person in found:
        os.makedirs(person.home, exist_ok=True)
        if person.account:
            entry = pwd.getpwnam(person.account)
            os.chown(person.home, entry.pw_uid, entry.pw_gid)
    return found


def own_account(name):
    """Makes an account that nobody has, not another demo that runs now either, and returns its name."""
    for account in (f'wmdemo-{name}', *(f'wmdemo-{name}{k}' for k in range(2, 100))):
        made = _with_accounts('useradd', '-r', '-M', '-d', '/nonexistent', '-s', '/bin/bash', account)
        if made.returncode != NAME_IN_USE:
            made.check_returncode()
            return account
    raise CommandFailed(f'all accounts wmdemo-{name} to wmdemo-{name}99 are in use')


def remove_accounts(everybody):
    """What own_account() made."""
    for person in everybody:
        if person.account:
            _with_accounts('userdel', '-f', person.account)


def _with_accounts(*words):
    """Runs useradd or userdel; /etc is locked since two at once are refused."""
    return subprocess.run(['flock', '/etc', *words], capture_output=True, text=True, check=False)


def plans_conf(path, everybody):
    """A plan with equal shares for each person."""
    with open(path, 'w', encoding='utf-8') as out:
        out.write('[/]\nshares = 1\n\n')
        for person in everybody:
            users = f'users = {person.account}\n' if person.account else ''
            out.write(f'[{person.plan}]\nshares = 1\n{users}\n')


def bjobs(numbers, env):
    """{job number: {FIELD: value}} of these jobs."""
    text = said(['bjobs', '-u', 'all', '-a', '-json', '-o', FIELDS, *map(str, numbers)], env)
    return {int(r['JOBID']): r for r in json.loads(text)['RECORDS']}


def bhist(number, env):
    """The record of one job with its events."""
    return json.loads(said(['bhist', '-json', str(number)], env))['RECORDS'][0]
