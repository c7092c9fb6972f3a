// Role: which hosts hold the next attempt of a service's kernels ready. They open it without a
// task, and a warm parent of it (libwm/launch/warm.h) is there when the first kernel comes. Pure,
// but for what hosts were told: that is forgotten with their sessions, and told again.
//
//   a started service with kernel_warm in its profile ─► hosts its kernels may go to ─► an order
//   without tasks stopped, killed, over, or a host no longer among them ─► forget
//
// Invariant: it takes no slot, and no event is made of it: a restarted master finds the same.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "libwm/model/cluster.h"

namespace wm::master {

/// The attempt of which hosts without its tasks are to be ready; none: of none. Of a group of
/// kernels that waits it is the one that comes next. @cost O(groups)
std::optional<Attempt> standby_attempt(const Cluster& state, const Job& job);

/// The hosts for that: those where its tasks were last, then those that suit it, as many as its
/// profile says at most. Empty unless it is a service's. @cost O(hosts), and the profile's length
std::set<HostId> standby_hosts(const Cluster& state, const Job& job);

/// @thread the loop's
class Standby {
 public:
  /// What a host is to hear about a job.
  struct Word {
    HostId host;
    JobId job;
    std::optional<Attempt> attempt;  ///< be ready for it; none: forget the job
    bool operator==(const Word&) const = default;
  };

  /// Every service is looked at anew. @cost O(jobs)
  void reload(const Cluster& state);
  /// These have changed. @cost O(those), O(hosts) for each service
  void changed(const Cluster& state, const std::set<JobId>& jobs);
  /// Hosts may have changed. @cost O(services x hosts)
  void refresh(const Cluster& state);
  /// A host has begun a session: whatever it was told is to be told again.
  void forget_told(HostId host);

  /// Is it to be ready for this job, and for which attempt of it? @cost O(log services)
  std::optional<Attempt> wanted(const Cluster& state, JobId job, HostId host) const;
  /// What has to be said to hosts that hear, which counts as said from now on. @cost O(services)
  std::vector<Word> words(const Cluster& state, const std::function<bool(HostId)>& hears);

 private:
  struct Service {
    std::set<HostId> hosts;
    std::map<HostId, Attempt> told;
  };
  void look(const Cluster& state, JobId id);
  std::map<JobId, Service> services_;
};

}  // namespace wm::master
