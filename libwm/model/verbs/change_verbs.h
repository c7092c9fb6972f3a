// Role: what commands ask of the master about jobs that wait: their order (btop, bbot), their queue
// (bswitch) and all else that they ask for (bmod); of any that is not over, its run limit; and of
// those that run that they wait again (brequeue). As verbs.h has the others. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/model/verbs/job_verbs.h"

namespace wm {

/// @source LSF btop, bbot
inline constexpr std::uint32_t kMostPosition = 1000;  ///< each that stands before has an event
/// Administrators: it changes who goes first among users. Owners: among their own jobs of one queue
/// and priority, each of which gets another's turn.
struct MoveRequest {
  using Reply = OutcomeReply;
  static constexpr Verb kVerb = Verb::Move;
  std::string request_key;
  std::vector<JobId> jobs;
  bool top = true;             ///< false: to the bottom
  std::uint32_t position = 1;  ///< of one job: the first, second … from there
  bool operator==(const MoveRequest&) const = default;
};
/// Owner and administrators. What waits of these jobs goes to another queue; one result a job, an
/// element that is named, or an array. Errors: NotFound (the queue).
struct SwitchRequest {
  using Reply = OutcomeReply;
  static constexpr Verb kVerb = Verb::Switch;
  std::string request_key;
  JobSelection jobs;
  std::string queue;
  bool operator==(const SwitchRequest&) const = default;
};
/// Owner. What was signed when the job was submitted, or changed last.
struct SpecRequest {
  using Reply = struct SpecReply;
  static constexpr Verb kVerb = Verb::Spec;
  JobId job;
  bool operator==(const SpecRequest&) const = default;
};
struct SpecReply {
  std::string spec;            ///< codec bytes of JobSpec
  std::uint32_t revision = 0;  ///< of what it asks for now
  bool operator==(const SpecReply&) const = default;
};
/// Owner. A job that waits asks for something else. The queue that it was put into, and the jobs
/// that its -w was about, stay where `spec` names the same as was signed before.
/// Errors: NotFound; Conflict (it has started, or `revision` is not its newest); Damaged (another
/// script or environment); else as SubmitRequest.
struct ModifyRequest {
  using Reply = OutcomeReply;
  static constexpr Verb kVerb = Verb::Modify;
  std::string request_key;
  JobId job;
  std::uint32_t revision = 0;
  std::string spec;        ///< codec bytes of JobSpec, as signed
  std::string credential;  ///< over BLAKE2b-256(spec ‖ request_key)
  PolicyRound round = 0;
  bool operator==(const ModifyRequest&) const = default;
};
/// Owner and administrators. The run limit of jobs that wait or run; one result a job, an element
/// that is named, or what waits of an array. Of one that has started an owner can only lower it.
struct LimitRequest {
  using Reply = OutcomeReply;
  static constexpr Verb kVerb = Verb::Limit;
  std::string request_key;
  JobSelection jobs;
  Duration limit{};  ///< 0: its profile's or queue's
  bool operator==(const LimitRequest&) const = default;
};
/// Owner and administrators. Attempts that run are ended, and their jobs wait again; those of jobs
/// that are over wait again at once. One result an id. Errors: Conflict (its state is none of those
/// that are meant, or it cannot run twice).
struct RequeueRequest {
  using Reply = OutcomeReply;
  static constexpr Verb kVerb = Verb::Requeue;
  std::string request_key;
  JobSelection jobs;
  bool active = false, done = false, exited = false;  ///< which; none of them: active
  bool hold = false;                                  ///< they wait for bresume
  /// Does it mean jobs that run, or are suspended? @cost O(1)
  bool means_active() const { return active || (!done && !exited); }
  bool operator==(const RequeueRequest&) const = default;
};

/// Owner. The next elements of an open array get their data, in order, all or none; then it may be
/// closed: it is over when those that it has are. Nothing to give and not to close only asks, also
/// of a search, which has its elements from its suggester. Errors: NotFound; Conflict (not open,
/// closed, ended); Limit (more than it reserved, or data of more than kMaxElementData bytes).
struct GiveRequest {
  using Reply = struct GiveReply;
  static constexpr Verb kVerb = Verb::Give;
  std::string request_key;
  JobId job;
  std::vector<std::string> data;  ///< each becomes the file config.json of its element
  bool close = false;
  /// Also tell what elements from this index on were given, as many as fit into an answer; 0: none.
  std::uint32_t tell_from = 0;
  bool operator==(const GiveRequest&) const = default;
};
struct GiveReply {
  std::uint32_t first = 0;  ///< index of the first that was given now; 0: none was
  std::uint32_t given = 0;  ///< so many have their data by now
  bool closed = false;
  std::vector<std::string> data;  ///< of the elements from tell_from on, in order
  bool operator==(const GiveReply&) const = default;
};
/// Of one element. @units bytes
inline constexpr std::size_t kMaxElementData = 1u << 20;

}  // namespace wm
