"""Role: keys of queues, profiles and lsb.params, each with what it becomes.

A row is a function of (context, where, text) that returns (key, value) pairs of WM; what it cannot carry over it reports. A key in
no table is reported by `convert`; what WM does always, or never needs to be told, stands in SILENT.
"""

import re
import signal

from convert import lsf_values as values
from convert.lsf_text import bare


def plain(key):
    """The value as it is."""
    return lambda c, where, text: [(key, bare(text))]


def number(key, most=None):
    """A whole number; nothing where there is no limit."""
    def row(c, where, text):
        if text.lower() in values.NEVER:
            return []
        if most is not None and int(text) > most:
            c.lost(where, f'{key} = {text}', f'{most} is the most here')
        return [(key, int(text) if most is None else min(int(text), most))]
    return row


def flag(key):
    """Y or N."""
    def row(c, where, text):
        if text.upper() not in ('Y', 'N', 'YES', 'NO', '1', '0'):
            raise ValueError(text)
        return [(key, 'yes' if text.upper() in ('Y', 'YES', '1') else 'no')]
    return row


def windows(key):
    """Parts of the week, written as here."""
    return lambda c, where, text: [(key, values.windows(text))]


def no_host_speed(c, where, name, text):
    """Times are of the clock here: a host or model behind them has no meaning."""
    if '/' in text:
        c.lost(where, f'{name}={text}', 'times are not scaled by the CPU factor of a host or model')


def timed(key, usual_key=None):
    """[default] most, in minutes."""
    def row(c, where, text):
        no_host_speed(c, where, key, text)
        usual, most = values.usual_and_most(text)
        return both(c, where, (usual_key, values.minutes(usual)) if usual else None, (key, values.minutes(most)))
    return row


def sized(key, usual_key=None, unit=None):
    """[default] most, of memory; `unit` where LSF_UNIT_FOR_LIMITS does not count."""
    def row(c, where, text):
        usual, most = values.usual_and_most(text)
        own = unit or c.unit
        return both(c, where, (usual_key, values.size(usual, own)) if usual else None, (key, values.size(most, own)))
    return row


def counted(key):
    """[default] most, a number."""
    def row(c, where, text):
        usual, most = values.usual_and_most(text)
        return both(c, where, (None, usual) if usual else None, (key, str(int(most))))
    return row


def both(c, where, usual, most):
    """The pairs of a limit; a default that has no key of its own is reported."""
    made = [most] if most[1] else []
    if usual and usual[0]:
        made.append(usual)
    elif usual:
        c.lost(where, f'a default {usual[1]} below {most[0]} {most[1]}', 'jobs that ask for none have the most')
    return made


def run_limit(c, where, text):
    """RUNLIMIT [default] max: a job that asks for none has the default, without one the most."""
    no_host_speed(c, where, 'RUNLIMIT', text)
    usual, most = values.usual_and_most(text)
    made = [('run_limit_max', values.minutes(most)), ('run_limit', values.minutes(usual or most))]
    return [pair for pair in made if pair[1]]


def mem_limit(key):
    """MEMLIMIT [default] max of a queue."""
    return sized(key, 'mem_limit')


def tasks(c, where, text):
    """TASKLIMIT [min [default]] max."""
    words = text.split()
    if not 0 < len(words) < 4:
        raise ValueError(text)
    made = [('max_tasks', int(words[-1]))]
    if len(words) > 1 and int(words[0]) > 1:
        made.insert(0, ('min_tasks', int(words[0])))
    if len(words) == 3:
        made.append(('default_tasks', int(words[1])))
    return made


def app_tasks(c, where, text):
    """That of a profile, before its queue's: without a least, jobs have 1."""
    made = dict(tasks(c, where, text))
    if 'min_tasks' not in made:
        made.setdefault('default_tasks', 1)
    return list(made.items())


