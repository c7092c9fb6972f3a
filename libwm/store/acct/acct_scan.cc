#include "libwm/store/acct/acct_scan.h"

#include <sys/stat.h>

#include <algorithm>

#include "libwm/store/acct/acct_columns.h"
#include "libwm/store/acct/acct_schema.h"

namespace wm::store {
namespace {

// Columns of a part and of the attempt that it belongs to; ?1, ?2: the window.
constexpr const char* kPartColumns =
    "SELECT a.job, a.idx, a.host, a.class, a.start, a.end, a.slots, a.milli_cpus, a.gpus, a.gpueq,"
    " a.mem, a.gpu_list, a.task, t.user, t.plan, t.queue, t.project, t.app FROM allocation a"
    " LEFT JOIN attempt t ON t.job = a.job AND t.idx = a.idx AND t.attempt = a.attempt ";

void read(Columns c, ScannedPart& row) {
  row.job = c.job();
  auto& part = row.part;
  part.host = c.text();
  part.use = static_cast<report::Use>(c.number());
  for (auto* amount : {&part.start, &part.end, &part.slots, &part.milli_cpus, &part.gpus,
                       &part.gpueq, &part.mem_mib})
    *amount = c.number();
  part.mem_mib >>= 20;
  part.gpu_list = c.text();
  row.task = c.small();
  for (auto* text : {&row.dim.user, &row.dim.plan, &row.dim.queue, &row.dim.project, &row.dim.app})
    *text = c.text();
}

constexpr const char* kBrief = "SELECT user, plan, queue, project, app, state, ended FROM job ";

void read(Columns c, JobBrief& row) {
  for (auto* text : {&row.dim.user, &row.dim.plan, &row.dim.queue, &row.dim.project, &row.dim.app})
    *text = c.text();
  row.state = c.text();
  row.ended = c.number();
}

}  // namespace

Result<std::unique_ptr<AcctScan>> AcctScan::open(const StoreFiles& files) {
  OpenOptions open;
  open.path = files.dir + "/acct.db";
  open.vfs = files.vfs;
  open.read_only = true;
  struct stat st {};
  if (files.vfs.empty() && ::stat(open.path.c_str(), &st) != 0)
    return fail(Code::NotFound, open.path +
                                    ": no accounting database there: has the master run, and is "
                                    "this its machine and account?");
  WM_TRY(auto db, Connection::open(open));
  WM_TRY(check_version(*db, kAcctSchema));
  return std::unique_ptr<AcctScan>(new AcctScan(std::move(db)));
}

template <class Row>
Result<void> AcctScan::each(Statement& ask, const Tell<Row>& tell) {
  for (;;) {
    WM_TRY(bool there, ask.step());
    if (!there) return {};
    Row row;
    read(Columns(ask), row);
    tell(row);
  }
}

Result<std::int64_t> AcctScan::horizon() { return db_->number("SELECT horizon FROM mark"); }

Result<Seq> AcctScan::last_seq() {
  WM_TRY(auto last, db_->number("SELECT last_seq FROM mark"));
  return Seq{static_cast<std::uint64_t>(last)};
}

Result<std::int64_t> AcctScan::earliest() {
  return db_->number(
      "SELECT coalesce(min(at), 0) FROM (SELECT min(start) AS at FROM allocation"
      " UNION ALL SELECT min(since) FROM host_span UNION ALL SELECT min(submitted) FROM job)");
}

Result<void> AcctScan::parts_into(Window window, const Tell<ScannedPart>& tell) {
  for (const char* those :
       {"WHERE a.end = 0 AND a.start < ?1", "WHERE a.end > ?1 AND a.start < ?1"}) {
    auto ask = db_->use(std::string(kPartColumns) + those);
    ask.bind(window.from);
    WM_TRY(each(ask, tell));
  }
  return {};
}

Result<void> AcctScan::parts_in(Window window, const Tell<ScannedPart>& tell) {
  auto ask =
      db_->use(std::string(kPartColumns) + "WHERE a.start >= ?1 AND a.start < ?2 ORDER BY a.start");
  ask.bind(window.from).bind(window.to);
  return each(ask, tell);
}

Result<void> AcctScan::hosts(Window window, const Tell<HostSpanRow>& tell) {
  auto ask = db_->use(
      "SELECT * FROM host_span WHERE (until = 0 OR until > ?1) AND since < ?2 ORDER BY host, "
      "since");
  ask.bind(window.from).bind(window.to);
  return each(ask, tell);
}

Result<void> AcctScan::gpus(Window window, const Tell<GpuSpanRow>& tell) {
  auto ask = db_->use(
      "SELECT * FROM gpu_span WHERE (until = 0 OR until > ?1) AND since < ?2"
      " ORDER BY host, uuid, since");
  ask.bind(window.from).bind(window.to);
  return each(ask, tell);
}

Result<void> AcctScan::plans(Window window, const Tell<PlanSpanRow>& tell) {
  auto ask = db_->use(
      "SELECT * FROM plan_span WHERE (until = 0 OR until > ?1) AND since < ?2 ORDER BY path, "
      "since");
  ask.bind(window.from).bind(window.to);
  return each(ask, tell);
}

Result<void> AcctScan::dispatched(Window window, const Tell<AttemptRow>& tell) {
  auto ask = db_->use(
      "SELECT * FROM attempt WHERE dispatched >= ? AND dispatched < ? ORDER BY dispatched");
  ask.bind(window.from).bind(window.to);
  return each(ask, tell);
}

Result<void> AcctScan::ended(Window window, const Tell<AttemptRow>& tell) {
  auto ask = db_->use("SELECT * FROM attempt WHERE ended >= ? AND ended < ? ORDER BY ended");
  ask.bind(std::max<std::int64_t>(window.from, 1)).bind(window.to);
  return each(ask, tell);
}

Result<void> AcctScan::jobs_ended(Window window, const Tell<JobBrief>& tell) {
  auto ask = db_->use(std::string(kBrief) + "WHERE ended >= ? AND ended < ?");
  ask.bind(std::max<std::int64_t>(window.from, 1)).bind(window.to);
  return each(ask, tell);
}

Result<void> AcctScan::jobs_submitted(Window window, const Tell<JobBrief>& tell) {
  auto ask = db_->use(std::string(kBrief) + "WHERE submitted >= ? AND submitted < ?");
  ask.bind(window.from).bind(window.to);
  return each(ask, tell);
}

Result<void> AcctScan::waiting(std::int64_t at, const Tell<JobRow>& tell) {
  auto ask = db_->use(
      "SELECT * FROM job WHERE ended = 0 AND submitted <= ?1 AND (attempt = 0 OR dispatched > ?1)"
      " AND state IN ('pending', 'held') ORDER BY job, idx");
  ask.bind(at);
  return each(ask, tell);
}

Result<void> AcctScan::jobs_of(const std::string& user, Window window, const Tell<JobRow>& tell) {
  auto ask = db_->use(
      "SELECT * FROM job INDEXED BY job_by_user WHERE user = ?1 AND submitted < ?3"
      " AND (ended = 0 OR ended >= ?2) ORDER BY job, idx");
  ask.bind_text(user).bind(window.from).bind(window.to);
  return each(ask, tell);
}

Result<std::optional<JobRow>> AcctScan::job(JobId id) {
  std::optional<JobRow> found;
  auto ask = db_->use("SELECT * FROM job WHERE job = ? AND idx = ?");
  ask.bind(id.job).bind(id.index);
  WM_TRY(each(ask, Tell<JobRow>([&](const JobRow& row) { found = row; })));
  return found;
}

Result<void> AcctScan::parts_of(JobId id, const Tell<AllocationRow>& tell) {
  auto ask = db_->use(
      "SELECT * FROM allocation WHERE job = ? AND idx = ? ORDER BY attempt, start, task, part");
  return each(ask.bind(id.job).bind(id.index), tell);
}

Result<void> AcctScan::attempts_of(JobId id, const Tell<AttemptRow>& tell) {
  auto ask = db_->use("SELECT * FROM attempt WHERE job = ? AND idx = ? ORDER BY attempt");
  return each(ask.bind(id.job).bind(id.index), tell);
}

Result<void> AcctScan::epochs_of(JobId id, const Tell<JobEventRow>& tell) {
  auto ask = db_->use(
      "SELECT * FROM job_event WHERE job = ? AND idx = ? AND event = 'EPOCH' ORDER BY seq, part");
  return each(ask.bind(id.job).bind(id.index), tell);
}

Result<void> AcctScan::lines(Word word, Window window, const Tell<JobEventRow>& tell) {
  constexpr const char* kWords[] = {"RESIZE", "EPOCH", "PROMISE_ERROR"};
  // As a literal: the index is of this word's lines alone.
  auto ask = db_->use(std::string("SELECT * FROM job_event WHERE event = '") +
                      kWords[static_cast<int>(word)] +
                      "' AND time >= ? AND time < ? ORDER BY time, job, idx, seq, part");
  ask.bind(window.from).bind(window.to);
  return each(ask, tell);
}

}  // namespace wm::store
