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

/// What sums of jobs are told apart by.
enum class AcctBy { User, Plan, Project, Queue, App, Host, Month };
/// "user", "plan" … @errors BadArgument: none of them
Result<AcctBy> acct_by_named(const std::string& word);
/// A line for each user, plan …, the most slot time first: jobs, how they ended, what they used and
/// how long they waited. A job of several hosts counts for each by its tasks there. Months are
/// those of local time in which jobs ended. @cost O(jobs)
std::string acct_sums(std::span<const AcctJob> jobs, AcctBy by);
/// Is it the plan, or one below it? @cost O(1)
bool is_of_plan(const AcctJob& job, const std::string& plan);

}  // namespace wm::view
