// Role: see acct_db.h: writing. Reading is in acct_reader.cc.
#include "libwm/store/acct/acct_db.h"

#include <utility>

#include "libwm/store/acct/acct_schema.h"
#include "libwm/store/acct/acct_sums.h"

namespace wm::store {
namespace {

Result<void> write(Statement& s, const JobRow& r) {
  s.bind(r.id.job).bind(r.id.index);
  for (const auto* text : {&r.user, &r.name, &r.queue, &r.app, &r.plan, &r.project, &r.command,
                           &r.cwd, &r.submit_host, &r.exec_hosts, &r.state, &r.reason})
    s.bind_text(*text);
  for (auto time : {r.submitted, r.dispatched, r.started, r.ended}) s.bind(stored(time));
  s.bind(r.exit_status).bind(r.term).bind(r.attempt.value).bind(r.resizes).bind(r.slots);
  s.bind(r.gpus).bind(r.cpu.count()).bind(r.slot_time.count()).bind(r.gpu_time.count());
  s.bind(r.max_mem.value).bind_text(r.service_class);
  return s.bind_text(r.reservation).bind(r.gpu_energy_mj).run();
}

Result<void> write(Statement& s, const AllocationRow& r) {
  s.bind(r.job.job).bind(r.job.index).bind(r.attempt.value).bind(r.task.value).bind(r.part);
  s.bind_text(r.host).bind(static_cast<std::int64_t>(r.held)).bind(r.slots).bind(r.milli_cpus);
  s.bind(r.gpus).bind(r.gpueq).bind(r.mem.value).bind_text(r.gpu_list).bind(stored(r.start));
  return s.bind(stored(r.end)).bind(stored(r.member_at)).bind(stored(r.seq)).run();
}

Result<void> write(Statement& s, const AttemptRow& r) {
  s.bind(r.job.job).bind(r.job.index).bind(r.attempt.value);
  for (const auto* text : {&r.user, &r.plan, &r.queue, &r.project, &r.app}) s.bind_text(*text);
  s.bind(r.tasks);
  for (auto time : {r.dispatched, r.started, r.ended}) s.bind(stored(time));
  s.bind_text(r.outcome).bind(r.term).bind(r.exit_status).bind_text(r.host);
  s.bind(r.cpu.count()).bind(r.max_mem.value);
  s.bind(r.own_wait.count()).bind(r.queue_wait.count()).bind(r.slot_ms).bind(r.cpu_mms);
  s.bind(r.gpu_mms).bind(r.gpueq_mms).bind(r.mem_mib_s).bind(r.late.slot_ms).bind(r.late.cpu_mms);
  s.bind(r.late.gpu_mms).bind(r.late.gpueq_mms).bind(r.late.mem_mib_s).bind(r.ask_run.count());
  return s.bind(r.min_tasks).bind(r.max_tasks).bind(std::int64_t{r.elastic}).run();
}

Result<void> write(Statement& s, const HostSpanRow& r) {
  s.bind_text(r.host).bind(stored(r.since)).bind(stored(r.until)).bind_text(r.state);
  s.bind_text(r.by).bind_text(r.why).bind(r.slots).bind(r.milli_cpus).bind(r.mem.value);
  return s.bind(stored(r.seq)).run();
}

Result<void> write(Statement& s, const GpuSpanRow& r) {
  s.bind_text(r.host).bind_text(r.uuid).bind(stored(r.since)).bind(stored(r.until)).bind(r.idx);
  s.bind_text(r.model).bind(r.gpueq).bind_text(r.state).bind_text(r.why);
  return s.bind(stored(r.seq)).run();
}

Result<void> write(Statement& s, const PlanSpanRow& r) {
  s.bind_text(r.path).bind(stored(r.since)).bind(stored(r.until)).bind(r.shares).bind(r.owns);
  return s.bind(r.limit).bind(r.lend).bind(stored(r.seq)).run();
}

Result<void> write(Statement& s, const JobEventRow& r) {
  s.bind(r.job.job).bind(r.job.index).bind(stored(r.seq)).bind(r.part).bind(stored(r.time));
  s.bind_text(r.event).bind(r.from).bind(r.to).bind_text(r.reason);
  return s.bind(r.pause.count()).bind(r.steps_lost).run();
}

Result<void> write(Statement& s, const UsageRow& r) {
  s.bind(stored(r.day)).bind_text(r.user).bind_text(r.plan).bind_text(r.queue);
  s.bind(r.jobs_done).bind(r.jobs_exited).bind(r.cpu.count());
  return s.bind(r.slot_time.count()).bind(r.gpu_time.count()).run();
}

template <class Row>
Result<void> write_all(Connection& db, const char* sql, const std::vector<Row>& rows) {
  auto statement = db.use(sql);
  for (const auto& row : rows) WM_TRY(write(statement, row));
  return {};
}

// Back, too, where the clock was set back.
constexpr const char* kMoveHorizon = "UPDATE mark SET horizon = coalesce(nullif(?, 0), horizon)";
constexpr const char* kPutJob =
    "INSERT OR REPLACE INTO job VALUES "
    "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
constexpr const char* kPutAllocation =
    "INSERT OR REPLACE INTO allocation VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
constexpr const char* kPutAttempt =
    "INSERT OR REPLACE INTO attempt VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
    "?,?,?,?,?,?,?,?,?)";
constexpr const char* kPutHost = "INSERT OR REPLACE INTO host_span VALUES (?,?,?,?,?,?,?,?,?,?)";
constexpr const char* kPutGpu = "INSERT OR REPLACE INTO gpu_span VALUES (?,?,?,?,?,?,?,?,?,?)";
constexpr const char* kPutPlan = "INSERT OR REPLACE INTO plan_span VALUES (?,?,?,?,?,?,?,?)";
constexpr const char* kPutEvent = "INSERT OR REPLACE INTO job_event VALUES (?,?,?,?,?,?,?,?,?,?,?)";
constexpr const char* kAddUsage =
    "INSERT INTO usage VALUES (?,?,?,?,?,?,?,?,?) ON CONFLICT DO UPDATE SET"
    " jobs_done = jobs_done + excluded.jobs_done,"
    " jobs_exited = jobs_exited + excluded.jobs_exited, cpu = cpu + excluded.cpu,"
    " slot_time = slot_time + excluded.slot_time, gpu_time = gpu_time + excluded.gpu_time";

}  // namespace

Result<std::unique_ptr<AcctDb>> AcctDb::open(const StoreFiles& files) {
  std::unique_ptr<AcctDb> made(new AcctDb(files));
  WM_TRY(made->connect());
  return made;
}

Result<void> AcctDb::connect() {
  OpenOptions open;
  open.path = files_.dir + "/acct.db";
  open.vfs = files_.vfs;
  open.mode = 0640;
  open.sync_commits = false;
  WM_TRY(db_, Connection::open(open));
  // No integrity check: the file grows with the years and can be made again.
  WM_TRY(prepare(*db_, kAcctSchema));
  return JobSums(*db_).fill();
}

Result<void> AcctDb::reopen() {
  db_.reset();
  auto done = connect();
  if (!done) db_.reset();
  return done;
}

Result<Seq> AcctDb::last_seq() {
  if (!db_) return fail(Code::Store, files_.dir + "/acct.db: closed after a failure");
  WM_TRY(auto last, db_->number("SELECT last_seq FROM mark"));
  return Seq{static_cast<std::uint64_t>(last)};
}

Result<std::uint32_t> AcctDb::last_job() {
  WM_TRY(last_seq());  // says so when it is closed
  WM_TRY(auto last, db_->number("SELECT coalesce(max(job), 0) FROM job"));
  return static_cast<std::uint32_t>(last);
}

Result<void> AcctDb::step_back(Seq seq) {
  return db_->use("UPDATE mark SET last_seq = min(last_seq, ?)").bind(stored(seq)).run();
}

// So many at once that the writer is not kept from its rows.
Result<void> AcctDb::forget(WallTime before) {
  constexpr const char* kMost = "1000";
  if (before == WallTime{}) return {};
  const std::string ended = "(SELECT job, idx FROM job WHERE ended > 0 AND ended < " +
                            std::to_string(stored(before)) + " ORDER BY ended LIMIT " + kMost + ")";
  Transaction whole(*db_);
  WM_TRY(whole.begin());
  for (const char* table : {"allocation", "attempt", "job_event", "job"})
    WM_TRY(db_->exec("DELETE FROM " + std::string(table) + " WHERE (job, idx) IN " + ended));
  bool went = db_->changes() > 0;
  for (const char* table : {"host_span", "gpu_span", "plan_span"})
    WM_TRY(db_->exec("DELETE FROM " + std::string(table) + " WHERE until > 0 AND until < " +
                     std::to_string(stored(before))));
  if (went)  // hours that are gone whole
    WM_TRY(db_->exec("DELETE FROM job_sum WHERE last_end < " + std::to_string(stored(before))));
  return whole.commit();
}

Result<void> AcctDb::apply(const AcctRows& rows) {
  WM_TRY(auto last, last_seq());
  WM_TRY(forget(rows.forget));
  if (rows.seq <= last) return db_->use(kMoveHorizon).bind(stored(rows.horizon)).run();
  Transaction whole(*db_);
  WM_TRY(whole.begin());
  JobSums sums(*db_);
  WM_TRY(sums.begin(rows.jobs));
  WM_TRY(write_all(*db_, kPutJob, rows.jobs));
  WM_TRY(write_all(*db_, kPutAllocation, rows.allocations));
  WM_TRY(write_all(*db_, kPutEvent, rows.events));
  WM_TRY(write_all(*db_, kAddUsage, rows.usage));
  WM_TRY(write_all(*db_, kPutAttempt, rows.attempts));
  WM_TRY(write_all(*db_, kPutHost, rows.hosts));
  WM_TRY(write_all(*db_, kPutGpu, rows.gpus));
  WM_TRY(write_all(*db_, kPutPlan, rows.plans));
  WM_TRY(sums.end());
  WM_TRY(db_->use("UPDATE mark SET last_seq = ?").bind(stored(rows.seq)).run());
  WM_TRY(db_->use(kMoveHorizon).bind(stored(rows.horizon)).run());
  return whole.commit();
}

Result<void> AcctDb::clear() {
  WM_TRY(last_seq());  // says so when it is closed
  Transaction whole(*db_);
  WM_TRY(whole.begin());
  WM_TRY(db_->exec(
      "DELETE FROM job; DELETE FROM allocation; DELETE FROM job_event;"
      "DELETE FROM usage; DELETE FROM attempt; DELETE FROM host_span; DELETE FROM gpu_span;"
      "DELETE FROM plan_span; DELETE FROM job_sum; UPDATE mark SET last_seq = 0, horizon = 0"));
  return whole.commit();
}

}  // namespace wm::store
