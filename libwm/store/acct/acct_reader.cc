// Role: see acct_db.h: reading, a bounded chunk a call.
#include <array>
#include <limits>
#include <string>

#include "libwm/store/acct/acct_columns.h"
#include "libwm/store/acct/acct_db.h"
#include "libwm/store/acct/acct_sums.h"

namespace wm::store {
namespace {

constexpr auto kMax = std::numeric_limits<std::int64_t>::max();

template <class Row>
Result<std::vector<Row>> collect(Statement& ask) {
  std::vector<Row> rows;
  for (;;) {
    WM_TRY(bool row, ask.step());
    if (!row) return rows;
    read(Columns(ask), rows.emplace_back());
  }
}

std::int64_t limit_of(std::size_t limit) { return static_cast<std::int64_t>(limit); }

// "Ended in a range" leaves out jobs that have not ended (their time is 0).
std::int64_t lowest_end(const JobQuery& q) {
  if (q.ended_from) return stored(*q.ended_from);
  return q.ended_to ? 1 : 0;
}

}  // namespace

Result<std::unique_ptr<AcctReader>> AcctReader::open(const StoreFiles& files) {
  OpenOptions open;
  open.path = files.dir + "/acct.db";
  open.vfs = files.vfs;
  open.read_only = true;
  WM_TRY(auto db, Connection::open(open));
  return std::unique_ptr<AcctReader>(new AcctReader(std::move(db)));
}

Result<std::vector<JobRow>> AcctReader::jobs(const JobQuery& query, JobId after,
                                             std::size_t limit) {
  // Of one user nobody else's rows are read.
  const char* of_all = "SELECT * FROM job WHERE ?3 = ''";
  const char* of_user = "SELECT * FROM job INDEXED BY job_by_user WHERE user = ?3";
  auto ask = db_->use(
      std::string(query.user.empty() ? of_all : of_user) +
      " AND (job, idx) > (?1, ?2) AND (?4 = '' OR queue = ?4) AND (?5 = '' OR project = ?5)"
      " AND (?6 = '' OR plan = ?6) AND (?7 = '' OR app = ?7)"
      " AND submitted >= ?8 AND submitted < ?9 AND ended >= ?10 AND ended < ?11"
      " AND (job, idx) <= (?12, ?13) ORDER BY job, idx LIMIT ?14");
  ask.bind(after.job).bind(after.index);
  for (const auto* text : {&query.user, &query.queue, &query.project, &query.plan, &query.app})
    ask.bind_text(*text);
  ask.bind(query.submitted_from ? stored(*query.submitted_from) : 0);
  ask.bind(query.submitted_to ? stored(*query.submitted_to) : kMax);
  ask.bind(lowest_end(query)).bind(query.ended_to ? stored(*query.ended_to) : kMax);
  ask.bind(query.last.job).bind(query.last.index);
  ask.bind(limit_of(limit));
  return collect<JobRow>(ask);
}

Result<void> AcctReader::sums(const std::string& user, std::int64_t from, std::int64_t to,
                              const std::function<void(const SumRow&)>& tell) {
  auto ask = db_->use(user.empty()
                          ? "SELECT * FROM job_sum WHERE ?1 = '' AND since >= ?2 AND since < ?3"
                          : "SELECT * FROM job_sum WHERE user = ?1 AND since >= ?2 AND since < ?3");
  ask.bind_text(user).bind(from).bind(to);
  for (SumRow row;;) {
    WM_TRY(bool there, ask.step());
    if (!there) return {};
    read(Columns(ask), row);
    tell(row);
  }
}

Result<void> AcctReader::ended(const std::string& user, std::int64_t from, std::int64_t to,
                               const std::function<void(const SumKey&, const AcctFigures&)>& tell) {
  // Of two lower bounds the first is looked for in the index; the other lets it be used at all.
  auto ask = db_->use(user.empty() ? "SELECT * FROM job INDEXED BY job_by_end WHERE ?1 = '' AND"
                                     " ended >= max(?2, 1) AND ended < ?3"
                                   : "SELECT * FROM job INDEXED BY job_ended_by_user WHERE"
                                     " user = ?1 AND ended >= ?2 AND ended < ?3 AND ended > 0");
  ask.bind_text(user).bind(from).bind(to);
  for (;;) {
    WM_TRY(bool there, ask.step());
    if (!there) return {};
    JobRow job;
    read(Columns(ask), job);
    WM_TRY(auto figures, counted(*db_, job));
    tell(key_of(job), figures);
  }
}

Result<std::vector<JobEventRow>> AcctReader::job_events(JobId job, const JobEventRow* after,
                                                        std::size_t limit) {
  auto ask = db_->use(
      "SELECT * FROM job_event WHERE job = ? AND idx = ? AND (seq, part) > (?, ?)"
      " ORDER BY seq, part LIMIT ?");
  ask.bind(job.job).bind(job.index);
  ask.bind(after ? static_cast<std::int64_t>(after->seq.value) : -1).bind(after ? after->part : 0);
  ask.bind(limit_of(limit));
  return collect<JobEventRow>(ask);
}

Result<std::vector<JobEventRow>> AcctReader::events_named(const std::string& event, JobId from,
                                                          JobId to) {
  auto ask = db_->use(
      "SELECT * FROM job_event WHERE (job, idx) >= (?, ?) AND (job, idx) <= (?, ?) AND event = ?"
      " ORDER BY job, idx, seq, part");
  ask.bind(from.job).bind(from.index).bind(to.job).bind(to.index).bind_text(event);
  return collect<JobEventRow>(ask);
}

Result<std::vector<AllocationRow>> AcctReader::allocations(JobId job, const AllocationRow* after,
                                                           std::size_t limit) {
  auto ask = db_->use(
      "SELECT * FROM allocation WHERE job = ? AND idx = ? AND (attempt, task, part) > (?, ?, ?)"
      " ORDER BY attempt, task, part LIMIT ?");
  ask.bind(job.job).bind(job.index);
  ask.bind(after ? std::int64_t{after->attempt.value} : -1).bind(after ? after->task.value : 0);
  ask.bind(after ? after->part : 0).bind(limit_of(limit));
  return collect<AllocationRow>(ask);
}

Result<std::vector<UsageRow>> AcctReader::usage(WallTime from, WallTime to, const UsageRow* after,
                                                std::size_t limit) {
  auto ask = db_->use(
      "SELECT * FROM usage WHERE day >= ? AND day < ? AND (day, user, plan, queue) > (?, ?, ?, ?)"
      " ORDER BY day, user, plan, queue LIMIT ?");
  static const UsageRow none;
  const auto& place = after ? *after : none;
  ask.bind(stored(from)).bind(stored(to)).bind(after ? stored(place.day) : -1);
  ask.bind_text(place.user).bind_text(place.plan).bind_text(place.queue).bind(limit_of(limit));
  return collect<UsageRow>(ask);
}

Result<std::vector<JobEventRow>> AcctReader::holds(JobId job) {
  auto ask = db_->use(
      "SELECT * FROM job_event WHERE job = ? AND idx = ? AND event IN ('HOLD', 'RELEASE')"
      " ORDER BY seq, part");
  ask.bind(job.job).bind(job.index);
  return collect<JobEventRow>(ask);
}

Result<AcctRows> AcctReader::lasting() {
  AcctRows rows;
  WM_TRY(rows.seq, last_seq());
  auto held = db_->use("SELECT * FROM allocation WHERE end = 0 ORDER BY job, idx, attempt, task");
  WM_TRY(rows.allocations, collect<AllocationRow>(held));
  auto tries = db_->use("SELECT * FROM attempt WHERE ended = 0 ORDER BY job, idx, attempt");
  WM_TRY(rows.attempts, collect<AttemptRow>(tries));
  auto hosts = db_->use("SELECT * FROM host_span WHERE until = 0 ORDER BY host");
  WM_TRY(rows.hosts, collect<HostSpanRow>(hosts));
  auto gpus = db_->use("SELECT * FROM gpu_span WHERE until = 0 ORDER BY host, uuid");
  WM_TRY(rows.gpus, collect<GpuSpanRow>(gpus));
  auto plans = db_->use("SELECT * FROM plan_span WHERE until = 0 ORDER BY path");
  WM_TRY(rows.plans, collect<PlanSpanRow>(plans));
  return rows;
}

Result<Seq> AcctReader::last_seq() {
  WM_TRY(auto last, db_->number("SELECT last_seq FROM mark"));
  return Seq{static_cast<std::uint64_t>(last)};
}

}  // namespace wm::store
