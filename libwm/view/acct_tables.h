// Role: what bacct prints: the list of what was asked, a block per job (-l), the summary, and
// how well promised starts were kept. Pure. @source LSF bacct (lsf-surface 4)
#pragma once

#include <span>
#include <string>

#include "libwm/model/acct.h"
#include "libwm/model/verbs.h"

namespace wm::view {

/// "Accounting information about jobs that are:" and its list. @cost O(1)
std::string acct_heading(const AcctRequest& request, const std::string& user);
/// One job of -l. @cost O(text)
std::string acct_long(const AcctJob& job);
/// The SUMMARY block, and the histogram when a start was promised. @cost O(jobs)
std::string acct_summary(std::span<const AcctJob> jobs);

}  // namespace wm::view
