// Role: what one job claims in a pass: the host kinds, alternative, amounts and place in the order
// that follow from its specification, the configuration and, for a running one, from its tasks.
// Called by memory.cc for jobs that have changed, and for those that are read anew in every pass.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/sched/demand/claim.h"
#include "libwm/sched/demand/past_use.h"

namespace wm::sched {

/// Numbers of plan and user, as they are met.
using Owners = std::map<std::pair<std::string, std::string>, std::uint32_t>;

/// Makes claims during one pass. @thread one
class ClaimMaker {
 public:
  /// @owns borrows all; requests and the end of quiet times are noted in `claims`, owners in
  /// `owners`
  ClaimMaker(const Cluster& cluster, WallTime now, Claims& claims, Owners& owners)
      : cluster_(cluster), now_(now), claims_(claims), owners_(owners) {}

  /// Of a job in any state, as if it were pending.
  /// @cost O(log requests), O(hosts) for the first that asks so
  Claim claim(const Job& job);
  /// Of a running one: what it has, and whether it may be resized now. @cost as claim + O(tasks)
  Claim running(const Job& job);
  /// Why a pending one is no candidate, if it is none. @cost O(log queues)
  std::optional<PendCode> obstacle(const std::string& queue, const Claim& claim) const;

  /// How its queue orders its jobs. @cost O(1)
  JobOrder order_of(const Claim& claim) const;
  /// Of a user by past use. @cost O(users) the first time
  std::uint32_t fair_rank(const std::string& user);
  /// How long a job is left alone after a change of its size. @cost O(log apps)
  Duration quiet_of(const Job& job) const;
  /// Is it, or a host for it, left alone because new tasks failed? @cost O(its setbacks)
  bool has_setback(const Job& job) const;
  /// Is a host left out because its own configuration lacks the job's profile? @cost O(such hosts)
  bool has_gap(const Job& job) const;
  /// What keeps hosts from being tried that could not start it; empty: none is. @cost O(setbacks)
  std::string fault_words(const Job& job) const;
  /// A pass is due when a host may be tried again. @cost O(setbacks + gaps)
  void await_setbacks(const Job& job);

  /// Until when its tasks, which began lately, may be about to meet at MASTER_PORT (start_window);
  /// 0: they had their time, or are not of that kind. @cost O(log apps)
  WallTime may_meet_until(const Job& job) const;

  /// A service has requests and no kernel: jobs that change their size in place are not left alone
  /// for resize_quiet when they are to give. Of those read from now on.
  void hurry() { hurried_ = true; }

  /// A pass is due then, at the latest. @cost O(1)
  void look_again(WallTime at);

 private:
  std::vector<HostId> shut_out(const Job& job, const JobSpec& spec) const;
  std::uint32_t request_number(const Job& job, const JobSpec& spec);
  const Request& request_of(const Job& job, const JobSpec& spec);
  std::uint32_t alternative_of(const Job& job);
  std::uint32_t owner_of(const JobSpec& spec);
  std::uint32_t order_rank(const Claim& claim);
  bool was_resized_lately(const Job& job);
  void add_gaps(const Job& job, std::vector<HostId>& barred) const;

  const Cluster& cluster_;
  WallTime now_;
  Claims& claims_;
  Owners& owners_;
  std::optional<FairOrder> order_;  // made for the first queue that asks
  bool hurried_ = false;
};

}  // namespace wm::sched
