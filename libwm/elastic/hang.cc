// A member counts as waiting only while its reports are fresh: a process that stopped after it
// reported "waiting" is the one that hangs.
#include "libwm/elastic/hang.h"

#include <algorithm>

#include "libwm/elastic/status.h"

namespace wm::elastic {
namespace {

bool is_waiting(const Task& task, TimePoint now) {
  return task.progress.in_collective && now - task.progress_at <= kProgressStale;
}

}  // namespace

Duration hang_limit(const Roster& roster, const std::vector<TaskNumber>& members) {
  Duration limit = roster.order.hang_limit;
  for (auto m : members) limit = std::max(limit, 10 * find(roster, m).progress.step_time);
  return limit;
}

std::optional<TaskNumber> find_hung(const Roster& roster, const std::vector<TaskNumber>& members,
                                    TimePoint now) {
  const Duration limit = hang_limit(roster, members);
  auto still = [&](const Task& task) { return now - task.still_since >= limit; };
  auto waits_long = [&](TaskNumber m) {
    return is_waiting(find(roster, m), now) && still(find(roster, m));
  };
  if (std::ranges::none_of(members, waits_long)) return std::nullopt;
  auto hung = [&](TaskNumber m) {
    const Task& task = find(roster, m);
    return is_present(roster, m) && trains(task.status) && !is_waiting(task, now) && still(task);
  };
  auto found = std::ranges::find_if(members, hung);
  if (found == members.end()) return std::nullopt;
  return *found;
}

}  // namespace wm::elastic
