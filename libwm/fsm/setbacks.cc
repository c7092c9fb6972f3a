// New tasks of an elastic job that ended before an epoch held them, and tasks of any job that their
// host could not start by its own fault: their hosts are left out for a while, longer each time.
// When several have failed in a row, the job as a whole stays at its size. When a host is mended
// (it starts anew, it is opened) or more tasks are asked for, it is tried again at once.
#include <algorithm>

#include "libwm/fsm/edit.h"

namespace wm::fsm {
namespace {

constexpr Duration kShortest = std::chrono::seconds(10), kLongest = std::chrono::minutes(10);

/// 10 s, 40 s, 160 s, then 10 min.
Duration back_off(std::uint32_t failures) {
  Duration pause = kShortest;
  for (std::uint32_t n = 1; n < failures && pause < kLongest; ++n) pause *= 4;
  return std::min(pause, kLongest);
}

std::string how_it_ended(const Task& task, const std::string& text) {
  if (!text.empty()) return text;
  if (task.term != Term::None) return std::string(term_text(task.term));
  auto signal = task.status & 0x7f;
  return signal != 0 ? "signal " + std::to_string(signal)
                     : "exit " + std::to_string(task.status >> 8 & 0xff);
}

Setback& setback_of(Job& job, HostId host) {
  auto at = std::lower_bound(job.size.setbacks.begin(), job.size.setbacks.end(), host,
                             [](const Setback& known, HostId id) { return known.host < id; });
  if (at == job.size.setbacks.end() || at->host != host)
    at = job.size.setbacks.insert(at, {host, 0, {}, {}});
  return *at;
}

void unblock(Job& job) {
  job.size.failed_starts = 0;
  job.size.grow_blocked.clear();
  job.size.grow_again = {};
}

}  // namespace

void note_setback(const Cluster& c, Job& job, const Task& task, const std::string& text) {
  Setback& setback = setback_of(job, task.host);
  setback.why = how_it_ended(task, text);
  if (c.time < setback.until) return;  // of several that were started there together one counts
  setback.until = c.time + back_off(++setback.failures);
  if (++job.size.failed_starts < c.config->cluster.limits.newcomer_tries) return;
  job.size.grow_again = setback.until;
  job.size.grow_blocked = "stays at its size for now: " + std::to_string(job.size.failed_starts) +
                          " new tasks in a row ended before they joined, last: " + setback.why;
}

// @source Kubernetes: CrashLoopBackOff, which doubles to 5 min and forgets after 10 min that went
// well
void note_restart(const Cluster& c, Job& job, const Task& task, const std::string& text) {
  constexpr Duration kWell = std::chrono::minutes(10), kMost = std::chrono::minutes(5);
  if (c.time < job.size.grow_again) return;  // of several that end together one counts
  bool was_well = c.time - task.since >= kWell;
  job.size.failed_starts = was_well ? 1 : job.size.failed_starts + 1;
  Duration pause = std::chrono::seconds(1);
  for (std::uint32_t n = 1; n < job.size.failed_starts && pause < kMost; ++n) pause *= 2;
  job.size.grow_again = c.time + std::min(pause, kMost);
  job.size.grow_blocked = "a task has ended (" + how_it_ended(task, text) + "), " +
                          std::to_string(job.size.failed_starts) +
                          " in a row: the next starts after " +
                          std::to_string(std::min(pause, kMost) / std::chrono::seconds(1)) + " s";
}

void note_joined(Job& job, const std::vector<TaskNumber>& members) {
  if (job.size.setbacks.empty()) return;
  bool any = false;
  for (auto number : members) {
    const Task* task = find_task(job, number);
    const auto& before = job.membership.members;
    if (!task || std::find(before.begin(), before.end(), number) != before.end()) continue;
    any = true;
    std::erase_if(job.size.setbacks, [&](const Setback& s) { return s.host == task->host; });
  }
  if (any) unblock(job);
}

void note_failed_start(const Cluster& c, Job& job, const Task& task, const std::string& text) {
  Setback& setback = setback_of(job, task.host);
  setback.why = how_it_ended(task, text);
  if (c.time >= setback.until) setback.until = c.time + back_off(++setback.failures);
}

bool has_failed_everywhere(const Cluster& c, const Job& job) {
  auto most = c.config->cluster.limits.fault_hosts;
  std::uint32_t tries = 0;
  for (const auto& setback : job.size.setbacks) tries += setback.failures;
  return job.size.setbacks.size() >= most || tries >= 2 * most;
}

void forget_failed_growth(Job& job) { unblock(job); }

void forget_setbacks(Job& job) {
  unblock(job);
  job.size.setbacks.clear();
}

void forget_setbacks_on(Cluster& c, HostId host) {
  auto there = [&](const Setback& setback) { return setback.host == host; };
  auto ids = *c.indexes.set_back;
  for (auto id : ids) {
    const auto& known = find_job(c, id)->size.setbacks;
    if (std::none_of(known.begin(), known.end(), there)) continue;
    Job& job = edit_job(c, id);
    std::erase_if(job.size.setbacks, there);
    unblock(job);
    index_setbacks(c, id);
  }
}

}  // namespace wm::fsm
