// Role: limits across jobs beyond those of queues and users: limits.conf, and how many jobs of a
// job group may run. Says which of them concern a job; limits.cc and gates.cc count.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libwm/model/cluster.h"

namespace wm::sched {

/// What a limit is counted in.
enum class Counts : std::uint8_t { Slots, Jobs, Mem };

/// One limit, as it concerns a job.
struct RuleFor {
  std::string key;  ///< jobs with equal keys count together
  std::int64_t limit = 0;
  Counts counts = Counts::Slots;
  PendCode code = PendCode::Limit;
  std::string text;  ///< "limit <night>, user <alice>"
};

/// What so many tasks of such a job count; `starts`: jobs that begin with them. @cost O(1)
std::int64_t cost_of(Counts counts, const JobSpec& spec, std::int64_t tasks, std::int64_t starts);
/// The same on one host; `is_there`: the job has a task there already, so that what it counts as a
/// job, or asks for once a host, is counted. @cost O(1)
std::int64_t cost_on_host(Counts counts, const JobSpec& spec, std::int64_t tasks, bool is_there);
/// How many more tasks of such a job `left` of a limit allows on a host. @cost O(1)
std::int64_t tasks_for(Counts counts, const JobSpec& spec, std::int64_t left, bool is_there);
/// "4 of 4 slots in use". @cost O(1)
std::string use_text(Counts counts, std::int64_t used, std::int64_t limit);

/// The limits that hold in a pass.
class Rules {
 public:
  Rules() = default;
  /// @owns borrows the configuration   @cost O(limits + groups)
  Rules(const Cluster& cluster, WallTime now);

  /// Is there any? @cost O(1)
  bool any() const { return !open_.empty() || !groups_.empty(); }
  /// Those that concern such a job. @cost O(limits + depth of its group)
  std::vector<RuleFor> of(const JobSpec& spec) const;
  /// What such a job may have on one host, all of its kind there together; and what tells the
  /// kind. @cost O(limits)
  std::vector<RuleFor> on_host(const JobSpec& spec, const Host& host) const;
  /// Does any limit count host by host? @cost O(1)
  bool any_on_hosts() const { return on_hosts_; }
  /// When one begins or ceases to hold; 0: never. @cost O(1)
  WallTime next_edge() const { return next_edge_; }

 private:
  bool concerns_job(const LimitRule& rule, const JobSpec& spec, RuleFor& made) const;

  const Config* config_ = nullptr;
  std::vector<const LimitRule*> open_;
  std::map<std::string, std::uint32_t> groups_;  // with a limit
  WallTime next_edge_{};
  bool on_hosts_ = false;
};

}  // namespace wm::sched
