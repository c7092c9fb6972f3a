#include "daemons/wnoded/gpu_care.h"

#include <utility>

#include "daemons/wnoded/gpu_needs.h"

namespace wm::node {

bool GpuCare::keep_back(LocalAttempt& attempt, const FactEnded& fact) {
  const auto& asked = attempt.order.resolved.task;
  if (attempt.forgotten || asked.gpu_shared) return false;
  if (!asked.gpu_see_all)
    return gpus_.drain(gpus_of(attempt.order, fact.task), fact, host_.times.kill_grace);
  attempt.held_back.push_back(fact);
  tell_together(attempt);
  return true;
}

void GpuCare::tell_together(LocalAttempt& attempt) {
  if (runs(attempt)) return;
  for (const auto& fact : std::exchange(attempt.held_back, {}))
    if (!gpus_.drain(gpus_of(attempt.order, fact.task), fact, host_.times.kill_grace))
      reporter_.say(attempt, fact);
}

Mps::Stand GpuCare::mps_for(const LocalAttempt& attempt) {
  auto stand = Mps::Stand::Ready;
  for (const auto& task : attempt.order.tasks) {
    auto daemon = mps_of(attempt.order, task);
    bool begins = starts(task) && !attempt.tasks.contains(task.task);
    if (!daemon || !begins || !attempt.account) continue;
    auto one = mps_.need(*daemon, *attempt.account, host_.times.kill_grace);
    if (one == Mps::Stand::Failed) return one;
    if (one == Mps::Stand::Starting) stand = one;
  }
  return stand;
}

void GpuCare::add_mps(const HostOrder& order, const OrderedTask& task,
                      launch::TaskSpec& spec) const {
  auto daemon = mps_of(order, task);
  if (!daemon) return;
  for (auto& variable : mps_.variables(*daemon, order.resolved.task))
    spec.env.push_back(std::move(variable));
}

bool GpuCare::look_at_daemons(const Attempts& attempts) {
  return mps_.on_tick(wanted_mps(attempts));
}

void GpuCare::look_at_devices(const Attempts& attempts, bool session) {
  auto held = held_gpus(attempts);
  held.merge(mps_.held());
  gpus_.on_tick(host_.times, std::move(held), session);
}

}  // namespace wm::node
