// Role: a host as the master knows it: its capacity (said by itself, or by hosts.conf),
// what is taken, and whether it is heard. Values; changed by libwm/fsm only.
//
//   (register) → ok ⇄ silent → dead (badmin hdead, fence) → (register) → ok
//   closed by an administrator is a flag beside the state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"

namespace wm {

/// One GPU of a host. Without a device it is a plain counter with a made-up uuid.
struct Gpu {
  std::string uuid, model;
  Bytes mem{0};
  bool operator==(const Gpu&) const = default;
};

/// What a host can hold. @units milli_cpus: 1000 = one core
struct Capacity {
  std::uint32_t slots = 1;
  std::uint32_t milli_cpus = 1000;
  Bytes mem{0};
  std::vector<Gpu> gpus;
  bool operator==(const Capacity&) const = default;
};

/// Whether it is heard; Dead: somebody vouched for it.
enum class HostState : std::uint8_t { Ok = 0, Silent = 1, Dead = 2 };

/// Who holds a GPU: job 0 = free.
struct GpuOwner {
  JobId job;
  TaskNumber task;
  bool operator==(const GpuOwner&) const = default;
};

struct Host {
  HostId id;
  std::string name, address;
  HostState state = HostState::Ok;
  bool closed = false;
  std::string closed_by, closed_why;
  std::string boot;  ///< identifies this run of wnoded's machine
  std::string type, model;
  Capacity capacity;
  // taken by tasks that hold a slot
  std::uint32_t used_slots = 0, stuck_slots = 0;
  std::uint32_t used_milli_cpus = 0;
  Bytes used_mem{0};
  std::vector<GpuOwner> gpu_owners;  ///< same length as capacity.gpus
  WallTime registered{}, silent_since{};
  // while it is silent: tries of fence_command, and what became of the last
  std::uint32_t fence_tries = 0;
  std::string fence_text;
  bool operator==(const Host&) const = default;
};

/// May new tasks be placed here: ok and not closed. @cost O(1)
inline bool is_open(const Host& host) { return host.state == HostState::Ok && !host.closed; }

}  // namespace wm
