// Role: field tables of jobs as they are shown (model/verbs/job_verbs.h), included by codec/*.cc
// only. Tags are append-only.
#pragma once

#include "libwm/codec/archive.h"
#include "libwm/codec/job_fields.h"
#include "libwm/model/verbs/job_verbs.h"

namespace wm {

WM_FIELDS(PriorityTerm) { f(1, s.name), f(2, s.value), f(3, s.text); }
WM_FIELDS(JobView) {
  f(1, s.job), f(2, s.id), f(3, s.app), f(4, s.app_type), f(5, s.plan), f(6, s.resize);
  f(7, s.task_hosts), f(8, s.reasons), f(9, s.progress), f(10, s.result_dir), f(11, s.priority);
  f(12, s.excluded_hosts), f(13, s.run_limit), f(200, s.setback_hosts), f(400, s.exec_id);
  f(600, s.meeting), f(530, s.use);
}

}  // namespace wm
