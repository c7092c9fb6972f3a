// Role: one page of runs, live and kept together: the newest first, each once, as much of each as
// who asks may see. Pure but for the archive's file; runs on workers.
//
// A run that moves from the state to the archive is in both for a while: the state is looked at
// first, so that it is never in neither; where both know it the state's word counts.
#pragma once

#include "daemons/wmasterd/acct/run_rows.h"
#include "daemons/wmasterd/verbs/privacy.h"
#include "libwm/model/verbs/run_verbs.h"
#include "libwm/store/archive/archive_db.h"

namespace wm::master {

/// Who asks, and what they see.
struct RunAsker {
  std::string user;
  std::uint32_t uid = 0;
  InfoRule info;
};

/// @errors BadArgument: the limit; Unavailable: there is an archive and it cannot be read
/// `files`: null: there is none.
/// @cost O(live jobs) pointers, the archive by index, and the page
Result<RunsReplyBytes> page_of_runs(const ViewSource& source, const store::StoreFiles* files,
                                    const RunsRequest& request, const RunAsker& asker);

/// What a change of a run has to know.
struct RunStanding {
  bool known = false, own = false;
  bool live = false, over = true;  ///< the master knows it still; it has ended whole
  JobInfo info = JobInfo::None;    ///< what the asker sees of it
  RunWords words;
};
/// @errors as the archive's reader   @thread any
Result<RunStanding> standing_of_run(const Cluster& state, const store::StoreFiles& files, JobId run,
                                    const RunAsker& asker);

}  // namespace wm::master
