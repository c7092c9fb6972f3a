// Role: verbs about what has run, live or kept by the archive: lists by pages, words of owners,
// deletion. Rules as verbs.h says. Values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libwm/model/run_events.h"
#include "libwm/model/verbs/job_verbs.h"
#include "libwm/model/verbs/run_query.h"
#include "libwm/model/verbs/verb_numbers.h"

namespace wm {

/// One page holds at most so many runs.
inline constexpr std::uint32_t kMostRunsInPage = 1000;
/// Runs are counted exactly up to here.
inline constexpr std::uint32_t kMostCounted = 1000;

/// Anyone; of others' runs what bjobs tells of others' jobs. An empty user means the caller, "all"
/// everybody. `next` of the reply takes the place of query.to, or of query.from where the oldest
/// come first. Errors: BadArgument: a limit of 0 or beyond kMostRunsInPage; Unavailable: the
/// archive cannot be read.
struct RunsRequest {
  using Reply = struct RunsReply;
  static constexpr Verb kVerb = Verb::Runs;
  RunQuery query;
  std::uint32_t limit = 50;
  bool whole = false;  ///< all elements of arrays, and what they were given; else the first
  bool count = false;  ///< how many answer to the query, whatever page is asked for
  bool operator==(const RunsRequest&) const = default;
};

/// What is shown of one run.
struct RunFacts {
  std::uint32_t job = 0;
  JobState state = JobState::Finished;  ///< of an array the worst of its elements'
  bool kept = false;                    ///< by the archive alone: the master knows no such job
  bool closed = false;                  ///< an open array that gets no more elements
  std::uint32_t elements = 0;           ///< of an array: those that there are; 0: it is none
  std::vector<std::pair<JobState, std::uint32_t>> counts;  ///< of elements, by state
  std::vector<std::string> given;                          ///< to elements, in order
  std::uint32_t left_out = 0;  ///< elements that are not among the parts, though all were asked for
  RunWords words;
  bool operator==(const RunFacts&) const = default;
};
struct RunView {
  RunFacts facts;
  std::vector<JobView> parts;  ///< the job, or elements of an array in order
};
struct RunsReply {
  std::vector<RunView> runs;
  std::uint32_t next = 0;   ///< where the next page begins; 0: that was all
  std::uint32_t count = 0;  ///< kMostCounted + 1: more than that
};
/// The same bytes, made of views that are encoded already.
struct RunViewBytes {
  RunFacts facts;
  std::vector<std::string> parts;
};
struct RunsReplyBytes {
  std::vector<RunViewBytes> runs;
  std::uint32_t next = 0, count = 0;
};

/// How the archive keeps what is shown of a run, packed (codec/packed.h): elements of an array are
/// said by what differs from the first.
struct PackedRun {
  std::string first;                ///< a JobView's bytes
  std::vector<std::string> others;  ///< differences (codec/patch.h)
  std::vector<std::string> given;
  bool closed = false;
  std::uint32_t elements = 0;
  std::vector<std::pair<JobState, std::uint32_t>> counts;
  bool operator==(const PackedRun&) const = default;
};

/// Owner. Each becomes unknown, with its record; accounting keeps it, its files are its owner's to
/// remove. One result an id. Errors of one: NotFound; Denied; Conflict: it has not ended.
struct DeleteRunsRequest {
  using Reply = OutcomeReply;
  static constexpr Verb kVerb = Verb::DeleteRuns;
  std::string request_key;
  std::vector<JobId> runs;  ///< at most 1,000; with an index: one element
  bool operator==(const DeleteRunsRequest&) const = default;
};

/// Owner. Errors: NotFound, Denied; Limit: of RunWords; Stale: they are not `known` any more.
struct DescribeRunRequest {
  using Reply = struct DescribeRunReply;
  static constexpr Verb kVerb = Verb::DescribeRun;
  std::string request_key;
  JobId run;
  RunWords words;
  std::optional<RunWords> known;  ///< only in the place of these
  bool operator==(const DescribeRunRequest&) const = default;
};
struct DescribeRunReply {
  RunWords words;
  bool operator==(const DescribeRunReply&) const = default;
};

/// Administrators: how the archive stands. `rebuild`: it is made again from the history of events.
struct ArchiveRequest {
  using Reply = struct ArchiveReply;
  static constexpr Verb kVerb = Verb::Archive;
  bool rebuild = false;
  bool operator==(const ArchiveRequest&) const = default;
};
struct ArchiveReply {
  std::uint64_t runs = 0, described = 0, waiting = 0;
  Bytes bytes{0};
  Seq mark;
  std::string trouble;  ///< why it takes nothing; empty: it does
  bool filling = false;
  bool operator==(const ArchiveReply&) const = default;
};

}  // namespace wm
