// Role: which jobs a selection means, of the live state: pure. What fits one answer of them is
// portion.h's. Used by the verbs about jobs; acct_query.cc asks accounting in the same words.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::master {

/// Is it one of the names, or are none given? @cost O(names)
bool is_asked(const std::vector<std::string>& names, const std::string& name);

/// Is this the name that is asked for: "train", "train*", "*train" or "*train*"; "" is any.
bool fits_name(const std::string& wanted, const std::string& name);

/// Does a job in this state belong to the selection? Of jobs that are named all do, unless a
/// state is named, too: the elements of an array that run.
bool fits_state(const JobSelection& selection, JobState state);

/// How far a walk came.
struct Walked {
  std::vector<JobId> missing;  ///< ids on its way that mean nothing
  std::vector<JobId> over;     ///< arrays of which nothing is left to be changed
  RestOfJobs rest;             ///< what it did not come to
};

/// What is left of a selection: its first ids are done, and of the next one, or without ids of
/// all, everything up to `last`.
JobSelection rest_of(JobSelection selection, std::size_t ids_done, JobId last);

/// Calls `visit` with every job the selection means, in the order of their numbers, or of the
/// ids: an array's elements one by one, also those still in its range (then job->id differs from
/// the id given). The walk ends before the first job of which `visit` returns false, and between
/// two jobs once it has looked at very many. An id that is repeated counts once.
/// @shape bool visit(const Job&, JobId)   @cost O(jobs) from selection.after on, at most 100,000
/// and one array
Walked each_selected(const Cluster& state, const JobSelection& selection, const std::string& caller,
                     const std::function<bool(const Job&, JobId)>& visit);

/// The same for a write: as many as one answer tells of. An array is not cut, since what still
/// waits of it changes as a whole. Named by its number alone it means what is not over of it,
/// unless the selection wants finished ones; where all of it is, it is in Walked::over.
/// @shape void visit(const Job&, JobId)
Walked each_to_change(const Cluster& state, const JobSelection& selection,
                      const std::string& caller,
                      const std::function<void(const Job&, JobId)>& visit);

/// The state of the job, or of an element still in its base's range.
JobState state_of(const Job& job, JobId id);

/// The numbers of the caller's own jobs of that name; "name*" begins like that.
/// @errors NotFound: none   @cost O(jobs)
Result<std::vector<std::uint32_t>> jobs_named(const Cluster& state, const Identity& who,
                                              const std::string& name);

/// An element in its array's range is as its base says. None: no such job.
const Job* job_or_base(const Cluster& state, JobId id);

/// A plain job once, an array element by element, those of its range, too.
/// @shape void visit(const Job&, JobId)
void each_part(const Cluster& state, const Job& base,
               const std::function<void(const Job&, JobId)>& visit);

}  // namespace wm::master
