// Role: the parts of a shepherd that touch the user's files run in a forked child that has
// become the user for good: copying output, writing the report, removing the folder, reading
// a file for bpeek. The privileged parent parses none of those bytes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/launch/launcher.h"

namespace wm::shepherd {

/// How the child is to be.
struct UserPart {
  const launch::Account& account;
  std::string cwd;  ///< entered if possible
  std::uint32_t umask = 022;
  std::vector<int> keep;  ///< descriptors it uses; all others from 3 on are closed
};

/// What became of the bytes of a user part that ended with `status`, where it returns errno of what
/// failed: "No space left on device". @units status: as wait(2) gives it
std::string lost_words(int status);

/// Forks; the child becomes the user, runs `work` and exits with what it returns. Signals
/// are at their defaults, SIGPIPE ignored.
/// @errors System: fork failed    @thread single-threaded process only
Result<pid_t> fork_as_user(const UserPart& part, const std::function<int()>& work);

}  // namespace wm::shepherd
