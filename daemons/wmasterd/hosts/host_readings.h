// Role: what hosts say of themselves beside the state: load, devices, what runs there uses. As it
// was heard last, not durable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libwm/model/host.h"
#include "libwm/model/node/meter.h"
#include "libwm/model/node/node.h"
#include "libwm/model/table.h"

namespace wm::master {

/// What is known of a host beside the state, as it was last heard.
struct HostStanding {
  bool connected = false;
  double load = 0;
  HostLoad more;
  std::vector<GpuReport> gpus;
  std::vector<Cpu> cpus;
  std::shared_ptr<const HostUses> uses;  ///< of what runs there; nullptr: not heard
  std::string busy;  ///< why it takes none of some queue's jobs; empty: it takes all
};

/// @thread the loop's
class HostReadings {
 public:
  /// That of a host, to be changed. @cost as Table::edit
  HostStanding& of(HostId host);
  /// What becomes of its load; nothing of a host that was never heard. @cost O(1)
  void set_busy(HostId host, const std::string& why);
  /// All of them by number, to be read elsewhere. @cost O(hosts / 256)
  Table<HostStanding> freeze() { return all_.freeze(); }

 private:
  Table<HostStanding> all_;
};

}  // namespace wm::master
