// Role: small parts of what a user asks for (JobSpec in job.h): index ranges of arrays, where the
// standard streams go, who starts parallel processes, files to be copied. Values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libwm/base/units.h"

namespace wm {

/// `from`..`to` step `step` of a job array, all >= 1.
struct IndexRange {
  std::uint32_t from = 1, to = 1, step = 1;
  bool operator==(const IndexRange&) const = default;
};

/// Where a job's standard streams go. @source LSF bsub -I, -Ip, -Is
enum class Streams : std::uint8_t {
  Files = 0,     ///< -o and -e
  Pipes = 1,     ///< to the submitting command
  Terminal = 2,  ///< the same, over a terminal
  Shell = 3,     ///< a terminal, with job control for shells
};

/// Who starts the processes of a parallel program. @source bsub -mpi
enum class Mpi : std::uint8_t {
  None = 0,  ///< the command itself: mpirun, blaunch, a script
  Pmix = 1,  ///< its hosts, one process a task, which find each other by PMIx
};

/// What runs, and as what kind of process.
struct Program {
  std::string command;      ///< what a shell runs; or the program when `script_hash` is set
  std::string script_hash;  ///< BLAKE2b-256 of the spooled script, raw bytes; empty: none
  std::string env_hash;     ///< of the environment block ("A=1\0B=2\0"), raw bytes
  std::string cwd, submit_host, home, shell;
  std::uint32_t umask = 022;
  bool spooled = false;  ///< -Zs: the script is the file of the command's first word, the others
                         ///< are what it is given
  bool operator==(const Program&) const = default;
};

/// The terminal of an interactive job.
struct Console {
  Streams streams = Streams::Files;     ///< -I, -Ip, -Is
  std::uint32_t rows = 0, columns = 0;  ///< its size; 0: unknown
  bool operator==(const Console&) const = default;
};

/// A file that goes to the first execution host before the tasks, or comes from there after
/// them. @source LSF: bsub -f "local op remote"
struct FileCopy {
  std::string local;    ///< on the submission host, absolute
  std::string remote;   ///< on the execution host; relative: to the job's folder
  bool before = false;  ///< local to remote
  bool after = false;   ///< remote to local
  bool append = false;  ///< after: to the end of it
  bool operator==(const FileCopy&) const = default;
};

/// Where a job reads and writes.
struct Files {
  std::string in, out, err;                           ///< -i, -o, -e
  bool in_spooled = false;                            ///< -is: `in` is a copy, removed at the end
  bool out_overwrite = false, err_overwrite = false;  ///< -oo, -eo
  bool tag = false;              ///< -tag: output of every task, each line with its rank
  std::vector<FileCopy> copies;  ///< -f
  std::string outdir;            ///< -outdir, as given: made before the tasks, LSB_OUTDIR
  bool operator==(const Files&) const = default;
};

/// Commands that run around a job, or tell it what is to come.
struct SideCommands {
  std::string pre, post;               ///< -E, -Ep
  Duration pre_limit{}, post_limit{};  ///< of a queue: of the user's; 0: as wm.conf says
  std::string warn_action;             ///< -wa: a signal's number, or a command
  Duration warn_time{};                ///< -wt: so long before the run limit
  std::string notify;                  ///< -rnc: asked about every change of size
  std::uint32_t window_signal = 0;     ///< -s: when its queue's run window closes; 0: it is stopped
  bool operator==(const SideCommands&) const = default;
};

/// How what a job has done is kept, so that it can go on from there.
/// @source LSF bsub -k "dir [period] [method=name]"
struct Checkpoint {
  std::string dir;     ///< empty: it is not checkpointed
  Duration period{};   ///< between two; 0: only when asked
  std::string method;  ///< echkpnt.METHOD and erestart.METHOD of the site; wm: the trainer's own
  bool operator==(const Checkpoint&) const = default;
};

/// When a job may begin, and when it is to be over.
struct Timing {
  bool hold = false;             ///< -H
  std::string depend;            ///< -w; kept by the master with numbers for names
  bool orphan_kill = false;      ///< -ti: ended once its dependency can never be met
  WallTime begin{}, deadline{};  ///< -b: not before; -t: ended then; 0 = none
  bool operator==(const Timing&) const = default;
};

/// What hosts it asks for, as it was given; JobSpec::task and `span` are what it means.
struct Asked {
  std::string resreq;              ///< -R, merged
  std::string select;              ///< its select expression
  std::string gpu;                 ///< -gpu
  std::vector<std::string> hosts;  ///< -m
  bool operator==(const Asked&) const = default;
};

/// Of what a job's owner wants to be told when it happens. @source LSF bsub -notify
struct NotifyAt {
  bool start = false, done = false, exit = false, suspend = false;
  bool any() const { return start || done || exit || suspend; }
  bool operator==(const NotifyAt&) const = default;
};

/// What a job's owner wants to be told, by mail or by a request to a URL.
/// @source LSF bsub -B, -N, -u, -notify
struct MailWish {
  bool at_start = false;  ///< -B
  bool at_end = false;    ///< -N: the report, whatever becomes of the output
  std::string to;         ///< -u: addresses, separated by commas; empty: the owner's account
  NotifyAt notify;        ///< -notify: a few words to `to`; http(s) URLs in it are posted to
  bool operator==(const MailWish&) const = default;
};

/// What an execution (dlicmd, REST, bsub -bundle) asks for beside its job. Signed like the rest;
/// the scheduler reads none of it.
struct Execution {
  std::string args;                ///< of the start, as they were given
  std::string framework, version;  ///< of frameworks.conf; empty: none
  std::string image;               ///< container; empty: the profile's
  std::string image_policy;  ///< when podman fetches it: always, never; empty: if it is absent
  std::string image_secret;  ///< file of the owner's that podman logs on to the registry by
  /// Key of the uploaded folder below `<results>/<user>/incoming`, 32 hex digits; empty: none. The
  /// job's first attempt moves it to its own folder, `_submitted_code`, and works there.
  std::string bundle;
  std::string bundle_dir;         ///< relative, in the bundle: where the command starts
  std::vector<std::string> data;  ///< sources, each one JSON object
  std::map<std::string, std::string> labels;
  Duration pending_limit{};  ///< ends when it has waited so long; 0: never
  /// Of an open array with elements from a suggester: algorithm, space and goal, one JSON
  /// object (libwm/search). Empty: its owner brings their data.
  std::string search;
  std::string
      service;  ///< name of an inference service, one of its kind in the cluster; empty: none
  std::string profile;  ///< of the service, one JSON object
  bool operator==(const Execution&) const = default;
};

/// What the end of a task means for the others of its group.
enum class Restart : std::uint8_t {
  WithJob = 0,      ///< they live and die together
  Independent = 1,  ///< it is started again, after a pause; the others and the job go on
};

/// Like tasks of a job that has several kinds of them: driver and workers, parameter servers and
/// workers, router and kernels. Each group is an element of the job's array, in the order given;
/// those that live with the job start together.
/// @source Slurm heterogeneous jobs; Kubeflow training operator, replica specs
struct TaskGroup {
  std::string name;     ///< of the job's own; [a-z][a-z0-9_-]{0,31}
  std::string role;     ///< of TF_CONFIG: chief, worker, ps, evaluator; empty: the name
  std::string command;  ///< of each task
  std::uint32_t min_tasks = 1, max_tasks = 1;  ///< min 0 only where independent
  std::string resreq, gpu;                     ///< as -R and -gpu
  Restart restart = Restart::WithJob;
  bool elastic = false;  ///< its tasks are the workers of one elastic training
  bool operator==(const TaskGroup&) const = default;
};

}  // namespace wm
