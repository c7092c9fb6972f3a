// Role: whether each GPU of a host is well, and free: readings of the driver in, reports for
// the master out. Pure: no driver, no clock.
//
//   well ──a fault, or held by nobody of ours twice in a row──► sick ──well twice──► well
//     └────────────an XID that only a reset mends────────────► sick until badmin gopen, reboot
//
// Free means: no process has a context on it and its memory is back to base, the least that
// was ever seen in use without a process. Called by daemons/wnoded/gpus.cc.
// @source NVIDIA XID Errors catalogue; NVML API reference (ECC, remapped rows, clocks)
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/gpu/gpu_reading.h"
#include "libwm/model/host.h"

namespace wm::gpu {

/// What an XID error says about the device.
enum class XidClass : std::uint8_t {
  Application,  ///< the program's own fault (13, 31, 43 …), or news without consequence
  Reset,        ///< the device is not usable before a reset or repair (48, 74, 79, 95 …)
};
/// Numbers that are not known count as Application. @cost O(1)
XidClass class_of_xid(std::uint32_t xid);
/// "double-bit ECC error": what the catalogue calls it; empty: not known here. @cost O(1)
std::string_view name_of_xid(std::uint32_t xid);

/// The GPUs of one host. @thread one
class GpuWatch {
 public:
  explicit GpuWatch(const std::vector<Gpu>& gpus);

  /// Takes a reading of every device in. `held`: uuids that tasks or MPS daemons of ours may be
  /// using, `now`: stamped on what begins. @cost O(GPUs log GPUs + processes)
  void look(const std::vector<GpuReading>& readings, const std::set<std::string>& held,
            WallTime now);
  /// A GPU that did not become free in time is set aside at once. @cost O(log GPUs)
  void give_up(const std::string& uuid, WallTime now);

  /// The driver does not say how it is: set aside until it was well twice in a row. What it was set
  /// aside for before stays. @cost O(log GPUs)
  void set_aside(const std::string& uuid, const std::string& why, WallTime now);

  /// What tasks use of each beyond their gmem, in words, by uuid; who is not named does not.
  /// @cost O(GPUs log GPUs)
  void note_overuse(const std::map<std::string, std::string>& words);

  /// Why it is not free, by the last look; empty: it is, or it is no device. @cost O(log GPUs)
  std::string not_free(const std::string& uuid) const;
  /// Device memory in use when nobody uses it. @cost O(log GPUs)
  Bytes base(const std::string& uuid) const;
  /// All devices, as the master shall know them. @cost O(GPUs)
  const std::vector<GpuReport>& reports() const { return reports_; }

 private:
  struct State {
    std::size_t place = 0;
    std::optional<Bytes> least;  ///< in use without a process
    GpuReading last;
    std::string xid;  ///< the fault that only a reset mends
    WallTime xid_since{};
    std::uint32_t good = 0, slow = 0, strange = 0;  ///< looks in a row
  };

  std::string busy_with(const State& state) const;
  std::string fault_of(State& state, bool held) const;
  void take_xids(State& state, WallTime now) const;
  void judge(State& state, const std::string& fault, WallTime now);

  std::map<std::string, State> states_;
  std::vector<GpuReport> reports_;
};

}  // namespace wm::gpu
