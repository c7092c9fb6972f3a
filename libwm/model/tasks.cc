#include "libwm/model/tasks.h"

#include <algorithm>

namespace wm {

std::size_t Tasks::position(TaskNumber number) const {
  auto at = rising_
                ? std::lower_bound(begin(), end(), number,
                                   [](const Task& t, TaskNumber n) { return t.number < n; })
                : std::find_if(begin(), end(), [&](const Task& t) { return t.number == number; });
  return at != end() && at->number == number ? static_cast<std::size_t>(at - begin()) : size();
}

void Tasks::push_back(Task task) {
  if (!empty() && !(back().number < task.number)) rising_ = false;
  if (chunks_.empty() || chunks_.back()->size() == kChunk) chunks_.emplace_back();
  chunks_.back().own().push_back(std::move(task));
}

bool Tasks::operator==(const Tasks& o) const { return chunks_ == o.chunks_; }

}  // namespace wm
