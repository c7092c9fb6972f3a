#include "libwm/model/usage.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace wm {
namespace {

std::uint32_t changed(std::uint32_t amount, std::int64_t change) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(0, amount + change));
}

}  // namespace

Used used_at(const UsageAccount& account, WallTime now, Duration half_life) {
  double half = std::chrono::duration<double>(half_life).count();
  if (half <= 0) return {};
  double passed = std::chrono::duration<double>(now - account.as_of).count();
  passed = std::max(0.0, passed);
  double kept = std::exp2(-passed / half);
  double added = (1 - kept) * half / std::log(2.0);  // of one unit held since as_of
  const Held& held = account.held;
  double gib = static_cast<double>(held.mem.value) / (1 << 30);
  return {account.used.slots * kept + static_cast<double>(held.slots) * added,
          account.used.gpus * kept + static_cast<double>(held.milli_gpus) / 1000 * added,
          account.used.mem * kept + gib * added};
}

void charge(UsageAccount& account, const Held& change, WallTime now, Duration half_life) {
  account.used = used_at(account, now, half_life);
  account.as_of = std::max(account.as_of, now);
  account.held.slots += change.slots;
  account.held.milli_gpus += change.milli_gpus;
  account.held.mem = account.held.mem + change.mem;
}

void charge(Holding& holding, const Held& change, WallTime now) {
  auto passed = std::max(Duration{}, now - holding.as_of);
  holding.slot_time += passed * holding.slots;
  // Whole GPUs apart: thousandths of a large job's times weeks in us are beyond 64 bits.
  holding.gpu_time +=
      passed * (holding.milli_gpus / 1000) + passed * (holding.milli_gpus % 1000) / 1000;
  holding.as_of = std::max(holding.as_of, now);
  holding.slots = changed(holding.slots, change.slots);
  holding.milli_gpus = changed(holding.milli_gpus, change.milli_gpus);
  holding.most_slots = std::max(holding.most_slots, holding.slots);
  holding.most_milli_gpus = std::max(holding.most_milli_gpus, holding.milli_gpus);
}

}  // namespace wm
