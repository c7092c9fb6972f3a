#include "daemons/wmasterd/acct_query.h"

#include <algorithm>
#include <map>
#include <sstream>

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
  query.ended_from = std::max(request.ended_from, WallTime(kTick));
  query.ended_to = bound(request.ended_to);
  return query;
}

// "name", "name*", "*name", "*name*".
bool fits_name(const std::string& wanted, const std::string& name) {
  bool front = wanted.starts_with('*'), back = wanted.size() > 1 && wanted.ends_with('*');
  auto core = wanted.substr(front, wanted.size() - front - back);
  if (front && back) return name.find(core) != name.npos;
  if (front) return name.ends_with(core);
  return back ? name.starts_with(core) : name == core;
}

bool ran_on(const store::JobRow& row, const std::string& host) {
  std::istringstream hosts(row.exec_hosts);
  for (std::string name; hosts >> name;)
    if (name == host) return true;
  return false;
}

bool is_asked(const std::vector<JobId>& ids, JobId id) {
  return ids.empty() || std::any_of(ids.begin(), ids.end(), [&](JobId asked) {
           return asked.job == id.job && (asked.index == 0 || asked.index == id.index);
         });
}

bool fits(const AcctRequest& request, const store::JobRow& row) {
  const auto& jobs = request.jobs;
  bool done = row.state == state_name(JobState::Finished);
  if (done ? !request.done : !request.exited) return false;
  if (!is_asked(jobs.ids, row.id)) return false;
  if (!jobs.name.empty() && !fits_name(jobs.name, row.name)) return false;
  if (!jobs.host.empty() && !ran_on(row, jobs.host)) return false;
  bool dated = request.dispatched_from != WallTime{} || request.dispatched_to != WallTime{};
  if (!dated) return true;
  return row.dispatched != WallTime{} && row.dispatched >= request.dispatched_from &&
         (request.dispatched_to == WallTime{} || row.dispatched < request.dispatched_to);
}

AcctJob job_of(const store::JobRow& row) {
  AcctJob job;
  job.id = row.id;
  job.user = row.user;
  job.name = row.name;
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
  job.slot_time = row.slot_time;
  job.max_mem = row.max_mem;
  return job;
}

// Ids rise: rows before the lowest asked one need not be read, nor those after the highest.
JobId first_after(const AcctRequest& request) {
  if (request.after || request.jobs.ids.empty()) return request.after;
  auto lowest = std::min_element(request.jobs.ids.begin(), request.jobs.ids.end())->job;
  return JobId{lowest - 1, ~0u};
}

bool is_beyond(const AcctRequest& request, JobId id) {
  const auto& ids = request.jobs.ids;
  return !ids.empty() && id.job > std::max_element(ids.begin(), ids.end())->job;
}

// How much later (+) or earlier (-) than first promised the last attempts of these jobs began.
Result<std::map<JobId, Duration>> promise_errors(store::AcctReader& reader,
                                                 const std::vector<store::JobRow>& rows) {
  std::map<JobId, Duration> errors;
  if (rows.empty()) return errors;
  WM_TRY(auto lines, reader.events_named("PROMISE_ERROR", rows.front().id, rows.back().id));
  for (const auto& line : lines) errors[line.job] = std::chrono::seconds(line.to);
  return errors;
}

}  // namespace

Result<AcctReply> read_account(store::AcctReader& reader, const AcctRequest& request) {
  AcctReply reply;
  JobId after = first_after(request);
  for (std::size_t looked = 0; looked < kMostLooked; looked += kChunk) {
    WM_TRY(auto rows, reader.jobs(query_of(request), after, kChunk));
    WM_TRY(auto errors, promise_errors(reader, rows));
    for (const auto& row : rows) {
      if (is_beyond(request, row.id)) return reply;
      if (!fits(request, row)) continue;
      AcctJob& job = reply.jobs.emplace_back(job_of(row));
      if (auto error = errors.find(row.id); error != errors.end())
        job.promise_error = error->second;
    }
    if (rows.size() < kChunk) return reply;
    after = rows.back().id;
    if (reply.jobs.size() >= kChunk) break;
  }
  reply.next = after;
  return reply;
}

}  // namespace wm::master
