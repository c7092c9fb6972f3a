// Role: how much of a job's wait was its own user's: held, before its begin time, behind a
// dependency or its array's limit. Pure. Used by spans.cc.
#pragma once

#include "daemons/wmasterd/acct/spans.h"

namespace wm::master {

/// The two parts of a wait that ends now.
struct WaitParts {
  Duration own{}, queue{};
};

/// Of a job that is dispatched at `now`. @cost O(holds + jobs of its dependency)
WaitParts wait_parts(const OpenJobs& open, const Job& job, const Cluster& after, WallTime now);

/// What a start finds in a waiting job's history: `lines` HOLD and RELEASE, in order.
/// @cost O(lines)
void add_holds_of(OpenJobs& open, const Job& job, const std::vector<store::JobEventRow>& lines);

}  // namespace wm::master
