// Role: the GPUs of this machine as NVIDIA's driver names them: what they are (inventory) and
// how they are (read). The library is loaded at run time, so hosts without it have no GPUs and
// nothing is linked. A GPU in MIG mode is shown as its slices.
//   Nvml::open(library) → inventory() once → read() now and then, from a worker thread
// Calls into a sick driver may block for seconds: never on a loop thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/gpu/gpu_reading.h"
#include "libwm/model/host.h"

namespace wm::gpu {

/// The driver's library, started. @thread one call at a time
class Nvml {
 public:
  /// `library`: as dlopen takes it. @errors NotFound: no such library; System: it does not
  /// start, with its code
  static Result<std::unique_ptr<Nvml>> open(const std::string& library);
  ~Nvml();

  /// Devices and slices in the driver's order, with the links between them. One that cannot be
  /// read is left out. @cost some ms a device
  std::vector<Gpu> inventory();
  /// Device files of the last inventory, by uuid; a slice has its GPU's. @cost a call a device
  std::map<std::string, std::string> device_files() const;
  /// How each of the last inventory is. @cost some ms a device; more when one is sick
  std::vector<GpuReading> read();

 private:
  struct Library;
  explicit Nvml(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
};

}  // namespace wm::gpu
