// Role: runs the site's policy of submissions (submit_policy of wm.conf): a command that only root,
// or in a private cluster its one account, can change, under an account that owns nothing.
//
//   wmasterd (wm) ──a question a connection──► wpolicyd (wm-policy) ──► the command
//   wmasterd of a private cluster ────────────────────────────────────► the command
//
// A question and its answer are frames (libwm/frames): command, limit in ms, lines; then a code and
// what the command wrote, or why it failed.
#pragma once

#include <sys/types.h>

#include <string>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::proc {

/// The account that policies run as where the cluster has several.
inline constexpr const char* kPolicyAccount = "wm-policy";
/// What a command may write about one request. @units bytes
inline constexpr Bytes kMostPolicyAnswer{8 << 20};

/// One question.
struct PolicyRun {
  std::string command;  ///< an absolute path
  Duration limit{};     ///< then it is killed
  std::string lines;    ///< its standard input
};

/// May the command be run: a regular file of root's or of `owner`'s that may be executed, which
/// nobody else can change or replace. @errors Denied: why not; NotFound; BadArgument: no absolute
/// path   @cost three system calls a folder
Result<void> check_policy_command(const std::string& path, uid_t owner);

/// Runs it here and returns what it wrote. As root it becomes wm-policy, or nobody where there is
/// no such account, first.
/// @errors as check_policy_command; System: it cannot be started, or ended with another status than
/// 0, with its last words; Timeout, Limit: it was killed   @thread any, blocks
Result<std::string> run_policy(const PolicyRun& run);

/// Has wpolicyd, which listens at `socket`, run it. @errors as run_policy; Unavailable: it is not
/// there, or too busy to answer; Denied: who listens is not wm-policy   @thread any, blocks
Result<std::string> ask_policy_at(const std::string& socket, const PolicyRun& run);

/// wpolicyd's part: one question on a connection, answered and done. Only root and `master` may
/// ask. @thread any, blocks   @cost as long as the command runs, at most
void answer_policy(int connection, uid_t master);

}  // namespace wm::proc
