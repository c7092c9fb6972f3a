#!/usr/bin/env python3
"""lsf2wm: what of an LSF configuration becomes what, and what is reported."""

import os
import signal
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path.insert(0, os.path.join(TOP, 'commands'))
import lsf2wm  # noqa: E402
from convert import lsf_hosts, lsf_text, lsf_values  # noqa: E402
from convert.lsf_site import made  # noqa: E402

FILES = {
    'lsf.conf': 'LSF_MASTER_LIST="m1 m2"\nLSF_UNIT_FOR_LIMITS=MB\n',
    'lsf.cluster.c1': '''Begin ClusterAdmins
ADMINISTRATORS = lsfadmin ops
End ClusterAdmins
Begin Host
HOSTNAME model type server RESOURCES
m1 ! ! 1 (mg)
n1 ! ! 1 (ssd fast)
End Host
''',
    'lsb.params': '''Begin Parameters
DEFAULT_QUEUE = normal idle
CLEAN_PERIOD = 1800   # half an hour
JOB_DEP_LAST_SUB = 1
MAX_USER_PRIORITY = 100
JOB_PRIORITY_OVER_TIME = 3/20
MAX_PEND_JOBS = 5000
MBD_SLEEP_TIME = 10
EADMIN_TRIGGER_DURATION = 1
End Parameters
''',
    'lsb.queues': r'''Begin Queue
QUEUE_NAME = normal
PRIORITY = 30
USERS = all
RUNLIMIT = 1:30 24:00
MEMLIMIT = 4000
DESCRIPTION = For \
normal jobs
CHUNK_JOB_SIZE = 4
End Queue
Begin Queue
QUEUE_NAME = high
USERS = vision bob
PREEMPTION = PREEMPTIVE[normal+2]
TASKLIMIT = 2 4 64
NICE = 10
GPU_REQ = "num=1:mode=shared"
RUNTIME = 1:00
JOB_WARNING_ACTION = URG
JOB_ACTION_WARNING_TIME = 2
REQUEUE_EXIT_VALUES = all ~1 EXCLUDE(7)
MAX_JOB_REQUEUE = 3
FAIRSHARE = USER_SHARES[[vision, 10] [default, 1]]
JOB_STARTER = /bin/sh -c "nice %USRCMD"
JOB_CONTROLS = SUSPEND[SIGTSTP] TERMINATE[kill -USR1 $LSB_JOBPGIDS; [ -e x ] && sleep 5] RESUME[CHKPNT]
TERMINATE_WHEN = LOAD PREEMPT LATER
r1m = 0.7/2.0
ut = 0.9
mem = -/200
it = -
pg = x
tmp = many
End Queue
''',
    'lsb.hosts': '''Begin Host
HOST_NAME MXJ JL/U r1m
default ! () ()
n1 8 2 0.9
End Host
Begin HostGroup
GROUP_NAME GROUP_MEMBER
gpu (n1 m1)
End HostGroup
''',
    'lsb.users': '''Begin UserGroup
GROUP_NAME GROUP_MEMBER
vision (ann bob)
End UserGroup
Begin User
USER_NAME MAX_JOBS JL/P MAX_PEND_JOBS
ann 40 - 200
default 10 - -
End User
''',
    'lsb.applications': '''Begin Application
NAME = mpi
TASKLIMIT = 8
CPULIMIT = 2:00
MEMLIMIT = 800
RERUNNABLE = Y
RESIZABLE_JOBS = N
TERMINATE_CONTROL = SIGUSR2
End Application
''',
    'lsb.resources': '''Begin Limit
NAME = l1
PER_USER = all
QUEUES = normal
SLOTS = 16
End Limit
Begin Limit
NAME = l2
PROJECTS = p
SLOTS = 3
End Limit
Begin ResourceReservation
NAME = dayPolicy
USERS = ann vision
HOSTS = n1
TIME_WINDOW = 8:00-18:00
End ResourceReservation
Begin GuaranteedResourcePool
NAME = pool
TYPE = slots
DISTRIBUTION = ([gold, 20] [silver, 10%])
End GuaranteedResourcePool
''',
}


