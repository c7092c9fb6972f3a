#include "daemons/wmasterd/acct/acct_query.h"

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

#include "daemons/wmasterd/acct/account_sums.h"
#include "daemons/wmasterd/acct/history.h"
#include "daemons/wmasterd/verbs/portion.h"
#include "daemons/wmasterd/verbs/selection.h"

namespace wm::master {
namespace {

constexpr std::size_t kChunk = 1000;
constexpr std::size_t kMostLooked = 20'000;
constexpr Duration kTick{1};  // "has ended" is any time but the epoch itself

std::optional<WallTime> bound(WallTime time) {
  return time == WallTime{} ? std::nullopt : std::optional(time);
}

store::JobQuery query_of(const AcctRequest& request) {
  const auto& jobs = request.jobs;
  store::JobQuery query;
  if (jobs.ids.empty() && jobs.user != "all") query.user = jobs.user;
  query.queue = jobs.queue;
  query.project = jobs.project;
  query.app = jobs.app;
  query.submitted_from = bound(request.submitted_from);
  query.submitted_to = bound(request.submitted_to);
  query.ended_from = bound(request.ended_from);
  query.ended_to = bound(request.ended_to);
  return query;
}

JobState state_in(const store::JobRow& row) {
  for (auto state : {JobState::Held, JobState::Launching, JobState::Running, JobState::Unknown,
                     JobState::Finished, JobState::Failed, JobState::Killed, JobState::Error,
                     JobState::Suspended})
    if (row.state == state_name(state)) return state;
  return JobState::Pending;
}

bool ran_on(const store::JobRow& row, const std::string& host) {
  std::istringstream hosts(row.exec_hosts);
  for (std::string name; hosts >> name;)
    if (name == host) return true;
  return false;
}

bool fits_dispatch(const AcctRequest& request, WallTime at) {
  if (request.dispatched_from == WallTime{} && request.dispatched_to == WallTime{}) return true;
  return at != WallTime{} && at >= request.dispatched_from &&
         (request.dispatched_to == WallTime{} || at < request.dispatched_to);
}

bool fits(const AcctRequest& request, const store::JobRow& row) {
  const auto& jobs = request.jobs;
  auto state = state_in(row);
  if (is_over(state) && !(state == JobState::Finished ? request.done : request.exited))
    return false;
  if (!fits_name(jobs.name, row.name) && !fits_name(jobs.name, name_of(row))) return false;
  if (!jobs.host.empty() && !ran_on(row, jobs.host)) return false;
  auto is_of = [](const std::string& asked, const std::string& own) {
    return asked.empty() || asked == own;
  };
  if (!is_of(jobs.service_class, row.service_class)) return false;
  if (!is_of(jobs.reservation, row.reservation)) return false;
  return fits_state(jobs, state) && fits_dispatch(request, row.dispatched);
}

// Visits rows that fit, as each_selected does jobs; it ends after kMostLooked, too.
class Walk {
 public:
  /// False: this row was not taken.
  using Visit = std::function<Result<bool>(const store::JobRow&)>;

  Walk(store::AcctReader& reader, const AcctRequest& request, store::JobQuery query)
      : reader_(reader), request_(request), query_(std::move(query)) {}

  Result<Walked> each(const Visit& visit) {
    Walked walked;
    const auto& jobs = request_.jobs;
    last_ = jobs.after;
    if (jobs.ids.empty()) {
      WM_TRY(bool all, range(last_, {~0u, ~0u}, visit));
      if (!all) walked.rest = rest_of(jobs, 0, last_);
      return walked;
    }
    for (std::size_t i = 0; i < jobs.ids.size(); ++i) {
      found_ = last_.job != 0;
      WM_TRY(bool all, one_id(jobs.ids[i], visit));
      if (!all) {
        walked.rest = rest_of(jobs, i, last_);
        return walked;
      }
      if (!found_) walked.missing.push_back(jobs.ids[i]);
      last_ = {};
    }
    return walked;
  }

 private:
  // 123 means the whole array: every row that has that number in its id.
  Result<bool> one_id(JobId id, const Visit& visit) {
    if (id.index) return range({id.job, id.index - 1}, id, visit);
    return range(last_ ? last_ : JobId{id.job - 1, ~0u}, {id.job, ~0u}, visit);
  }

  Result<bool> range(JobId after, JobId last, const Visit& visit) {
    query_.last = last;
    for (;;) {
      WM_TRY(auto rows, reader_.jobs(query_, after, kChunk));
      for (const auto& row : rows) {
        found_ = true;
        if (looked_++ == kMostLooked) return false;
        if (fits(request_, row)) {
          WM_TRY(bool taken, visit(row));
          if (!taken) return false;
        }
        last_ = after = row.id;
      }
      if (rows.size() < kChunk) return true;
    }
  }

