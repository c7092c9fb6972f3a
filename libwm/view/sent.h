// Role: what leaves the master of a job, a host, a queue, and for whom: lists of every member of
// Job, of what was asked, of Host and QueueConf, with how far each goes. What goes to nobody, like
// what no list names, is never copied into what is sent; a member that no list names fails a test.
//
//   Nobody  the master's and the job's hosts' own: signed bytes, keys, hashes
//   Image   badmin snapshot: administrators simulate with it
//   Owner   the owner, administrators, and everybody where job_info = all
//   Anyone  a summary (job_info = summary): that it is there, where and since when; nothing that
//           its owner wrote
#pragma once

#include <cstdint>
#include <span>

#include "libwm/model/host.h"
#include "libwm/model/job.h"
#include "libwm/model/verbs/acct.h"

namespace wm::view {

/// How far a member goes; a reader further down gets less.
enum class Reach : std::uint8_t { Nobody, Image, Owner, Anyone };

/// In the place of a name that is not shown.
inline constexpr const char* kNoName = "-";

/// What is sent to those whom `to` names: a value of its own. @cost O(job)   @thread any
Job sent(const Job& job, Reach to);
/// The same of its history and of its accounting; but for a summary they go as they are.
HistoryJob summary_of(const HistoryJob& job);
AcctJob summary_of(const AcctJob& job);

/// What everybody may see of a host and of a queue: not what daemons and administrators' commands
/// are about. @cost O(host), O(queue)
Host sent(const Host& host);
QueueConf sent(const QueueConf& queue);

/// A member of S.
template <class S>
struct Part {
  Reach reach = Reach::Nobody;
  void (*copy)(S& to, const S& from);
  const void* (*at)(const S& from);
  std::size_t size = 0;
};

/// The lists. Parts of a job that have a list of their own are Nobody's here. @cost O(1)
std::span<const Part<Job>> job_parts();
std::span<const Part<Membership>> membership_parts();
std::span<const Part<SealedSpec>> sealed_parts();
std::span<const Part<JobSpec>> spec_parts();
std::span<const Part<Host>> host_parts();
std::span<const Part<QueueConf>> queue_parts();

}  // namespace wm::view
