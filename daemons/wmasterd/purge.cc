#include "daemons/wmasterd/purge.h"

#include "daemons/wmasterd/dates.h"
#include "libwm/fsm/fsm.h"

namespace wm::master {
namespace {

// Elements have their base's specification, but are no arrays.
bool has_ended(const Job& job, WallTime before) {
  return is_over(job.state) && job.ended < before && slots_held(job) == 0;
}

bool has_ended_whole(const Cluster& state, const Job& base, WallTime before) {
  bool range_is_over = base.kill && base.kill->at < before;
  for (std::uint32_t p = 0; p < element_count(base.spec()); ++p) {
    const Job* element = state.elements.find(base.first_element + p);
    if (element ? !has_ended(*element, before) : !range_is_over) return false;
  }
  return true;
}

}  // namespace

std::vector<JobId> purgeable(const Cluster& state, WallTime before, std::size_t most) {
  std::vector<JobId> found;
  auto needed = depended_on(state);
  state.jobs.each([&](std::uint32_t number, const Job& job) {
    if (found.size() == most || job.submitted >= before || needed.count(number)) return;
    bool ended = fsm::is_array(job) ? has_ended_whole(state, job, before) : has_ended(job, before);
    if (ended) found.push_back(job.id);
  });
  return found;
}

}  // namespace wm::master
