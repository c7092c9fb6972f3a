// Role: what is left of a job for people who only get a summary of it (JobInfo): that it is
// there, whose, in which state, since when and where; nothing of what its owner wrote: name,
// commands, files, requirements. One rule for every view: bjobs, bwhy, bhist, bacct.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>

#include "daemons/wmasterd/verbs/rights.h"
#include "libwm/model/acct.h"
#include "libwm/model/verbs.h"

namespace wm::master {

/// What somebody sees of a job, by whether it is his own and its queue. @thread any
using InfoRule = std::function<JobInfo(bool own, const std::string& queue)>;
InfoRule info_for(std::shared_ptr<const Config> config, const Rights& rights, const Identity& who);

/// The summary in place of the job. @cost O(job)
void make_summary(JobView& view);
void make_summary(HistoryJob& job);
void make_summary(AcctJob& job);

/// Leaves of an answer what `info_of` says of each of its jobs. One that is not shown counts as not
/// known where it was asked for by its number. A pattern for names must not find one whose name is
/// not shown: such a job is not shown at all.
/// @shape JobInfo info_of(const Job-like&)   @cost O(jobs)
template <class Reply, class InfoOf>
void hide(Reply& reply, const JobSelection& asked, InfoOf info_of) {
  std::erase_if(reply.jobs, [&](auto& job) {
    auto info = info_of(job);
    if (info == JobInfo::All) return false;
    if (info == JobInfo::Summary && asked.name.empty()) {
      make_summary(job);
      return false;
    }
    if constexpr (requires { reply.missing; }) {
      for (JobId id : {job.id, JobId{job.id.job, 0}}) {
        auto is_in = [&](const auto& ids) {
          return std::find(ids.begin(), ids.end(), id) != ids.end();
        };
        if (is_in(asked.ids) && !is_in(reply.missing)) reply.missing.push_back(id);
      }
    }
    return true;
  });
}

}  // namespace wm::master
