// Role: how often pieces of plans were refused by the state machines, by job and by host. What the
// scheduler plans on the newest state is legal; a refusal is a fault of ours that keeps a job
// waiting pass after pass. So it is told, at the first time and then each time that the count has
// doubled: of a fault in every pass the log does not drown.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "libwm/model/event.h"

namespace wm::master {

/// The hosts that an event places tasks on, each once. @cost O(tasks log tasks)
std::vector<HostId> hosts_of(const EventBody& body);

/// @thread the loop's
class Refusals {
 public:
  /// One refusal, told to the log when it is worth a line. @cost O(tasks log hosts)
  void note(const EventBody& body, const Error& why);
  /// The job goes on: it begins at nought again. @cost O(log jobs)
  void forget(JobId job) { jobs_.erase(job); }

  /// So far. @cost O(log n)
  std::uint32_t of(JobId job) const { return count(jobs_, job); }
  std::uint32_t of(HostId host) const { return count(hosts_, host); }
  /// Lines written. @cost O(1)
  std::uint32_t told() const { return told_; }

 private:
  template <class Id>
  static std::uint32_t count(const std::map<Id, std::uint32_t>& counts, Id id) {
    auto at = counts.find(id);
    return at == counts.end() ? 0 : at->second;
  }

  std::map<JobId, std::uint32_t> jobs_;    // at most kMostJobs
  std::map<HostId, std::uint32_t> hosts_;  // since the start
  std::uint32_t told_ = 0;
};

}  // namespace wm::master
