// Role: what commands and the gateway ask about jobs: submit, list, end, hold, resize, read, wait.
// Rules as verbs.h says. Values only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/model/attempt_use.h"
#include "libwm/model/elastic.h"
#include "libwm/model/job.h"
#include "libwm/model/reason.h"
#include "libwm/model/verbs/verb_numbers.h"

namespace wm {

/// An option of bsub that the site's policy wants otherwise.
struct OptionChange {
  std::string name;                 ///< without the dash: "q"
  std::vector<std::string> values;  ///< of a flag one empty text; none: it is taken away
  bool operator==(const OptionChange&) const = default;
};
/// Which time this is that one submission is sent; the policy may want other options the first
/// time. 0: the client takes none, and is refused instead.
using PolicyRound = std::uint8_t;

/// Anyone. Errors: NotFound (queue, app, plan), Denied, Impossible, Limit, BadArgument;
/// Unavailable: the site's policy did not answer.
struct SubmitRequest {
  using Reply = struct SubmitReply;
  static constexpr Verb kVerb = Verb::Submit;
  std::string request_key;  ///< 16 raw bytes
  std::string spec;         ///< codec bytes of JobSpec, as signed
  /// Over BLAKE2b-256(spec ‖ request_key); empty: the session's own proof signs that as well.
  std::string credential;
  std::string script, env;  ///< blobs; the spec names their hashes
  PolicyRound round = 0;
  bool operator==(const SubmitRequest&) const = default;
};
struct SubmitReply {
  JobId job;
  std::string queue;
  bool default_queue = false;
  std::vector<std::string> warnings;  ///< for its submitter: a budget is nearly used up
  /// Not submitted (`job` is 0): to be signed anew with these options, and sent with a new key.
  std::vector<OptionChange> instead;
  bool operator==(const SubmitReply&) const = default;
};

/// Which jobs a command means. Ids given: those, of all users, finished ones too. Without:
/// those of `user` (empty: the caller, "all": everybody) that fit every other field.
struct JobSelection {
  std::vector<JobId> ids;                             ///< 123 means the whole array
  std::string user, queue, host, name, project, app;  ///< name may start or end with '*'
  std::string job_group;                              ///< this one, or one below it
  std::string service_class, reservation;             ///< -sla, -U
  bool unfinished = true, finished = false;           ///< where no ids are given
  bool pending_only = false, running_only = false, suspended_only = false;
  JobId after;  ///< only what comes after it of the first id, or without ids of all; 0: everything
  bool operator==(const JobSelection&) const = default;
};

/// An answer about jobs has as many as one frame takes; `rest` are the others: asked for again,
/// with a request key of their own. None: that was all.
using RestOfJobs = std::optional<JobSelection>;

/// Owner and administrators. One result an id; an id that matches nothing is NotFound.
struct KillRequest {
  using Reply = struct OutcomeReply;
  static constexpr Verb kVerb = Verb::Kill;
  std::string request_key;
  JobSelection jobs;
  std::int32_t signal = 0;  ///< 0: the terminate sequence
  bool force = false;       ///< -r: do not wait for the host
  bool mark_done = false;   ///< -d
  std::string reason;
  bool operator==(const KillRequest&) const = default;
};
struct JobOutcome {
  JobId job;
  std::uint8_t code = 0;  ///< wm::Code, 0 = done
  std::string text;
  bool operator==(const JobOutcome&) const = default;
};
struct OutcomeReply {
  std::vector<JobOutcome> jobs;
  RestOfJobs rest;                    ///< nothing has been done about these yet
  std::vector<OptionChange> instead;  ///< ModifyRequest: not done, as SubmitReply has it
  bool operator==(const OutcomeReply&) const = default;
};

/// Owner and administrators. `hold` true: pending → held, false: held → pending.
struct ReleaseRequest {
  using Reply = OutcomeReply;
  static constexpr Verb kVerb = Verb::Release;
  std::string request_key;
  JobSelection jobs;
  bool hold = false;
  bool operator==(const ReleaseRequest&) const = default;
};

/// Owner and administrators. Errors: Conflict (not running, not elastic), BadArgument.
struct ResizeRequest {
  using Reply = struct ResizeReply;
  static constexpr Verb kVerb = Verb::Resize;
  enum class Kind : std::uint8_t { Release = 0, Request = 1, Cancel = 2, Set = 3 };
  std::string request_key;
  JobId job;
  Kind kind = Kind::Release;
  /// Release: how many fewer than now; request: how many more; set: how many there may be, of an
  /// independent group 0 as well.
  std::uint32_t tasks = 0;
  std::string group;  ///< of a job with groups: which
  /// Of a router about its kernels: the tasks that are there by now; empty: nothing is said of
  /// them.
  std::vector<TaskNumber> serving = {};
  bool operator==(const ResizeRequest&) const = default;
};
struct ResizeReply {
  std::uint32_t cap = 0;  ///< at most so many tasks from now on
  bool operator==(const ResizeReply&) const = default;
};

/// Anyone.
struct JobsRequest {
  using Reply = struct JobsReply;
  static constexpr Verb kVerb = Verb::Jobs;
  JobSelection jobs;
  bool operator==(const JobsRequest&) const = default;
};

/// One term of a job's place in the order: the first in which two jobs differ decides.
struct PriorityTerm {
  std::string name;  ///< "queue", "placed", "fairshare", "user", "submitted"
  double value = 0;  ///< higher goes first
  std::string text;
  bool operator==(const PriorityTerm&) const = default;
};

/// A job as commands show it: the job, with what is not part of its durable state.
struct JobView {
  std::shared_ptr<const Job> job;           ///< without what lets anybody act for its owner
  JobId id;                                 ///< an element's own id, also when still in its range
  std::string app, app_type, plan, resize;  ///< resolved
  std::vector<std::string> task_hosts;      ///< one name per entry of job->tasks
  std::vector<PendReason> reasons;          ///< of a pending job, never empty
  std::optional<JobProgress> progress;      ///< of a training job that reported
  std::string result_dir;
  std::vector<PriorityTerm> priority;       ///< of a pending job
  std::vector<std::string> excluded_hosts;  ///< names of job->excluded_hosts
  Duration run_limit{};                     ///< the one in force, whatever set it; 0: none
  std::vector<std::string> setback_hosts;   ///< names of job->setbacks
  std::string exec_id;                      ///< exec_id.h
  std::optional<AttemptUse> use;  ///< of one that runs, all hosts together; none: not looked at yet
  std::string meeting;  ///< of a running job: who has not come to where its tasks meet; else empty
};
struct JobsReply {
  std::vector<JobView> jobs;
  std::vector<JobId> missing;  ///< ids asked for that are not known
  RestOfJobs rest;
};
/// The same bytes, made of views that are encoded already: each is, once, to see whether it has
/// room.
struct JobsReplyBytes {
  std::vector<std::string> jobs;
  std::vector<JobId> missing;
  RestOfJobs rest;
};

/// Of ClientPeek: what was submitted, a script or else the command.
inline constexpr std::uint32_t kScriptStream = 3;

/// Owner and administrators. Errors: NotFound, Conflict (not started), Unavailable (host).
struct ClientPeek {
  using Reply = struct ClientPeekReply;
  static constexpr Verb kVerb = Verb::Peek;
  JobId job;
  TaskNumber task;           ///< 0: the first
  std::uint32_t stream = 1;  ///< 1 stdout, 2 stderr, or kScriptStream
  std::uint64_t offset = 0;
  bool operator==(const ClientPeek&) const = default;
};
struct ClientPeekReply {
  std::string bytes;
  bool running = false;  ///< more may come
  bool operator==(const ClientPeekReply&) const = default;
};

/// Anyone. Answered as soon as the job's state is not `known`, or its attempt not `attempt`,
/// any more.
struct WaitRequest {
  using Reply = struct WaitReply;
  static constexpr Verb kVerb = Verb::Wait;
  JobId job;
  JobState known = JobState::Pending;
  Attempt attempt;
  bool operator==(const WaitRequest&) const = default;
};
struct WaitReply {
  JobState state = JobState::Pending;
  std::string first_host;
  std::int32_t exit_status = 0;
  Term term = Term::None;
  Attempt attempt;  ///< the newest; 0: not dispatched yet, or an array
  bool operator==(const WaitReply&) const = default;
};

/// Owner. Where the agent on a task's host lets its owner in; one is started where there is
/// none. Errors: NotFound, Denied, Conflict (not started, or over).
struct AttachRequest {
  using Reply = struct AttachReply;
  static constexpr Verb kVerb = Verb::Attach;
  JobId job;
  TaskNumber task;  ///< 0: the first
  Attempt attempt;  ///< an interactive job's console of it, also when it has ended; 0: as it runs
  bool operator==(const AttachRequest&) const = default;
};
struct AttachReply {
  std::string door;  ///< "127.0.0.1:4711"; empty: not yet, ask again
  std::string host;
  TaskNumber task;
  std::int32_t pid = 0;
  bool operator==(const AttachReply&) const = default;
};

}  // namespace wm
