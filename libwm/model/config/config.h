// Role: what administrators decide, as one immutable value, made by libwm/conf of the files in
// /etc/wm; libwm/codec stores and sends it; a reconfiguration is a whole new Config.
//
// Conventions: a limit of 0 means "no limit" unless it is an optional; a list of users that
// is empty means "everybody", a list of hosts that is empty "all hosts"; names in lists of
// users may be users or groups, names in lists of hosts may be hosts or host groups.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/units.h"
#include "libwm/model/config/budget_conf.h"
#include "libwm/model/config/calendar.h"
#include "libwm/model/config/config_words.h"
#include "libwm/model/config/limit_rule.h"
#include "libwm/model/config/run_rules.h"
#include "libwm/model/config/service_class.h"
#include "libwm/model/config/submit_policy.h"

namespace wm {

/// Directories of the daemons (absolute paths), and what becomes of output that nobody gave a file.
struct DirConf {
  std::string state = "/var/lib/wm";  ///< databases of the master, exit records of a host
  std::string run = "/run/wm";        ///< sockets and pid files
  std::string log = "/var/log/wm";    ///< empty: log to stderr
  std::string results;  ///< RESULT_DIR root, seen by all hosts; empty: the user's home
  std::string data;     ///< DATA_DIR of jobs
  std::string default_output = "file";          ///< file: wm-JOBID.out in the job's cwd; mail; none
  std::string sendmail = "/usr/sbin/sendmail";  ///< takes mail on stdin, with -oi -t
  std::string report_sender = "LSF";            ///< "Sender: LSF System <...>" of reports
  bool operator==(const DirConf&) const = default;
};

/// How long things may take.
/// @units every field is a length of time; 0 switches off only where it says so
struct TimeConf {
  Duration clean_period = std::chrono::hours(1);      ///< finished jobs and request keys are kept
  Duration kill_grace = std::chrono::seconds(10);     ///< between SIGINT, SIGTERM and SIGKILL
  Duration reclaim_grace = std::chrono::seconds(10);  ///< a worker has to obey a shrink
  Duration silent_after = std::chrono::seconds(10);   ///< a host not heard is silent
  Duration heartbeat = std::chrono::seconds(1);       ///< host to master
  Duration start_window = std::chrono::seconds(2);    ///< epoch 1 waits for the other workers
  Duration connect_limit = std::chrono::seconds(5);   ///< a planned epoch must be connected
  Duration hang_limit = std::chrono::seconds(30);     ///< least time before a member is failed
  Duration lead_heartbeat = std::chrono::milliseconds(200);
  Duration lead_silent = std::chrono::seconds(1);
  Duration resize_quiet{};                             ///< least time between resizes; 0: none
  Duration restart_quiet = std::chrono::seconds(30);   ///< of a job restarted for it; 0: none
  Duration usage_half_life = std::chrono::hours(24);   ///< of decayed usage (history_weight)
  Duration gpu_check = std::chrono::seconds(10);       ///< between looks at the health of GPUs
  Duration fence_limit = std::chrono::minutes(1);      ///< a fence command that runs longer failed
  Duration fence_retry = std::chrono::minutes(1);      ///< between two tries for one host
  Duration stray_grace = std::chrono::seconds(2);      ///< of what a task leaves running; 0: none
  Duration usage_interval = std::chrono::seconds(30);  ///< between tellings of what jobs use
  Duration fence_after = std::chrono::seconds(30);     ///< a host silent for so long is fenced
  Duration keep_runs{}, keep_batch_runs = std::chrono::hours(720);  ///< 0: until deleted; no record
  bool operator==(const TimeConf&) const = default;
};

/// Bounds.
struct LimitConf {
  std::uint32_t max_array_size = 1000;  ///< elements of one array
  std::uint32_t newcomer_tries = 3;     ///< new tasks in a row that fail before it stays
  std::uint32_t host_faults = 5;        ///< in a row, of two owners, close a host; 0: never
  std::uint32_t fault_hosts = 3;        ///< that fail to start a job before it is held
  std::uint32_t max_requeue = 10;       ///< restarts of one job after lost hosts
  std::uint32_t max_user_requeue = 10;  ///< of one job, asked for by exit codes
  std::uint32_t max_preempt = 0;        ///< a job makes way so often and no more; 0: always
  std::uint32_t max_user_priority = 0;  ///< of -sp; 0: any
  std::uint32_t max_pend_jobs = 0;      ///< jobs that wait, elements counted; 0: any number
  std::uint32_t job_port_first = 20000, job_port_last = 24999;      ///< leased to tasks
  std::uint32_t group_port_first = 25000, group_port_last = 25999;  ///< of tasks of groups
  Bytes store_reserve{64 << 20};     ///< released when the disk is full
  std::uint32_t history_weight = 0;  ///< percent that past usage may bend shares; 0: off
  Bytes store_queue{64 << 20};       ///< not yet durable: above it the master reads no requests
  std::string gpu_memory_overuse = "tell";  ///< of a task with more than its gmem: tell, end
  Bytes results_quota{0};                   ///< what a user's results may hold; 0: any amount
  bool operator==(const LimitConf&) const = default;
};

/// How a scheduling pass orders and promises.
struct SchedConf {
  Backfill backfill = Backfill::Easy;
  std::uint32_t promises = 100;  ///< pending jobs that get a dated start in a pass
  Duration promise_tolerance = std::chrono::minutes(1);  ///< a date that moves less stays
  Duration priority_step{};  ///< by one each so long rises the -sp of who waits; 0: never
  // Of elastic jobs under fairshare.
  std::uint32_t elastic_worth = 0;  ///< percent of its first task that a task must add; 0: any
  std::uint32_t elastic_least_weight = 100;  ///< percent, of one that has held much; 100: all alike
  Duration elastic_half_weight = std::chrono::hours(8);  ///< task time after which one counts half
  bool operator==(const SchedConf&) const = default;
};

/// How what was written for LSF is read, and what it is shown.
/// @source LSF: RESOURCE_RESERVE_PER_TASK, LSF_UNIT_FOR_LIMITS, lsid, LSB_SHAREDIR
struct LsfConf {
  bool reserve_per_task = false;  ///< rusage[mem=] and -M without a suffix count per task
  std::string unit = "default";   ///< of sizes without one: KB, MB …; default: KB, MB of rusage
  std::string banner;             ///< first line of lsid; empty: WM's own
  std::string share_dir;          ///< what lsf.conf calls LSB_SHAREDIR; empty: the state directory
  bool events = false;            ///< lsb.events is written below it
  bool dep_last_sub = false;      ///< a name in -w means the newest job of that name alone
  bool operator==(const LsfConf&) const = default;

