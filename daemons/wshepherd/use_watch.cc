#include "daemons/wshepherd/use_watch.h"

#include <algorithm>
#include <utility>

#include "libwm/model/reason.h"

namespace wm::shepherd {
namespace {

using launch::EndCause;
using proc::Excess;
using std::chrono::milliseconds;

/// A bomb is seen within this time; a peak that nobody limits need not be exact.
constexpr Duration kWatchLimits = milliseconds(200);
constexpr Duration kWatchPeak = std::chrono::seconds(5);
constexpr Duration kFirst = std::chrono::seconds(1);
constexpr Duration kTell = std::chrono::minutes(1);

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

void UseWatch::begin() {
  const auto& spec = attempt_.spec;
  proc::CgroupCaps caps;
  caps.mem = spec.limits.mem;
  caps.pids = pids_cap(spec.limits);
  caps.cpu_weight = spec.cpu_weight;
  caps.cpus = spec.cpus;
  caps.devices = !spec.guarded.empty();
  auto trouble = attempt_.env.group.make(caps);
  if (!trouble.empty()) attempt_.env.words.complain("cgroup: " + trouble);
  look_at_ = attempt_.now() + pause();
  told_at_ = attempt_.now();
}

Duration UseWatch::pause() const { return any(attempt_.spec.limits) ? kWatchLimits : kWatchPeak; }

bool UseWatch::is_due() const {
  bool tasks = attempt_.any_running() || strays_.spares_any();
  return sides_.any_users() || (tasks && !attempt_.clock.stopped());
}

std::optional<TimePoint> UseWatch::next() const {
  return is_due() ? std::optional(look_at_) : std::nullopt;
}

void UseWatch::fire() {
  const auto& env = attempt_.env;
  auto now = attempt_.now();
  if (!is_due()) return;
  if (begun_ == TimePoint{}) begin_looking(now);
  if (now < look_at_) return;
  look_at_ = now + pause();
  if (tell_at_ > now && tell_at_ < begun_ + kFirst + kFirst)
    look_at_ = std::min(look_at_, tell_at_);
  if (was_killed_for_memory()) return end_for(EndCause::MemLimit, {});
  auto limits = attempt_.spec.limits;
  if (env.group.keeps("memory")) limits.mem = 0;  // the kernel does it, without delay
  auto pids = attempt_.everybody();
  for (auto pid : sides_.users_processes()) pids.push_back(pid);
  auto use = env.processes.use_of(pids);
  auto counted = env.group.use();
  use.cpu = counted.cpu ? *counted.cpu : use.cpu + attempt_.usage.cpu;
  auto excess = proc::excess_of(use, limits);
  if (counted.refused_forks > 0)  // one more was wanted
    excess = limits.threads != 0 ? Excess::Threads : Excess::Processes;
  if (excess == Excess::Mem) {
    use.mem = env.processes.fair_mem_of(pids);  // pages that several share are used once
    excess = proc::excess_of(use, limits);
  }
  peak_ = std::max(peak_, use.mem);
  swap_peak_ = std::max(swap_peak_, use.swap);
  sum_.value += use.mem.value;
  ++looks_;
  tell(use, pids, now);
  if (excess != Excess::None) end_for(cause_of(excess), use);
}

// The first look is soon after the first process: who watches a job that has just started sees it.
void UseWatch::begin_looking(TimePoint now) {
  begun_ = now;
  tell_at_ = now + kFirst;
  look_at_ = std::min(look_at_, tell_at_);
}

// Since the last time; time in which the job was suspended counts as seen, nothing was used in it.
// All shepherds of a host tell at the same moments, so that its wnoded tells the master once.
void UseWatch::tell(const proc::Use& use, const std::vector<pid_t>& pids, TimePoint now) {
  if (now < tell_at_) return;
  const Duration interval =
      attempt_.spec.usage_interval.count() > 0 ? attempt_.spec.usage_interval : kTell;
  tell_at_ = now + interval - now.time_since_epoch() % interval;
  auto cpu = std::max(Duration{}, use.cpu - told_cpu_);
  launch::Used word{cpu, now - std::exchange(told_at_, now), peak_};
  word.now = true;
  word.use.cpu = use.cpu;
  word.use.mem = use.mem, word.use.max_mem = peak_, word.use.mean_mem = mean_mem();
  word.use.swap = use.swap, word.use.max_swap = swap_peak_;
  word.use.processes = use.processes, word.use.threads = use.threads;
  word.use.pids.assign(pids.begin(), pids.begin() + std::min(pids.size(), kMostPids));
  attempt_.env.words.say(word);
  told_cpu_ = std::max(told_cpu_, use.cpu);
}

void UseWatch::on_failure() {
  if (was_killed_for_memory()) end_for(EndCause::MemLimit, {});
}

/// Does the kernel's counter say that a process of ours was killed for memory?
bool UseWatch::was_killed_for_memory() const { return attempt_.env.group.use().oom_kills > 0; }

void UseWatch::end_for(EndCause cause, const proc::Use& use) {
  auto counted = attempt_.env.group.use();
  auto peak = std::max(peak_, counted.peak_mem.value_or(Bytes{}));
  auto text = words_for(cause, use, attempt_.spec.limits, peak);
  for (auto& [number, task] : attempt_.tasks) {
    if (task.phase == Phase::Running && !task.ending)
      enders_.end(task, {signals_at_limit(cause)}, cause, text);
    if (task.phase != Phase::Exited || task.ending || task.record.status == 0) continue;
    task.record.cause = cause;  // it died of it
    task.record.text = text;
  }
  sides_.end_users(cause, text);
  strays_.spare_no_longer({});
}

void UseWatch::judge(SideEnd& end) const {
  if (!end.failed() || end.privileged || end.excess || !was_killed_for_memory()) return;
  end.excess = EndCause::MemLimit;
  auto peak = std::max(peak_, attempt_.env.group.use().peak_mem.value_or(Bytes{}));
  end.text = words_for(EndCause::MemLimit, {}, attempt_.spec.limits, peak);
}

void UseWatch::add_use(launch::ExitRecord& record) const {
  auto& usage = record.usage;
  auto counted = attempt_.env.group.use();
  bool alone = attempt_.tasks.size() == 1;
  usage.max_mem = std::max(usage.max_mem, peak_);
  usage.mean_mem = std::max(usage.mean_mem, mean_mem());
  usage.max_swap = std::max(usage.max_swap, swap_peak_);
  usage.by_cgroup = counted.peak_mem.has_value();
  if (counted.peak_mem) usage.max_mem = *counted.peak_mem;
  if (!alone) return;
  if (counted.cpu) usage.cpu = *counted.cpu;
  if (counted.read) usage.read = *counted.read;
  if (counted.written) usage.written = *counted.written;
}

}  // namespace wm::shepherd
