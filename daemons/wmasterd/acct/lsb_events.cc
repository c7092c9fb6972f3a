// lsb_events: what its header promises, field by field in LSF's order.
#include "daemons/wmasterd/acct/lsb_events.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "daemons/wmasterd/verbs/selection.h"
#include "libwm/base/log.h"
#include "libwm/fsm/fsm.h"
#include "libwm/proc/channel.h"

namespace wm::master {
namespace {

// @source LSF lsbatch.h: states as their bits
constexpr int kPend = 1, kPsusp = 2, kRun = 4, kSsusp = 8, kUsusp = 16, kExit = 32, kDone = 64,
              kUnknown = 65536;
constexpr std::size_t kMostWaitingBytes = 64u << 20;

// A record is one line of fields with blanks between them.
class Record {
 public:
  Record(const char* kind, WallTime time) { text(kind).text("10.1").time(time); }
  Record& text(const std::string& value) {
    line_ += line_.empty() ? "\"" : " \"";
    for (char c : value) {
      if (c == '\n') line_ += "\\n";
      else if (c == '"') line_ += "\"\"";
      else line_ += c;
    }
    line_ += '"';
    return *this;
  }
  Record& number(std::int64_t value) {
    line_ += " " + std::to_string(value);
    return *this;
  }
  Record& numbers(std::int64_t value, int times) {
    while (times-- > 0) number(value);
    return *this;
  }
  Record& real(double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, " %.4f", value);
    line_ += digits;
    return *this;
  }
  Record& time(WallTime at) { return number(seconds(at.time_since_epoch())); }
  Record& list(const std::vector<std::string>& values) {
    number(static_cast<std::int64_t>(values.size()));
    for (const auto& value : values) text(value);
    return *this;
  }
  std::string line() const { return line_ + "\n"; }

  static std::int64_t seconds(Duration d) {
    return std::chrono::duration_cast<std::chrono::seconds>(d).count();
  }

