// What the processes of an attempt use together: limits that no rlimit and no cgroup keeps, the
// peak, and stopping all of them at once.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "daemons/wshepherd/shepherd.h"
#include "libwm/model/reason.h"
#include "libwm/proc/tree.h"

namespace wm::shepherd {
namespace {

using launch::EndCause;
using proc::Excess;
using std::chrono::milliseconds;

/// A bomb is seen within this time; a peak that nobody limits need not be exact.
constexpr Duration kWatchLimits = milliseconds(200);
constexpr Duration kWatchPeak = std::chrono::seconds(5);

bool any(const launch::UseLimits& limits) { return limits != launch::UseLimits{}; }

/// The kernel's limit on processes and threads together: threads are counted exactly; behind a
/// limit on processes alone it is a wall for what grows faster than it is counted.
std::uint32_t pids_cap(const launch::UseLimits& limits) {
  constexpr std::uint32_t kThreadsEach = 16, kLeast = 64;
  if (limits.threads != 0) return limits.threads;
  return limits.processes == 0 ? 0 : std::max(kLeast, limits.processes * kThreadsEach);
}

EndCause cause_of(Excess excess) {
  switch (excess) {
    case Excess::Cpu: return EndCause::CpuLimit;
    case Excess::Swap: return EndCause::SwapLimit;
    case Excess::Processes: return EndCause::ProcessLimit;
    case Excess::Threads: return EndCause::ThreadLimit;
    case Excess::Mem:
    case Excess::None: break;
  }
  return EndCause::MemLimit;
}

std::string words_for(EndCause cause, const proc::Use& use, const launch::UseLimits& limits,
                      Bytes peak) {
  auto bytes = [](std::uint64_t n) { return format_bytes(Bytes{static_cast<std::int64_t>(n)}); };
  auto text = [](Term term, const std::string& used, const std::string& limit) {
    return std::string(term_name(term)) + ": " + std::string(term_text(term)) + ": " + used +
           " of " + limit;
  };
  switch (cause) {
    case EndCause::CpuLimit:
      return text(Term::CpuLimit, format_duration(use.cpu), format_duration(limits.cpu));
    case EndCause::SwapLimit: return text(Term::Swap, format_bytes(use.swap), bytes(limits.swap));
    case EndCause::ProcessLimit:
      return text(Term::ProcessLimit, std::to_string(use.processes),
                  std::to_string(limits.processes));
    case EndCause::ThreadLimit:
      return text(Term::ThreadLimit, std::to_string(use.threads), std::to_string(limits.threads));
    default: return text(Term::MemLimit, format_bytes(peak), bytes(limits.mem));
  }
}

}  // namespace

void Shepherd::make_cgroup() {
  if (place_.cgroups.empty()) return;
  proc::CgroupCaps caps;
  caps.mem = spec_.limits.mem;
  caps.pids = pids_cap(spec_.limits);
  caps.cpu_weight = spec_.cpu_weight;
  caps.cpus = spec_.cpus;
  caps.devices = !spec_.guarded.empty();
  std::string trouble;
  cgroup_ = proc::Cgroup::make(place_.cgroups, cgroup_name(place_, spec_.key), caps, trouble);
  if (!trouble.empty())
    std::fprintf(stderr, "wshepherd %s: cgroup: %s\n", to_string(spec_.key).c_str(),
                 trouble.c_str());
  guard_devices();
}

/// What no task has that runs, or waits for the commands before it, cannot be opened by any.
void Shepherd::guard_devices() {
  std::set<launch::CharDevice> denied(spec_.guarded.begin(), spec_.guarded.end());
  auto allow = [&](const launch::TaskSpec& task) {
    for (const auto& device : task.devices) denied.erase(device);
  };
  for (const auto& task : spec_.tasks) allow(task);
  for (const auto& [number, task] : tasks_)
    if (task.phase == Phase::Running) allow(task.spec);
  if (auto done = guard_.deny(cgroup_, denied); !done)
    std::fprintf(stderr, "wshepherd %s: %s\n", to_string(spec_.key).c_str(),
                 done.error().text.c_str());
}

Duration Shepherd::watch_pause() const { return any(spec_.limits) ? kWatchLimits : kWatchPeak; }

/// Every process of the job, stopped or not; not our own helpers.
std::vector<pid_t> Shepherd::everybody() const {
  auto pids = strays();
  for (const auto& [number, task] : tasks_)
    if (task.phase == Phase::Running) pids.push_back(task.pid);
  for (const auto& [number, task] : tasks_)
    if (task.phase == Phase::Running)
      for (auto pid : proc::descendants_of(task.pid, {})) pids.push_back(pid);
  return pids;
}

void Shepherd::watch() {
  auto now = steady_now();
  if (now < watch_at_ || suspended_ || !(any_running() || spares_any())) return;
  watch_at_ = now + watch_pause();
  if (was_killed_for_memory()) return end_for(EndCause::MemLimit, {});
  auto limits = spec_.limits;
  if (cgroup_.keeps("memory")) limits.mem = 0;  // the kernel does it, without delay
  auto pids = everybody();
  auto use = proc::use_of(pids);
  auto kernels = cgroup_.use();
  use.cpu = kernels.cpu ? *kernels.cpu : use.cpu + usage_.cpu;
  auto excess = proc::excess_of(use, limits);
  if (kernels.refused_forks > 0)  // one more was wanted
    excess = limits.threads != 0 ? Excess::Threads : Excess::Processes;
  if (excess == Excess::Mem) {
    use.mem = proc::fair_mem_of(pids);  // pages that several share are used once
    excess = proc::excess_of(use, limits);
  }
  peak_mem_ = std::max(peak_mem_, use.mem);
  mem_sum_.value += use.mem.value;
  ++mem_looks_;
  if (excess != Excess::None) end_for(cause_of(excess), use);
}

/// Does the kernel's counter say that a process of ours was killed for memory?
bool Shepherd::was_killed_for_memory() const { return cgroup_ && cgroup_.use().oom_kills > 0; }

void Shepherd::end_for(EndCause cause, const proc::Use& use) {
  auto kernels = cgroup_.use();
  auto peak = std::max(peak_mem_, kernels.peak_mem.value_or(Bytes{}));
  auto text = words_for(cause, use, spec_.limits, peak);
  for (auto& [number, task] : tasks_) {
    if (task.phase == Phase::Running && !task.ending)
      end(task, signals_at_limit(cause), cause, text);
    if (task.phase != Phase::Exited || task.ending || task.record.status == 0) continue;
    task.record.cause = cause;  // it died of it
    task.record.text = text;
  }
  spare_no_longer({});
}

/// What all have used goes into the record of the only task, the peak into every one.
void Shepherd::add_use(launch::ExitRecord& record) const {
  auto& usage = record.usage;
  auto kernels = cgroup_.use();
  bool alone = tasks_.size() == 1;
  usage.max_mem = std::max(usage.max_mem, peak_mem_);
  usage.by_cgroup = kernels.peak_mem.has_value();
  if (kernels.peak_mem) usage.max_mem = *kernels.peak_mem;
  if (!alone) return;
  if (kernels.cpu) usage.cpu = *kernels.cpu;
  if (kernels.read) usage.read = *kernels.read;
  if (kernels.written) usage.written = *kernels.written;
}

// While it is suspended nothing of it passes: what it stood is added when it goes on.
void Shepherd::on(const launch::LimitRun& order) {
  spec_.run_limit = order.left;
  if (!ready_) return;
  start_run_limit(suspended_ ? suspended_at_ : steady_now());
  if (warned_ && warn_at_ && *warn_at_ <= steady_now()) warn_at_.reset();
}

void Shepherd::start_run_limit(TimePoint from) {
  run_limit_.reset(), warn_at_.reset();
  if (spec_.run_limit > Duration{}) run_limit_ = from + spec_.run_limit;
  if (run_limit_ && spec_.warning.lead > Duration{}) warn_at_ = *run_limit_ - spec_.warning.lead;
}

void Shepherd::set_suspended(bool on) {
  auto now = steady_now();
  if (on && !suspended_) suspended_at_ = now;
  if (!on && suspended_) {
    auto stood = now - suspended_at_;
    if (run_limit_) *run_limit_ += stood;
    if (warn_at_) *warn_at_ += stood;
    for (auto& [number, task] : tasks_)
      if (task.spared_until > suspended_at_) task.spared_until += stood;
  }
  suspended_ = on;
  if (cgroup_.freeze(on)) return;
  if (on) return proc::stop_all([this] { return everybody(); });
  // Whatever it looks like: a thread that waits in the kernel may yet come to its stop.
  for (auto pid : everybody()) ::kill(pid, SIGCONT);
}

}  // namespace wm::shepherd
