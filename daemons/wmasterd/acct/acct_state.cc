#include "daemons/wmasterd/acct/acct_state.h"

namespace wm::master {

AcctState acct_state_of(const Cluster& cluster, const store::AcctRows& lasting) {
  AcctState acct_state;
  each_job(cluster, [&](const Job& job) {
    if (!is_over(job.state)) acct_state.lines[job.id] = line_of(job);
  });
  acct_state.open = open_jobs(cluster, lasting);
  acct_state.standings = standings_from(lasting);
  return acct_state;
}

store::AcctRows fold(AcctState& acct_state, const Event& event, const Cluster& after) {
  auto rows = fold(acct_state.lines, event, after);
  fold_spans(acct_state.open, event, after, rows);
  fold_standings(acct_state.standings, event, after, rows);
  rows.horizon = event.time;
  return rows;
}

}  // namespace wm::master
