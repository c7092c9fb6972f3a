// Role: who gets which view of a job (JobInfo): all of it, a summary, or none. One rule for every
// answer: bjobs, bwhy, bhist, bacct, --watch. What a summary has is libwm/view/sent.h's.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "daemons/wmasterd/verbs/rights.h"
#include "libwm/model/verbs/acct.h"
#include "libwm/model/verbs/verbs.h"
#include "libwm/view/sent.h"

namespace wm::master {

/// What the asker sees of a job, by `own` (it is the asker's) and by its queue. @thread any
using InfoRule = std::function<JobInfo(bool own, const std::string& queue)>;
InfoRule info_for(std::shared_ptr<const Config> config, const Rights& rights, const Identity& who);

/// The asker is not to learn that there is such a job: every verb answers as if there were none.
/// @cost O(administrators)
bool is_hidden(const Config& config, const Rights& rights, const Identity& who, const JobSpec& job);

/// What the asker sees of a job, with `info` allowed: a pattern for names must not find a job
/// if its name is not shown.
JobInfo shown_to(JobInfo info, const JobSelection& asked);
/// A job that is not shown counts as not known where it was asked for by its number.
/// @cost O(ids)
void count_as_missing(JobId id, const JobSelection& asked, std::vector<JobId>& missing);

/// Leaves of an answer from accounting what `info_of` says of each of its jobs.
/// @shape JobInfo info_of(const Job-like&)   @cost O(jobs)
template <class Reply, class InfoOf>
void hide(Reply& reply, const JobSelection& asked, InfoOf info_of) {
  std::erase_if(reply.jobs, [&](auto& job) {
    auto info = shown_to(info_of(job), asked);
    if (info == JobInfo::Summary) job = view::summary_of(job);
    if (info != JobInfo::None) return false;
    if constexpr (requires { reply.missing; }) count_as_missing(job.id, asked, reply.missing);
    return true;
  });
  if constexpr (requires { reply.sums; })
    std::erase_if(reply.sums,
                  [&](const auto& row) { return shown_to(info_of(row), asked) == JobInfo::None; });
}

}  // namespace wm::master