def fairshare(c, where, text):
    """USER_SHARES[[u, n] ...]: the order of the queue; its shares go to users.conf."""
    found = values.shares(text)
    if not found:
        raise ValueError(text)
    c.shares(where, found, root=True)
    c.lost(where, 'FAIRSHARE', 'shares hold for all queues together: see users.conf and plans.conf')
    return [('order', 'fairshare')]


def preemption(c, where, text):
    """PREEMPTIVE[low1+2 low2] PREEMPTABLE[high]."""
    if re.search(r'PREEMPTABLE', text):
        c.lost(where, 'PREEMPTABLE', 'the other queue says whom it preempts: preempts there')
    found = re.search(r'PREEMPTIVE(?:\[([^\]]*)\])?', text)
    if not found:
        return []
    queues = [re.sub(r'\+\d*$', '', word) for word in (found.group(1) or '').split()]
    if queues != [word for word in (found.group(1) or '').split()]:
        c.lost(where, 'PREEMPTION: the order of +n', 'preempted is by priority of the queues')
    known = c.only(where, 'PREEMPTION', queues, c.queue_names, 'queue')
    if queues and not known:
        return []
    return [('preempts', ', '.join(known) or 'lower')]


def priority_step(c, where, text):
    """JOB_PRIORITY_OVER_TIME=increment/minutes."""
    increment, _, interval = text.partition('/')
    return [('priority_step', f'{max(1, round(60 * int(interval) / int(increment)))}s')]


def warning(c, where, text):
    """JOB_WARNING_ACTION: a signal by its number, a command as it is."""
    name = bare(text).removeprefix('SIG')
    known = getattr(signal, f'SIG{name}', None)
    if name == 'CHKPNT':
        c.lost(where, f'JOB_WARNING_ACTION={text}', 'bsub -k has periodic checkpoints')
        return []
    return [('warn_action', str(int(known)) if known else bare(text))]


def act(c, where, name, text):
    """A signal or a command of JOB_CONTROLS, or of *_CONTROL: none where it is a checkpoint's."""
    key, text = f'{name.lower()}_control', ' '.join(text.split())
    if text == 'CHKPNT':
        c.lost(where, f'{name}[CHKPNT]', f'a command of {key} may run echkpnt')
        return []
    return [(key, text)]


def control(name):
    """SUSPEND_CONTROL and its like of a profile."""
    return lambda c, where, text: act(c, where, name, text)


def controls(c, where, text):
    """JOB_CONTROLS = SUSPEND[signal | command] RESUME[...] TERMINATE[...]."""
    found = re.findall(r'\b(SUSPEND|RESUME|TERMINATE)\[((?:[^\[\]]|\[[^\]]*\])*)\]', text)
    if not found:
        raise ValueError(text)
    return [pair for name, what in found for pair in act(c, where, name, what)]


def terminate_when(c, where, text):
    """TERMINATE_WHEN = LOAD PREEMPT WINDOW."""
    words = text.upper().split()
    for word in dict.fromkeys(words):
        if word not in ('LOAD', 'PREEMPT', 'WINDOW'):
            c.lost(where, f'TERMINATE_WHEN={word}')
    known = [word.lower() for word in words if word in ('LOAD', 'PREEMPT', 'WINDOW')]
    return [('terminate_when', ' '.join(known))] if known else []


def interactive(c, where, text):
    """INTERACTIVE = YES | NO | ONLY."""
    return [('interactive', {'Y': 'yes', 'N': 'no', 'O': 'only'}[text[0].upper()])]


def exclusive(c, where, text):
    """EXCLUSIVE = Y | N | CU[...]."""
    if text.upper().startswith('CU'):
        c.lost(where, f'EXCLUSIVE={text}', 'jobs get whole hosts (bsub -x), no whole compute units')
    return [('exclusive', 'no' if text.upper().startswith('N') else 'yes')]


