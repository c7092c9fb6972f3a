// Role: how a rank of a parallel job gets from its host's agent what it needs to find the
// others: the starting task calls, as the user and before its exec, and waits for the answer.
//
//   task ──frame{task, rank}──► agent's socket ──frame{trouble | variables}──► task ─► exec
//        ──three descriptors──►   (a rank that gives its output to the agent)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/proc/channel.h"

namespace wm::proc {

/// Who calls.
struct RankCall {
  TaskNumber task;
  std::uint32_t rank = 0;
  bool streams = false;  ///< the ends of its output and its error output follow, and `hold`
  bool operator==(const RankCall&) const = default;
};
/// What the agent says, "A=1" each.
struct RankAnswer {
  std::string trouble;                ///< why the rank must not start; empty: it may
  std::vector<std::string> set;       ///< whatever the environment says
  std::vector<std::string> defaults;  ///< where it says nothing
  bool operator==(const RankAnswer&) const = default;
};

/// The rank's ends of its output, once the agent has the others.
struct RankStreams {
  Fd out, err;
  int hold = 1;  ///< given: what the agent holds open until all of the output is written
};

/// Calls and waits. Waits for an agent that is about to listen, too. `streams`: filled in when
/// the call says that there are some.
/// @errors Unavailable: no agent within 10 s, or it went away; System: what it said is wrong
/// @cost blocks until the agent is ready
Result<RankAnswer> call_for_rank(const std::string& socket, const RankCall& call,
                                 RankStreams& streams);
/// The environment with the answer in it. Order is kept, what is new comes last.
/// @cost O(n log n)
std::vector<std::string> with_answer(std::vector<std::string> env, const RankAnswer& answer);

/// What the agent got. With streams the descriptors are set.
struct RankArrival {
  RankCall call;
  Fd out, err, hold;
};
/// The agent's side. @errors Damaged: something else came   @cost blocks
Result<RankArrival> receive_rank_call(int fd);
/// @errors Unavailable: the task is gone
Result<void> answer_rank_call(int fd, const RankAnswer& answer);

}  // namespace wm::proc
