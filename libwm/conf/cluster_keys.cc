// Keys of wm.conf.
#include <array>

#include "libwm/conf/keys.h"

namespace wm::conf {
namespace {

using C = ClusterConf;
constexpr std::array<std::string_view, 2> kUnknownJobs = {"end", "adopt"};
constexpr std::array<std::string_view, 4> kLevels = {"debug", "info", "warn", "error"};
constexpr std::array<std::string_view, 3> kLogs = {"file", "syslog", "journald"};
constexpr std::array<std::string_view, 3> kOutputs = {"file", "mail", "none"};
constexpr std::array<std::string_view, 2> kFailures = {"refuse", "accept"};
constexpr std::array<std::string_view, 2> kOveruse = {"tell", "end"};
constexpr std::array<std::string_view, 6> kUnits = {"default", "KB", "MB", "GB", "TB", "PB"};
constexpr std::array<std::string_view, 6> kHeadings = {"cluster", "master", "paths",
                                                       "times",   "limits", "scheduler"};

constexpr Key<C> kClusterKeys[] = {
    {"cluster_name", [](C& c) -> Field { return &c.name; }, kAny, Effect::Restart,
     "Name of the cluster, shown by lsid and in reports."},
    {"master_host", [](C& c) -> Field { return &c.master_host; }, kAny, Effect::Restart,
     "Host on which wmasterd runs: a name or a numeric address."},
    {"master_port",
     [](C& c) -> Field { return &c.master_port; },
     {1, 65535},
     Effect::Restart,
     "TCP port on which wmasterd listens."},
    {"master_user", [](C& c) -> Field { return &c.master_user; }, kAny, Effect::Restart,
     "Account of wmasterd. Clients and hosts refuse a master of any other account."},
    {"host_user", [](C& c) -> Field { return &c.host_user; }, kAny, Effect::Restart,
     "Account of wnoded. The master refuses hosts of any other account."},
    {"munge_socket", [](C& c) -> Field { return &c.munge_socket; }, kAny, Effect::Restart,
     "Socket of munged. Empty: the one that libmunge knows."},
    {"admins", [](C& c) -> Field { return &c.admins; }, kAny, Effect::Reconfig,
     "Users that may administer the cluster, besides root and master_user."},
    {"job_info", [](C& c) -> Field { return &c.job_info; }, kAny, Effect::Reconfig,
     "What people who do not administer a job see of it when it is not theirs, in every command: "
     "all "
     "of it; a summary, which has its state, queue, size, hosts and times and nothing that its "
     "owner wrote (summary); or nothing, as if there were no such job (none)."},
    {"default_queue", [](C& c) -> Field { return &c.default_queue; }, kAny, Effect::NewJobs,
     "Queue of jobs submitted without -q."},
    {"default_plan", [](C& c) -> Field { return &c.default_plan; }, kAny, Effect::NewJobs,
     "Plan of jobs for which neither -plan nor queue nor user names one."},
    {"default_app", [](C& c) -> Field { return &c.default_app; }, kAny, Effect::NewJobs,
     "Application profile of jobs for which neither -app nor queue names one."},
    {"default_project", [](C& c) -> Field { return &c.default_project; }, kAny, Effect::NewJobs,
     "Project of jobs submitted without -P."},
    {"reserve_per_task", [](C& c) -> Field { return &c.lsf.reserve_per_task; }, kAny,
     Effect::NewJobs,
     "Memory of rusage[mem=] and -M counts for each task, as with RESOURCE_RESERVE_PER_TASK of "
     "LSF. no: for all of a job's tasks on a host together, but for each task of elastic, training "
     "and inference jobs. /task, /host and /job in -R say it themselves."},
    {"unit_for_limits",
     [](C& c) -> Field {
       return Choice{&c.lsf.unit, kUnits};
     },
     kAny, Effect::NewJobs,
     "Unit of -M, -v, -C and -S and of rusage[mem=] that are written without one, as "
     "LSF_UNIT_FOR_LIMITS of LSF. default: KB of limits, MB of rusage[mem=]. -D and -F are in KB "
     "always."},
    {"lsid_banner", [](C& c) -> Field { return &c.lsf.banner; }, kAny, Effect::Reconfig,
     "First line of lsid, by which clients of LSF know its version. Empty: WM's own, which names "
     "the release of LSF whose commands it has."},
    {"lsb_sharedir", [](C& c) -> Field { return &c.lsf.share_dir; }, kAny, Effect::Reconfig,
     "Directory that lsf.conf (badmin lsfconf) names as LSB_SHAREDIR. Empty: state_dir."},
    {"lsb_events", [](C& c) -> Field { return &c.lsf.events; }, kAny, Effect::Reconfig,
     "The master appends lines JOB_NEW, JOB_START, JOB_STATUS and JOB_FINISH, in the format that "
     "LSF documents, to CLUSTER/logdir/lsb.events below lsb_sharedir, for programs that follow "
     "that file. Everybody may read it where job_info = all. WM itself never reads it."},
    {"unit_types", [](C& c) -> Field { return &c.unit_types; }, kAny, Effect::Reconfig,
     "Names of the levels of hosts' switches, from their own switch up, for cu[type=] of -R: "
     "rack row. Empty: their own switch is the type switch."},
    {"log_level",
     [](C& c) -> Field {
       return Choice{&c.log_level, kLevels};
     },
     kAny, Effect::Reconfig,
     "Least severe messages that the daemons log. wnoded reads it when it starts, and at signal "
     "USR2."},
    {"metrics_address", [](C& c) -> Field { return &c.monitor.metrics; }, kAny, Effect::Restart,
     "Where the master answers GET /metrics for Prometheus: 127.0.0.1:6887, or :6887 for this "
     "machine alone. Whoever may connect may read. Empty: nowhere."},
    {"node_metrics_address", [](C& c) -> Field { return &c.monitor.node_metrics; }, kAny,
     Effect::Restart,
     "The same of each host, such as :6888 for the address by which others reach it. Empty: "
     "nowhere."},
    {"keep_accounting",
     [](C& c) -> Field { return &c.monitor.acct_keep; },
     {0, 36500 * kDay},
     Effect::Reconfig,
     "How long accounting keeps jobs that have ended, with what they held; sums of reports stay. "
     "0: for ever."},
    {"keep_history",
     [](C& c) -> Field { return &c.monitor.history_keep; },
     {0, 36500 * kDay},
     Effect::Reconfig,
     "How long files of events (history-YYYYMM.db) stay after the last event in them. Accounting "
     "can be made again (badmin rebuild-acct) only while all of them are there. 0: for ever."},
    {"keep_runs",
     [](C& c) -> Field { return &c.times.keep_runs; },
     {0, 36500 * kDay},
     Effect::Reconfig,
     "How long the archive keeps the record of a training, notebook, service or search that has "
     "ended: what pages, REST and dlicmd show of it after clean_period. Its files stay where "
     "they are. 0: until its owner deletes it."},
    {"keep_batch_runs",
     [](C& c) -> Field { return &c.times.keep_batch_runs; },
     {0, 36500 * kDay},
     Effect::Reconfig,
     "The same of batch jobs. 0: none is kept."},
    {"log_to",
     [](C& c) -> Field {
       return Choice{&c.log_to, kLogs};
     },
     kAny, Effect::Restart,
     "Where wmasterd and wnoded log: file, in log_dir, opened anew at signal USR2, as logrotate "
     "wants it; syslog, facility daemon; journald: standard error, with priorities as systemd's "
     "journal reads them."},
    {"cgroup_root", [](C& c) -> Field { return &c.cgroup_root; }, kAny, Effect::Restart,
     "Control groups below which jobs get theirs: a name below the daemon's own in every "
     "hierarchy, version 1 and 2, or the path of a folder of version 2. Empty: the daemon's own; "
     "none: no control groups."},
    {"state_dir", [](C& c) -> Field { return &c.dirs.state; }, kAny, Effect::Restart,
     "Directory below which the master has its databases (master) and each host its exit records "
     "(node)."},
    {"run_dir", [](C& c) -> Field { return &c.dirs.run; }, kAny, Effect::Restart,
     "Directory below which hosts have the sockets of running jobs (node)."},
    {"log_dir", [](C& c) -> Field { return &c.dirs.log; }, kAny, Effect::Restart,
     "Directory below which the master (master) and each host (node) write their logs. Empty: "
     "standard error."},
    {"results_dir", [](C& c) -> Field { return &c.dirs.results; }, kAny, Effect::NewJobs,
     "Directory, seen by all hosts, below which RESULT_DIR of a job lies. Its mode is 1777, so "
     "that "
     "each user makes a folder there and nobody replaces another's, or 0755 with a folder for each "
     "user, owned by that user. A job whose folder there is a link, is not its user's, or may be "
     "written by others is not started. Empty: the user's home."},
    {"data_dir", [](C& c) -> Field { return &c.dirs.data; }, kAny, Effect::NewJobs,
     "DATA_DIR of jobs that set none."},
    {"default_output",
     [](C& c) -> Field {
       return Choice{&c.dirs.default_output, kOutputs};
     },
     kAny, Effect::NewJobs,
     "What becomes of what a batch job without -o writes. file: wm-JOBID.out, of an array's "
     "element wm-JOBID.INDEX.out, in the job's working directory, made at the first byte. mail: "
     "it is sent to the user, with a report, when the job has ended. none: only bpeek shows it, "
     "while the job runs."},
    {"sendmail", [](C& c) -> Field { return &c.dirs.sendmail; }, kAny, Effect::NewJobs,
     "Program that takes mail as sendmail -oi -t does, for default_output = mail and bsub -B, -N "
     "and -notify. Run as the job's user on its first host; for -notify by wmasterd."},
    {"report_sender", [](C& c) -> Field { return &c.dirs.report_sender; }, kAny, Effect::NewJobs,
     "The word before System in the first line of reports and in the From of mails: Sender: LSF "
     "System <...>, by which programs that read output files find them."},
    {"clean_period",
     [](C& c) -> Field { return &c.times.clean_period; },
     {0, 365 * kDay},
     Effect::Reconfig,
     "How long finished jobs stay visible to bjobs and request keys are remembered."},
    {"kill_grace",
     [](C& c) -> Field { return &c.times.kill_grace; },
     {0, kHour},
     Effect::Reconfig,
     "Time between SIGINT, SIGTERM and SIGKILL when a job is ended, and after SIGKILL before "
     "a slot counts as stuck."},
    {"stray_grace",
     [](C& c) -> Field { return &c.times.stray_grace; },
     {0, kHour},
     Effect::NewJobs,
     "What a task leaves running when it ends by itself, as the tee of exec > >(tee log), has so "
     "long to end, too; then it is killed. The job ends when nothing is left. 0: killed at once."},
    {"usage_interval", [](C& c) -> Field { return &c.times.usage_interval; }, time_up_to(kHour),
     Effect::NewJobs,
     "How often hosts tell what running jobs use (CPU time, memory, swap, processes), after a "
     "first "
     "time one second after their start."},
    {"reclaim_grace",
     [](C& c) -> Field { return &c.times.reclaim_grace; },
     {0, kHour},
     Effect::Reconfig,
     "Time that a task of an elastic job has to leave before it is killed."},
    {"silent_after", [](C& c) -> Field { return &c.times.silent_after; }, time_up_to(kHour),
     Effect::Reconfig,
     "A host that has not been heard for so long is silent; with so many hosts that heartbeats are "
     "rarer, three of them. What a host has of inference services is started elsewhere after 3 s."},
    {"heartbeat", [](C& c) -> Field { return &c.times.heartbeat; }, time_up_to(kHour),
     Effect::Reconfig,
     "How often hosts report to the master. Beyond 2,000 hosts a second it is less often: 10,000 "
     "hosts report every 5 s."},
    {"start_window",
     [](C& c) -> Field { return &c.times.start_window; },
     {0, kHour},
     Effect::NewJobs,
     "The first epoch of an elastic job holds the workers that are ready so long after the "
     "first."},
    {"connect_limit", [](C& c) -> Field { return &c.times.connect_limit; }, time_up_to(kHour),
     Effect::NewJobs, "A new epoch whose members are not connected by then is withdrawn."},
    {"hang_limit", [](C& c) -> Field { return &c.times.hang_limit; }, time_up_to(kDay),
     Effect::NewJobs,
     "Least time that the members of an elastic job wait for one of them before it is treated "
     "as failed, and after which tasks are named that have not come to where a job meets."},
    {"resize_quiet",
     [](C& c) -> Field { return &c.times.resize_quiet; },
     {0, kDay},
     Effect::Reconfig,
     "Least time between two resizes of one job. 0: none. A service that has requests and no "
     "kernel "
     "does not wait for it: what resizes in place gives its slot at once."},
    {"restart_quiet",
     [](C& c) -> Field { return &c.times.restart_quiet; },
     {0, kDay},
     Effect::Reconfig,
     "The same for jobs that are restarted for it: what happens meanwhile makes one change. Jobs "
     "that resize in place react at once."},
    {"usage_half_life", [](C& c) -> Field { return &c.times.usage_half_life; },
     time_up_to(365 * kDay), Effect::Reconfig,
     "What was used counts half after so long; see history_weight and the order of queues."},
    {"history_weight",
     [](C& c) -> Field { return &c.limits.history_weight; },
     {0, 100},
     Effect::Reconfig,
     "By how many percent past usage may raise or lower the shares of plans and users. 0: not "
     "at all."},
    {"backfill", [](C& c) -> Field { return &c.sched.backfill; }, kAny, Effect::Reconfig,
     "Which jobs may start before earlier ones that wait for room: none; easy, those that do not "
     "delay the first one waiting; conservative, those that take no place kept for anybody. "
     "Dates come from run limits."},
    {"promises",
     [](C& c) -> Field { return &c.sched.promises; },
     {0, 100000},
     Effect::Reconfig,
     "Pending jobs that get a dated start in a scheduling pass, in dispatch order."},
    {"promise_tolerance",
     [](C& c) -> Field { return &c.sched.promise_tolerance; },
     {0, kDay},
     Effect::Reconfig,
     "A promised start that moves by less is left as it was."},
    {"elastic_worth",
     [](C& c) -> Field { return &c.sched.elastic_worth; },
     {0, 100},
     Effect::Reconfig,
     "Under fairshare an elastic job that reports its steps gets, beyond an equal share, no more "
     "tasks than make it so many percent as fast per task as its fewest do: what it makes little "
     "of goes to others. It goes to a further host only where that makes it faster. 0: what jobs "
     "report counts under goodput only."},
    {"elastic_least_weight",
     [](C& c) -> Field { return &c.sched.elastic_least_weight; },
     {1, 100},
     Effect::Reconfig,
     "Under fairshare an elastic job counts less among its user's jobs the longer it has held "
     "tasks, down to so many percent: short jobs end sooner. 100: all count alike."},
    {"elastic_half_weight", [](C& c) -> Field { return &c.sched.elastic_half_weight; },
     time_up_to(365 * kDay), Effect::Reconfig,
     "The time, of all its tasks together, after which it counts half; see elastic_least_weight."},
    {"max_array_size",
     [](C& c) -> Field { return &c.limits.max_array_size; },
     {1, 10000000},
     Effect::NewJobs,
     "Most elements, and highest index, of a job array."},
    {"newcomer_tries",
     [](C& c) -> Field { return &c.limits.newcomer_tries; },
     {1, 1000},
     Effect::Reconfig,
     "So many added tasks in a row that end before they join, and an elastic job stays at its size "
     "for a while. The host of one is left out for 10 s, 40 s, 160 s, then 10 min."},
    {"host_faults",
     [](C& c) -> Field { return &c.limits.host_faults; },
     {0, 1000000},
     Effect::Reconfig,
     "So many jobs in a row, of two users at least, that a host could not start by its own fault, "
     "and it is closed until a job of its own runs there. At most a tenth of the hosts, and at "
     "least one, are closed so at a time. 0: none is."},
    {"fault_hosts",
     [](C& c) -> Field { return &c.limits.fault_hosts; },
     {1, 1000},
     Effect::Reconfig,
     "A job that so many hosts could not start by their own fault is held, with the reason; where "
     "there are fewer, after twice as many tries. A host that could not is left out for 10 s, 40 "
     "s, "
     "160 s, then 10 min."},
    {"max_requeue",
     [](C& c) -> Field { return &c.limits.max_requeue; },
     {0, 1000000},
     Effect::Reconfig,
     "How often a job is started again because of its hosts: one was lost, or its prolog failed."},
    {"max_user_requeue",
     [](C& c) -> Field { return &c.limits.max_user_requeue; },
     {0, 1000000},
     Effect::Reconfig,
     "How often a job is queued again because of itself: by its exit code (-Q, requeue_exits), by "
     "its pre-execution command (after pauses of 2s, 4s and so on up to 5m, on other hosts first), "
     "or when all workers of an elastic job were lost."},
    {"max_preempt",
     [](C& c) -> Field { return &c.limits.max_preempt; },
     {0, 1000000},
     Effect::Reconfig,
     "How often a job makes way for jobs of higher queues before it is left alone. 0: always."},
    {"max_user_priority",
     [](C& c) -> Field { return &c.limits.max_user_priority; },
     {0, 1000000},
     Effect::NewJobs,
     "Highest priority that a user may give a job (-sp). 0: any. MAX_USER_PRIORITY of LSF."},
    {"priority_step",
     [](C& c) -> Field { return &c.sched.priority_step; },
     {0, 365 * kDay},
     Effect::Reconfig,
     "By one each so long rises the user priority (-sp) of a job that waits. 0: never. As "
     "JOB_PRIORITY_OVER_TIME of LSF: 3/20 is 400s."},
    {"max_pend_jobs",
     [](C& c) -> Field { return &c.limits.max_pend_jobs; },
     {0, 100000000},
     Effect::NewJobs,
     "Most jobs that wait, each element of an array counted; beyond it none is taken. 0: any "
     "number. Each submission counts those that wait: 50 us for 10,000 jobs."},
    {"dep_last_sub", [](C& c) -> Field { return &c.lsf.dep_last_sub; }, kAny, Effect::NewJobs,
     "Of several jobs of one name in -w only the newest is meant, as with JOB_DEP_LAST_SUB of LSF. "
     "no: all of them."},
    {"job_ports",
     [](C& c) -> Field {
       return PortRange{&c.limits.job_port_first, &c.limits.job_port_last};
     },
     {1024, 32767},
     Effect::Restart,
     "Ports leased to jobs that need MASTER_PORT before they start. Must lie outside the "
     "range that the kernel gives out by itself."},
    {"group_ports",
     [](C& c) -> Field {
       return PortRange{&c.limits.group_port_first, &c.limits.group_port_last};
     },
     {1024, 32767},
     Effect::Reconfig,
     "Ports by which the tasks of a job with groups find each other (TF_CONFIG), given out by the "
     "master host by host; hosts that share a machine's network have different ones. Must not "
     "overlap job_ports."},
    {"store_reserve",
     [](C& c) -> Field { return &c.limits.store_reserve; },
     {0, 1LL << 40},
     Effect::Restart,
     "Disk space kept aside by the master and released when the disk is full, so that ends "
     "of jobs are still recorded."},
    {"results_quota",
     [](C& c) -> Field { return &c.limits.results_quota; },
     {0, 1LL << 60},
     Effect::Restart,
     "How much the results of one user may take up on disk. Who has reached it begins no new run "
     "at the web door (REST, dlicmd, pages) until some are deleted, and is warned from nine "
     "tenths on; services and what runs go on. Counted every ten minutes at most, by that user's "
     "wuserd, which reads this when it starts; bsub asks nobody, so what must hold against "
     "programs is a quota of the file system. 0: any amount."},
    {"gpu_check", [](C& c) -> Field { return &c.times.gpu_check; }, time_up_to(kDay),
     Effect::Reconfig, "How often hosts look at the health of their GPUs."},
    {"gpu_memory_overuse",
     [](C& c) -> Field {
       return Choice{&c.limits.gpu_memory_overuse, kOveruse};
     },
     kAny, Effect::Reconfig,
     "What becomes of a task that uses more of a GPU's memory than the gmem it asked for: it is "
     "told "
     "in bjobs -l and bhosts -gpu (tell), or ended as well, with TERM_GPU_MEMLIMIT (end). Looked "
     "at "
     "every gpu_check."},
    {"nvml_library", [](C& c) -> Field { return &c.nvml_library; }, kAny, Effect::Restart,
     "NVML of the GPU driver, as the loader finds it or a path. Empty: hosts look for no GPUs."},
    {"mps_program", [](C& c) -> Field { return &c.mps_program; }, kAny, Effect::Restart,
     "Control daemon of CUDA MPS, started per GPU and owner for jobs with mps=yes."},
    {"prolog", [](C& c) -> Field { return &c.scripts.prolog; }, kAny, Effect::Reconfig,
     "Shell command that each host runs, as the account of wnoded, before a job's tasks there. "
     "When it fails the host is closed and the job is queued again."},
    {"epilog", [](C& c) -> Field { return &c.scripts.epilog; }, kAny, Effect::Reconfig,
     "The same after a job's tasks. When it fails the host is closed."},
    {"prolog_time", [](C& c) -> Field { return &c.scripts.time_limit; }, time_up_to(kHour),
     Effect::Reconfig, "A prolog or epilog that takes longer is ended and has failed."},
    {"pre_exec_limit",
     [](C& c) -> Field { return &c.scripts.pre_exec_limit; },
     {0, 365 * kDay},
     Effect::Reconfig,
     "Most time that the user's commands before a job's tasks (bsub -E, pre_exec, copies of -f) "
     "have "
     "together on a host; then they are ended and have failed. It is not taken from the run limit. "
     "0: any."},
    {"post_exec_limit",
     [](C& c) -> Field { return &c.scripts.post_exec_limit; },
     {0, 365 * kDay},
     Effect::Reconfig,
     "The same of those after the tasks (bsub -Ep, post_exec)."},
    {"copy_limit",
     [](C& c) -> Field { return &c.scripts.copy_limit; },
     {1, 365 * kDay},
     Effect::Reconfig,
     "Most time that the copies of bsub -f after a job's tasks have together on a host. The job's "
     "end is told when they are done, or then."},
    {"unknown_jobs",
     [](C& c) -> Field {
       return Choice{&c.unknown_jobs, kUnknownJobs};
     },
     kAny, Effect::Reconfig,
     "What becomes of jobs that run on hosts and that the state does not know, as it was "
     "brought back from an older copy (badmin take-over): they are ended with words in their "
     "output (end), or are jobs again (adopt), where they are no elements of arrays, groups or "
     "elastic jobs, and all their hosts come back within 10 s. What was adopted is not started "
     "again if it is lost: its script and environment are not known. Its run limit counts from "
     "then on."},
    {"lost_output_fails", [](C& c) -> Field { return &c.lost_output_fails; }, kAny,
     Effect::Reconfig,
     "Whether a job of which not all output could be written, as its disk was full, has failed "
     "though its command exited with 0. It is named in any case."},
    {"folder_limit",
     [](C& c) -> Field { return &c.folder_limit; },
     {0, 1LL << 50},
     Effect::NewJobs,
     "What a job may write itself into its own folder below run_dir (where LSB_JOBFILENAME and "
     "LSB_DJOB_HOSTFILE lie, and MPI's session folders) for each slot that it has on the host, "
     "beside its spooled output. One that has more there, more than 100000 files, or folders more "
     "than 100 deep, is ended with TERM_FOLDERLIMIT. Each host goes by its own file. 0: half of "
     "the file system, divided by the host's slots, 64M at least."},
    {"copy_command", [](C& c) -> Field { return &c.scripts.copy; }, kAny, Effect::Reconfig,
     "Copies a file of bsub -f between the submission host and another one, as the user: it gets "
     "the source and the target, one of them as host:path. scp -B for example. Empty: cp, for "
     "hosts "
     "that see the same files."},
    {"groups_command", [](C& c) -> Field { return &c.scripts.groups; }, kAny, Effect::Reconfig,
     "Command that wmasterd runs when it reads its configuration, for groups beside those of "
     "users.conf and hosts.conf: it prints lines `user NAME: ann bob` and `host NAME: h1 h2` "
     "within "
     "5 s. When it fails, what it said last holds. bugroup and bmgroup show the files only."},
    {"notify_command", [](C& c) -> Field { return &c.scripts.notify; }, kAny, Effect::Reconfig,
     "Shell command that wmasterd runs as its own account for each notification that somebody "
     "asked "
     "for (bsub -notify), with the notification as one line of JSON on standard input; after 10 s "
     "it "
     "is ended. Empty: none."},
    {"notify_urls", [](C& c) -> Field { return &c.scripts.notify_urls; }, kAny, Effect::NewJobs,
     "What URLs of bsub -u have to begin with, such as https://hooks.example.org/. wmasterd posts "
     "to "
     "them: where its host reaches what users do not, name those that are meant; none: no URL is "
     "taken. Empty: any."},
    {"submit_filter", [](C& c) -> Field { return &c.scripts.submit_filter; }, kAny, Effect::NewJobs,
     "Program that bsub runs as the user before it submits a job, as esub of LSF: it finds the "
     "options in the file LSB_SUB_PARM_FILE, may change them in LSB_SUB_MODIFY_FILE, and refuses "
     "the job by exit code 97 (LSB_SUB_ABORT_VALUE) and a sentence on standard error. It helps "
     "users; what must hold is said in queues.conf and users.conf."},
    {"submit_filter_time", [](C& c) -> Field { return &c.scripts.submit_filter_time; },
     time_up_to(kHour), Effect::NewJobs,
     "A submit filter that takes longer is ended, and nothing is submitted."},
    {"submit_policy", [](C& c) -> Field { return &c.submit_policy.command; }, kAny,
     Effect::Reconfig,
     "Command, an absolute path, that wmasterd asks about every submission and every change of "
     "one, "
     "whichever way it comes: bsub, bmod, bswitch, the web door, programs of users. It reads an "
     "object of JSON a line, and answers with a line each: {\"accept\": true}, {\"refuse\": "
     "\"words\"}, or {\"options\": {\"q\": \"night\"}}, which the client signs and submits anew. "
     "It "
     "runs as the account wm-policy (wpolicyd), in a private cluster as the cluster's own. Empty: "
     "none. See wpolicyd(8)."},
    {"submit_policy_limit", [](C& c) -> Field { return &c.submit_policy.limit; },
     time_up_to(kHour / 60), Effect::Reconfig,
     "A submit policy that takes longer about one request is ended and has failed."},
    {"submit_policy_at_once",
     [](C& c) -> Field { return &c.submit_policy.at_once; },
     {1, 16},
     Effect::Reconfig,
     "So many requests are with the submit policy at a time; others wait."},
    {"submit_policy_failure",
     [](C& c) -> Field { return Choice{&c.submit_policy.failure, kFailures}; }, kAny,
     Effect::Reconfig,
     "What is done with a submission when the submit policy fails: it takes too long, ends with "
     "another status than 0, or says what is no answer. Either way an error is logged."},
    {"store_queue",
     [](C& c) -> Field { return &c.limits.store_queue; },
     {1 << 20, 1LL << 40},
     Effect::Restart,
     "While more than this waits to become durable, the master reads no further requests."},
    {"fence_command", [](C& c) -> Field { return &c.fence_command; }, kAny, Effect::Reconfig,
     "Command, with the host's name added, that the master runs for a silent host. Exit status "
     "0 says that the host is off for certain: its attempts are over and rerunnable jobs start "
     "again elsewhere. Empty: only badmin hdead says so."},
    {"fence_after",
     [](C& c) -> Field { return &c.times.fence_after; },
     {0, kDay},
     Effect::Reconfig,
     "A host is fenced once it has been silent for so long; it may come back until then. Time in "
     "which the master itself stood still does not count."},
    {"fence_limit", [](C& c) -> Field { return &c.times.fence_limit; }, time_up_to(kHour),
     Effect::Reconfig, "A fence command that runs longer is killed and has failed."},
    {"fence_retry", [](C& c) -> Field { return &c.times.fence_retry; }, time_up_to(kDay),
     Effect::Reconfig, "Time between two tries to fence one host."},
};

}  // namespace

std::span<const Key<ClusterConf>> cluster_keys() { return kClusterKeys; }
std::span<const std::string_view> cluster_headings() { return kHeadings; }

}  // namespace wm::conf
