#include "libwm/sched/capacity/ends.h"

#include <algorithm>

namespace wm::sched {

Window window_from(WallTime from, Duration length) {
  if (length <= Duration{} || length >= WallTime::max() - from) return {from, WallTime::max()};
  return {from, from + length};
}

void Ends::reset(std::size_t rooms) {
  rooms_.assign(rooms, {});
  dates_.clear();
}

void Ends::add(std::uint32_t room, const End& end) {
  auto& ends = rooms_[room];
  auto at = std::upper_bound(ends.begin(), ends.end(), end,
                             [](const End& a, const End& b) { return a.at < b.at; });
  ends.insert(at, end);
  dates_.insert({end.at, room});
}

void Ends::remove(std::uint32_t room, const Task& task) {
  auto& ends = rooms_[room];
  auto it =
      std::find_if(ends.begin(), ends.end(), [&](const End& end) { return end.task == &task; });
  if (it == ends.end()) return;
  WallTime at = it->at;
  ends.erase(it);
  bool more = std::any_of(ends.begin(), ends.end(), [&](const End& end) { return end.at == at; });
  if (!more) dates_.erase({at, room});
}

}  // namespace wm::sched
