// Keys of apps.conf.
#include <array>

#include "libwm/conf/keys.h"

namespace wm::conf {
namespace {

using A = AppConf;
constexpr std::array<std::string_view, 4> kDrivers = {"none", "charliecloud", "podman",
                                                      "apptainer"};

constexpr Key<A> kAppKeys[] = {
    {"type", [](A& a) -> Field { return &a.type; }, kAny, Effect::NewJobs,
     "What its programs are; decides how tasks are started and what -gpu num= counts."},
    {"description", [](A& a) -> Field { return &a.description; }, kAny, Effect::Reconfig,
     "What the profile is for."},
    {"resize", [](A& a) -> Field { return &a.resize; }, kAny, Effect::NewJobs,
     "How an elastic job changes its size: by itself as its workers can (auto), without a "
     "restart (inplace), with one (restart), task by task (tasks), or by a notification "
     "command (notify). A restart is SIGTERM to all its processes, and SIGKILL after "
     "reclaim_grace. Of MPI programs the ranks get that SIGTERM, on all hosts, and mpirun or "
     "mpiexec does not, which would kill them at once: it ends when they have."},
    {"resize_command", [](A& a) -> Field { return &a.resize_command; }, kAny, Effect::NewJobs,
     "Command run on the job's first host after a resize, when resize = notify."},
    {"gpu", [](A& a) -> Field { return &a.gpu; }, kAny, Effect::NewJobs,
     "GPU requirement of jobs submitted without -gpu."},
    {"gpu_mode", [](A& a) -> Field { return &a.gpu_mode; }, kAny, Effect::NewJobs,
     "Whether jobs may share a GPU without saying mode=shared (shared); by itself a GPU belongs "
     "to one task (exclusive)."},
    {"res_req", [](A& a) -> Field { return &a.res_req; }, kAny, Effect::NewJobs,
     "Resource requirement that a job's -R is merged over."},
    {"env", [](A& a) -> Field { return &a.env; }, kAny, Effect::NewJobs,
     "Environment variables of its tasks: NAME=value, separated by commas; values without "
     "blanks and commas."},
    {"run_limit",
     [](A& a) -> Field { return &a.run_limit.usual; },
     {0, 365 * kDay},
     Effect::NewJobs,
     "Run limit of jobs submitted without -W. 0: the queue's."},
    {"run_limit_max",
     [](A& a) -> Field { return &a.run_limit.max; },
     {0, 365 * kDay},
     Effect::NewJobs,
     "Longest run limit that a job may ask for. 0: none."},
    {"run_estimate",
     [](A& a) -> Field { return &a.run_estimate; },
     {0, 365 * kDay},
     Effect::NewJobs,
     "Run estimate (-We) of jobs that give none. 0: the queue's."},
    {"keep_runs",
     [](A& a) -> Field { return &a.keep_runs; },
     {0, 36500 * kDay},
     Effect::Reconfig,
     "How long the archive keeps the record of its jobs; 0: until their owner deletes it. none: "
     "keep_runs or keep_batch_runs of wm.conf."},
    {"min_tasks",
     [](A& a) -> Field { return &a.min_tasks; },
     {0, 1000000},
     Effect::NewJobs,
     "Fewest tasks that a job may ask for."},
    {"max_tasks",
     [](A& a) -> Field { return &a.max_tasks; },
     {0, 1000000},
     Effect::NewJobs,
     "Most tasks that a job may ask for. 0: no limit."},
    {"default_tasks",
     [](A& a) -> Field { return &a.default_tasks; },
     {0, 1000000},
     Effect::NewJobs,
     "Tasks of jobs submitted without -n. 0: min_tasks, or the queue's where that is 0."},
    {"cpu_limit",
     [](A& a) -> Field { return &a.limits.cpu; },
     {0, 365 * kDay},
     Effect::NewJobs,
     "CPU time of a job on a host (-c), of jobs that ask for none, and the most that one may ask "
     "for. "
     "0: the queue's."},
    {"mem_limit",
     [](A& a) -> Field { return &a.limits.mem; },
     {0, 1LL << 50},
     Effect::NewJobs,
     "Memory limit (-M) of jobs that ask for none, and the most that one may ask for. 0: the "
     "queue's."},
    {"swap_limit",
     [](A& a) -> Field { return &a.limits.swap; },
     {0, 1LL << 50},
     Effect::NewJobs,
     "The same of virtual memory (-v)."},
    {"file_limit",
     [](A& a) -> Field { return &a.limits.file; },
     {0, 1LL << 50},
     Effect::NewJobs,
     "The same of a file (-F)."},
    {"data_limit",
     [](A& a) -> Field { return &a.limits.data; },
     {0, 1LL << 50},
     Effect::NewJobs,
     "The same of a process's data segment (-D)."},
    {"stack_limit",
     [](A& a) -> Field { return &a.limits.stack; },
     {0, 1LL << 50},
     Effect::NewJobs,
     "The same of a process's stack (-S)."},
    {"core_limit",
     [](A& a) -> Field { return &a.limits.core; },
     {0, 1LL << 50},
     Effect::NewJobs,
     "The same of a core file (-C)."},
    {"process_limit",
     [](A& a) -> Field { return &a.limits.processes; },
     {0, 1000000},
     Effect::NewJobs,
     "Processes of a job on a host (-p), in the same way."},
    {"thread_limit",
     [](A& a) -> Field { return &a.limits.threads; },
     {0, 1000000},
     Effect::NewJobs,
     "Threads of a job on a host (-T), in the same way."},
    {"nice",
     [](A& a) -> Field { return &a.controls.nice; },
     {-20, 19},
     Effect::NewJobs,
     "Scheduling priority of its jobs' processes on their hosts, as in queues.conf. 0: the "
     "queue's."},
    {"rerunnable", [](A& a) -> Field { return &a.rerunnable; }, kAny, Effect::NewJobs,
     "Whether jobs start again when their host is lost, as with bsub -r."},
    {"reclaim_grace",
     [](A& a) -> Field { return &a.reclaim_grace; },
     {0, kHour},
     Effect::Reconfig,
     "Time that a task has to leave when its slot is taken back. none: the plan's, then the "
     "cluster's."},
    {"kill_grace",
     [](A& a) -> Field { return &a.kill_grace; },
     {0, kHour},
     Effect::Reconfig,
     "Time between SIGINT, SIGTERM and SIGKILL. none: the cluster's."},
    {"success_exits",
     [](A& a) -> Field { return &a.success_exits; },
     {0, 255},
     Effect::NewJobs,
     "Exit codes, besides 0, with which a job counts as finished well."},
    {"requeue_exits",
     [](A& a) -> Field { return &a.requeue_exits; },
     {0, 255},
     Effect::NewJobs,
     "Exit codes with which a job is queued again, unless it names its own; of those in EXCLUDE( ) "
     "it is not dispatched again to the hosts that it ran on. all: 1 to 255; ~code: not that one."},
    {"gpu_check", [](A& a) -> Field { return &a.gpu_check; }, kAny, Effect::NewJobs,
     "Whether wm-ncclcheck runs over a job's GPUs before its tasks."},
    {"warm_imports", [](A& a) -> Field { return &a.warm_imports; }, kAny, Effect::NewJobs,
     "Python modules that a warm parent holds imported on each host of an elastic job, so that "
     "new workers are forked instead of started. It costs their memory once per host, "
     "which affinity[] does not move: forks share it where it is. Empty: none. Unless they say "
     "otherwise training has torch and fabric_model, inference torch, numpy and redharetorch."},
    {"place",
     [](A& a) -> Field {
       return WordOr<PlaceBy>{&a.place, "queue"};
     },
     kAny, Effect::Reconfig,
     "Where its jobs' tasks go: pack, spread or topology as in queues.conf, or as the queue says."},
    {"pre_exec", [](A& a) -> Field { return &a.pre_exec; }, kAny, Effect::NewJobs,
     "Pre-execution command of jobs submitted without -E."},
    {"post_exec", [](A& a) -> Field { return &a.post_exec; }, kAny, Effect::NewJobs,
     "Post-execution command of jobs submitted without -Ep."},
    {"job_starter", [](A& a) -> Field { return &a.controls.starter; }, kAny, Effect::NewJobs,
     "As in queues.conf, instead of the queue's."},
    {"suspend_control", [](A& a) -> Field { return ActField{&a.controls.suspend}; }, kAny,
     Effect::NewJobs, "As in queues.conf, instead of the queue's."},
    {"resume_control", [](A& a) -> Field { return ActField{&a.controls.resume}; }, kAny,
     Effect::NewJobs, "As in queues.conf, instead of the queue's."},
    {"terminate_control", [](A& a) -> Field { return ActField{&a.controls.terminate}; }, kAny,
     Effect::NewJobs, "As in queues.conf, instead of the queue's."},
    {"container",
     [](A& a) -> Field {
       return Choice{&a.container.driver, kDrivers};
     },
     kAny, Effect::NewJobs,
     "What its tasks run in: nothing (none), or a container made by charliecloud (ch-run), podman "
     "without root, or apptainer."},
    {"container_image", [](A& a) -> Field { return &a.container.image; }, kAny, Effect::NewJobs,
     "The image: a folder or squashfs file for charliecloud, a name for podman, a file or "
     "a name for apptainer. $LSB_CONTAINER_IMAGE in it stands for that variable of the job. It is "
     "looked for, "
     "and with podman and apptainer fetched, before the run limit counts. An execution may name "
     "another "
     "(--msd-image-name); without an image here only those that do run in a container."},
    {"container_binds", [](A& a) -> Field { return &a.container.binds; }, kAny, Effect::NewJobs,
     "Paths of the host that are seen inside, each as PATH or PATH:PATH-INSIDE. The job's folder, "
     "its results and what its GPUs need are seen without being named."},
    {"container_options", [](A& a) -> Field { return &a.container.options; }, kAny, Effect::NewJobs,
     "Further words for ch-run, podman run or apptainer exec, before the image."},
    {"command", [](A& a) -> Field { return &a.command; }, kAny, Effect::NewJobs,
     "Command of jobs submitted without one. Run as the job's user, on the host, as this host's "
     "own "
     "file says it. What serves pages to a browser is best started by wm-notebook(1)."},
    {"idle_limit",
     [](A& a) -> Field { return &a.idle.limit; },
     {0, 365 * kDay},
     Effect::NewJobs,
     "Of type notebook: ended by wm-notebook(1) when it was not used for so long: no cell ran, no "
     "terminal wrote, no process computed, no GPU was busy. An open page is no use. 0: never."},
    {"idle_warning",
     [](A& a) -> Field { return &a.idle.warning; },
     {0, 365 * kDay},
     Effect::NewJobs,
     "So long before that it says so on its page and in its log. Its owner can extend it there."},
    {"idle_cpu",
     [](A& a) -> Field { return &a.idle.cpu; },
     {0, 100000},
     Effect::NewJobs,
     "Percent of one core that all its processes together stay below while it is idle."},
};

}  // namespace

std::span<const Key<AppConf>> app_keys() { return kAppKeys; }

}  // namespace wm::conf
