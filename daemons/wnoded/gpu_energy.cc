#include "daemons/wnoded/gpu_energy.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace wm::node {
namespace {

double seconds_of(Duration d) { return std::chrono::duration<double>(d).count(); }

/// How long it held the GPU within that time. @units s
double held(const GpuHold& hold, TimePoint from, TimePoint to) {
  auto length = std::min(hold.until, to) - std::max(hold.since, from);
  return std::max(0.0, seconds_of(length));
}

std::int64_t count_of(TimePoint at) { return at.time_since_epoch().count(); }

}  // namespace

void GpuEnergy::look(const std::vector<gpu::GpuReading>& readings, const GpuHolds& holds,
                     TimePoint now) {
  for (const auto& reading : readings) {
    if (!reading.uuid.starts_with("GPU-") || reading.trouble != 0) continue;
    if (reading.energy_mj == 0) {
      last_.erase(reading.uuid);
      continue;
    }
    static const std::vector<GpuHold> kNobody;
    auto at = holds.find(reading.uuid);
    const auto& those = at == holds.end() ? kNobody : at->second;
    auto before = std::exchange(last_[reading.uuid], {now, reading.energy_mj, reading.power_mw, 0});
    last_[reading.uuid].holders = static_cast<std::uint32_t>(std::count_if(
        those.begin(), those.end(), [](auto& hold) { return hold.until == TimePoint::max(); }));
    changed_ = changed_ || !those.empty();
    if (before.energy_mj == 0 || reading.energy_mj < before.energy_mj) continue;
    share(those, static_cast<double>(reading.energy_mj - before.energy_mj), before.at, now);
  }
}

void GpuEnergy::share(const std::vector<GpuHold>& holds, double mj, TimePoint from, TimePoint to) {
  double together = 0;
  for (const auto& hold : holds) together += held(hold, from, to);
  double whole = std::max(together, seconds_of(to - from));
  if (whole <= 0) return;
  for (const auto& hold : holds)
    if (auto& sum = sums_[{hold.key, hold.task}]; !sum.closed)
      sum.mj += mj * held(hold, from, to) / whole;
}

std::int64_t GpuEnergy::close(const GpuHold& hold, const std::vector<std::string>& uuids) {
  bool told = std::any_of(uuids.begin(), uuids.end(),
                          [this](const std::string& uuid) { return last_.contains(uuid); });
  if (!told && !sums_.contains({hold.key, hold.task})) return 0;
  auto& sum = sums_[{hold.key, hold.task}];
  if (!std::exchange(sum.closed, true)) {
    changed_ = true;
    for (const auto& uuid : uuids) {
      auto last = last_.find(uuid);
      if (last == last_.end()) continue;
      const auto& [at, energy, power, holders] = last->second;
      auto others = holders - (holders > 0 && hold.since <= at ? 1U : 0U);
      sum.mj += static_cast<double>(power) * held(hold, at, hold.until) / (others + 1);
    }
  }
  return std::llround(sum.mj);
}

std::map<launch::AttemptKey, std::int64_t> GpuEnergy::running() const {
  std::map<launch::AttemptKey, std::int64_t> by_attempt;
  for (const auto& [key, sum] : sums_)
    if (!sum.closed) by_attempt[key.first] += std::llround(sum.mj);
  return by_attempt;
}

void GpuEnergy::forget(const launch::AttemptKey& key) {
  auto first = sums_.lower_bound({key, TaskNumber{}});
  auto end = first;
  while (end != sums_.end() && end->first.first == key) ++end;
  changed_ = changed_ || first != end;
  sums_.erase(first, end);
}

void GpuEnergy::keep_only(const std::function<bool(const launch::AttemptKey&)>& wanted) {
  auto gone = std::erase_if(sums_, [&](const auto& sum) { return !wanted(sum.first.first); });
  changed_ = changed_ || gone > 0;
}

std::string GpuEnergy::text(const std::string& boot) const {
  std::ostringstream out;
  out << "boot " << boot << "\n";
  for (const auto& [uuid, last] : last_)
    out << "gpu " << uuid << " " << count_of(last.at) << " " << last.energy_mj << " "
        << last.power_mw << " " << last.holders << "\n";
  for (const auto& [key, sum] : sums_)
    out << "task " << key.first.job.job << " " << key.first.job.index << " "
        << key.first.attempt.value << " " << key.second.value << " " << std::llround(sum.mj) << " "
        << sum.closed << "\n";
  return out.str();
}

void GpuEnergy::load(const std::string& text, const std::string& boot) {
  std::istringstream lines(text);
  bool same_boot = false;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string word, name;
    in >> word;
    if (word == "boot") same_boot = in >> name && name == boot;
    Last last;
    std::int64_t at = 0;
    if (word == "gpu" && same_boot &&
        in >> name >> at >> last.energy_mj >> last.power_mw >> last.holders) {
      last.at = TimePoint(Duration(at));
      last_[name] = last;
    }
    launch::AttemptKey key;
    TaskNumber task;
    Sum sum;
    if (word == "task" && in >> key.job.job >> key.job.index >> key.attempt.value >> task.value >>
                              sum.mj >> sum.closed)
      sums_[{key, task}] = sum;
  }
}

}  // namespace wm::node
