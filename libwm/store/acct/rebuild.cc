// Role: acct.db from all events: badmin rebuild-acct, and the master when its mark is older
// than what core.db still holds.
#include <algorithm>
#include <utility>

#include "libwm/store/acct/acct_db.h"
#include "libwm/store/core/move_to_end.h"

namespace wm::store {

void join(AcctRows& to, AcctRows from) {
  to.seq = from.seq;
  move_to_end(to.jobs, from.jobs);
  move_to_end(to.allocations, from.allocations);
  move_to_end(to.events, from.events);
  move_to_end(to.usage, from.usage);
  move_to_end(to.attempts, from.attempts);
  move_to_end(to.hosts, from.hosts);
  move_to_end(to.gpus, from.gpus);
  move_to_end(to.plans, from.plans);
  if (from.horizon != WallTime{}) to.horizon = from.horizon;
  to.forget = std::max(to.forget, from.forget);
}

Result<Seq> rebuild_acct(const StoreFiles& files, AcctDb& acct, const Projector& projector) {
  WM_TRY(auto first, first_event(files));
  if (first.value > 1)
    return fail(Code::NotFound, "events before " + std::to_string(first.value) +
                                    " were dropped (wm.conf: keep_history): accounting cannot be "
                                    "made again, and stays as it is");
  WM_TRY(acct.clear());
  AcctRows waiting;
  auto visited = visit_events(files, Seq{1}, [&](const EventRow& event) -> Result<void> {
    auto rows = projector(event);
    if (!rows) return rows.error().within("event " + std::to_string(event.seq.value));
    rows->seq = event.seq;
    join(waiting, std::move(*rows));
    if (waiting.size() < kRowsPerTransaction) return {};
    return acct.apply(std::exchange(waiting, {}));
  });
  if (!visited) return visited.error();
  WM_TRY(acct.apply(waiting));
  return *visited;
}

}  // namespace wm::store
