// Role: how a rank of a parallel job gets from its host's agent what it needs to find the
// others: the starting task calls, as the user and before its exec, and waits for the answer.
//
//   task ──frame{task, rank}──► agent's socket ──frame{trouble | variables}──► task ─► exec
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"

namespace wm::proc {

/// Who calls.
struct RankCall {
  TaskNumber task;
  std::uint32_t rank = 0;
  bool operator==(const RankCall&) const = default;
};
/// What the agent says, "A=1" each.
struct RankAnswer {
  std::string trouble;                ///< why the rank must not start; empty: it may
  std::vector<std::string> set;       ///< whatever the environment says
  std::vector<std::string> defaults;  ///< where it says nothing
  bool operator==(const RankAnswer&) const = default;
};

/// Calls and waits. Waits for an agent that is about to listen, too.
/// @errors Unavailable: no agent within 10 s, or it went away; System: what it said is wrong
/// @cost blocks until the agent is ready
Result<RankAnswer> call_for_rank(const std::string& socket, const RankCall& call);
/// The environment with the answer in it. Order is kept, what is new comes last.
/// @cost O(n log n)
std::vector<std::string> with_answer(std::vector<std::string> env, const RankAnswer& answer);

/// The agent's side. @errors Damaged: something else came   @cost blocks
Result<RankCall> receive_rank_call(int fd);
/// @errors Unavailable: the task is gone
Result<void> answer_rank_call(int fd, const RankAnswer& answer);

}  // namespace wm::proc
