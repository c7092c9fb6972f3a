// Keys of queues.conf.
#include "libwm/conf/keys.h"

namespace wm::conf {
namespace {

using Q = QueueConf;

constexpr Key<Q> kQueueKeys[] = {
    {"priority",
     [](Q& q) -> Field { return &q.priority; },
     {1, 1000000},
     Effect::Reconfig,
     "Jobs of a queue with a higher number go first, and take slots back from elastic jobs of "
     "lower queues."},
    {"description", [](Q& q) -> Field { return &q.description; }, kAny, Effect::Reconfig,
     "What the queue is for; shown by bqueues -l."},
    {"users", [](Q& q) -> Field { return &q.users; }, kAny, Effect::NewJobs,
     "Users and groups that may use the queue. Empty: everybody."},
    {"hosts", [](Q& q) -> Field { return &q.hosts; }, kAny, Effect::Reconfig,
     "Hosts and host groups on which its jobs run. Empty: all."},
    {"admins", [](Q& q) -> Field { return &q.admins; }, kAny, Effect::Reconfig,
     "Users and groups that may open and close the queue (badmin), and kill, stop, move, switch "
     "and limit its jobs as an administrator may."},
    {"app", [](Q& q) -> Field { return &q.app; }, kAny, Effect::NewJobs,
     "Application profile of jobs submitted without -app."},
    {"plan", [](Q& q) -> Field { return &q.plan; }, kAny, Effect::NewJobs,
     "Plan of jobs submitted without -plan."},
    {"run_limit",
     [](Q& q) -> Field { return &q.run_limit.usual; },
     {0, 365 * kDay},
     Effect::NewJobs,
     "Run limit of jobs submitted without -W. 0: none."},
    {"run_limit_max",
     [](Q& q) -> Field { return &q.run_limit.max; },
     {0, 365 * kDay},
     Effect::NewJobs,
     "Longest run limit that a job may ask for. 0: none."},
    {"run_estimate",
     [](Q& q) -> Field { return &q.run_estimate; },
     {0, 365 * kDay},
     Effect::NewJobs,
     "Run estimate (-We) of jobs that give none. 0: none. RUNTIME of LSF."},
    {"min_tasks",
     [](Q& q) -> Field { return &q.min_tasks; },
     {0, 1000000},
     Effect::NewJobs,
     "Fewest tasks that a job may ask for."},
    {"max_tasks",
     [](Q& q) -> Field { return &q.max_tasks; },
     {0, 1000000},
     Effect::NewJobs,
     "Most tasks that a job may ask for. 0: no limit."},
    {"default_tasks",
     [](Q& q) -> Field { return &q.default_tasks; },
     {0, 1000000},
     Effect::NewJobs,
     "Tasks of jobs submitted without -n. 0: min_tasks, or 1 where that is 0. The second of the "
     "three numbers of TASKLIMIT of LSF."},
    {"max_slots",
     [](Q& q) -> Field { return &q.max_slots; },
     {0, 10000000},
     Effect::Reconfig,
     "Most slots that all jobs of the queue use together. 0: no limit."},
    {"user_slots",
     [](Q& q) -> Field { return &q.user_slots; },
     {0, 10000000},
     Effect::Reconfig,
     "Most slots that one user's jobs in the queue use. 0: no limit."},
    {"run_window", [](Q& q) -> Field { return &q.run_window; }, kAny, Effect::Reconfig,
     "When its jobs run, such as 20:00-6:00 or 5:18:00-1:8:00 (days 0, Sunday, to 6), at the time "
     "of the master's machine. Outside of it none starts, and none whose run limit reaches beyond "
     "it; what runs when it closes is stopped until it opens, or as bsub -s and terminate_when "
     "say. "
     "Empty: always."},
    {"dispatch_window", [](Q& q) -> Field { return &q.dispatch_window; }, kAny, Effect::Reconfig,
     "When its jobs start; what runs goes on. Empty: always."},
    {"host_slots",
     [](Q& q) -> Field { return &q.host_slots; },
     {0, 1000000},
     Effect::Reconfig,
     "Most slots that jobs of the queue use on one host. 0: no limit."},
    {"mem_limit",
     [](Q& q) -> Field { return &q.mem_limit; },
     {0, 1LL << 50},
     Effect::NewJobs,
     "Memory limit of jobs submitted without -M, per task or per host as that one is. 0: none."},
    {"order", [](Q& q) -> Field { return &q.order; }, kAny, Effect::Reconfig,
     "In which order its jobs are looked at: fcfs, by bsub -sp and age; fairshare, the jobs of "
     "those first who used least of their shares lately (users.conf); slowdown, those first whose "
     "wait is longest for their run limit, so that short jobs hardly wait and long ones start in "
     "the end. Who states no run limit counts as one of an hour."},
    {"rerunnable", [](Q& q) -> Field { return &q.rerunnable; }, kAny, Effect::NewJobs,
     "Whether jobs start again when their host is lost, as with bsub -r."},
    {"exclusive", [](Q& q) -> Field { return &q.exclusive; }, kAny, Effect::NewJobs,
     "Whether jobs may ask for whole hosts (bsub -x)."},
    {"interactive", [](Q& q) -> Field { return &q.interactive; }, kAny, Effect::NewJobs,
     "Whether it takes jobs with a terminal or attached streams (bsub -I, -Ip, -Is): beside others "
     "(yes), never (no), or nothing else (only). INTERACTIVE of LSF."},
    {"res_req", [](Q& q) -> Field { return &q.res_req; }, kAny, Effect::NewJobs,
     "Resource requirement that is added to every job's -R."},
    {"place", [](Q& q) -> Field { return &q.place; }, kAny, Effect::Reconfig,
     "Where its jobs' tasks go: on the fewest hosts (pack), evenly on many (spread), or below as "
     "few switches as can be (topology). Under pack the first host of an elastic job with GPUs is "
     "cleared of alike jobs' tasks, which get as many GPUs elsewhere, rather than that it starts "
     "scattered."},
    {"preempts", [](Q& q) -> Field { return &q.preempts; }, kAny, Effect::Reconfig,
     "Queues whose running jobs make way for its pending jobs; lower: all of lower priority. "
     "Elastic jobs of lower queues shrink for it in any case."},
    {"preempt_by", [](Q& q) -> Field { return &q.preempt_by; }, kAny, Effect::Reconfig,
     "How far its own running jobs make way: elastic ones shrink (shrink); jobs are told to save "
     "their work and queued again (requeue); rerunnable ones are, others are stopped and go on "
     "once "
     "their slots are free again, unless they hold GPUs (suspend); jobs that are not rerunnable "
     "are "
     "ended (kill)."},
    {"elastic", [](Q& q) -> Field { return &q.elastic; }, kAny, Effect::Reconfig,
     "Sizes of its elastic jobs beyond their minimum: equal (fairshare), or by what each gains "
     "from another task, as far as its reported step times tell (goodput): it goes to a further "
     "host only where that makes it faster. A plan may say otherwise."},
    {"preempt_grace",
     [](Q& q) -> Field { return &q.preempt_grace; },
     {0, kDay},
     Effect::Reconfig,
     "Time that a preempted job of the queue has between SIGTERM and SIGKILL."},
    {"cpu_limit",
     [](Q& q) -> Field { return &q.limits.cpu; },
     {0, 365 * kDay},
     Effect::NewJobs,
     "CPU time of all of a job's processes on a host (-c): that of jobs that ask for none, and the "
     "most that one may ask for. 0: none."},
    {"mem_limit_max",
     [](Q& q) -> Field { return &q.limits.mem; },
     {0, 1LL << 50},
     Effect::NewJobs,
     "Most memory that a job may ask for with -M. 0: no limit."},
    {"file_limit",
     [](Q& q) -> Field { return &q.limits.file; },
     {0, 1LL << 50},
     Effect::NewJobs,
     "Size of a file that is written (-F), of jobs that ask for none, and the most that one may "
     "ask for. 0: none."},
    {"data_limit",
     [](Q& q) -> Field { return &q.limits.data; },
     {0, 1LL << 50},
     Effect::NewJobs,
     "Data segment of a process (-D), of jobs that ask for none, and the most that one may ask "
     "for. 0: none."},
    {"stack_limit",
     [](Q& q) -> Field { return &q.limits.stack; },
     {0, 1LL << 50},
     Effect::NewJobs,
     "Stack of a process (-S), of jobs that ask for none, and the most that one may ask for. 0: "
     "none."},
    {"core_limit",
     [](Q& q) -> Field { return &q.limits.core; },
     {0, 1LL << 50},
     Effect::NewJobs,
     "Core file of a process (-C), of jobs that ask for none, and the most that one may ask for."},
    {"swap_limit",
     [](Q& q) -> Field { return &q.limits.swap; },
     {0, 1LL << 50},
     Effect::NewJobs,
     "Virtual memory of all of a job's processes on a host (-v), of jobs that ask for none, and "
     "the most that one may ask for. 0: none."},
    {"process_limit",
     [](Q& q) -> Field { return &q.limits.processes; },
     {0, 1000000},
     Effect::NewJobs,
     "Processes of a job on a host at a time (-p), of jobs that ask for none, and the most that "
     "one may ask for. 0: none."},
    {"thread_limit",
     [](Q& q) -> Field { return &q.limits.threads; },
     {0, 1000000},
     Effect::NewJobs,
     "Threads of a job on a host at a time (-T), of jobs that ask for none, and the most that one "
     "may ask for. 0: none."},
    {"gpu", [](Q& q) -> Field { return &q.gpu; }, kAny, Effect::NewJobs,
     "GPU requirement, part by part, of jobs that leave it to their profile and whose profile "
     "leaves "
     "it open. GPU_REQ of LSF."},
    {"nice",
     [](Q& q) -> Field { return &q.controls.nice; },
     {-20, 19},
     Effect::NewJobs,
     "Scheduling priority of its jobs' processes on their hosts: higher is later, below 0 needs "
     "root. "
     "NICE of LSF."},
    {"warn_action", [](Q& q) -> Field { return &q.warn_action; }, kAny, Effect::NewJobs,
     "Number of a signal, or command, that warns jobs that have no -wa of their own. "
     "JOB_WARNING_ACTION of LSF."},
    {"warn_time",
     [](Q& q) -> Field { return &q.warn_time; },
     {0, kDay},
     Effect::NewJobs,
     "So long before the run limit warn_action comes. 0: never."},
    {"max_requeue",
     [](Q& q) -> Field { return &q.max_requeue; },
     {0, 1000000},
     Effect::Reconfig,
     "How often a job of it is queued again because of itself. none: as max_user_requeue of "
     "wm.conf "
     "says."},
    {"max_preempt",
     [](Q& q) -> Field { return &q.max_preempt; },
     {0, 1000000},
     Effect::Reconfig,
     "How often a job of it makes way for jobs of higher queues. 0: always; none: as wm.conf "
     "says."},
    {"pre_exec_limit",
     [](Q& q) -> Field { return &q.pre_exec_limit; },
     {0, 365 * kDay},
     Effect::Reconfig,
     "Most time that the user's commands before its jobs' tasks have together. 0: as wm.conf "
     "says."},
    {"post_exec_limit",
     [](Q& q) -> Field { return &q.post_exec_limit; },
     {0, 365 * kDay},
     Effect::Reconfig,
     "The same of those after the tasks. 0: as wm.conf says."},
    {"pre_exec", [](Q& q) -> Field { return &q.pre_exec; }, kAny, Effect::NewJobs,
     "Shell command run as the user on a job's first host before its tasks. When it fails the job "
     "waits for another try; exit code 99 ends it."},
    {"post_exec", [](Q& q) -> Field { return &q.post_exec; }, kAny, Effect::NewJobs,
     "Shell command run as the user on a job's first host after its tasks; LSB_JOBEXIT_STAT says "
     "how they ended."},
    {"job_starter", [](Q& q) -> Field { return &q.controls.starter; }, kAny, Effect::NewJobs,
     "Command line through which each of its jobs' commands is run, as the user: the job's command "
     "stands for %USRCMD in it, or else follows it. Inside of quotes %USRCMD is one word there. "
     "As this host's own file says it, like the three below; a profile's goes before."},
    {"suspend_control", [](Q& q) -> Field { return ActField{&q.controls.suspend}; }, kAny,
     Effect::NewJobs,
     "Signal or shell command by which its jobs are stopped, instead of being frozen. A command is "
     "run as the user on a job's first host, with its environment, LSB_JOBPIDS (all of its "
     "processes there) and LSB_JOBPGIDS (its process groups); other hosts do as usual."},
    {"resume_control", [](Q& q) -> Field { return ActField{&q.controls.resume}; }, kAny,
     Effect::NewJobs, "The same, by which what was stopped goes on. Empty: SIGCONT."},
    {"terminate_control", [](Q& q) -> Field { return ActField{&q.controls.terminate}; }, kAny,
     Effect::NewJobs,
     "The same, by which its jobs are ended, at bkill and at limits, instead of SIGINT and "
     "SIGTERM. "
     "SIGKILL comes all the same: kill_grace after a signal, twice that after a command was "
     "begun."},
    {"load", [](Q& q) -> Field { return &q.load; }, kAny, Effect::Reconfig,
     "Load of a host, by lsload's indices r15s r1m r15m ut it tmp swp mem, beyond which none of "
     "its "
     "jobs starts there, and after a slash beyond which those that run are stopped until it is "
     "below the first again: r1m=0.7/2.0 ut=90% mem=500M/200M. it is in minutes; of it, tmp, swp "
     "and mem less is worse."},
    {"terminate_when", [](Q& q) -> Field { return &q.terminate_when; }, kAny, Effect::Reconfig,
     "What ends its jobs that would stop them otherwise: load beyond its thresholds, preemption, "
     "the end of its run window."},
    {"requeue_exits",
     [](Q& q) -> Field { return &q.requeue_exits; },
     {0, 255},
     Effect::NewJobs,
     "Exit codes with which a job is queued again, unless the job or its profile names its own; of "
     "those in EXCLUDE( ) it is not dispatched again to the hosts that it ran on. all: 1 to 255; "
     "~code: not that one."},
};

}  // namespace

std::span<const Key<QueueConf>> queue_keys() { return kQueueKeys; }

}  // namespace wm::conf
