// Role: which tasks count while a job ends. A task without a process is room on a host; where
// that host's part of the job has an agent, commands may run in it that blaunch started, so
// the room is free only when the host says that the part is gone.
#pragma once

#include "libwm/model/job.h"

namespace wm::fsm {

/// Does the task stand for a part of the job, with an end that its host will report? @cost O(tasks)
bool is_part(const Job& job, const Task& task);
/// May something of the job still run where this task is? @cost O(tasks)
bool may_still_run(const Job& job, const Task& task);
/// Nothing of it runs any more, and a host still writes what it leaves. @cost O(tasks squared)
bool only_delivers(const Job& job);

}  // namespace wm::fsm
