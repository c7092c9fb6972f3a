// Role: what has happened to hosts and their GPUs: events of event.h, which has all of them and
// says how they are numbered. Values.
#pragma once

#include <cstdint>
#include <string>

#include "libwm/base/ids.h"
#include "libwm/model/host.h"

namespace wm {

/// It has come up, or come back: what it is and has.
struct HostRegistered {
  HostId host;
  std::string name, address, boot, type, model;
  Capacity capacity;
  std::uint64_t network = 0;  ///< as Host::network
};
/// Nothing was heard from it for silent_after.
struct HostSilent {
  HostId host;
};
/// It is heard again with the boot it had.
struct HostHeard {
  HostId host;
};
/// Somebody vouches that nothing runs there any more.
struct HostDied {
  HostId host;
  std::string by, why;
};
struct HostClosed {
  HostId host;
  std::string by, why;
  bool for_faults = false;  ///< its own, by which jobs did not start: its probe opens it
  bool drain = false;       ///< tasks that can go on elsewhere do; else they stay
};
struct HostOpened {
  HostId host;
  std::string by;
};

/// A GPU is set aside, or given back: `mark` is what holds from now on.
struct GpuMarked {
  HostId host;
  std::string uuid;
  GpuMark mark;
};

/// Memory was plugged in, or taken away, while it runs.
struct HostMemoryChanged {
  HostId host;
  Bytes mem{0};
};

/// The fence command was started for a silent host.
struct HostFenceBegan {
  HostId host;
  std::string command;
};
/// It did not show that the host is off. A success is a HostDied.
struct HostFenceFailed {
  HostId host;
  std::string why;
};

}  // namespace wm
