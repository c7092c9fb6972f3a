#include "libwm/replay/tiresias.h"

#include <algorithm>
#include <numeric>

namespace wm::replay {
namespace {

// GPU time after which a job sinks. @units GPU-seconds
constexpr double kThreshold = 16 * 3600;

}  // namespace

void Tiresias::arrive(std::uint32_t job, double) { live_.push_back(job); }

void Tiresias::release(std::uint32_t job) {
  for (auto [host, tasks] : placements_[job]) free_[host] += tasks;
  placements_[job].clear();
}

void Tiresias::end(std::uint32_t job, double) {
  release(job);
  std::erase(live_, job);
}

// The fullest host that takes all of it; else the emptiest hosts, so that it lies on few.
Placement Tiresias::place(std::uint32_t tasks) {
  std::vector<std::uint32_t> order(free_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    bool whole_a = free_[a] >= tasks, whole_b = free_[b] >= tasks;
    if (whole_a != whole_b) return whole_a;
    return whole_a ? free_[a] < free_[b] : free_[a] > free_[b];
  });
  Placement placement;
  for (std::uint32_t host : order) {
    std::uint32_t here = std::min(free_[host], tasks);
    if (here == 0) continue;
    placement.push_back({host, here});
    free_[host] -= here;
    tasks -= here;
  }
  std::sort(placement.begin(), placement.end());
  return placement;
}

std::vector<std::uint32_t> Tiresias::decide(double) {
  std::vector<std::uint32_t> order = live_, starting;
  std::stable_partition(order.begin(), order.end(),
                        [&](auto job) { return jobs_[job].attained <= kThreshold; });
  std::uint32_t left = setup_.units();
  for (std::uint32_t job : order) {
    std::uint32_t tasks = jobs_[job].trace->tasks;
    bool runs = tasks <= left;
    if (runs) left -= tasks;
    if (!runs) release(job);
    else if (placements_[job].empty()) starting.push_back(job);
  }
  for (std::uint32_t job : starting) placements_[job] = place(jobs_[job].trace->tasks);
  return live_;
}

}  // namespace wm::replay
