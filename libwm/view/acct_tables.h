// Role: what bacct prints: the list of what was asked, a block per job (-l), the summary, and
// how well promised starts were kept. Pure. @source LSF bacct (lsf-surface 4)
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libwm/model/verbs/acct.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::view {

/// What jobs of one key used. A part of a job counts by that part.
struct AcctKeySum {
  std::string key;
  double jobs = 0, done = 0, cpu_s = 0, slot_s = 0, gpu_s = 0, wait_s = 0, gpu_j = 0;
};

/// "Accounting information about jobs that are:" and its list. @cost O(1)
std::string acct_heading(const AcctRequest& request, const std::string& user);
/// One job of -l. @cost O(text)
std::string acct_long(const AcctJob& job);
/// {"COMMAND":"bacct","JOBS":n,"RECORDS":[…]}, every value a text: times are seconds since 1970,
/// what a job took is in seconds, both to the millisecond, so that records add up to the summary;
/// MEM in bytes. What a job has not is "". @cost O(text)
std::string acct_json(std::span<const AcctJob> jobs);
/// What these jobs come to. @cost O(jobs)
AcctSum acct_sum_of(std::span<const AcctJob> jobs);
/// The SUMMARY block, and the histogram when a start was promised; of no job nothing. @cost O(1)
std::string acct_summary(const AcctSum& sum);

/// "user", "plan" … @errors BadArgument: none of them
Result<AcctBy> acct_by_named(const std::string& word);
/// Beginnings of months of local time until the one after `now`, as AcctRequest::months.
std::vector<WallTime> acct_months(WallTime now);
/// Sums of jobs that came one by one. A job of several hosts counts for each by its tasks there.
/// Months are those of local time in which jobs ended. @cost O(jobs)
std::vector<AcctKeySum> acct_key_sums(std::span<const AcctJob> jobs, AcctBy by);
/// Sums that came as such, of all users and queues together. @cost O(rows)
std::vector<AcctKeySum> acct_key_sums(std::span<const AcctSumRow> rows, AcctBy by,
                                      std::span<const WallTime> months);
/// A line for each, the most slot time first (months in order), and one of all: jobs, how they
/// ended, what they used and how long they waited.
std::string acct_sums(std::vector<AcctKeySum> sums, AcctBy by);
/// Is it the plan, or one below it? @cost O(1)
bool is_of_plan(const AcctJob& job, const std::string& plan);

}  // namespace wm::view
