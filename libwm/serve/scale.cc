#include "libwm/serve/scale.h"

#include <algorithm>
#include <cmath>

namespace wm::serve {
namespace {

constexpr double kFull = 0.8;   // more kernels above
constexpr double kSpare = 0.6;  // fewer where these would be used less than so

double in_seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace

// What comes in keeps rate x cost kernels busy; what waits beyond a full set of batches is to be
// gone by the next look.
double Scale::need(const Load& load, TimePoint now) const {
  double workers = policy_.parallel_size;
  double cost = in_seconds(load.task_cost) / workers;
  auto open = static_cast<double>(load.queued + load.in_flight);
  if (cost <= 0) {  // nothing was answered yet: more step by step, while some wait
    double guess = load.kernels == 0 ? 1 : load.kernels * (load.queued > 0 ? 2.0 : 1.0);
    return kFull * std::min(open / (workers * policy_.batch_size), guess);
  }
  double passed = looked_ ? in_seconds(now - *looked_) : 0;
  double rate = passed > 0 ? static_cast<double>(load.arrived - arrived_) / passed : 0;
  double interval = in_seconds(policy_.schedule_interval);
  double room = static_cast<double>(std::max(load.kernels, 1u)) * workers * policy_.batch_size;
  double behind = std::max(0.0, static_cast<double>(load.queued) - room);
  double busy = rate * cost + behind * cost / interval;
  // A task that runs longer than a look still has its kernel.
  double held = static_cast<double>(load.in_flight) / (workers * policy_.batch_size);
  bool slow = in_seconds(load.task_cost) > interval;
  return slow ? std::max(busy, held) : busy;
}

// Kernels of which the delay before their release has not passed since they came: what takes longer
// to load than that is of use all the same.
std::uint32_t Scale::just_loaded(const Load& load, TimePoint now) {
  if (load.kernels > kernels_) loaded_.emplace_back(now, load.kernels - kernels_);
  kernels_ = load.kernels;
  while (!loaded_.empty() && now - loaded_.front().first > policy_.delay_release)
    loaded_.pop_front();
  std::uint32_t count = 0;
  for (const auto& [when, kernels] : loaded_) count += kernels;
  return std::min(count, load.kernels);
}

void Scale::want(double kernels, TimePoint now) {
  auto wanted = static_cast<std::uint32_t>(kernels);
  if (wanted > wanted_) raised_ = now;
  wanted_ = wanted;
}

std::uint32_t Scale::look(const Load& load, TimePoint now) {
  double x = need(load, now);
  // The first look has nothing to count arrivals from.
  arrived_ = load.arrived;
  looked_ = now;
  needs_.emplace_back(now, x);
  while (now - needs_.front().first > policy_.delay_release) needs_.pop_front();
  double highest = 0;
  for (const auto& [when, need] : needs_) highest = std::max(highest, need);
  bool idle = load.queued + load.in_flight == 0;
  double least = idle ? 0 : 1;
  auto up = std::max(least, std::ceil(x / kFull));
  auto down = std::max({least, std::ceil(highest / kSpare), double{1} * just_loaded(load, now)});
  double wanted = std::max<double>(wanted_, up);
  bool loads = wanted_ > load.kernels && raised_ && now - *raised_ < loading_;
  if (down < wanted && !loads) wanted = std::max(up, down);
  want(std::clamp<double>(wanted, policy_.kernel_min, policy_.kernel_max), now);
  return wanted_;
}

std::uint32_t Scale::wake(const Load& load, TimePoint now) {
  if (wanted_ == 0 && load.queued > 0) {
    want(1, now);
    needs_.emplace_back(now, kSpare / 2);  // it stays for kernel_delay_release_time
  }
  return wanted_;
}

}  // namespace wm::serve
