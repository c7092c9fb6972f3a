// Role: the environment of a task, its files and its command, from the order that the master
// gave and what the host knows. Pure: the same order gives the same bytes; wnoded calls it and
// hands the result to the launcher exactly as it is.
// @source LSF's job variables; torchrun's worker variables; WMLA's training variables
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libwm/launch/affinity.h"
#include "libwm/launch/launcher.h"
#include "libwm/launch/placing.h"
#include "libwm/launch/spool.h"
#include "libwm/model/node/node.h"

namespace wm::launch {

/// What the host adds to an order.
struct HostFacts {
  std::string name;     ///< as the master calls this host
  std::string address;  ///< numeric
  HostId id;
  std::string interface;  ///< network interface that has the address: "eth0", "lo"
  std::string cluster;
  DirConf dirs;
  LimitConf limits;
  std::string conf_dir;                    ///< WM_CONF_DIR of commands inside jobs
  std::string bin_dir, sbin_dir, lib_dir;  ///< commands, daemons; lib_dir/python has our modules
  std::string fabric_dir;                  ///< FABRIC_HOME
  std::string run;                         ///< this host's run folder: attempt folders, node.sock
  std::uint64_t spool_limit = kMostSpool;  ///< of each spooled stream: spool.h
  std::uint64_t folder_share = 0;      ///< of a slot, where the site has no folder_limit: spool.h
  Bytes folder_limit{0};               ///< of wm.conf
  std::string mps_program;             ///< control daemon of CUDA MPS
  std::vector<std::string> passed_on;  ///< "WM_CLUSTER_DIR=…": from wnoded's own environment
  std::string munge_socket;            ///< of the identity service; empty: the system's
  SiteScripts scripts;
  bool owns_web_port = false;          ///< web_port() of the order is its owner's alone
  bool lost_output_fails = true;       ///< as AttemptSpec has it
  CpuMap cpus;                         ///< what affinity[] chooses from; empty: nothing is bound
  std::vector<std::string> gpu_files;  ///< what containers need to use the GPUs: container.h
  std::map<std::string, CharDevice> gpu_devices;  ///< by uuid; of a slice, its GPU's
};

/// Below it all users' results lie: results_dir, or the user's home where that is empty. @cost O(1)
const std::string& results_root(const HostOrder& order, const HostFacts& host);
/// "<results_root>/<user>/batchworkdir/<jobid>". @cost O(1)
std::string result_dir(const HostOrder& order, const HostFacts& host);
/// "<results_root>/<user>/incoming/<bundle>": where bsub or the door has put it. @cost O(1)
std::string incoming_dir(const HostOrder& order, const HostFacts& host);
/// "<result_dir>/_submitted_code": an array's is that of all its elements, but trials of an open
/// one have each their own. @cost O(1)
std::string bundle_dir(const HostOrder& order, const HostFacts& host);
/// Where the job's processes start: in its bundle, or in its cwd. @cost O(1)
std::string work_dir(const HostOrder& order, const HostFacts& host);
/// The same of another job of its owner's.
std::string result_dir(const HostOrder& order, const HostFacts& host, JobId job);
/// What an execution knows itself by: its exec id; of a job that brought no code "12" or "12.4".
/// @cost O(1)
std::string own_name(const HostOrder& order, const HostFacts& host);
/// "<results_root>/<user>/batchworkdir/<own_name>": of an execution a link to result_dir, since
/// scripts put that path together by themselves. @cost O(1)
std::string named_result_dir(const HostOrder& order, const HostFacts& host);
/// "<result_dir>/log/<task>". @cost O(1)
std::string log_dir(const HostOrder& order, const HostFacts& host, TaskNumber task);
/// Do the task's GPUs have uuids that CUDA knows? Declared counters have none. @cost O(GPUs)
bool names_devices(const OrderedTask& task);
/// May the task see that slot's GPUs: its own, those of all slots that its process stands for, or
/// with see=all those of the job's tasks on this host? @cost O(1)
bool sees_gpus(const HostOrder& order, const OrderedTask& task, const OrderedTask& slot);
/// "<run>/12-0.1.d": see AttemptSpec::files.
std::string attempt_dir(const HostOrder& order, const HostFacts& host);

/// All variables of one task, sorted by name: the submitter's, then ours over them.
/// @cost O(variables + tasks)
std::vector<std::string> task_environment(const HostOrder& order, const HostFacts& host,
                                          const OrderedTask& task);
/// All variables of the job's agent on this host (libwm/elastic/PROTOCOL.md).
std::vector<std::string> agent_environment(const HostOrder& order, const HostFacts& host);

/// Fills %J, %I, %Z, %U, %H, %P and %% of an output path. Others stay. @cost O(length)
std::string expand_output(const std::string& path, const HostOrder& order, const std::string& host);
/// Where -outdir says, absolute; empty: it was not given. @cost O(length)
std::string out_dir(const HostOrder& order, const HostFacts& host);
/// A file of -o or -e: relative ones lie in out_dir(), or else where the job works. @cost O(length)
std::string output_path(const std::string& asked, const HostOrder& order, const HostFacts& host);

/// A shell command of the user's beside the tasks, with the environment of one of them.
SideCommand user_command(const HostOrder& order, const HostFacts& host, const OrderedTask& task,
                         const std::string& what, const std::string& command);
/// What the attempt's tasks on this host may use together. @cost O(tasks)
UseLimits limits_of(const HostOrder& order);
/// Everything of the attempt that is not a task: limits, commands around the tasks, the warning
/// before the run limit.
void plan_around(const HostOrder& order, const HostFacts& host, AttemptSpec& spec);
/// Script and host file of the attempt, as the order has them. @cost O(tasks)
std::vector<SmallFile> small_files(const HostOrder& order);

/// The task as the launcher starts it.
TaskSpec plan_task(const HostOrder& order, const HostFacts& host, const OrderedTask& task);

/// The attempt as the launcher starts it, with the tasks of the order that have a process.
/// @shape kill_interval, kill_grace: from the application, else the cluster's times; stray_grace:
///        the cluster's
AttemptSpec plan_attempt(const HostOrder& order, const HostFacts& host, const Account& account,
                         const TimeConf& times);

}  // namespace wm::launch
