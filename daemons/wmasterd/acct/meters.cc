#include "daemons/wmasterd/acct/meters.h"

#include "libwm/base/log.h"

namespace wm::master {
namespace {

constexpr std::size_t kMostWaiting = 100'000;
constexpr std::int64_t kHour = 3600;
constexpr auto kBetween = std::chrono::seconds(2);  // rows of many hosts in one transaction

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
  if (waiting_.size() + words.tasks.size() > kMostWaiting) return;
  newest_ = s;
  for (const auto& task : words.tasks) waiting_.push_back({s / kHour * kHour, host, task});
  wake_.notify_one();
}

void Meters::run() {
  std::int64_t forgotten = 0;
  for (bool ends = false; !ends;) {
    std::vector<store::MeterRow> rows;
    std::int64_t newest = 0;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (!ending_) wake_.wait_for(lock, kBetween, [this] { return ending_; });
      rows.swap(waiting_);
      newest = newest_;
      ends = ending_;
    }
    if (rows.empty()) continue;
    auto done = db_->add(rows);
    auto before = newest - std::chrono::duration_cast<std::chrono::seconds>(keep_).count();
    if (done && newest - forgotten >= 24 * kHour) {
      done = db_->forget(before);
      forgotten = newest;
    }
    if (!done && !failing_) log::warn("gpu_use_not_kept", {{"why", done.error().text}});
    failing_ = !done;
  }
}

}  // namespace wm::master