class Converted(unittest.TestCase):
    """One configuration, looked at from all sides."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        batch = os.path.join(cls.folder.name, 'lsbatch', 'c1', 'configdir')
        os.makedirs(batch)
        for name, text in FILES.items():
            place = batch if name.startswith('lsb.') else cls.folder.name
            with open(os.path.join(place, name), 'w', encoding='utf-8') as file:
                file.write(text)
        cls.site = made(cls.folder.name, None)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def has(self, file, heading, **keys):
        """A section has these keys; None: it has none."""
        self.assertIn(heading, self.site.headings(file))
        section = self.site.section(file, heading)
        self.assertEqual({key: section.keys.get(key) for key in keys}, keys)

    def told(self, text):
        """A line of the report has this."""
        self.assertTrue([line for line in self.site.report if text in line], f'{text} in {self.site.report}')

    def test_cluster(self):
        """Name, master, administrators, parameters."""
        self.has('wm', 'cluster', cluster_name='c1', master_host='m1', admins='lsfadmin, ops', unit_for_limits='MB',
                 default_queue='normal', clean_period='1800s', dep_last_sub='yes', max_user_priority='100', priority_step='400s',
                 max_pend_jobs='5000')
        self.told('lsf.conf: LSF_MASTER_LIST: m2: there is one master: no failover')
        self.told('lsb.params: EADMIN_TRIGGER_DURATION=1: health programs')
        self.assertFalse([line for line in self.site.report if 'MBD_SLEEP_TIME' in line])

    def test_queues(self):
        """Limits with their units, continued lines, lists; who is preempted is suspended, as in LSF."""
        self.has('queues', 'normal', priority='30', run_limit_max='1440m', run_limit='90m', mem_limit_max='4000M', user_slots='16',
                 description='For normal jobs', users=None, preempt_by='suspend')
        self.has('queues', 'high', users='vision, bob', preempts='normal', min_tasks='2', max_tasks='64', nice='10', order='fairshare',
                 default_tasks='4', gpu='num=1:mode=shared', run_estimate='60m', warn_action=str(int(signal.SIGURG)), warn_time='2m',
                 requeue_exits='all ~1 EXCLUDE(7)', max_requeue='3')
        self.told('lsb.queues: normal: CHUNK_JOB_SIZE=4: has no place in WM')
        self.assertFalse([line for line in self.site.report if 'without -n' in line])

    def test_how_jobs_run(self):
        """Starters, controls and load thresholds; what cannot be is told."""
        self.has('queues', 'high', job_starter='/bin/sh -c "nice %USRCMD"', suspend_control='SIGTSTP', resume_control=None,
                 terminate_control='kill -USR1 $LSB_JOBPGIDS; [ -e x ] && sleep 5', terminate_when='load preempt',
                 load='r1m=0.7/2 ut=0.9 mem=-/200M')
        self.has('apps', 'mpi', terminate_control='SIGUSR2')
        for line in ('RESUME[CHKPNT]: a command of resume_control may run echkpnt', 'TERMINATE_WHEN=LATER: has no place in WM',
                     'PG=x: has no place in WM', 'TMP=many: could not be read'):
            self.told(f'lsb.queues: high: {line}')

    def test_hosts_and_users(self):
        """Groups are of their members; shares make nodes of the tree; the default limit is of those that have no row."""
        self.has('hosts', 'n1', slots='8', groups='gpu', resources='ssd, fast', load='r1m=0.9')
        self.has('hosts', 'm1', groups='gpu', load=None)
        self.has('users', 'ann', max_slots='40', max_pend_jobs='200', groups='@vision, vision')
        self.has('users', 'bob', max_slots='10', groups='@vision, vision')
        self.has('users', 'default', shares='1', max_slots='10')
        self.has('users', '@vision', shares='10')

    def test_profiles_plans_limits(self):
        """What fits is carried over, what does not is told."""
        self.has('apps', 'mpi', max_tasks='8', default_tasks='1', cpu_limit='120m', mem_limit='800M', rerunnable='yes')
        self.has('limits', 'of_each_user_on_n1', per_host='n1', per_user='all', slots='2')
        self.has('plans', '/gold', owns='20')
        self.told('silver 10%')
        self.has('limits', 'l2', projects='p', slots='3')
        self.has('limits', 'dayPolicy', reservations='yes', users='ann, vision', hosts='n1', windows='8:00-18:00')

    def test_command(self):
        """Exit codes; a folder that is there is left alone."""
        out = os.path.join(self.folder.name, 'out')
        self.assertEqual(lsf2wm.main(['-o', out, self.folder.name]), 1)
        self.assertEqual(lsf2wm.main(['-o', out, self.folder.name]), 2)
        self.assertEqual(lsf2wm.main(['-o', out + '2', out]), 2)


class Values(unittest.TestCase):
    """Single values and lists."""

    def test_hosts(self):
        """Ranges, patterns, all and others with ~name, name+n, name!; names up to the first dot."""
        hosts = lsf_values.HostNames([f'n{k:02d}.x.org' for k in range(1, 13)] + ['m.x.org', 'desk'], {'desk'})
        hosts.groups['thin'] = ['n01', 'n02']
        for text, meant in (('n[01-03]', ['n01', 'n02', 'n03']), ('n[01,12]+2 m!', ['n01', 'n12', 'm']), ('thin ~n01', ['n02']),
                            ('(n1* ~n12)', ['n10', 'n11']), ('n03.x.org+1 others ~n[01-11]', ['n12', 'm']),
                            ('~n[01-11]', ['n12', 'm'])):
            self.assertEqual(hosts.members(text), (meant, []), text)
        self.assertEqual(hosts.members('n01 desk nosuch'), (['n01'], ['desk', 'nosuch']))

    def test_times_and_sizes(self):
        """A host behind them does not count; a unit goes before LSF_UNIT_FOR_LIMITS; nothing is guessed."""
        self.assertEqual(lsf_values.minutes('24:0/apple'), '1440m')
        self.assertEqual(lsf_values.minutes('unlimited'), '')
        self.assertEqual(lsf_values.size('512', 'M'), '512M')
        self.assertEqual(lsf_values.size('4GB', 'M'), '4G')
        for wrong in ('12X', 'GB', '1 2'):
            with self.assertRaises(ValueError):
                lsf_values.size(wrong, 'K')
        self.assertEqual(lsf_hosts.load_limit('R1M', '15/'), 'r1m=15/-')
        self.assertEqual(lsf_hosts.load_limit('TMP', '-'), '')

    def test_sections(self):
        """Cells in brackets and quotes; a key that comes twice; a section without an end."""
        text = 'Begin T\nA B C\n(x (y z) ~w) "p q" [a, 1]\n- () 3 # four\nEnd T\nBegin Queue\nX = 1\nX = 2\nEnd Queue\nBegin Open\n'
        told = []
        found = list(lsf_text.sections(text, lambda what, why: told.append(what)))
        self.assertEqual([row for _, _, row in found], [{'A': 'x (y z) ~w', 'B': 'p q', 'C': '[a, 1]'}, {'C': '3'}, {'X': '1'}])
        self.assertEqual(told, ['X = 2', 'Begin open'])


if __name__ == '__main__':
    unittest.main()