 private:
  std::string line_;
};

std::int64_t kilobytes(Bytes bytes) { return bytes.value > 0 ? bytes.value / 1024 : -1; }
std::int64_t or_none(std::int64_t value) { return value > 0 ? value : -1; }

int state_bits(const Job& job) {
  switch (job.state) {
    case JobState::Held: return kPsusp;
    case JobState::Launching:
    case JobState::Running: return kRun;
    case JobState::Suspended: return job.parked ? kSsusp : kUsusp;
    case JobState::Unknown: return kUnknown;
    case JobState::Finished: return kDone;
    case JobState::Failed:
    case JobState::Killed:
    case JobState::Error: return kExit;
    case JobState::Pending:
    case JobState::Array: break;
  }
  return kPend;
}

// "train[1-10:2,20]%4"
std::string name_of_new(const JobSpec& spec) {
  if (spec.array.empty()) return spec.name;
  std::string ranges;
  for (const auto& range : spec.array) {
    ranges += (ranges.empty() ? "" : ",") + std::to_string(range.from);
    if (range.to != range.from) ranges += "-" + std::to_string(range.to);
    if (range.step != 1) ranges += ":" + std::to_string(range.step);
  }
  auto limit = spec.array_limit ? "%" + std::to_string(spec.array_limit) : "";
  return spec.name + "[" + ranges + "]" + limit;
}

std::string name_of_one(const Job& job, JobId id) {
  return job.spec().name + (id.index ? "[" + std::to_string(id.index) + "]" : "");
}

// @source LSF lsf.h: LSF_RLIMIT_CPU, FSIZE, DATA, STACK, CORE, RSS, NOFILE, OPEN_MAX, VMEM, RUN,
// PROCESS
void add_limits(Record& record, const JobSpec& spec) {
  const auto& limits = spec.limits;
  auto core = limits.core ? limits.core->value / 1024 : -1;
  record.number(or_none(Record::seconds(limits.cpu))).number(kilobytes(limits.file));
  record.number(kilobytes(limits.data)).number(kilobytes(limits.stack)).number(core);
  record.number(kilobytes(limits.mem)).numbers(-1, 2);  // files that are open: no limit of ours
  record.number(kilobytes(limits.swap)).number(or_none(Record::seconds(spec.run_limit)));
  record.number(or_none(limits.processes));
}

std::string new_line(const Event& event, const Job& job) {
  const JobSpec& spec = job.spec();
  Record record("JOB_NEW", event.time);
  record.number(job.id.job).number(spec.owner.uid).number(0).number(spec.min_tasks);
  record.time(job.times.submitted).time(spec.when.begin).time(spec.when.deadline).numbers(0, 3);
  record.text(spec.owner.user);
  add_limits(record, spec);
  record.text("").real(1).number(spec.program.umask).text(spec.queue).text(spec.asked.resreq);
  record.text(spec.program.submit_host)
      .text(spec.program.cwd)
      .text("")
      .text(spec.files.in)
      .text(spec.files.out);
  record.text(spec.files.err)
      .text(spec.program.home)
      .text("")
      .list(spec.asked.hosts)
      .text(spec.when.depend);
  record.text(spec.side.pre).text(name_of_new(spec)).text(spec.program.command);
  record.number(0).text(spec.mail.to).text(spec.project).number(0).number(spec.max_tasks);
  record.text("").text(spec.program.shell).text("").text("").text("").numbers(0, 2);
  record.text("").text("").text("").number(spec.user_priority).text("").text("").text("");
  record.text("")
      .text(spec.side.warn_action)
      .number(Record::seconds(spec.side.warn_time))
      .number(-1);
  return record.text("").number(0).text(spec.app).line();
}

// The host of each slot.
template <class TaskList>
std::vector<std::string> hosts_of(const Cluster& cluster, const TaskList& tasks) {
  std::vector<std::string> names;
  for (const Task& task : tasks)
    if (const Host* host = cluster.hosts.find(task.host.value)) names.push_back(host->name);
  return names;
}

std::string start_line(const Event& event, const JobDispatched& e, const Cluster& after) {
  Record record("JOB_START", event.time);
  record.number(e.job.job).number(kRun).numbers(0, 2).real(1).list(hosts_of(after, e.tasks));
  record.text("").text("").number(0).text("").number(e.job.index).text("").number(0);
  return record.number(0).line();
}

std::string status_line(const Event& event, const Job& job, JobId id, int state) {
  Record record("JOB_STATUS", event.time);
  record.number(id.job).number(state).numbers(0, 2);
  bool over = state == kDone || state == kExit;
  record.real(over ? std::chrono::duration<double>(job.usage.cpu).count() : 0);
  record.time(over ? job.times.ended : WallTime{}).number(0).number(over ? job.outcome.status : 0);
  return record.number(id.index).number(0).line();
}

std::string finish_line(const Event& event, const Job& job, JobId id, const Cluster& after) {
  const JobSpec& spec = job.spec();
  bool done = job.state == JobState::Finished;
  Record record("JOB_FINISH", event.time);
  record.number(id.job).number(spec.owner.uid).number(0).number(spec.min_tasks);
  record.time(job.times.submitted)
      .time(spec.when.begin)
      .time(spec.when.deadline)
      .time(job.times.started);
  record.text(spec.owner.user).text(spec.queue).text(spec.asked.resreq).text(spec.when.depend);
  record.text(spec.side.pre)
      .text(spec.program.submit_host)
      .text(spec.program.cwd)
      .text(spec.files.in);
  record.text(spec.files.out).text(spec.files.err).text("").list(spec.asked.hosts);
  record.list(hosts_of(after, job.tasks)).number(done ? kDone : kExit).real(1);
  record.text(name_of_one(job, id)).text(spec.program.command);
  record.real(std::chrono::duration<double>(job.usage.cpu).count()).numbers(-1, 18);
  record.text(spec.mail.to).text(spec.project).number(job.outcome.status).number(spec.max_tasks);
  record.text(spec.program.shell).text("").number(id.index).number(job.usage.max_mem.value / 1024);
  record.number(0).text("").text("").text("").text("").number(0).text("").number(0);
  return record.line();
}

// Several events of one batch may have brought about what is there after it: that is told once.
class Lines {
 public:
  explicit Lines(const Cluster& after) : after_(after) {}

  void tell(const Event& event) {
    JobId id = job_of(event.body);
    const Job* job = id ? find_job(after_, id) : nullptr;
    if (!job) return;
    std::visit([&](const auto& e) { tell(event, *job, e); }, event.body);
  }
  std::string take() { return std::move(text_); }

