#include "daemons/wnoded/attempts/local_attempt.h"

#include <algorithm>

#include "libwm/codec/codec.h"
#include "libwm/launch/launch_env.h"
#include "libwm/launch/part_env.h"

namespace wm::node {

bool runs(const LocalAttempt& attempt) {
  return std::any_of(attempt.tasks.begin(), attempt.tasks.end(),
                     [](const auto& known) { return !known.second.ended; });
}

bool is_held_back(const LocalAttempt& attempt, TaskNumber task) {
  return std::any_of(attempt.held_back.begin(), attempt.held_back.end(),
                     [&](const FactEnded& fact) { return fact.task == task; });
}

bool is_running(const LocalAttempt& attempt, TaskNumber task) {
  auto known = attempt.tasks.find(task);
  return known != attempt.tasks.end() && !known->second.ended;
}

bool has_ended(const LocalAttempt& attempt, TaskNumber task) {
  auto known = attempt.tasks.find(task);
  return known != attempt.tasks.end() && known->second.ended;
}

const OrderedTask* ordered(const HostOrder& order, TaskNumber number) {
  auto at = std::find_if(order.tasks.begin(), order.tasks.end(),
                         [&](const OrderedTask& t) { return t.task == number; });
  return at == order.tasks.end() ? nullptr : &*at;
}

bool opens_part(const LocalAttempt& attempt) {
  const auto& order = attempt.order;
  bool any = std::any_of(order.tasks.begin(), order.tasks.end(), [&](const OrderedTask& task) {
    return stays(task) && !attempt.tasks.contains(task.task);
  });
  return any && launch::is_bare_part(order) && launch::wants_agent(order);
}

std::string memo_of(const HostOrder& order) {
  auto memo = order;
  memo.blobs.env.clear();
  memo.blobs.script.clear();
  memo.blobs.data.clear();
  return codec::encode(memo);
}

}  // namespace wm::node
