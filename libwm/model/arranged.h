// Role: events of what people arrange: advance reservations, job groups, messages at jobs, hosts
// that a job is to move to. A part of model/event.h.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/model/job_group.h"
#include "libwm/model/job_note.h"
#include "libwm/model/reservation.h"

namespace wm {

/// An advance reservation is this from now on.
struct ReservationSet {
  Reservation reservation;
  std::string by;
};
struct ReservationRemoved {
  std::string name, by;
};
/// A job group is this from now on.
struct JobGroupSet {
  std::string path;
  JobGroup group;
  std::string by;
};
struct JobGroupRemoved {
  std::string path, by;
};
/// Somebody left a message at a job.
struct JobNoted {
  JobId job;
  JobNote note;
};
/// A job that waits, or is about to wait again, starts on these hosts only. None: on any.
struct JobRelocated {
  JobId job;
  std::vector<HostId> hosts;  ///< rising
  std::string by;
};

}  // namespace wm
