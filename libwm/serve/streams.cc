#include "libwm/serve/streams.h"

#include <utility>

namespace wm::serve {

void StreamQueue::put(StreamTask task) {
  bytes_ += task.data.size();
  tasks_.push_back(std::move(task));
}

std::optional<StreamQueue::Turn> StreamQueue::next(TimePoint now) {
  if (tasks_.empty()) return std::nullopt;
  Turn turn{std::move(tasks_.front())};
  tasks_.pop_front();
  bytes_ -= turn.task.data.size();
  bool limited = rules_.discards && rules_.patience > Duration::zero();
  turn.late = limited && now - turn.task.arrived >= rules_.patience;
  return turn;
}

std::uint64_t StreamGroups::join(const std::string& service, std::uint32_t size) {
  if (size == 0) return 0;
  auto& groups = streams_[service];
  for (auto& [group, streams] : groups)
    if (streams < size) {
      ++streams;
      return group;
    }
  if (next_ == 0) ++next_;
  groups[next_] = 1;
  return next_++;
}

void StreamGroups::leave(const std::string& service, std::uint64_t group) {
  auto known = streams_.find(service);
  if (known == streams_.end()) return;
  auto found = known->second.find(group);
  if (found == known->second.end()) return;
  if (--found->second == 0) known->second.erase(found);
  if (known->second.empty()) streams_.erase(known);
}

}  // namespace wm::serve