  /// A limit of 1 without a unit. @cost O(1)
  Bytes limit_unit() const;
  /// 1 of memory in rusage[] without a unit. @cost O(1)
  Bytes mem_unit() const;
};

/// The site's own commands, run as the daemon's account around every attempt on a host.
struct SiteScripts {
  std::string prolog, epilog;                        ///< empty: none
  Duration time_limit = std::chrono::minutes(1);     ///< of each; longer is a failure
  Duration pre_exec_limit = std::chrono::hours(1);   ///< of a user's commands before the tasks
  Duration post_exec_limit = std::chrono::hours(1);  ///< and of those after them
  std::string copy;           ///< bsub -f between hosts: this, then source and target; empty: cp
  std::string groups;         ///< tells of groups of users and hosts; empty: none
  std::string submit_filter;  ///< run by bsub before it submits; empty: none
  std::string notify;         ///< given each notification of a job as JSON; empty: none
  std::vector<std::string> notify_urls;  ///< what URLs of bsub -u begin with; empty: anything
  Duration submit_filter_time = std::chrono::seconds(10);  ///< longer: nothing is submitted
  Duration copy_limit = std::chrono::minutes(10);  ///< of bsub -f after the job, all together
  bool operator==(const SiteScripts&) const = default;
};

/// What is kept for reports, and where monitoring asks.
struct MonitorConf {
  std::string metrics, node_metrics;  ///< "127.0.0.1:6887", ":6887"; empty: nobody is answered
  Duration acct_keep = std::chrono::hours(24 * 400);  ///< rows of ended jobs; 0: for ever
  Duration history_keep{};                            ///< months of events; 0: for ever
  bool operator==(const MonitorConf&) const = default;
};

/// wm.conf.
struct ClusterConf {
  std::string name = "wm";
  std::string master_host = "localhost";
  std::uint32_t master_port = 6885;
  std::string master_user = "wm";   ///< account of wmasterd; peers refuse any other
  std::string host_user = "root";   ///< account of wnoded; the master refuses any other
  std::string munge_socket;         ///< empty: munged's own default
  std::vector<std::string> admins;  ///< besides master_user and root
  std::string default_queue = "normal";
  std::string default_plan = "/";
  std::string default_app = "batch";
  std::string default_project = "default";
  std::string log_level = "info";
  std::string log_to = "file";  ///< file: in log_dir; syslog; journald
  std::string fence_command;    ///< run with a silent host's name; exit 0: it is off
  std::string cgroup_root;      ///< empty: below the daemon's own; "none": no cgroups
  DirConf dirs;
  TimeConf times;
  LimitConf limits;
  SchedConf sched;
  std::string nvml_library = "libnvidia-ml.so.1";       ///< empty: GPUs are not looked for
  std::string mps_program = "nvidia-cuda-mps-control";  ///< control daemon of CUDA MPS
  std::vector<std::string> unit_types;  ///< of compute units, from the hosts' own switch up
  SiteScripts scripts;
  LsfConf lsf;
  JobInfo job_info = JobInfo::All;
  std::string unknown_jobs = "end";  ///< that run, and a restored state lacks: end or adopt them
  bool lost_output_fails = true;     ///< a job of which not all output could be written is not done
  Bytes folder_limit{0};             ///< of a job's own folder, for each slot there; 0: a share
  MonitorConf monitor;
  SubmitPolicyConf submit_policy;
  bool operator==(const ClusterConf&) const = default;
};

/// A section of queues.conf.
struct QueueConf {
  std::string name;
  std::uint32_t priority = 50;  ///< higher goes first
  std::string description;
  std::vector<std::string> users;
  std::vector<std::string> hosts;
  std::vector<std::string> admins;
  std::string app;   ///< of jobs that name none; empty: the cluster's default
  std::string plan;  ///< of jobs that name none; empty: user's, then the cluster's
  RunLimit run_limit;
  std::uint32_t min_tasks = 0, max_tasks = 0;  ///< a job must ask for at least, may for at most
  std::uint32_t default_tasks = 0;             ///< of jobs without -n; 0: min_tasks, or 1
  std::uint32_t max_slots = 0;                 ///< in use by all its jobs
  std::uint32_t user_slots = 0;                ///< in use by one user's jobs
  std::uint32_t host_slots = 0;                ///< in use on one host
  Bytes mem_limit;                             ///< of a job that asks for none, as its -M
  bool rerunnable = false;
  bool exclusive = false;  ///< bsub -x is allowed
  Interactive interactive = Interactive::Yes;
  JobOrder order = JobOrder::Fcfs;
  std::string res_req;  ///< added to every job's -R
  PlaceBy place = PlaceBy::Pack;
  std::vector<std::string> preempts;         ///< queues with jobs that make way, or "lower"
  PreemptBy preempt_by = PreemptBy::Shrink;  ///< how far its own jobs make way
  SizeBy elastic = SizeBy::FairShare;
  Duration preempt_grace = std::chrono::seconds(30);  ///< between SIGTERM and SIGKILL
  JobLimits limits;  ///< of jobs that ask for none, and the most that a job may ask for
  std::string pre_exec, post_exec;               ///< as the user, on the first host
  Duration pre_exec_limit{}, post_exec_limit{};  ///< 0: as SiteScripts says
  RequeueExits requeue_exits;
  WeekWindows run_window;       ///< its jobs run then only; empty: always
  WeekWindows dispatch_window;  ///< its jobs start then only
  JobControls controls;
  std::string gpu;          ///< -gpu of jobs for which neither they nor their profile have one
  Duration run_estimate{};  ///< -We of jobs that give none
  std::string warn_action;  ///< -wa of jobs that give none
  Duration warn_time{};     ///< its -wt
  std::optional<std::uint32_t> max_preempt, max_requeue;  ///< none: the cluster's
  std::vector<LoadLimit> load;
  TerminateWhen terminate_when;
  bool operator==(const QueueConf&) const = default;
};

/// One host of hosts.conf (ranges are expanded). What is 0, empty or none is what the host
/// finds. @units cpus: cores
struct HostConf {
  std::string name;
  std::string address;      ///< numeric or a name; empty: `name`
  std::uint32_t slots = 0;  ///< 0: one per core
  std::uint32_t cpus = 0;
  Bytes mem;
  std::optional<std::uint32_t> gpus;  ///< declared; without a device they are counters
  std::string gpu_model;
  Bytes gpu_mem;
  std::vector<std::string> groups;
  std::map<std::string, std::string> resources;  ///< site's own, for select[]: "ssd" = ""
  std::string switches;         ///< from the top of the tree to its own: "core1/row2/leaf7"
  std::vector<LoadLimit> load;  ///< of jobs of every queue, beside the queue's own
  WeekWindows dispatch_window;  ///< jobs start there then only; empty: always
  bool operator==(const HostConf&) const = default;
};

/// Another weight at some times.
struct TimedShares {
  std::uint32_t shares = 1;
  WeekWindows windows;
  bool operator==(const TimedShares&) const = default;
};

/// A section of plans.conf: a node of the tree. @units owns, limit, lend: slots
struct PlanConf {
  std::string path = "/";              ///< "/research/vision"; its parent exists
  std::uint32_t shares = 1;            ///< weight among its siblings
  std::uint32_t owns = 0;              ///< guaranteed when demanded
  std::optional<std::uint32_t> limit;  ///< never more than this
  std::optional<std::uint32_t> lend;   ///< of what it owns, while idle; none: all
  Borrow borrow = Borrow::Any;
  std::vector<std::string> borrow_from;   ///< plans, when borrow is Listed
  std::optional<Duration> reclaim_grace;  ///< none: the cluster's
  PlanPolicy policy = PlanPolicy::FairShare;
  std::optional<SizeBy> elastic;  ///< none: as the plan above it and in the end their queue says
  std::vector<std::string> users;
  std::string description;
  WeekWindows run_window;              ///< its jobs start then only; empty: always
  std::vector<TimedShares> shares_at;  ///< the first that is open goes before `shares`
  bool operator==(const PlanConf&) const = default;
};

/// What the tasks of a profile run in. @source LSF: CONTAINER of lsb.applications
struct Container {
  std::string driver = "none";     ///< none, charliecloud, podman or apptainer
  std::string image;               ///< a folder, a file or a name, as the driver has it
  std::vector<std::string> binds;  ///< "PATH" or "PATH:PATH inside"
  std::string options;             ///< further words for the driver
  bool operator==(const Container&) const = default;
};

/// When what a job serves to browsers counts as forgotten, and is stopped.
struct IdleRule {
  Duration limit{};        ///< without any use for so long; 0: it never is
  Duration warning{};      ///< so long before that it says so
  std::uint32_t cpu = 10;  ///< less than this of one core is no use @units percent
  bool operator==(const IdleRule&) const = default;
};

/// A section of apps.conf: an application profile.
struct AppConf {
  std::string name;
  AppType type = AppType::Batch;
  std::string description;
  ResizeMode resize = ResizeMode::Auto;
  std::string resize_command;  ///< for Notify: run on the first host
  GpuMode gpu_mode = GpuMode::Exclusive;
  std::string gpu;      ///< -gpu of jobs that give none
  std::string res_req;  ///< -R of jobs, section by section
  std::map<std::string, std::string> env;
  RunLimit run_limit;
  bool rerunnable = false;
  std::optional<Duration> reclaim_grace;  ///< none: the plan's, then the cluster's
  std::optional<Duration> kill_grace;     ///< none: the cluster's
  std::string pre_exec, post_exec;
  std::vector<std::uint32_t> success_exits;  ///< besides 0
  RequeueExits requeue_exits;
  std::vector<std::string> warm_imports;  ///< Python modules a warm parent holds ready
  bool gpu_check = false;                 ///< wm-ncclcheck over the job's GPUs before its tasks
  std::optional<PlaceBy> place;           ///< none: as the queue says
  Container container;
  std::string command;                                            ///< of jobs submitted without one
  IdleRule idle;                                                  ///< of type notebook
  JobControls controls;                                           ///< before the queue's
  std::uint32_t min_tasks = 0, max_tasks = 0, default_tasks = 0;  ///< before the queue's
  JobLimits limits;                                               ///< as a queue's
  Duration run_estimate{};                                        ///< before the queue's
  std::optional<Duration> keep_runs;                              ///< none: the cluster's
  bool operator==(const AppConf&) const = default;
};

/// A section of users.conf. The user "default" stands for all that are not named; a name
/// that starts with '@' is a group of the share tree, its first group the one above it.
struct UserConf {
  std::string name;
  std::vector<std::string> groups;
  std::uint32_t max_slots = 0;
  std::uint32_t max_pend_jobs = 0;  ///< of the user's jobs that wait; 0: any number
  std::string plan;                 ///< of jobs that name none
  std::uint32_t shares = 1;         ///< weight among the users and groups of its group
  bool operator==(const UserConf&) const = default;
};

/// The whole configuration. Lists are sorted by name or path: equal files give equal values.
struct Config {
  ClusterConf cluster;
  std::vector<QueueConf> queues;
  std::vector<HostConf> hosts;
  std::vector<PlanConf> plans;
  std::vector<AppConf> apps;
  std::vector<UserConf> users;
  Budgets budgets;
  std::vector<LimitRule> limits;      ///< limits.conf
  std::vector<ServiceClass> classes;  ///< slas.conf
  ClockSteps clock;                   ///< what windows go by
  bool operator==(const Config&) const = default;

  /// The named entry, or null. Hosts, queues, apps, users: by name; plans: by path.
  /// @cost O(log n)   @owns borrowed from this Config
  const QueueConf* queue(std::string_view name) const;
  const HostConf* host(std::string_view name) const;
  const PlanConf* plan(std::string_view path) const;
  const AppConf* app(std::string_view name) const;
  const UserConf* user(std::string_view name) const;
  const ServiceClass* service_class(std::string_view name) const;
};

}  // namespace wm
