#include "libwm/store/meter_db.h"

#include <sys/stat.h>

#include "libwm/store/schema.h"

namespace wm::store {
namespace {

// Less than a hundredth of what was looked at: nothing was done.
constexpr const char* kSums =
    "SELECT sum(seen_us), sum(busy_us), sum(energy_mj),"
    " sum(CASE WHEN busy_us * 100 < seen_us THEN seen_us ELSE 0 END) FROM task_meter";

}  // namespace

MeterSum& MeterSum::operator+=(const MeterSum& more) {
  seen_us += more.seen_us, busy_us += more.busy_us;
  energy_mj += more.energy_mj, idle_us += more.idle_us;
  return *this;
}

Result<std::unique_ptr<MeterDb>> MeterDb::open(const std::string& dir) {
  OpenOptions options;
  options.path = dir + "/meter.db";
  options.mode = 0640;
  options.sync_commits = false;
  WM_TRY(auto db, Connection::open(options));
  WM_TRY(prepare(*db, kMeterSchema));
  return std::unique_ptr<MeterDb>(new MeterDb(std::move(db)));
}

Result<std::unique_ptr<MeterDb>> MeterDb::read(const std::string& dir) {
  OpenOptions options;
  options.path = dir + "/meter.db";
  options.read_only = true;
  struct stat st {};
  if (::stat(options.path.c_str(), &st) != 0) return std::unique_ptr<MeterDb>();
  WM_TRY(auto db, Connection::open(options));
  WM_TRY(check_version(*db, kMeterSchema));
  return std::unique_ptr<MeterDb>(new MeterDb(std::move(db)));
}

Result<void> MeterDb::add(const std::vector<MeterRow>& rows) {
  Transaction whole(*db_);
  WM_TRY(whole.begin());
  for (const auto& [hour, host, used] : rows) {
    auto put = db_->use(
        "INSERT INTO task_meter VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " seen_us = seen_us + excluded.seen_us, busy_us = busy_us + excluded.busy_us,"
        " energy_mj = energy_mj + excluded.energy_mj");
    put.bind(used.job.job).bind(used.job.index).bind(used.attempt.value).bind(used.task.value);
    put.bind(hour).bind_text(host).bind(used.seen.count()).bind(used.busy.count());
    WM_TRY(put.bind(used.energy_mj).run());
  }
  return whole.commit();
}

Result<void> MeterDb::forget(std::int64_t before) {
  return db_->use("DELETE FROM task_meter WHERE hour < ?").bind(before).run();
}

Result<MeterSum> MeterDb::sum(Statement& ask) {
  WM_TRY(bool row, ask.step());
  if (!row) return MeterSum{};
  return MeterSum{ask.number(0), ask.number(1), ask.number(2), ask.number(3)};
}

Result<MeterSum> MeterDb::of_job(JobId job, std::int64_t from, std::int64_t to) {
  auto ask = db_->use(std::string(kSums) + " WHERE job = ? AND idx = ? AND hour >= ? AND hour < ?");
  return sum(ask.bind(job.job).bind(job.index).bind(from).bind(to));
}

Result<MeterSum> MeterDb::total(std::int64_t from, std::int64_t to) {
  auto ask = db_->use(std::string(kSums) + " WHERE hour >= ? AND hour < ?");
  return sum(ask.bind(from).bind(to));
}

}  // namespace wm::store
