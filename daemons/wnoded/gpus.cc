#include "daemons/wnoded/gpus.h"

#include <algorithm>

#include "libwm/base/log.h"
#include "libwm/codec/codec.h"

namespace wm::node {
namespace {

/// A reading that takes longer comes from a driver that hangs.
constexpr auto kAnswerLimit = std::chrono::seconds(30);
/// However many tasks start, readings that are made for them are so far apart.
constexpr auto kMoment = std::chrono::seconds(1);

bool same_health(const std::vector<GpuReport>& a, const std::vector<GpuReport>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto& x, auto& y) {
    return x.sick == y.sick && x.sticky == y.sticky && x.why == y.why && x.since == y.since &&
           x.over == y.over;
  });
}

void log_changes(const std::vector<GpuReport>& before, const std::vector<GpuReport>& now) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    bool was_sick = i < before.size() && before[i].sick;
    if (now[i].sick && !(was_sick && before[i].why == now[i].why))
      log::warn("gpu_set_aside", {{"gpu", now[i].uuid}, {"why", now[i].why}});
    if (!now[i].over.empty() && (i >= before.size() || before[i].over != now[i].over))
      log::warn("gpu_overused", {{"gpu", now[i].uuid}, {"why", now[i].over}});
    if (was_sick && !now[i].sick) log::info("gpu_well_again", {{"gpu", now[i].uuid}});
  }
}

}  // namespace

bool Gpus::drain(const std::vector<std::string>& uuids, FactEnded fact, Duration grace) {
  bool any = std::any_of(uuids.begin(), uuids.end(), [&](const std::string& uuid) {
    const auto& known = watch_.reports();
    return std::any_of(known.begin(), known.end(), [&](auto& r) { return r.uuid == uuid; });
  });
  if (!any) return false;
  launch::AttemptKey key{fact.job, fact.attempt};
  drains_.push_back({key, std::move(fact), uuids, env_.mono() + grace, begun_});
  return true;
}

bool Gpus::drains(const launch::AttemptKey& key) const {
  return std::any_of(drains_.begin(), drains_.end(), [&](auto& d) { return d.key == key; });
}

bool Gpus::drains(const launch::AttemptKey& key, TaskNumber task) const {
  return std::any_of(drains_.begin(), drains_.end(),
                     [&](auto& d) { return d.key == key && d.fact.task == task; });
}

void Gpus::forget(const launch::AttemptKey& key) {
  std::erase_if(drains_, [&](auto& d) { return d.key == key; });
}

std::vector<GpuReport> Gpus::reports() const {
  return done_ > 0 ? watch_.reports() : std::vector<GpuReport>{};
}

void Gpus::look_soon() {
  if (env_.mono() - begun_at_ >= kMoment) next_ = {};
}

void Gpus::on_tick(const TimeConf& times, std::set<std::string> held, bool session) {
  auto now = env_.mono();
  if (watch_.reports().empty()) return;
  if (begun_ != done_) return without_reading(session);
  bool due = now >= next_;
  if (!due && drains_.empty()) return;
  if (due) next_ = now + times.gpu_check;
  held_ = std::move(held);
  for (const auto& drain : drains_) held_.insert(drain.uuids.begin(), drain.uuids.end());
  begun_at_ = now;
  env_.read_gpus([this, number = ++begun_, session](const auto& readings) {
    on_readings(number, readings, session);
  });
}

/// The driver has not answered yet.
void Gpus::without_reading(bool session) {
  auto now = env_.mono();
  auto silent = "the driver does not answer";
  std::vector<Drain> over;
  for (const auto& drain : drains_) {
    if (now < drain.until) continue;
    for (const auto& uuid : drain.uuids) watch_.set_aside(uuid, silent, env_.wall());
    over.push_back(drain);
  }
  if (now - begun_at_ >= kAnswerLimit)
    for (const auto& report : std::vector(watch_.reports()))
      watch_.set_aside(report.uuid, silent, env_.wall());
  if (!over.empty() || now - begun_at_ >= kAnswerLimit) end(over, session);
}

bool Gpus::is_free(const Drain& drain) const {
  return std::all_of(drain.uuids.begin(), drain.uuids.end(),
                     [&](const std::string& uuid) { return watch_.not_free(uuid).empty(); });
}

void Gpus::on_readings(std::uint64_t number, const std::vector<gpu::GpuReading>& readings,
                       bool session) {
  done_ = number;
  readings_ = readings;
  watch_.look(readings, held_, env_.wall());
  watch_.note_overuse(looked_(readings));
  std::vector<Drain> over;
  for (const auto& drain : drains_) {
    bool free = drain.after < number && is_free(drain);
    if (!free && env_.mono() < drain.until) continue;
    for (const auto& uuid : drain.uuids)
      if (!watch_.not_free(uuid).empty()) watch_.give_up(uuid, env_.wall());
    over.push_back(drain);
  }
  end(over, session);
}

void Gpus::end(const std::vector<Drain>& over, bool session) {
  tell(session, begun_ == done_ && drains_.empty());
  std::erase_if(drains_, [&](const Drain& drain) {
    return std::any_of(over.begin(), over.end(), [&](auto& d) {
      return d.key == drain.key && d.fact.task == drain.fact.task;
    });
  });
  for (const auto& drain : over) ended_(drain.key, drain.fact);
}

void Gpus::tell(bool session, bool always) {
  const auto& now = watch_.reports();
  bool changed = !same_health(told_, now);
  if (changed) log_changes(told_, now);
  if (session && (changed || always)) env_.send(NodeVerb::Gpus, codec::encode(GpuReports{now}));
  if (session || !changed) told_ = now;
}

}  // namespace wm::node
