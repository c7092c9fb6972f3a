// Role: what the master makes of a specification, and whether it takes it: queue, plan and
// profile that were left open, limits, -R and -gpu, names in -w; whether any host could ever run
// it. Pure functions of the state: nothing happens before their answer is an event.
#pragma once

#include <memory>
#include <string>

#include "libwm/model/cluster.h"

namespace wm::master {

/// A specification with nothing left open, and the same under its other requirements.
struct Admitted {
  JobSpec spec;
  std::vector<JobSpec> alternatives;
};

/// What a specification and those under its other requirements may have. @units bytes, encoded
inline constexpr std::size_t kMaxSpec = 2u << 20;
/// What a job's script and environment may have together: an order has both, in one frame.
/// @units bytes
inline constexpr std::size_t kMaxBlobs = 8u << 20;

/// Of a new job. `spec`: as it was signed, with the account of the session as its owner.
/// @errors as SubmitRequest   @cost O(hosts), O(jobs) where -w names some
Result<Admitted> admit(const Cluster& state, JobSpec spec, WallTime now);

/// Of a job that waits, in another queue: what its submitter left open is filled in anew.
/// @errors as admit; Damaged: what was signed does not read   @cost O(hosts)
Result<Admitted> admit_to_queue(const Cluster& state, const Job& job, const std::string& queue,
                                WallTime now);

/// Of a job that waits and asks for something else: `spec` as its owner signed it anew.
/// @errors as admit; Damaged: another script or environment   @cost as admit
Result<Admitted> admit_change(const Cluster& state, const Job& job, JobSpec spec, WallTime now);

/// Of a job that has started: of what its owner signed anew only the notification command of
/// resizes may be another. @errors Conflict: something else is; Damaged: what was signed does not
/// read   @cost O(1)
Result<Admitted> admit_live_change(const Job& job, const JobSpec& spec);

/// Of a job that is not over, with another run limit; 0: its profile's or queue's. Of one that has
/// started its owner can lower it, and an administrator set any.
/// @errors Denied: the owner raises it; Limit: more than the queue allows   @cost O(1)
Result<Admitted> admit_limit(const Cluster& state, const Job& job, Duration limit, bool by_admin);

/// What is different, for people: "queue normal -> night; tasks 4 -> 2,8". Empty: nothing is.
/// @cost O(length)
std::string change_words(const JobSpec& before, const JobSpec& after);

}  // namespace wm::master