  store::AcctReader& reader_;
  const AcctRequest& request_;
  store::JobQuery query_;
  JobId last_;  // looked at, or without ids had by the asker
  bool found_ = false;
  std::size_t looked_ = 0;
};

// What happened to jobs. Until an element begins, that is what happened to its array.
class Histories {
 public:
  explicit Histories(store::AcctReader& reader) : reader_(reader) {}

  Result<HistoryJob> of(const store::JobRow& row) {
    WM_TRY(auto events, read(row.id));
    if (row.id.index == 0) return history_of(row, events);
    if (array_ != row.id.job) {
      WM_TRY(of_array_, read({row.id.job, 0}));
      array_ = row.id.job;
    }
    auto begun = events.empty() ? of_array_.end()
                                : std::ranges::upper_bound(of_array_, events.front().seq, {},
                                                           &store::JobEventRow::seq);
    events.insert(events.begin(), of_array_.begin(), begun);
    return history_of(row, events);
  }

 private:
  Result<std::vector<store::JobEventRow>> read(JobId job) {
    std::vector<store::JobEventRow> events;
    for (;;) {
      WM_TRY(auto more, reader_.job_events(job, events.empty() ? nullptr : &events.back(), kChunk));
      events.insert(events.end(), more.begin(), more.end());
      if (more.size() < kChunk) return events;
    }
  }

  store::AcctReader& reader_;
  std::uint32_t array_ = 0;
  std::vector<store::JobEventRow> of_array_;
};

AcctJob acct_job_of(const store::JobRow& row) {
  AcctJob job;
  job.id = row.id;
  job.user = row.user;
  job.name = name_of(row);
  job.queue = row.queue;
  job.app = row.app;
  job.plan = row.plan;
  job.project = row.project;
  job.command = row.command;
  job.cwd = row.cwd;
  job.submit_host = row.submit_host;
  job.exec_hosts = row.exec_hosts;
  job.state = row.state;
  job.reason = row.reason;
  job.submitted = row.submitted;
  job.dispatched = row.dispatched;
  job.started = row.started;
  job.ended = row.ended;
  job.exit_status = row.exit_status;
  job.term = static_cast<Term>(row.term);
  job.attempt = row.attempt.value;
  job.resizes = row.resizes;
  job.cpu = row.cpu;
  job.slots = row.slots;
  job.milli_gpus = static_cast<std::uint32_t>(row.gpus);
  job.slot_time = row.slot_time;
  job.gpu_time = row.gpu_time;
  job.max_mem = row.max_mem;
  job.gpu_energy_mj = row.gpu_energy_mj;
  return job;
}

// How much later (+) or earlier (-) than first promised the last attempts of these jobs began.
Result<void> add_promise_errors(store::AcctReader& reader, std::vector<AcctJob>& jobs) {
  if (jobs.empty()) return {};
  auto [first, last] = std::ranges::minmax_element(jobs, {}, &AcctJob::id);
  WM_TRY(auto lines, reader.events_named("PROMISE_ERROR", first->id, last->id));
  std::map<JobId, Duration> errors;
  for (const auto& line : lines) errors[line.job] = std::chrono::seconds(line.to);
  for (auto& job : jobs)
    if (auto error = errors.find(job.id); error != errors.end()) job.promise_error = error->second;
  return {};
}

}  // namespace

Result<HistoryReply> read_history(store::AcctReader& reader, const AcctRequest& request) {
  HistoryReply reply;
  Portion portion;
  Histories histories(reader);
  auto take = [&](const store::JobRow& row) -> Result<bool> {
    WM_TRY(auto job, histories.of(row));
    if (!portion.takes_value(job)) return false;
    reply.jobs.push_back(std::move(job));
    return true;
  };
  auto query = query_of(request);
  if (request.jobs.ids.empty() && !request.jobs.finished) {  // nothing else is read then
    query.ended_from = WallTime{};
    query.ended_to = WallTime(kTick);
  }
  WM_TRY(auto walked, Walk(reader, request, std::move(query)).each(take));
  reply.missing = std::move(walked.missing);
  reply.rest = std::move(walked.rest);
  return reply;
}

Result<AcctReply> read_account(store::AcctReader& reader, const AcctRequest& asked) {
  AcctReply reply;
  Portion portion;
  auto request = asked;
  request.jobs.unfinished = false;
  request.jobs.finished = true;
  auto query = query_of(request);
  query.ended_from = std::max(request.ended_from, WallTime(kTick));
  if (is_of_sums(request)) {
    WM_TRY(auto sums, read_sums(reader, request));
    if (sums) reply.sums = std::move(*sums);
    if (sums) return reply;
  }
  auto take = [&](const store::JobRow& row) -> Result<bool> {
    auto job = acct_job_of(row);
    if (!portion.takes_value(job)) return false;
    reply.jobs.push_back(std::move(job));
    return true;
  };
  WM_TRY(auto walked, Walk(reader, request, std::move(query)).each(take));
  WM_TRY(add_promise_errors(reader, reply.jobs));
  reply.rest = std::move(walked.rest);
  return reply;
}

}  // namespace wm::master
