// Role: how an execution stands, in the words of WMLA's clients, and why it ended as it did. Pure.
//
// What its owner or an administrator ends is KILLED. What WM ends for a reason of its own, because
// it waited too long or its data could not be had, is ERROR with that reason.
#pragma once

#include <string>
#include <string_view>

#include "libwm/model/job.h"

namespace wm::rest {

/// The words that pollers of executions know: SUBMITTED, PENDING_CRD_SCHEDULER, RUNNING, and the
/// ends. @cost O(1)
std::string_view exec_state(const Job& job);
/// The words of applications, which tell PENDING_JOB_SCHEDULER, LAUNCHING and others apart.
std::string_view app_state(const Job& job);
/// Why it is ERROR; empty: it is not. @cost O(length)
std::string error_of(const Job& job);

}  // namespace wm::rest
