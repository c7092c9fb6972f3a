#include "libwm/sched/plan/load.h"

namespace wm::sched {

LoadState judge_load(const std::vector<LoadLimit>& limits, const Measured& host, bool stopped) {
  LoadState state;
  for (const LoadLimit& limit : limits) {
    auto value = load_value(limit.index, host);
    if (!value) continue;
    bool stops = limit.stop && is_beyond(limit.index, *value, *limit.stop);
    bool busy = stops || (limit.sched && is_beyond(limit.index, *value, *limit.sched));
    if (!busy) continue;
    double bound = limit.sched && !stops ? *limit.sched : *limit.stop;
    bool first = state.why.empty() || (stops && !state.stops);
    if (first)
      state.why = limit.index + " " + show_load(limit.index, *value) + " (" +
                  show_load(limit.index, bound) + ")";
    state.busy = true;
    state.stops = state.stops || stops;
  }
  state.stops = state.stops || (stopped && state.busy);
  return state;
}

}  // namespace wm::sched
