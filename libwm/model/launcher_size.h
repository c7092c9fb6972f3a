// Role: whether the size that a launcher of a training is told contradicts that of its job: it
// would wait for hosts that never come, or start more processes than there is room for. Pure.
//   "torchrun --nnodes 3 train.py" in a job of 2 hosts
#pragma once

#include <cstdint>
#include <string>

#include "libwm/model/job.h"
#include "libwm/model/training_launcher.h"

namespace wm {

/// What a job has for the processes of a launcher. 0: not known.
struct LauncherRoom {
  std::uint32_t hosts = 0;
  std::uint32_t per_host =
      0;  ///< processes: its slots on a host, or its GPUs there if those are more
  std::uint32_t in_all = 0;  ///< processes on all hosts together
  bool operator==(const LauncherRoom&) const = default;
};

/// What is fixed of it before the job is placed. Nothing of an elastic job is. @cost O(1)
LauncherRoom room_before_placement(const JobSpec& spec);

/// A sentence with both numbers; empty: there is no contradiction. Only plain numbers count:
/// `$NNODES`, `gpu`, `auto` and `1:3` say nothing against any size. Fewer processes than there is
/// room for are no contradiction.
/// @source options of torchrun (--nnodes, --nproc_per_node) and accelerate launch (--num_machines,
///   --num_processes), with - or _ @cost O(words)
std::string size_contradiction(const FoundLauncher& found, const LauncherRoom& room);

/// Does accelerate start the script alone, in its own environment? It starts the processes of a
/// host where it finds several GPUs or is told what to do with them. @cost O(words)
/// @source accelerate launch: simple_launcher
bool starts_one_process(const FoundLauncher& found, const JobSpec& spec);
/// Is accelerate told to use the CPU, or how many processes or machines there are: is a process
/// wanted for each task? @cost O(words)
bool counts_processes(const FoundLauncher& found);

/// How many hosts torchrun waits for in a job of so many: more where --nnodes says so. @cost
/// O(words)
std::uint32_t hosts_awaited(const FoundLauncher& found, std::uint32_t hosts);
/// At which port the launcher's processes meet that are told of `told`: where its options say
/// another as a plain number, at that. @source --master_port, --rdzv_endpoint of torchrun,
/// --master_port of
///   deepspeed, --main_process_port of accelerate   @cost O(words)
std::uint32_t port_awaited(const FoundLauncher& found, std::uint32_t told);

/// Does the launcher itself surely listen where it was told to, on the first of several hosts? Not
/// one that meets elsewhere: alone, at another machine, or by a service. @source --standalone,
///   --rdzv_backend, --rdzv_endpoint, --master_addr of torchrun; --main_process_ip of accelerate
/// @cost O(words)
bool listens_where_told(const FoundLauncher& found);

/// What is wrong with the sizes that the job's command says, for its submitter; empty: nothing, as
/// far as that is known before it is placed. @cost O(command)
std::string size_doubt(const JobSpec& spec);

}  // namespace wm
