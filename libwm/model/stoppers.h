// Role: who stops jobs without being a user: a run window that has closed, a host's load. Named in
// Suspension::by beside names of users, which have no blanks.
#pragma once

#include <string>

#include "libwm/model/host.h"
#include "libwm/model/job.h"

namespace wm {

/// Why jobs are ended instead. The numbers are lsb.acct's. @source LSF: TERM_WINDOW, TERM_LOAD
inline constexpr Term kTermWindow{2}, kTermLoad{3};

/// "run window of queue <night>" @cost O(1)
std::string window_stopper(const std::string& queue);
/// "load of host <a>" @cost O(1)
std::string load_stopper(const std::string& host);
/// "dispatch window of host <a>" @cost O(1)
std::string window_closer(const std::string& host);
/// A host that takes none of some queue's jobs is shown as closed by that. @cost O(1)
bool is_closed_for_load(const Host& host);
/// The same where its dispatch window is closed. @cost O(1)
bool is_closed_by_window(const Host& host);
/// Was the job stopped for its host's load? @cost O(1)
bool is_stopped_for_load(const Job& job);
/// Was it stopped by none of the users: SSUSP? @cost O(1)
bool is_stopped_by_system(const Job& job);

}  // namespace wm
