#include "daemons/wmasterd/acct/meters.h"

#include <algorithm>
#include <utility>

#include "libwm/base/log.h"

namespace wm::master {
namespace {

constexpr std::size_t kMostWaitingWords = 100'000;
constexpr std::int64_t kHour = 3600;
constexpr std::size_t kMostSteps = 1000;
constexpr Duration kLongAgo = std::chrono::minutes(3);  // nobody knows what was in between
constexpr auto kBetween = std::chrono::seconds(2);      // rows of many hosts in one transaction

}  // namespace

Result<std::unique_ptr<Meters>> Meters::open(const std::string& dir, Duration keep) {
  WM_TRY(auto db, store::MeterDb::open(dir));
  return std::unique_ptr<Meters>(new Meters(std::move(db), keep));
}

Meters::Meters(std::unique_ptr<store::MeterDb> db, Duration keep)
    : db_(std::move(db)), keep_(keep), thread_([this] { run(); }) {}

Meters::~Meters() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Meters::take(const std::string& host, const HostMeter& words, WallTime now) {
  auto s = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  std::lock_guard lock(mutex_);
  if (waiting_.size() + waiting_hosts_.size() + words.tasks.size() > kMostWaitingWords) return;
  newest_ = s;
  for (const auto& task : words.tasks) waiting_.push_back({s / kHour * kHour, host, task});
  if (words.energy_seen > Duration{})
    waiting_hosts_.push_back(
        {s / kHour * kHour, host, words.energy_seen.count(), words.cpu_energy_mj});
  wake_.notify_one();
}

void Meters::take(const std::vector<PlanView>& plans, WallTime now) {
  auto s = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  std::lock_guard lock(mutex_);
  auto before = std::exchange(plans_at_, now);
  auto length = before == WallTime{} ? Duration{} : now - before;
  if (length <= Duration{} || length > kLongAgo) return;
  if (waiting_plans_.size() + plans.size() > kMostWaitingWords) return;
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(length).count();
  newest_ = s;
  for (const auto& plan : plans) {
    auto gets = std::min(plan.demand, plan.deserved);
    auto unmet = gets > plan.used ? gets - plan.used : 0;
    waiting_plans_.push_back({s / kHour * kHour,
                              plan.path,
                              plan.gpus,
                              {ms, plan.demand * ms, plan.deserved * ms, unmet * ms}});
  }
  wake_.notify_one();
}

void Meters::take(const ClockStepped& step, WallTime before) {
  auto at = std::chrono::floor<std::chrono::seconds>(before).time_since_epoch().count();
  std::lock_guard lock(mutex_);
  if (waiting_steps_.size() < kMostSteps) waiting_steps_.push_back({at, step.by.count()});
  wake_.notify_one();
}

bool Meters::is_anything_waiting() const {
  return !waiting_.empty() || !waiting_plans_.empty() || !waiting_steps_.empty() ||
         !waiting_hosts_.empty();
}

void Meters::run() {
  std::int64_t forgotten = 0;
  for (bool ends = false; !ends;) {
    std::vector<store::MeterRow> rows;
    std::vector<store::PlanMeterRow> plans;
    std::vector<store::ClockStep> steps;
    std::vector<store::HostMeterRow> hosts;
    std::int64_t newest = 0;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return ending_ || is_anything_waiting(); });
      if (!ending_) wake_.wait_for(lock, kBetween, [this] { return ending_; });
      rows.swap(waiting_);
      plans.swap(waiting_plans_);
      steps.swap(waiting_steps_);
      hosts.swap(waiting_hosts_);
      newest = newest_;
      ends = ending_;
    }
    if (rows.empty() && plans.empty() && steps.empty() && hosts.empty()) continue;
    auto done = db_->add(rows);
    if (done) done = db_->add(plans);
    for (const auto& step : steps)
      if (done) done = db_->add(step);
    for (const auto& host : hosts)
      if (done) done = db_->add(host);
    auto before = newest - std::chrono::duration_cast<std::chrono::seconds>(keep_).count();
    if (done && newest - forgotten >= 24 * kHour) {
      done = db_->forget(before);
      forgotten = newest;
    }
    if (!done && !failing_) log::warn("use_not_kept", {{"why", done.error().text}});
    failing_ = !done;
  }
}

}  // namespace wm::master
