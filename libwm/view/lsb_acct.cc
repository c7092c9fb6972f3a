#include "libwm/view/lsb_acct.h"

#include <algorithm>
#include <cstdlib>

namespace wm::view {
namespace {

/// Fields of a line: texts in quotes, in which two quotes are one, and numbers.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}
  std::string next() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    failed_ = failed_ || rest_.empty();
    std::string text;
    if (!rest_.starts_with('"')) {
      auto end = std::min(rest_.find(' '), rest_.size());
      text = rest_.substr(0, end);
      rest_.remove_prefix(end);
      return text;
    }
    rest_.remove_prefix(1);
    for (; !rest_.empty(); rest_.remove_prefix(1)) {
      if (rest_[0] == '"' && !rest_.starts_with("\"\"")) {
        rest_.remove_prefix(1);
        return text;
      }
      if (rest_[0] == '"') rest_.remove_prefix(1);
      text += rest_[0];
    }
    failed_ = true;
    return text;
  }
  double number() { return std::strtod(next().c_str(), nullptr); }
  std::uint32_t small() { return static_cast<std::uint32_t>(std::max(0.0, number())); }
  WallTime time() { return WallTime(std::chrono::seconds(static_cast<std::int64_t>(number()))); }
  void skip(int fields) {
    for (; fields > 0; --fields) next();
  }
  std::string list() {
    std::string names;
    for (auto n = small(); n > 0 && !failed_; --n) names += (names.empty() ? "" : " ") + next();
    return names;
  }
  bool failed() const { return failed_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

constexpr int kDone = 64;

// What follows its first two fields.
AcctJob job_of(Fields& f) {
  AcctJob job;
  job.ended = f.time(), job.id.job = f.small();
  f.skip(2);  // uid, options
  job.slots = f.small(), job.submitted = f.time();
  f.skip(2);  // begin, end
  job.started = job.dispatched = f.time();
  job.user = f.next(), job.queue = f.next();
  f.skip(3);  // what it required, its dependency, its pre-execution command
  job.submit_host = f.next(), job.cwd = f.next();
  f.skip(4);  // files
  f.list();
  job.exec_hosts = f.list();
  bool done = f.small() == kDone;
  job.state = state_name(done ? JobState::Finished : JobState::Failed);
  f.skip(1);  // the host's speed
  job.name = f.next(), job.command = f.next();
  auto user_s = f.number(), system_s = f.number();
  job.cpu =
      Duration(static_cast<std::int64_t>((std::max(0.0, user_s) + std::max(0.0, system_s)) * 1e6));
  f.skip(17);  // the rest of its usage
  f.skip(1);   // where mail goes
  job.project = f.next();
  job.exit_status = static_cast<std::int32_t>(f.number());
  job.slots = std::max(f.small(), job.slots);
  f.skip(2);  // shell, time event
  job.id.index = f.small();
  job.max_mem = Bytes{std::int64_t{f.small()} << 10};
  auto ran = job.started == WallTime{} ? Duration{} : job.ended - job.started;
  auto tasks = 1 + std::count(job.exec_hosts.begin(), job.exec_hosts.end(), ' ');
  job.slot_time = job.exec_hosts.empty() ? Duration{} : ran * tasks;
  job.attempt = 1;
  return job;
}

bool fits(const std::string& wanted, const std::string& there) {
  return wanted.empty() || wanted == there;
}

bool fits_name(std::string_view wanted, std::string_view name) {
  bool before = wanted.starts_with('*'), after = wanted.size() > 1 && wanted.ends_with('*');
  if (before) wanted.remove_prefix(1);
  if (after) wanted.remove_suffix(1);
  if (before && after) return name.find(wanted) != name.npos;
  if (before) return name.ends_with(wanted);
  return after ? name.starts_with(wanted) : wanted.empty() || name == wanted;
}

bool in_range(WallTime from, WallTime to, WallTime at) {
  if (from == WallTime{} && to == WallTime{}) return true;
  return at != WallTime{} && at >= from && (to == WallTime{} || at < to);
}

bool ran_on(const AcctJob& job, const std::string& host) {
  return host.empty() || (" " + job.exec_hosts + " ").find(" " + host + " ") != std::string::npos;
}

}  // namespace

Result<std::vector<AcctJob>> jobs_of_lsb(const std::string& name, std::string_view text) {
  std::vector<AcctJob> jobs;
  for (std::size_t number = 1; !text.empty(); ++number) {
    auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with("\"JOB_FINISH\"")) continue;
    Fields fields(line);
    fields.skip(2);
    auto job = job_of(fields);
    if (fields.failed())
      return fail(Code::BadArgument,
                  name + ":" + std::to_string(number) + ": a JOB_FINISH that is cut off");
    jobs.push_back(std::move(job));
  }
  return jobs;
}

bool is_asked(const AcctRequest& request, const AcctJob& job) {
  const auto& asked = request.jobs;
  bool done = job.state == state_name(JobState::Finished);
  if (!(done ? request.done : request.exited)) return false;
  bool named = std::any_of(asked.ids.begin(), asked.ids.end(), [&](JobId id) {
    return id.job == job.id.job && (id.index == 0 || id.index == job.id.index);
  });
  if (asked.ids.empty() ? asked.user != "all" && !fits(asked.user, job.user) : !named) return false;
  return fits(asked.queue, job.queue) && fits(asked.project, job.project) &&
         fits(asked.app, job.app) && fits_name(asked.name, job.name) && ran_on(job, asked.host) &&
         in_range(request.ended_from, request.ended_to, job.ended) &&
         in_range(request.submitted_from, request.submitted_to, job.submitted) &&
         in_range(request.dispatched_from, request.dispatched_to, job.dispatched);
}

}  // namespace wm::view
