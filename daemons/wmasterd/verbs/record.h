// Role: notes in the record of administrative acts (badmin hist, audit), of verbs other than Admin,
// too.
#pragma once

#include <string>
#include <vector>

#include "daemons/wmasterd/verbs/service.h"

namespace wm::master {

/// What was done, or refused for `outcome`; empty: done.
struct Act {
  std::string act;                   ///< the command's word for it: "brsvadd"
  std::vector<std::string> objects;  ///< what it was about
  std::string why, outcome;
};

/// On disk before the answer is out. Nothing where no record is kept.
void record(const Service& service, const Call& call, Act act);

/// Records an administrator's act on other users' jobs: the call's verb, done to `jobs`.
/// Nothing where there are none. @cost O(jobs)
void record_as_admin(const Service& service, const Call& call, const std::vector<JobId>& jobs);

}  // namespace wm::master
