// What follows for a host of the ends of tasks there (fault.h): its own faults in a row close it, a
// good end in between says that it is well. A gap of its configuration concerns one profile only.
#include <algorithm>

#include "libwm/fsm/edit.h"
#include "libwm/fsm/fault.h"

namespace wm::fsm {
namespace {

/// A host is not tried again with a profile that its configuration lacked for so long.
constexpr Duration kGapPause = std::chrono::minutes(10);
/// More owners than two say nothing more.
constexpr std::size_t kOwners = 2;

void note_owner(HostFaults& faults, std::uint32_t uid) {
  bool known = std::find(faults.owners.begin(), faults.owners.end(), uid) != faults.owners.end();
  if (!known && faults.owners.size() < kOwners) faults.owners.push_back(uid);
}

std::uint32_t closed_for_faults(const Cluster& c) {
  std::uint32_t closed = 0;
  c.hosts.each(
      [&](std::uint32_t, const Host& host) { closed += host.closed && host.faults.closed; });
  return closed;
}

bool may_close_another(const Cluster& c) {
  auto most = std::max<std::size_t>(1, c.indexes.host_numbers->size() / 10);
  return closed_for_faults(c) < most;
}

std::string words(const Job& job, const Host& host, const std::string& why) {
  return std::to_string(host.faults.in_row) +
         " jobs in a row could not be started by its own fault, last " + to_string(job.id) +
         (why.empty() ? "" : ": " + why) + "; it is opened when a job of its own runs there";
}

/// Of a job's tasks that could not be started on a host one counts.
bool counts(const Job& job, const Task& task) {
  return std::none_of(job.tasks.begin(), job.tasks.end(), [&](const Task& other) {
    return other.host == task.host && other.number != task.number &&
           other.state == TaskState::Gone && cause_of(other.term).again == Again::Elsewhere;
  });
}

}  // namespace

void note_host_end(Cluster& c, const Job& job, const Task& task, Term term) {
  const Cause& cause = cause_of(term);
  const Host* known = c.hosts.find(task.host.value);
  if (!known) return;
  if (cause.again != Again::Elsewhere) {
    bool good = task.pid != 0 && cause.fault != Fault::Host;
    if (good && known->faults.in_row > 0) {
      HostFaults& faults = edit_host(c, task.host).faults;
      faults.in_row = 0;
      faults.owners.clear();
    }
    return;
  }
  HostFaults& faults = edit_host(c, task.host).faults;
  if (cause.is_gap) {
    faults.gaps[app_of(*c.config, job.spec()).name] = c.time + kGapPause;
    return index_gaps(c, task.host);
  }
  if (!counts(job, task)) return;
  ++faults.in_row;
  note_owner(faults, job.spec().owner.uid);
}

bool is_at_fault(const Cluster& c, const Host& host) {
  auto most = c.config->cluster.limits.host_faults;
  return most > 0 && host.faults.in_row >= most && host.faults.owners.size() >= kOwners &&
         !host.closed;
}

std::vector<EventBody> closings(const Cluster& c, const Job& job) {
  for (const auto& task : job.tasks) {
    bool failed = cause_of(task.term).again == Again::Elsewhere;
    const Host* host = failed ? c.hosts.find(task.host.value) : nullptr;
    if (!host || !is_at_fault(c, *host) || !may_close_another(c)) continue;
    return {HostClosed{host->id, "wm", words(job, *host, job.outcome.text), true}};
  }
  return {};
}

}  // namespace wm::fsm