def nice(c, where, text):
    """NICE: beyond 19 there is nothing."""
    value = int(text)
    if not -20 <= value <= 19:
        c.lost(where, f'NICE={text}', f'{max(-20, min(19, value))} is the most that Linux has')
    return [('nice', max(-20, min(19, value)))]


def users(key):
    """Users and groups; none for everybody. WM's lists have no ~name."""
    def row(c, where, text):
        listed = c.user_list(where, text)
        return [(key, ', '.join(listed))] if listed else []
    return row


def hosts(c, where, text):
    """HOSTS: groups stay groups, all and others with ~name become the hosts that are left."""
    return c.host_list(where, text)


def app(key):
    """A profile that there is."""
    def row(c, where, text):
        return [(key, name) for name in c.only(where, key, values.names(text)[:1], c.app_names, 'application profile')]
    return row


def default_queue(c, where, text):
    """DEFAULT_QUEUE: LSF takes the first that fits, WM the first."""
    known = c.only(where, 'DEFAULT_QUEUE', values.names(text), c.queue_names, 'queue')
    for other in known[1:]:
        c.lost(where, f'DEFAULT_QUEUE {other}', 'one queue is the default')
    return [('default_queue', known[0])] if known else []


def exits(c, where, text):
    """SUCCESS_EXIT_VALUES."""
    return [('success_exits', ', '.join(str(int(name)) for name in values.names(text)))]


COMMON = {
    'DESCRIPTION': plain('description'), 'RES_REQ': plain('res_req'), 'RUNLIMIT': run_limit, 'RERUNNABLE': flag('rerunnable'),
    'PRE_EXEC': plain('pre_exec'), 'POST_EXEC': plain('post_exec'), 'REQUEUE_EXIT_VALUES': plain('requeue_exits'), 'NICE': nice,
    'RUNTIME': timed('run_estimate'), 'TASKLIMIT': tasks, 'PROCLIMIT': tasks, 'CPULIMIT': timed('cpu_limit'), 'GPU_REQ': plain('gpu'),
    'SWAPLIMIT': sized('swap_limit'), 'FILELIMIT': sized('file_limit', unit='K'), 'DATALIMIT': sized('data_limit', unit='K'),
    'STACKLIMIT': sized('stack_limit'), 'CORELIMIT': sized('core_limit'), 'PROCESSLIMIT': counted('process_limit'),
    'THREADLIMIT': counted('thread_limit'), 'JOB_STARTER': lambda c, where, text: [('job_starter', text)],
}
QUEUE = COMMON | {
    'PRIORITY': number('priority'), 'USERS': users('users'), 'HOSTS': hosts, 'ADMINISTRATORS': users('admins'),
    'QJOB_LIMIT': number('max_slots'), 'UJOB_LIMIT': number('user_slots'), 'HJOB_LIMIT': number('host_slots'),
    'MEMLIMIT': mem_limit('mem_limit_max'), 'JOB_WARNING_ACTION': warning, 'JOB_ACTION_WARNING_TIME': timed('warn_time'),
    'MAX_JOB_REQUEUE': number('max_requeue'), 'MAX_JOB_PREEMPT': number('max_preempt'),
    'RUN_WINDOW': windows('run_window'), 'DISPATCH_WINDOW': windows('dispatch_window'),
    'JOB_CONTROLS': controls, 'TERMINATE_WHEN': terminate_when, 'FAIRSHARE': fairshare, 'PREEMPTION': preemption,
    'EXCLUSIVE': exclusive, 'DEFAULT_APPLICATION': app('app'), 'INTERACTIVE': interactive,
}
APP = COMMON | {
    'TASKLIMIT': app_tasks, 'PROCLIMIT': app_tasks,
    'MEMLIMIT': mem_limit('mem_limit'), 'SUSPEND_CONTROL': control('SUSPEND'), 'RESUME_CONTROL': control('RESUME'),
    'TERMINATE_CONTROL': control('TERMINATE'), 'SUCCESS_EXIT_VALUES': exits,
    'RESIZE_NOTIFY_CMD': lambda c, where, text: [('resize', 'notify'), ('resize_command', bare(text))],
    # A job is resized where it asks for it (-ar), whatever its profile.
    'RESIZABLE_JOBS': lambda c, where, text: [],
}
PARAMS = {
    'DEFAULT_QUEUE': default_queue, 'DEFAULT_PROJECT': plain('default_project'), 'DEFAULT_APPLICATION': app('default_app'),
    'MAX_JOB_ARRAY_SIZE': number('max_array_size', 10000000), 'CLEAN_PERIOD': lambda c, where, text: [('clean_period', values.seconds_of(text))],
    'JOB_TERMINATE_INTERVAL': lambda c, where, text: [('kill_grace', values.seconds_of(text))],
    'MAX_JOB_REQUEUE': number('max_user_requeue'), 'MAX_JOB_PREEMPT': number('max_preempt'),
    'RESOURCE_RESERVE_PER_TASK': flag('reserve_per_task'), 'RESOURCE_RESERVE_PER_SLOT': flag('reserve_per_task'),
    'MAX_USER_PRIORITY': number('max_user_priority'), 'JOB_PRIORITY_OVER_TIME': priority_step, 'MAX_PEND_JOBS': number('max_pend_jobs'),
    'JOB_DEP_LAST_SUB': lambda c, where, text: [('dep_last_sub', 'yes' if text.strip() == '1' else 'no')],
    # Finest first there and here; the "!" marks LSF's default.
    'COMPUTE_UNIT_TYPES': lambda c, where, text: [('unit_types', ' '.join(values.names(text.replace('!', ''))))],
    'HIST_HOURS': lambda c, where, text: [('usage_half_life', f'{max(1, round(float(text) * 0.301))}h')],
}
SILENT = {'QUEUE_NAME', 'NAME', 'BACKFILL', 'SLOT_RESERVE', 'RESOURCE_RESERVE', 'MBD_SLEEP_TIME', 'SBD_SLEEP_TIME', 'MAX_JOBID',
          'MAX_JOB_NUM', 'MAX_SBD_FAIL', 'PEND_REASON_UPDATE_INTERVAL', 'JOB_SCHEDULING_INTERVAL', 'NEW_JOB_SCHED_DELAY', 'ABS_RUNLIMIT'}
