#include "daemons/wmasterd/hosts/host_readings.h"

namespace wm::master {

HostStanding& HostReadings::of(HostId host) {
  if (!all_.find(host.value)) all_.set(host.value, {});
  return all_.edit(host.value);
}

void HostReadings::set_busy(HostId host, const std::string& why) {
  const HostStanding* known = all_.find(host.value);
  if (known && known->busy != why) of(host).busy = why;
}

}  // namespace wm::master