 private:
  void tell(const Event& event, const Job& job, const JobSubmitted&) {
    text_ += new_line(event, job);
  }
  void tell(const Event& event, const Job&, const JobDispatched& e) {
    text_ += start_line(event, e, after_);
  }
  void tell(const Event& event, const Job& job, const JobHeld& e) {
    text_ += status_line(event, job, e.job, kPsusp);
  }
  void tell(const Event& event, const Job& job, const JobReleased& e) {
    text_ += status_line(event, job, e.job, kPend);
  }
  void tell(const Event& event, const Job& job, const JobRequeued& e) {
    text_ += status_line(event, job, e.job, e.hold ? kPsusp : kPend);
  }
  void tell(const Event& event, const Job& job, const JobSuspended& e) {
    text_ += status_line(event, job, e.job, kUsusp);
  }
  void tell(const Event& event, const Job& job, const JobParked& e) {
    text_ += status_line(event, job, e.job, kSsusp);
  }
  void tell(const Event& event, const Job& job, const JobResumed& e) {
    text_ += status_line(event, job, e.job, kRun);
  }
  void tell(const Event& event, const Job& job, const JobUnparked& e) {
    text_ += status_line(event, job, e.job, kRun);
  }
  void tell(const Event& event, const Job& job, const TaskEnded& e) {
    bool waits = job.state == JobState::Pending || job.state == JobState::Held;
    bool over = is_over(job.state) && job.times.ended == event.time;
    if ((!waits && !over) || !told_.insert(e.job).second) return;
    text_ += status_line(event, job, e.job, state_bits(job));
    if (over) text_ += finish_line(event, job, e.job, after_);
  }
  void tell(const Event& event, const Job& job, const KillRequested& e) {
    if (fsm::is_array(job)) return end_range(event, job);
    if (!is_over(job.state) || job.times.ended != event.time || !told_.insert(e.job).second) return;
    text_ += status_line(event, job, e.job, state_bits(job));
    text_ += finish_line(event, job, e.job, after_);
  }
  template <class E>
  void tell(const Event&, const Job&, const E&) {}

  // The elements that had not begun.
  void end_range(const Event& event, const Job& base) {
    for (std::uint32_t p = 0; p < elements_there(base); ++p) {
      if (after_.elements.find(base.elements.first + p)) continue;
      Job element = base;
      element.id = {base.id.job, element_index(base.spec(), p)};
      element.state = state_of(base, element.id);
      element.times.ended = event.time;
      text_ += status_line(event, element, element.id, state_bits(element));
      text_ += finish_line(event, element, element.id, after_);
    }
  }

  const Cluster& after_;
  std::string text_;
  std::set<JobId> told_;
};

Result<void> append(const std::string& path, const std::string& lines, bool open_to_all) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  auto mode = open_to_all ? 0644u : 0600u;
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, mode));
  if (!fd) return fail(Code::System, path + ": " + std::string(std::strerror(errno)));
  ::fchmod(fd.get(), mode);
  for (std::string_view rest = lines; !rest.empty();) {
    auto n = ::write(fd.get(), rest.data(), rest.size());
    if (n <= 0) return fail(Code::System, path + ": " + std::string(std::strerror(errno)));
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace

std::string lsb_lines(const std::vector<Event>& events, const Cluster& after) {
  Lines lines(after);
  for (const auto& event : events) lines.tell(event);
  return lines.take();
}

std::string lsb_events_path(const ClusterConf& cluster) {
  if (!cluster.lsf.events) return "";
  const auto& share = cluster.lsf.share_dir.empty() ? cluster.dirs.state : cluster.lsf.share_dir;
  return share + "/" + cluster.name + "/logdir/lsb.events";
}

LsbEvents::LsbEvents() : thread_([this] { run(); }) {}

LsbEvents::~LsbEvents() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void LsbEvents::take(const std::vector<Event>& events, const Cluster& after) {
  const ClusterConf& conf = after.config->cluster;
  if (!conf.lsf.events || events.empty()) return;
  Part part{lsb_events_path(conf), lsb_lines(events, after), conf.job_info == JobInfo::All};
  if (part.lines.empty()) return;
  std::lock_guard lock(mutex_);
  if (waiting_bytes_ > kMostWaitingBytes) return;
  waiting_bytes_ += part.lines.size();
  waiting_.push_back(std::move(part));
  wake_.notify_one();
}

void LsbEvents::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    auto parts = std::exchange(waiting_, {});
    waiting_bytes_ = 0;
    lock.unlock();
    for (const auto& part : parts) {
      auto written = append(part.path, part.lines, part.open_to_all);
      if (!written && !failing_)
        log::warn("lsb_events_not_written", {{"why", written.error().text}});
      failing_ = !written;
    }
    lock.lock();
  }
}

}  // namespace wm::master
