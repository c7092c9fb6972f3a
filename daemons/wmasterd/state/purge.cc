#include "daemons/wmasterd/state/purge.h"

#include "libwm/fsm/fsm.h"

namespace wm::master {
namespace {

// Elements have their base's specification, but are no arrays.
bool has_ended(const Job& job, WallTime before) {
  return is_over(job.state) && job.times.ended < before && slots_held(job) == 0;
}

bool has_ended_whole(const Cluster& state, const Job& base, WallTime before) {
  bool range_is_over = base.kill && base.kill->at < before;
  if (!takes_no_more(base)) return false;
  // When a search without trials was closed is not known: it has been there for so long.
  if (elements_there(base) == 0) return base.kill ? range_is_over : base.times.submitted < before;
  for (std::uint32_t p = 0; p < elements_there(base); ++p) {
    const Job* element = state.elements.find(base.elements.first + p);
    if (element ? !has_ended(*element, before) : !range_is_over) return false;
  }
  return true;
}

}  // namespace

bool is_purgeable(const Cluster& state, const Job& job, WallTime before) {
  return fsm::is_array(job) ? has_ended_whole(state, job, before) : has_ended(job, before);
}

Purgeable purgeable(const Cluster& state, WallTime before, const PurgeStep& step) {
  Purgeable found;
  std::size_t seen = 0;
  bool all = state.jobs.each_from(step.from, [&](std::uint32_t number, const Job& job) {
    found.next = number;
    if (seen >= step.look_at || found.jobs.size() == step.most) return false;
    ++seen;
    if (job.times.submitted >= before) return true;
    if (fsm::is_array(job)) seen += elements_there(job);
    if (is_purgeable(state, job, before)) found.jobs.push_back(job.id);
    return true;
  });
  if (all) found.next = 0;
  return found;
}

}  // namespace wm::master
