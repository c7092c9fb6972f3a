// Role: what the driver says of one device at one moment: a value between NVML (nvml.h), which
// makes it, and the judgement whether the device is well and free (gpu_watch.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/units.h"

namespace wm::gpu {

/// A process that has a context on a device.
struct GpuProcess {
  std::int32_t pid = 0;
  Bytes mem{0};                          ///< 0: not told
  std::vector<std::int32_t> above = {};  ///< its parent, that one's, up to the first process
  bool operator==(const GpuProcess&) const = default;
};

/// Raw values; what the driver does not tell keeps its default. Of a MIG slice: memory and
/// processes are its own, health is its GPU's. @units busy: percent; celsius: degrees
struct GpuReading {
  std::string uuid;
  int trouble = 0;  ///< NVML's code when the device could not be read; 15: fell off the bus
  Bytes total{0}, used{0};
  std::uint32_t busy = 0, celsius = 0;
  std::int32_t mem_busy = -1, pstate = -1, mode = -1;  ///< as GpuReport
  std::vector<GpuProcess> processes;
  std::uint64_t ecc_corrected = 0, ecc_uncorrected = 0;  ///< since the driver was loaded
  bool remap_pending = false;       ///< a bad memory row or page waits for a reset
  bool remap_failed = false;        ///< no spare row is left
  std::uint64_t slow_reasons = 0;   ///< NVML's bits for low clocks
  std::uint64_t power_mw = 0;       ///< 0: not told
  std::uint64_t energy_mj = 0;      ///< since the driver was loaded; 0: not told
  std::vector<std::uint32_t> xids;  ///< errors since the reading before
  bool operator==(const GpuReading&) const = default;
};

}  // namespace wm::gpu
