// Role: verbs of those who want to know when something changes, instead of asking again and again
// (bjobs --watch, bwait; the gateway's pages). Values only, as in verbs.h.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/model/job.h"
#include "libwm/model/verbs/verb_numbers.h"

namespace wm {

/// What became of a job: how it stands after something has happened to it. Of an array (state
/// Array) that elements began or ended, which tell of themselves; an array that is over ends those
/// that had not begun.
struct JobChange {
  Seq seq;  ///< of the state that has it; several changes may have the same
  JobId id;
  std::string user, queue, plan, name;
  JobState state = JobState::Pending;
  std::uint32_t slots = 0;  ///< that it holds
  Attempt attempt;
  std::int32_t exit_status = 0;
  WallTime at{};
  bool operator==(const JobChange&) const = default;
};

/// Changes of which jobs. Ids given: of these (an array: of its elements, too), of any owner;
/// else of the jobs of `user` (empty: the caller, "all": everybody) in `queue` (empty: any).
struct WatchFilter {
  std::vector<JobId> ids;
  std::string user, queue;
  bool operator==(const WatchFilter&) const = default;
};

/// Anyone; what is told of others' jobs is what bjobs tells. Answered as soon as there are changes
/// after `after`, or when patience ends. Nothing is kept for a client between two questions: one
/// that asks again with what it has seen misses nothing, unless so much has happened since that the
/// master has forgotten it (`missed`). Errors: Limit: 64 questions are under way for the session.
struct WatchRequest {
  using Reply = struct WatchReply;
  static constexpr Verb kVerb = Verb::Watch;
  WatchFilter filter;
  Seq after;            ///< 0: answered at once with what there is to be seen after
  Duration patience{};  ///< at most a minute counts
  bool operator==(const WatchRequest&) const = default;
};
struct WatchReply {
  std::vector<JobChange> changes;  ///< oldest first
  Seq seen;                        ///< to be asked with next
  bool missed = false;             ///< `after` is too long ago: list anew, then go on from `seen`
  bool operator==(const WatchReply&) const = default;
};

/// Anyone. Answered when a condition as of bsub -w is met or can never be, or when patience ends.
/// Errors: as of bsub -w; Limit as Watch.
struct AwaitRequest {
  using Reply = struct AwaitReply;
  static constexpr Verb kVerb = Verb::Await;
  std::string condition;
  Duration patience{};  ///< at most a minute counts
  bool operator==(const AwaitRequest&) const = default;
};
struct AwaitReply {
  enum class Outcome : std::uint8_t { NotYet = 0, Met = 1, Never = 2 };
  Outcome outcome = Outcome::NotYet;
  std::string unmet;      ///< the terms that are not met, in words
  std::string condition;  ///< with numbers for names: to be asked with next
  bool operator==(const AwaitReply&) const = default;
};

}  // namespace wm
