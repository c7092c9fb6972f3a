#include "libwm/store/acct/acct_sums.h"

#include "libwm/store/acct/acct_columns.h"

namespace wm::store {
namespace {

bool counts_alike(const JobRow& a, const JobRow& b) {
  return key_of(a) == key_of(b) && a.submitted == b.submitted && a.dispatched == b.dispatched &&
         a.started == b.started && a.ended == b.ended && a.cpu == b.cpu &&
         a.slot_time == b.slot_time && a.gpu_time == b.gpu_time &&
         a.gpu_energy_mj == b.gpu_energy_mj;
}

constexpr const char* kOne =
    "SELECT * FROM job_sum WHERE user = ? AND since = ? AND plan = ? AND queue = ? AND project = ?"
    " AND app = ? AND done = ?";
constexpr const char* kPut =
    "INSERT OR REPLACE INTO job_sum VALUES "
    "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
    "?,?,?,?,?,?,?,?,?,?)";
constexpr const char* kDrop =
    "DELETE FROM job_sum WHERE user = ? AND since = ? AND plan = ? AND queue = ? AND project = ?"
    " AND app = ? AND done = ?";
constexpr const char* kPromise =
    "SELECT to_n FROM job_event WHERE job = ? AND idx = ? AND event = 'PROMISE_ERROR'"
    " ORDER BY seq DESC, part DESC LIMIT 1";

void bind(Statement& s, const SumKey& key) {
  s.bind_text(key.user).bind(key.since).bind_text(key.plan).bind_text(key.queue);
  s.bind_text(key.project).bind_text(key.app).bind(std::int64_t{key.done});
}

void bind(Statement& s, const AcctSum& sum) {
  s.bind(sum.jobs).bind(sum.ran);
  for (const auto* spread : {&sum.cpu, &sum.wait, &sum.around, &sum.run, &sum.hog, &sum.expansion})
    s.bind(spread->sum).bind(spread->most).bind(spread->least);
  s.bind(sum.slot_time).bind(sum.gpu_time).bind(sum.first_end).bind(sum.last_end);
  for (auto n : sum.promises) s.bind(n);
  s.bind(sum.gpu_energy_mj);
}

}  // namespace

SumKey key_of(const JobRow& job) {
  auto end = stored(job.ended);
  return {job.user, end - end % kSumLength, job.plan, job.queue, job.project,
          job.app,  job.state == "finished"};
}

void read(Columns c, SumRow& row) {
  row.key.user = c.text();
  row.key.since = c.number();
  for (auto* text : {&row.key.plan, &row.key.queue, &row.key.project, &row.key.app})
    *text = c.text();
  row.key.done = c.number() != 0;
  auto& sum = row.sum;
  sum.jobs = c.number(), sum.ran = c.number();
  sum.done = row.key.done ? sum.jobs : 0;
  for (auto* spread : {&sum.cpu, &sum.wait, &sum.around, &sum.run, &sum.hog, &sum.expansion})
    for (auto* n : {&spread->sum, &spread->most, &spread->least}) *n = c.number();
  for (auto* n : {&sum.slot_time, &sum.gpu_time, &sum.first_end, &sum.last_end}) *n = c.number();
  for (auto& n : sum.promises) n = c.number();
  sum.gpu_energy_mj = c.number();
}

Result<AcctFigures> counted(Connection& db, const JobRow& job) {
  AcctFigures figures;
  figures.submitted = job.submitted, figures.dispatched = job.dispatched;
  figures.started = job.started, figures.ended = job.ended;
  figures.cpu = job.cpu, figures.slot_time = job.slot_time, figures.gpu_time = job.gpu_time;
  figures.gpu_energy_mj = job.gpu_energy_mj;
  figures.done = job.state == "finished";
  auto ask = db.use(kPromise);
  ask.bind(job.id.job).bind(job.id.index);
  WM_TRY(bool promised, ask.step());
  if (promised) figures.promise_error = std::chrono::seconds(ask.number(0));
  return figures;
}

Result<void> JobSums::begin(const std::vector<JobRow>& jobs) {
  fresh_.clear(), again_.clear();
  std::map<JobId, const JobRow*> newest;
  for (const auto& job : jobs) newest[job.id] = &job;
  for (const auto& [id, job] : newest) WM_TRY(look(*job));
  return {};
}

// If the job's row tells of an end already, makes the sums before and after again.
Result<void> JobSums::look(const JobRow& job) {
  bool ends = job.ended != WallTime{};
  auto ask = db_.use("SELECT * FROM job WHERE job = ? AND idx = ? AND ended > 0");
  ask.bind(job.id.job).bind(job.id.index);
  WM_TRY(bool ended, ask.step());
  if (!ended) {
    if (ends) fresh_.push_back(job);
    return {};
  }
  JobRow before;
  read(Columns(ask), before);
  if (ends && counts_alike(before, job)) return {};
  again_.insert(key_of(before));
  if (ends) again_.insert(key_of(job));
  return {};
}

Result<void> JobSums::add_to(Sums& sums, const JobRow& job) {
  WM_TRY(auto figures, counted(db_, job));
  add(sums[key_of(job)], figures);
  return {};
}

Result<void> JobSums::end() {
  Sums more;
  for (const auto& job : fresh_)
    if (!again_.count(key_of(job))) WM_TRY(add_to(more, job));
  WM_TRY(write(more, false));
  if (again_.empty()) return {};
  WM_TRY(auto whole, made_again());
  return write(whole, true);
}

Result<JobSums::Sums> JobSums::made_again() {
  Sums sums;
  for (const auto& key : again_) {
    sums[key];
    auto ask = db_.use(
        "SELECT * FROM job INDEXED BY job_ended_by_user WHERE user = ?"
        " AND ended >= ? AND ended < ? AND ended > 0");  // the first lower bound is the one used
    ask.bind_text(key.user).bind(key.since).bind(key.since + kSumLength);
    for (;;) {
      WM_TRY(bool row, ask.step());
      if (!row) break;
      JobRow job;
      read(Columns(ask), job);
      if (key_of(job) == key) WM_TRY(add_to(sums, job));
    }
  }
  return sums;
}

// `whole`: in place of what is there, else besides.
Result<void> JobSums::write(const Sums& sums, bool whole) {
  for (const auto& [key, more] : sums) {
    SumRow row{key, {}};
    if (!whole) {
      auto ask = db_.use(kOne);
      bind(ask, key);
      WM_TRY(bool there, ask.step());
      if (there) read(Columns(ask), row);
    }
    merge(row.sum, more);
    auto put = db_.use(row.sum.jobs ? kPut : kDrop);
    bind(put, key);
    if (row.sum.jobs) bind(put, row.sum);
    WM_TRY(put.run());
  }
  return {};
}

Result<void> JobSums::fill() {
  WM_TRY(auto filled, db_.number("SELECT sums FROM mark"));
  if (filled) return {};
  Transaction whole(db_);
  WM_TRY(whole.begin());
  Sums sums;
  {
    auto ask = db_.use("SELECT * FROM job WHERE ended > 0");
    for (;;) {
      WM_TRY(bool row, ask.step());
      if (!row) break;
      JobRow job;
      read(Columns(ask), job);
      WM_TRY(add_to(sums, job));
    }
  }
  WM_TRY(db_.exec("DELETE FROM job_sum"));
  WM_TRY(write(sums, true));
  WM_TRY(db_.exec("UPDATE mark SET sums = 1"));
  return whole.commit();
}

}  // namespace wm::store
