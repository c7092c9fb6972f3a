// Role: the tables of our three kinds of files, version by version (FORMAT.md explains
// them), and the check at opening.
#include "libwm/store/sqlite/schema.h"

#include <array>
#include <string>

namespace wm::store {
namespace {

constexpr std::array<const char*, 1> kCoreSteps = {
    "CREATE TABLE event (seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, type INTEGER NOT NULL,"
    "  version INTEGER NOT NULL, payload BLOB NOT NULL);"
    "CREATE TABLE blob (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE,"
    "  seq INTEGER NOT NULL, bytes BLOB NOT NULL);"
    "CREATE TABLE reply (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,"
    "  time INTEGER NOT NULL, reply BLOB NOT NULL);"
    "CREATE TABLE snapshot (seq INTEGER PRIMARY KEY, hash BLOB NOT NULL);"
    "CREATE TABLE snapshot_part (seq INTEGER NOT NULL, part INTEGER NOT NULL,"
    "  bytes BLOB NOT NULL, PRIMARY KEY (seq, part));"
    "CREATE TABLE probe (id INTEGER PRIMARY KEY, count INTEGER NOT NULL);"
    "INSERT INTO probe VALUES (1, 0);"};

constexpr std::array<const char*, 1> kHistorySteps = {
    "CREATE TABLE event (seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, type INTEGER NOT NULL,"
    "  version INTEGER NOT NULL, payload BLOB NOT NULL);"};

constexpr std::array<const char*, 6> kAcctSteps = {
    "CREATE TABLE mark (id INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL);"
    "INSERT INTO mark VALUES (1, 0);"
    "CREATE TABLE job (job INTEGER NOT NULL, idx INTEGER NOT NULL,"
    "  user TEXT NOT NULL, name TEXT NOT NULL, queue TEXT NOT NULL, app TEXT NOT NULL,"
    "  plan TEXT NOT NULL, project TEXT NOT NULL, command TEXT NOT NULL, cwd TEXT NOT NULL,"
    "  submit_host TEXT NOT NULL, exec_hosts TEXT NOT NULL, state TEXT NOT NULL,"
    "  reason TEXT NOT NULL, submitted INTEGER NOT NULL, dispatched INTEGER NOT NULL,"
    "  started INTEGER NOT NULL, ended INTEGER NOT NULL, exit_status INTEGER NOT NULL,"
    "  term INTEGER NOT NULL, attempt INTEGER NOT NULL, resizes INTEGER NOT NULL,"
    "  slots INTEGER NOT NULL, gpus INTEGER NOT NULL, cpu INTEGER NOT NULL,"
    "  slot_time INTEGER NOT NULL, gpu_time INTEGER NOT NULL, max_mem INTEGER NOT NULL,"
    "  PRIMARY KEY (job, idx)) WITHOUT ROWID;"
    "CREATE TABLE allocation (job INTEGER NOT NULL, idx INTEGER NOT NULL,"
    "  attempt INTEGER NOT NULL, task INTEGER NOT NULL, host TEXT NOT NULL,"
    "  gpus INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,"
    "  PRIMARY KEY (job, idx, attempt, task)) WITHOUT ROWID;"
    "CREATE TABLE job_event (job INTEGER NOT NULL, idx INTEGER NOT NULL, seq INTEGER NOT NULL,"
    "  part INTEGER NOT NULL, time INTEGER NOT NULL, event TEXT NOT NULL, from_n INTEGER NOT NULL,"
    "  to_n INTEGER NOT NULL, reason TEXT NOT NULL, pause_us INTEGER NOT NULL,"
    "  steps_lost INTEGER NOT NULL, PRIMARY KEY (job, idx, seq, part)) WITHOUT ROWID;"
    "CREATE TABLE usage (day INTEGER NOT NULL, user TEXT NOT NULL, plan TEXT NOT NULL,"
    "  queue TEXT NOT NULL, jobs_done INTEGER NOT NULL, jobs_exited INTEGER NOT NULL,"
    "  cpu INTEGER NOT NULL, slot_time INTEGER NOT NULL, gpu_time INTEGER NOT NULL,"
    "  PRIMARY KEY (day, user, plan, queue)) WITHOUT ROWID;",
    "CREATE INDEX job_by_user ON job (user, job, idx);"
    // what makes way by being stopped has an event of its own
    "UPDATE job_event SET event = 'PARK'"
    "  WHERE event = 'SUSPEND' AND reason NOT LIKE 'by %';",
    // A row a task becomes a row for each part of its holding. What version 2 did not keep (CPUs,
    // memory, hosts' own history) stays empty until badmin rebuild-acct makes all rows anew.
    "CREATE TABLE allocation_3 (job INTEGER NOT NULL, idx INTEGER NOT NULL,"
    "  attempt INTEGER NOT NULL, task INTEGER NOT NULL, part INTEGER NOT NULL, host TEXT NOT NULL,"
    "  class INTEGER NOT NULL, slots INTEGER NOT NULL, milli_cpus INTEGER NOT NULL,"
    "  gpus INTEGER NOT NULL, gpueq INTEGER NOT NULL, mem INTEGER NOT NULL,"
    "  gpu_list TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,"
    "  member_at INTEGER NOT NULL, seq INTEGER NOT NULL,"
    "  PRIMARY KEY (job, idx, attempt, task, part)) WITHOUT ROWID;"
    "INSERT INTO allocation_3 SELECT job, idx, attempt, task, 0, host, 0, 1000, 0, gpus, gpus, 0,"
    "  '', start, end, 0, 0 FROM allocation;"
    "DROP TABLE allocation;"
    "ALTER TABLE allocation_3 RENAME TO allocation;"
    "CREATE INDEX allocation_by_end ON allocation (end);"
    "CREATE INDEX allocation_by_start ON allocation (start);"
    "CREATE TABLE attempt (job INTEGER NOT NULL, idx INTEGER NOT NULL, attempt INTEGER NOT NULL,"
    "  user TEXT NOT NULL, plan TEXT NOT NULL, queue TEXT NOT NULL, project TEXT NOT NULL,"
    "  app TEXT NOT NULL, tasks INTEGER NOT NULL, dispatched INTEGER NOT NULL,"
    "  started INTEGER NOT NULL, ended INTEGER NOT NULL, outcome TEXT NOT NULL,"
    "  term INTEGER NOT NULL, exit_status INTEGER NOT NULL, host TEXT NOT NULL,"
    "  cpu INTEGER NOT NULL, max_mem INTEGER NOT NULL, own_wait INTEGER NOT NULL,"
    "  queue_wait INTEGER NOT NULL, slot_ms INTEGER NOT NULL, cpu_mms INTEGER NOT NULL,"
    "  gpu_mms INTEGER NOT NULL, gpueq_mms INTEGER NOT NULL, mem_mib_s INTEGER NOT NULL,"
    "  PRIMARY KEY (job, idx, attempt)) WITHOUT ROWID;"
    "CREATE INDEX attempt_by_end ON attempt (ended);"
    "CREATE INDEX attempt_by_dispatch ON attempt (dispatched);"
    "INSERT INTO attempt SELECT job, idx, attempt, user, plan, queue, project, app, slots,"
    "  dispatched, started, ended, CASE ended WHEN 0 THEN '' ELSE state END, term, exit_status, '',"
    "  cpu, max_mem, 0, dispatched - submitted, slot_time / 1000, 0, gpu_time, gpu_time, 0"
    "  FROM job WHERE attempt > 0 AND dispatched > 0;"
    "CREATE INDEX job_by_end ON job (ended);"
    "CREATE INDEX job_by_submit ON job (submitted);"
    // of the words that reports ask for
    "CREATE INDEX resize_by_time ON job_event (time) WHERE event = 'RESIZE';"
    "CREATE INDEX epoch_by_time ON job_event (time) WHERE event = 'EPOCH';"
    "CREATE INDEX promise_by_time ON job_event (time) WHERE event = 'PROMISE_ERROR';"
    "CREATE TABLE host_span (host TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL,"
    "  state TEXT NOT NULL, by_whom TEXT NOT NULL, why TEXT NOT NULL, slots INTEGER NOT NULL,"
    "  milli_cpus INTEGER NOT NULL, mem INTEGER NOT NULL, seq INTEGER NOT NULL,"
    "  PRIMARY KEY (host, since)) WITHOUT ROWID;"
    "CREATE TABLE gpu_span (host TEXT NOT NULL, uuid TEXT NOT NULL, since INTEGER NOT NULL,"
    "  until INTEGER NOT NULL, idx INTEGER NOT NULL, model TEXT NOT NULL, gpueq INTEGER NOT NULL,"
    "  state TEXT NOT NULL, why TEXT NOT NULL, seq INTEGER NOT NULL,"
    "  PRIMARY KEY (host, uuid, since)) WITHOUT ROWID;"
    "CREATE TABLE plan_span (path TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL,"
    "  shares INTEGER NOT NULL, owns INTEGER NOT NULL, lim INTEGER NOT NULL,"
    "  lend INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (path, since)) WITHOUT ROWID;"
    "ALTER TABLE mark ADD COLUMN horizon INTEGER NOT NULL DEFAULT 0;",
    // true ends, and what was asked for
    "ALTER TABLE attempt ADD COLUMN late_slot_ms INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE attempt ADD COLUMN late_cpu_mms INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE attempt ADD COLUMN late_gpu_mms INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE attempt ADD COLUMN late_gpueq_mms INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE attempt ADD COLUMN late_mem_mib_s INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE attempt ADD COLUMN ask_run INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE attempt ADD COLUMN min_tasks INTEGER NOT NULL DEFAULT 1;"
    "ALTER TABLE attempt ADD COLUMN max_tasks INTEGER NOT NULL DEFAULT 1;"
    "ALTER TABLE attempt ADD COLUMN elastic INTEGER NOT NULL DEFAULT 0;"
    "UPDATE attempt SET min_tasks = tasks, max_tasks = tasks;",
    // Sums of jobs by the six hours of their end; the first opening adds up those there are
    // (acct_sums.cc). The index finds a user's jobs of these hours.
    "CREATE TABLE job_sum (user TEXT NOT NULL, since INTEGER NOT NULL, plan TEXT NOT NULL,"
    "  queue TEXT NOT NULL, project TEXT NOT NULL, app TEXT NOT NULL, done INTEGER NOT NULL,"
    "  jobs INTEGER NOT NULL, ran INTEGER NOT NULL,"
    "  cpu INTEGER NOT NULL, cpu_most INTEGER NOT NULL, cpu_least INTEGER NOT NULL,"
    "  wait INTEGER NOT NULL, wait_most INTEGER NOT NULL, wait_least INTEGER NOT NULL,"
    "  around INTEGER NOT NULL, around_most INTEGER NOT NULL, around_least INTEGER NOT NULL,"
    "  run INTEGER NOT NULL, run_most INTEGER NOT NULL, run_least INTEGER NOT NULL,"
    "  hog INTEGER NOT NULL, hog_most INTEGER NOT NULL, hog_least INTEGER NOT NULL,"
    "  expansion INTEGER NOT NULL, expansion_most INTEGER NOT NULL,"
    "  expansion_least INTEGER NOT NULL,"
    "  slot_time INTEGER NOT NULL, gpu_time INTEGER NOT NULL, first_end INTEGER NOT NULL,"
    "  last_end INTEGER NOT NULL, promise_0 INTEGER NOT NULL, promise_1 INTEGER NOT NULL,"
    "  promise_2 INTEGER NOT NULL, promise_3 INTEGER NOT NULL, promise_4 INTEGER NOT NULL,"
    "  promise_5 INTEGER NOT NULL,"
    "  PRIMARY KEY (user, since, plan, queue, project, app, done)) WITHOUT ROWID;"
    "CREATE INDEX job_ended_by_user ON job (user, ended) WHERE ended > 0;"
    "ALTER TABLE mark ADD COLUMN sums INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE job ADD COLUMN service_class TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE job ADD COLUMN reservation TEXT NOT NULL DEFAULT '';"};

constexpr std::array<const char*, 2> kReportSteps = {
    "CREATE TABLE meta (id INTEGER PRIMARY KEY, zone TEXT NOT NULL, rolled_seq INTEGER NOT NULL);"
    "INSERT INTO meta VALUES (1, '', 0);"
    "CREATE TABLE hour (start INTEGER PRIMARY KEY, len INTEGER NOT NULL, final INTEGER NOT NULL);"
    "CREATE TABLE dim (id INTEGER PRIMARY KEY, user TEXT NOT NULL, plan TEXT NOT NULL,"
    "  queue TEXT NOT NULL, project TEXT NOT NULL, app TEXT NOT NULL,"
    "  UNIQUE (user, plan, queue, project, app));"
    "CREATE TABLE use_hour (hour INTEGER NOT NULL, dim INTEGER NOT NULL, class INTEGER NOT NULL,"
    "  slot_ms INTEGER NOT NULL, cpu_mms INTEGER NOT NULL, gpu_mms INTEGER NOT NULL,"
    "  gpueq_mms INTEGER NOT NULL, mem_mib_s INTEGER NOT NULL,"
    "  PRIMARY KEY (hour, dim, class)) WITHOUT ROWID;"
    "CREATE TABLE host (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE host_hour (hour INTEGER NOT NULL, host INTEGER NOT NULL, class INTEGER NOT NULL,"
    "  slot_ms INTEGER NOT NULL, cpu_mms INTEGER NOT NULL, gpu_mms INTEGER NOT NULL,"
    "  gpueq_mms INTEGER NOT NULL, PRIMARY KEY (hour, host, class)) WITHOUT ROWID;"
    "CREATE TABLE plan_hour (hour INTEGER NOT NULL, plan TEXT NOT NULL, owned INTEGER NOT NULL,"
    "  used INTEGER NOT NULL, borrowed INTEGER NOT NULL, lent INTEGER NOT NULL,"
    "  beyond INTEGER NOT NULL, PRIMARY KEY (hour, plan)) WITHOUT ROWID;"
    "CREATE TABLE ends_hour (hour INTEGER NOT NULL, dim INTEGER NOT NULL, outcome TEXT NOT NULL,"
    "  n INTEGER NOT NULL, cpu_us INTEGER NOT NULL, cpu_mms INTEGER NOT NULL,"
    "  mem_mib_s INTEGER NOT NULL, mem_peak_mib_s INTEGER NOT NULL,"
    "  PRIMARY KEY (hour, dim, outcome)) WITHOUT ROWID;"
    "CREATE TABLE refund (hour INTEGER NOT NULL, job INTEGER NOT NULL, idx INTEGER NOT NULL,"
    "  attempt INTEGER NOT NULL, kind INTEGER NOT NULL, dim INTEGER NOT NULL,"
    "  slot_ms INTEGER NOT NULL, cpu_mms INTEGER NOT NULL, gpu_mms INTEGER NOT NULL,"
    "  gpueq_mms INTEGER NOT NULL, mem_mib_s INTEGER NOT NULL,"
    "  PRIMARY KEY (hour, job, idx, attempt, kind)) WITHOUT ROWID;"
    "CREATE TABLE sent (report TEXT NOT NULL, period TEXT NOT NULL, recipient TEXT NOT NULL,"
    "  at INTEGER NOT NULL, PRIMARY KEY (report, period, recipient)) WITHOUT ROWID;"
    "CREATE TABLE restated (hour INTEGER NOT NULL, at INTEGER NOT NULL, old INTEGER NOT NULL,"
    "  new INTEGER NOT NULL, PRIMARY KEY (hour, at)) WITHOUT ROWID;",
    // A row a host and hour becomes a few bytes (report_db.cc moves what there is, then drops it).
    "CREATE TABLE host_pack (hour INTEGER PRIMARY KEY, hosts BLOB NOT NULL);"
    "CREATE TABLE class_hour (hour INTEGER NOT NULL, class INTEGER NOT NULL,"
    "  slot_ms INTEGER NOT NULL, cpu_mms INTEGER NOT NULL, gpu_mms INTEGER NOT NULL,"
    "  gpueq_mms INTEGER NOT NULL, PRIMARY KEY (hour, class)) WITHOUT ROWID;"
    "INSERT INTO class_hour SELECT hour, class, sum(slot_ms), sum(cpu_mms), sum(gpu_mms),"
    "  sum(gpueq_mms) FROM host_hour GROUP BY hour, class;"};

constexpr std::array<const char*, 2> kMeterSteps = {
    "CREATE TABLE task_meter (job INTEGER NOT NULL, idx INTEGER NOT NULL,"
    "  attempt INTEGER NOT NULL, task INTEGER NOT NULL, hour INTEGER NOT NULL, host TEXT NOT NULL,"
    "  seen_us INTEGER NOT NULL, busy_us INTEGER NOT NULL, energy_mj INTEGER NOT NULL,"
    "  PRIMARY KEY (job, idx, attempt, task, hour)) WITHOUT ROWID;"
    "CREATE INDEX task_meter_by_hour ON task_meter (hour);",
    "CREATE TABLE plan_meter (hour INTEGER NOT NULL, path TEXT NOT NULL, gpus INTEGER NOT NULL,"
    "  seen_ms INTEGER NOT NULL, demand INTEGER NOT NULL, deserved INTEGER NOT NULL,"
    "  unmet INTEGER NOT NULL, PRIMARY KEY (hour, path, gpus)) WITHOUT ROWID;"
    "CREATE TABLE clock_step (at INTEGER PRIMARY KEY, step INTEGER NOT NULL);"
    "CREATE TABLE host_meter (hour INTEGER NOT NULL, host TEXT NOT NULL,"
    "  seen_us INTEGER NOT NULL, energy_mj INTEGER NOT NULL, PRIMARY KEY (hour, host))"
    "  WITHOUT ROWID;"
    "ALTER TABLE task_meter ADD COLUMN cpu_us INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE task_meter ADD COLUMN cpu_seen_us INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE task_meter ADD COLUMN mem_peak INTEGER NOT NULL DEFAULT 0;"};

// Refuses a file that another program made, or a newer version of ours.
Result<std::int64_t> version_of(Connection& db, const Schema& schema) {
  WM_TRY(auto id, db.number("PRAGMA application_id"));
  WM_TRY(auto version, db.number("PRAGMA user_version"));
  WM_TRY(auto tables, db.number("SELECT count(*) FROM sqlite_schema"));
  const std::string what(schema.what);
  if (id != schema.application_id && (id != 0 || version != 0 || tables != 0))
    return fail(Code::Damaged, db.path() + ": not a WM " + what + " (application id " +
                                   std::to_string(id) + "); move it away to start empty");
  auto ours = static_cast<std::int64_t>(schema.steps.size());
  if (version > ours)
    return fail(Code::Damaged, db.path() + ": " + what + " of version " + std::to_string(version) +
                                   ", this program knows up to " + std::to_string(ours) +
                                   "; run the newer program, or restore a backup from before it");
  return version;
}

}  // namespace

const Schema kCoreSchema = {"event store", 0x574d6365, kCoreSteps};
const Schema kAcctSchema = {"accounting database", 0x574d6163, kAcctSteps};
const Schema kReportSchema = {"report database", 0x574d7270, kReportSteps};
const Schema kMeterSchema = {"database of measured use", 0x574d6d74, kMeterSteps};
const Schema kHistorySchema = {"event history", 0x574d6869, kHistorySteps};

Result<void> prepare(Connection& db, const Schema& schema) {
  WM_TRY(auto version, version_of(db, schema));
  for (auto i = static_cast<std::size_t>(version); i < schema.steps.size(); ++i) {
    Transaction step(db);
    WM_TRY(step.begin());
    WM_TRY(db.exec(schema.steps[i]));
    WM_TRY(db.exec("PRAGMA user_version=" + std::to_string(i + 1)));
    WM_TRY(db.exec("PRAGMA application_id=" + std::to_string(schema.application_id)));
    WM_TRY(step.commit());
  }
  return {};
}

Result<void> check_version(Connection& db, const Schema& schema) {
  WM_TRY(auto version, version_of(db, schema));
  auto ours = static_cast<std::int64_t>(schema.steps.size());
  if (version == ours) return {};
  return fail(Code::Damaged, db.path() + ": " + std::string(schema.what) + " of version " +
                                 std::to_string(version) + ", this program reads version " +
                                 std::to_string(ours) +
                                 ": start the master of this release once, it brings it up");
}

Result<void> check_sound(Connection& db) {
  auto ask = db.use("PRAGMA quick_check(1)");
  WM_TRY(bool row, ask.step());
  if (row && ask.text(0) == "ok") return {};
  return fail(Code::Damaged, db.path() + ": failed the integrity check (" +
                                 (row ? ask.text(0) : "no answer") +
                                 "); restore it from a backup, or recover what is left with "
                                 "sqlite3 .recover");
}

}  // namespace wm::store
