// Role: the field table of a selection of jobs, which requests of several nouns hold.
// Included by codec/*.cc only.
#pragma once

#include "libwm/codec/archive.h"
#include "libwm/model/verbs/job_verbs.h"

namespace wm {

WM_FIELDS(OptionChange) { f(1, s.name), f(2, s.values); }

WM_FIELDS(JobSelection) {
  f(1, s.ids), f(2, s.user), f(3, s.queue), f(4, s.host), f(5, s.name), f(6, s.project),
      f(7, s.app);
  f(8, s.unfinished), f(9, s.finished), f(10, s.pending_only), f(11, s.running_only);
  f(12, s.suspended_only), f(13, s.after), f(500, s.job_group);
  f(520, s.service_class), f(521, s.reservation);
}

}  // namespace wm
