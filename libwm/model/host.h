// Role: a host as the master knows it: its capacity (said by itself, or by hosts.conf),
// what is taken, and whether it is heard. Values; changed by libwm/fsm only.
//
//   (register) → ok ⇄ silent → dead (badmin hdead, fence) → (register) → ok
//   closed by an administrator, and drained, are flags beside the state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"

namespace wm {

/// One GPU of a host, or one MIG slice of a GPU: what a task can be given. Without a device it
/// is a plain counter with a made-up uuid and nothing else known.
struct Gpu {
  std::string uuid, model;
  Bytes mem{0};
  std::string vendor, pci;           ///< "nvidia", "00000000:17:00.0"; empty: a counter
  std::string driver;                ///< its version
  std::string capability;            ///< compute capability, "9.0"
  std::string mig;                   ///< profile of a slice, "1g.10gb"; empty: a whole GPU
  std::string parent;                ///< uuid of the GPU that a slice is part of
  std::int32_t numa = -1;            ///< NUMA node of the host; -1: not known
  std::vector<std::uint32_t> links;  ///< NVLinks to the GPU at each index; empty: none
  bool operator==(const Gpu&) const = default;
};

/// How busy a host is beside its load average of one minute. Negative: not known.
/// @source LSF: load indices r15s, r15m, it, tmp, swp, mem, pg, io, ls
struct HostLoad {
  double r15s = -1, r15m = -1;      ///< runnable processes, mean of 15 seconds and 15 minutes
  Duration idle{-1};                ///< since somebody typed on it
  Bytes tmp{-1}, swp{-1}, mem{-1};  ///< available: in /tmp, of swap, of memory
  Bytes max_tmp{-1}, max_swp{-1};   ///< of them there are
  double pg = -1, io = -1;          ///< pages swapped, KB of disks, a second; mean of a minute
  std::int32_t logins = -1;         ///< users who are logged on
  bool operator==(const HostLoad&) const = default;
};

/// One CPU as the kernel numbers it, and what it is part of (numbered over the machine).
struct Cpu {
  std::uint32_t number = 0, core = 0, numa = 0, socket = 0;
  bool operator==(const Cpu&) const = default;
};

/// How a GPU is, as its host measures it; negative: not told. @units busy: percent; celsius:
/// degrees
struct GpuReport {
  std::string uuid;
  bool sick = false;    ///< not to be given to anybody, for the reason in `why`
  bool sticky = false;  ///< does not end by itself: badmin gopen, or a reboot
  std::string why;
  WallTime since{};  ///< when it became sick
  Bytes used{0};     ///< device memory in use
  std::uint32_t busy = 0, celsius = 0;
  std::int32_t mem_busy = -1;  ///< percent of the time in which its memory was read or written
  std::int32_t watts = -1;
  std::int32_t pstate = -1;  ///< 0: fastest
  std::int32_t mode = -1;    ///< compute mode: 0 shared, 3 exclusive for a process
  std::int64_t ecc = -1;     ///< errors that could not be corrected, since the driver was loaded
  std::string over = {};     ///< tasks that use more of it than their gmem, in words
  bool operator==(const GpuReport&) const = default;
};

/// Whether a GPU is set aside: by an administrator, by its health, or by both.
struct GpuMark {
  bool closed = false;
  std::string closed_by, closed_why;
  bool sick = false, sticky = false;
  std::string sick_why;
  WallTime sick_since{};
  WallTime opened{};  ///< last badmin gopen: sticky faults before it do not count
  bool aside() const { return closed || sick; }
  bool operator==(const GpuMark&) const = default;
};

/// What a host can hold. @units milli_cpus: 1000 = one core
struct Capacity {
  std::uint32_t slots = 1;
  std::uint32_t milli_cpus = 1000;
  Bytes mem{0};
  std::vector<Gpu> gpus;
  bool operator==(const Capacity&) const = default;
};

/// What CPUs its tasks may take together. A host may be configured with more slots than it has
/// CPUs; then slots alone bound it. @units thousandths
inline std::uint64_t milli_cpus_to_give(const Capacity& capacity) {
  return std::max<std::uint64_t>(capacity.milli_cpus, std::uint64_t{capacity.slots} * 1000);
}

/// Whether it is heard; Dead: somebody vouched for it.
enum class HostState : std::uint8_t { Ok = 0, Silent = 1, Dead = 2 };

/// Who holds a GPU: job 0 = free.
struct GpuOwner {
  JobId job;
  TaskNumber task;
  bool operator==(const GpuOwner&) const = default;
};

/// A part of a GPU that a sharing task holds. @units milli: thousandths of the GPU
struct GpuShare {
  std::uint16_t gpu = 0;  ///< index on the host
  GpuOwner owner;
  std::uint32_t milli = 0;
  Bytes mem{0};
  std::optional<std::uint32_t> mps_uid;  ///< the user of the MPS daemon of this GPU
  bool operator==(const GpuShare&) const = default;
};

/// What of its own has kept jobs from starting on a host.
struct HostFaults {
  std::uint32_t in_row = 0;           ///< with no good end between
  std::vector<std::uint32_t> owners;  ///< uids of these jobs, two at most
  bool closed = false;                ///< for them, and not by a person
  /// Profiles that its own configuration lacks: their jobs are not tried there before then.
  std::map<std::string, WallTime> gaps;
  bool operator==(const HostFaults&) const = default;
};

struct Host {
  HostId id;
  std::string name, address;
  HostState state = HostState::Ok;
  bool closed = false;
  bool drains = false;  ///< closed, and what can go on elsewhere does
  std::string closed_by, closed_why;
  std::string boot;  ///< identifies this run of wnoded's machine
  /// Inode of its network namespace; 0: not known. Hosts of one boot and namespace share their
  /// ports.
  std::uint64_t network = 0;
  std::string type, model;
  Capacity capacity;
  // taken by tasks that hold a slot
  std::uint32_t used_slots = 0, stuck_slots = 0;
  std::uint32_t used_milli_cpus = 0;
  Bytes used_mem{0};
  std::vector<GpuOwner> gpu_owners;  ///< same length as capacity.gpus
  WallTime registered{}, silent_since{};
  std::vector<GpuShare> gpu_shares;          ///< of GPUs without an owner; by task
  std::map<std::string, GpuMark> gpu_marks;  ///< by uuid; those not set aside are absent
  // while it is silent: tries of fence_command, and what became of the last
  std::uint32_t fence_tries = 0;
  std::string fence_text;
  HostFaults faults;
  bool operator==(const Host&) const = default;
};

/// The mark of the GPU at this index, or null: in order. @cost O(log marks)
inline const GpuMark* gpu_mark(const Host& host, std::size_t gpu) {
  if (gpu >= host.capacity.gpus.size()) return nullptr;
  auto at = host.gpu_marks.find(host.capacity.gpus[gpu].uuid);
  return at == host.gpu_marks.end() ? nullptr : &at->second;
}

/// May new tasks be placed here: ok and not closed. @cost O(1)
inline bool is_open(const Host& host) { return host.state == HostState::Ok && !host.closed; }

}  // namespace wm
