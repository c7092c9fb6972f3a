// Role: bsub -env: what of the submitter's environment a job gets, and what else. Pure.
//
//   -env "all, A=1, B='x, y', C, ~D"   all: everything from here; none: nothing; C: as it is here;
//                                      ~D: not this one; a value in quotes may hold commas
//
// Several -env of one source follow each other: clients send one a variable (lsf-surface 1.2).
#pragma once

#include <string>
#include <vector>

#include "libwm/submit/submission.h"

namespace wm::cmd {

/// A job's environment.
struct JobEnvironment {
  std::string block;               ///< "A=1\0B=2\0"
  std::vector<std::string> unset;  ///< names given without a value that have none here
};

/// From -env and the submitter's variables; without -env everything. -resume adds its own.
/// @errors BadArgument: a name that is none, a quote that is not closed, no job's number
/// @cost O(length)
Result<JobEnvironment> make_environment(const Parsed& options, const Surroundings& surroundings);

/// The submitter's variables, and a request's. @errors as above   @cost O(length)
Result<JobEnvironment> make_environment(const JobRequest& request,
                                        const Surroundings& surroundings);

}  // namespace wm::cmd