# Why what has no place has none, where there is more to say.
WHY = {
    'CHKPNT': 'bsub -k has checkpoints of single jobs', 'PJOB_LIMIT': 'limits count hosts and users, no processors: see host_slots',
    'JL/P': 'limits count hosts and users, no processors', 'FAIRSHARE_QUEUES': 'shares hold for all queues together',
    'GROUP_ADMIN': 'groups have no administrators of their own: see admins of a queue', 'PRE_POST_EXEC_USER': 'they run as the user of the job',
    'STOP_COND': 'load says when jobs are stopped', 'RESUME_COND': 'load says when jobs go on',
    'EADMIN_TRIGGER_DURATION': 'health programs have no place in WM yet', 'EXIT_RATE': 'health programs have no place in WM yet',
    'LIC_SCHED': 'licences are not counted', 'MEMLIMIT_TYPE': 'a memory limit is of the job on a host',
    'RESIZABLE_JOBS': 'draining of elastic jobs: they resize where they ask for it (-ar)',
}


def convert(c, table, where, section, others=()):
    """A section's settings as WM's keys; `others` are read elsewhere."""
    made = []
    for name, text in section.items():
        if name in SILENT or name in others or not text:
            continue
        if name not in table:
            c.lost(where, f'{name}={text}', WHY.get(name, 'has no place in WM'))
            continue
        try:
            made += table[name](c, where, text)
        except (AttributeError, KeyError, ValueError, IndexError, ZeroDivisionError):
            c.lost(where, f'{name}={text}', 'could not be read')
    return made
