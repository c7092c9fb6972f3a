// Role: how hosts, GPUs and plans stood, as rows of accounting: what there was to be used. Folded
// from the durable events, pure; it keeps the row of each that lasts.
//
//   host: ok ─ closed (by an administrator) ─ silent ─ dead; absent: configured, never seen
//   GPU:  ok ─ sick ─ closed
//   plan: what it owns, lends and may have
#pragma once

#include <map>
#include <string>
#include <utility>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"
#include "libwm/store/acct/acct_rows.h"

namespace wm::master {

/// The rows that last.
struct Standings {
  std::map<std::string, store::HostSpanRow> hosts;
  std::map<std::pair<std::string, std::string>, store::GpuSpanRow> gpus;  ///< host, uuid
  std::map<std::string, store::PlanSpanRow> plans;
  bool review = false;  ///< the rows may be older than the state: the next event looks at all
};

/// What a start begins with. @cost rows
Standings standings_from(const store::AcctRows& lasting);

/// Adds the rows of one event. `after`: the state of the group that it became durable with.
/// @cost of a host's event O(its GPUs), of a configuration O(hosts + plans), else O(1)
void fold_standings(Standings& standings, const Event& event, const Cluster& after,
                    store::AcctRows& rows);

}  // namespace wm::master
