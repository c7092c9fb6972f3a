// Role: everything that accounting keeps between two events, and the rows of one event: history,
// holdings, standings. Pure. Called by accounting.cc.
#pragma once

#include "daemons/wmasterd/acct/history.h"
#include "daemons/wmasterd/acct/spans.h"
#include "daemons/wmasterd/acct/standings.h"

namespace wm::master {

/// What the next event's rows count from.
struct AcctState {
  JobLines lines;
  OpenJobs open;
  Standings standings;
};

/// The state at a start. @cost O(jobs that are not over + hosts)
AcctState acct_state_of(const Cluster& cluster, const store::AcctRows& lasting);

/// All rows of one event. `after`: the state of the group that it became durable with.
/// @cost as fold(), fold_spans() and fold_standings()
store::AcctRows fold(AcctState& acct_state, const Event& event, const Cluster& after);

}  // namespace wm::master
