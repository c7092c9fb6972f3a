#include "libwm/store/report/meter_db.h"

#include <sys/stat.h>

#include <algorithm>

#include "libwm/store/report/report_schema.h"

namespace wm::store {
namespace {

// Less than a hundredth of what was looked at: nothing was done.
constexpr const char* kSums =
    "SELECT sum(seen_us), sum(busy_us), sum(energy_mj),"
    " sum(CASE WHEN busy_us * 100 < seen_us THEN seen_us ELSE 0 END), sum(cpu_us),"
    " sum(cpu_seen_us), max(mem_peak) FROM task_meter";

}  // namespace

MeterSum& MeterSum::operator+=(const MeterSum& more) {
  seen_us += more.seen_us, busy_us += more.busy_us;
  energy_mj += more.energy_mj, idle_us += more.idle_us;
  cpu_us += more.cpu_us, cpu_seen_us += more.cpu_seen_us;
  mem_peak = std::max(mem_peak, more.mem_peak);
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
        "INSERT INTO task_meter VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE "
        "SET"
        " seen_us = seen_us + excluded.seen_us, busy_us = busy_us + excluded.busy_us,"
        " energy_mj = energy_mj + excluded.energy_mj, cpu_us = cpu_us + excluded.cpu_us,"
        " cpu_seen_us = cpu_seen_us + excluded.cpu_seen_us,"
        " mem_peak = max(mem_peak, excluded.mem_peak)");
    put.bind(used.job.job).bind(used.job.index).bind(used.attempt.value).bind(used.task.value);
    put.bind(hour).bind_text(host).bind(used.seen.count()).bind(used.busy.count());
    put.bind(used.energy_mj).bind(used.cpu.count()).bind(used.cpu_seen.count());
    WM_TRY(put.bind(used.mem_peak.value).run());
  }
  return whole.commit();
}

Result<void> MeterDb::add(const std::vector<PlanMeterRow>& rows) {
  Transaction whole(*db_);
  WM_TRY(whole.begin());
  for (const auto& [hour, path, gpus, used] : rows) {
    auto put = db_->use(
        "INSERT INTO plan_meter VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " seen_ms = seen_ms + excluded.seen_ms, demand = demand + excluded.demand,"
        " deserved = deserved + excluded.deserved, unmet = unmet + excluded.unmet");
    put.bind(hour).bind_text(path).bind(std::int64_t{gpus}).bind(used.seen_ms);
    WM_TRY(put.bind(used.demand).bind(used.deserved).bind(used.unmet).run());
  }
  return whole.commit();
}

Result<void> MeterDb::add(const ClockStep& step) {
  return db_->use("INSERT OR REPLACE INTO clock_step VALUES (?, ?)")
      .bind(step.at)
      .bind(step.step_us)
      .run();
}

Result<void> MeterDb::add(const HostMeterRow& row) {
  auto put = db_->use(
      "INSERT INTO host_meter VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
      " seen_us = seen_us + excluded.seen_us, energy_mj = energy_mj + excluded.energy_mj");
  return put.bind(row.hour).bind_text(row.host).bind(row.seen_us).bind(row.energy_mj).run();
}

Result<std::int64_t> MeterDb::host_energy(std::int64_t from, std::int64_t to) {
  auto ask = db_->use("SELECT sum(energy_mj) FROM host_meter WHERE hour >= ? AND hour < ?");
  ask.bind(from).bind(to);
  WM_TRY(bool row, ask.step());
  return row ? ask.number(0) : 0;
}

Result<std::vector<ClockStep>> MeterDb::steps(std::int64_t from, std::int64_t to) {
  std::vector<ClockStep> steps;
  auto ask = db_->use("SELECT at, step FROM clock_step WHERE at >= ? AND at < ? ORDER BY at");
  ask.bind(from).bind(to);
  for (;;) {
    WM_TRY(bool row, ask.step());
    if (!row) return steps;
    steps.push_back({ask.number(0), ask.number(1)});
  }
}

Result<void> MeterDb::forget(std::int64_t before) {
  WM_TRY(db_->use("DELETE FROM plan_meter WHERE hour < ?").bind(before).run());
  WM_TRY(db_->use("DELETE FROM host_meter WHERE hour < ?").bind(before).run());
  WM_TRY(db_->use("DELETE FROM clock_step WHERE at < ?").bind(before).run());
  return db_->use("DELETE FROM task_meter WHERE hour < ?").bind(before).run();
}

Result<std::map<std::string, PlanMeterRow>> MeterDb::plans(std::int64_t from, std::int64_t to) {
  std::map<std::string, PlanMeterRow> plans;
  auto ask = db_->use(
      "SELECT path, gpus, sum(seen_ms), sum(demand), sum(deserved), sum(unmet) FROM plan_meter"
      " WHERE hour >= ? AND hour < ? GROUP BY path, gpus ORDER BY path, gpus");
  ask.bind(from).bind(to);
  for (;;) {
    WM_TRY(bool row, ask.step());
    if (!row) return plans;
    auto path = ask.text(0);
    plans[path] = {from,
                   path,
                   ask.number(1) != 0,
                   {ask.number(2), ask.number(3), ask.number(4), ask.number(5)}};
  }
}

Result<MeterSum> MeterDb::sum(Statement& ask) {
  WM_TRY(bool row, ask.step());
  if (!row) return MeterSum{};
  return MeterSum{ask.number(0), ask.number(1), ask.number(2), ask.number(3),
                  ask.number(4), ask.number(5), ask.number(6)};
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
