// Role: what commands ask of the master about jobs that wait: their order (btop, bbot), their queue
// (bswitch) and all else that they ask for (bmod); of any that is not over, its run limit; and of
// those that run that they wait again (brequeue). As model/verbs.h has the others. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/model/verbs.h"

namespace wm {

/// Administrators: it changes who goes first among users. Owners: among their own jobs of one queue
/// and priority, each of which gets another's turn.
struct MoveRequest {
  std::string request_key;
  std::vector<JobId> jobs;
  bool top = true;  ///< false: to the bottom
  bool operator==(const MoveRequest&) const = default;
};
/// Owner and administrators. What waits of these jobs goes to another queue; one result a job, an
/// element that is named, or an array. Errors: NotFound (the queue).
struct SwitchRequest {
  std::string request_key;
  JobSelection jobs;
  std::string queue;
  bool operator==(const SwitchRequest&) const = default;
};
/// Owner. What was signed when the job was submitted, or changed last.
struct SpecRequest {
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
  std::string request_key;
  JobId job;
  std::uint32_t revision = 0;
  std::string spec;        ///< codec bytes of JobSpec, as signed
  std::string credential;  ///< over BLAKE2b-256(spec ‖ request_key)
  bool operator==(const ModifyRequest&) const = default;
};
/// Owner and administrators. The run limit of jobs that wait or run; one result a job, an element
/// that is named, or what waits of an array. Of one that has started an owner can only lower it.
struct LimitRequest {
  std::string request_key;
  JobSelection jobs;
  Duration limit{};  ///< 0: its profile's or queue's
  bool operator==(const LimitRequest&) const = default;
};
/// Owner and administrators. Attempts that run are ended, and their jobs wait again; those of jobs
/// that are over wait again at once. One result an id. Errors: Conflict (its state is none of those
/// that are meant, or it cannot run twice).
struct RequeueRequest {
  std::string request_key;
  JobSelection jobs;
  bool active = false, done = false, exited = false;  ///< which; none of them: active
  bool hold = false;                                  ///< they wait for bresume
  /// Does it mean jobs that run, or are suspended? @cost O(1)
  bool means_active() const { return active || (!done && !exited); }
  bool operator==(const RequeueRequest&) const = default;
};

}  // namespace wm
