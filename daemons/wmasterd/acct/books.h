// Role: everything that accounting keeps between two events, and the rows of one event: history,
// holdings, standings. Pure. Called by accounting.cc.
#pragma once

#include "daemons/wmasterd/acct/history.h"
#include "daemons/wmasterd/acct/spans.h"
#include "daemons/wmasterd/acct/standings.h"

namespace wm::master {

/// What the next event's rows count from.
struct Books {
  JobLines lines;
  OpenJobs open;
  Standings standings;
};

/// The books of a start. @cost O(jobs that are not over + hosts)
Books books_of(const Cluster& cluster, const store::AcctRows& lasting);

/// All rows of one event. `after`: the state of the group that it became durable with.
/// @cost as fold(), fold_spans() and fold_standings()
store::AcctRows fold(Books& books, const Event& event, const Cluster& after);

}  // namespace wm::master
