#!/usr/bin/env python3
"""lsf2wm: what of an LSF configuration becomes what, and what is reported."""

import importlib.util
import os
import signal
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
SPEC = importlib.util.spec_from_file_location('lsf2wm', os.path.join(TOP, 'commands', 'lsf2wm.py'))
lsf2wm = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(lsf2wm)

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
        cls.site = lsf2wm.made(cls.folder.name, None)
        cls.text = {name: '\n'.join(lines) for name, lines in cls.site.out.items()}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_cluster(self):
        """Name, master, administrators, parameters."""
        for line in ('cluster_name = c1', 'master_host = m1', 'admins = lsfadmin, ops', 'unit_for_limits = MB',
                     'default_queue = normal', 'clean_period = 1800s', 'dep_last_sub = yes', 'max_user_priority = 100',
                     'priority_step = 400s', 'max_pend_jobs = 5000'):
            self.assertIn(line, self.text['wm'])
        self.assertIn('lsf.conf: LSF_MASTER_LIST: m2: there is one master', self.site.report)
        self.assertIn('lsb.params: EADMIN_TRIGGER_DURATION=1: has no place in WM', self.site.report)
        self.assertFalse([line for line in self.site.report if 'MBD_SLEEP_TIME' in line])

    def test_queues(self):
        """Limits with their units, continued lines, lists."""
        normal, high = self.text['queues'].split('[high]')
        for line in ('[normal]', 'priority = 30', 'run_limit_max = 1440m', 'run_limit = 90m', 'mem_limit_max = 4000M',
                     'user_slots = 16', 'description = For normal jobs'):
            self.assertIn(line, normal)
        self.assertNotIn('users', normal)
        for line in ('users = vision, bob', 'preempts = normal', 'min_tasks = 2', 'max_tasks = 64', 'nice = 10', 'gpu = num=1:mode=shared',
                     'run_estimate = 60m', f'warn_action = {int(signal.SIGURG)}', 'warn_time = 2m', 'requeue_exits = all ~1 EXCLUDE(7)',
                     'max_requeue = 3'):
            self.assertIn(line, high)
        self.assertIn('lsb.queues: normal: CHUNK_JOB_SIZE=4: has no place in WM', self.site.report)

    def test_how_jobs_run(self):
        """Starters, controls and load thresholds; what cannot be is told."""
        high = self.text['queues'].split('[high]')[1]
        for line in ('job_starter = /bin/sh -c "nice %USRCMD"', 'suspend_control = SIGTSTP',
                     'terminate_control = kill -USR1 $LSB_JOBPGIDS; [ -e x ] && sleep 5',
                     'terminate_when = load preempt', 'load = r1m=0.7/2 ut=0.9 mem=-/200M'):
            self.assertIn(line + '\n', high)
        self.assertNotIn('resume_control', high)
        self.assertIn('terminate_control = SIGUSR2', self.text['apps'])
        for line in ('RESUME[CHKPNT]: a command of resume_control may run echkpnt', 'TERMINATE_WHEN=LATER: has no place in WM',
                     'PG=x: has no place in WM', 'TMP=many: could not be read'):
            self.assertIn(f'lsb.queues: high: {line}', self.site.report)

    def test_hosts_and_users(self):
        """Groups are of their members."""
        self.assertIn('[n1]\nslots = 8\ngroups = gpu\nresources = ssd, fast', self.text['hosts'])
        self.assertIn('[m1]\ngroups = gpu', self.text['hosts'])
        self.assertIn('[ann]\nmax_slots = 40\nmax_pend_jobs = 200\ngroups = vision', self.text['users'])
        self.assertIn('[default]\nshares = 1\nmax_slots = 10', self.text['users'])
        self.assertIn('[@vision]\nshares = 10', self.text['users'])

    def test_profiles_plans_limits(self):
        """What fits is carried over, what does not is told."""
        self.assertIn('[mpi]\nmax_tasks = 8\ncpu_limit = 120m\nmem_limit = 800M\nrerunnable = yes', self.text['apps'])
        self.assertIn('[of_each_user_on_n1]\nper_host = n1\nper_user = all\nslots = 2', self.text['limits'])
        self.assertIn('[/gold]\nowns = 20', self.text['plans'])
        self.assertTrue(any('silver 10%' in line for line in self.site.report))
        self.assertIn('[l2]\nprojects = p\nslots = 3', self.text['limits'])
        self.assertIn('[dayPolicy]\nreservations = yes\nusers = ann, vision\nhosts = n1\nwindows = 8:00-18:00', self.text['limits'])

    def test_command(self):
        """Exit codes; a folder that is there is left alone."""
        out = os.path.join(self.folder.name, 'out')
        self.assertEqual(lsf2wm.main(['-o', out, self.folder.name]), 1)
        self.assertEqual(lsf2wm.main(['-o', out, self.folder.name]), 2)
        self.assertEqual(lsf2wm.main(['-o', out + '2', out]), 2)


if __name__ == '__main__':
    unittest.main()
