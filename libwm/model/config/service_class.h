// Role: slas.conf as values: service classes (bsub -sla) with a goal that the scheduler helps their
// jobs to reach: so many at a time, so many an hour, or all of them by a time. A part of Config.
//
// @source LSF: lsb.serviceclasses, GOALS = [VELOCITY n] [THROUGHPUT n] [DEADLINE]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/model/config/calendar.h"

namespace wm {

/// A section of slas.conf. Goals of 0 are none.
struct ServiceClass {
  std::string name;
  std::uint32_t velocity = 0;    ///< jobs that run at a time
  std::uint32_t throughput = 0;  ///< jobs that end in an hour
  WeekWindows deadline;          ///< all of its jobs have ended when one of these closes
  WeekWindows windows;           ///< the other goals hold then; empty: always
  std::uint32_t priority = 1;    ///< among classes: higher goes first
  std::vector<std::string> users;
  std::string description;
  bool operator==(const ServiceClass&) const = default;
};

}  // namespace wm
