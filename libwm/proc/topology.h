// Role: what this machine has: cores and memory (hwloc), GPUs (as nvml.h finds them), and what
// hosts.conf declares over it. A declared GPU without a device is a
// plain counter with a made-up uuid.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/launch/affinity.h"
#include "libwm/model/config/config.h"
#include "libwm/model/host.h"

namespace wm::proc {

/// What was found.
struct Inventory {
  std::uint32_t cores = 1;
  Bytes mem{0};
  std::vector<Gpu> gpus;  ///< to be filled in from Nvml::inventory
  std::string type;       ///< "x86_64"
  std::string model;      ///< of the CPU, as the kernel names it
  bool operator==(const Inventory&) const = default;
};

/// What /proc/meminfo says of all memory; 0: nothing. @source proc(5): MemTotal @cost O(length)
Bytes total_memory(std::string_view meminfo);

/// Looks at the machine. What cannot be found keeps its default.
/// @cost about 6 ms for hwloc; with a GPU driver its start
Inventory take_inventory();

/// The machine's topology as hwloc writes it down, so that many processes need not each look.
/// @errors System   @cost about 6 ms, 10 to 100 KB
Result<std::string> topology_xml();

/// The CPUs that this process may use, in the order of the topology. HWLOC_SYNTHETIC stands for
/// another machine: nothing can be bound to its CPUs. @cost about 6 ms
launch::CpuMap read_cpus();

/// What the host offers: declared values where there are any, found ones elsewhere. More
/// declared GPUs than devices become counters "<host>-gpu<k>".
Capacity capacity_of(const Inventory& found, const HostConf* declared, const std::string& host);

/// Changes at every boot of the machine. @source /proc/sys/kernel/random/boot_id
std::string boot_id();

/// The network namespace that this process lives in: between two boots of the machine no other one
/// has its number. 0: not known. @source network_namespaces(7): /proc/self/ns/net @cost one stat
std::uint64_t network_id();

/// Name of the network interface that has this numeric address or is in its subnet; empty:
/// none. @cost one getifaddrs
std::string interface_of(const std::string& address);

/// How busy the machine is. @units minute, quarter_minute, quarter_hour: runnable processes, mean
struct Load {
  double one_minute = 0, quarter_minute = 0, quarter_hour = 0;
  Bytes free_mem{0};  ///< that could be used
  Bytes mem{0};       ///< there is, as total_memory
  Bytes free_swap{0}, swap{0};
  Bytes free_tmp{0}, tmp{0};  ///< of /tmp's file system, for users
  Duration idle{};            ///< since somebody typed at a terminal; without one since the boot
  double paging = -1, disks = -1;  ///< pages swapped, KB moved, a second; mean of a minute
  std::int32_t logins = -1;        ///< users who are logged on; -1: nothing keeps account of them
  std::uint64_t pages = 0, kilobytes = 0;  ///< since the boot, of which the means are made
  std::optional<std::chrono::steady_clock::time_point> taken;
};
/// `before`: the look before, which the means of 15 seconds and of a minute go on from. @cost four
/// reads of /proc, one of utmp, one stat a terminal
Load load_now(const Load& before = {});

}  // namespace wm::proc
