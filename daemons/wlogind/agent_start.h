// Role: how a user's wuserd is started: its words, its environment, what it may use up. Pure but
// for bind_down, which the child calls. wlogind's own environment is root's and goes to nobody.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/proc/accounts.h"

namespace wm::login {

/// Descriptors that a wuserd finds open.
inline constexpr int kListenFd = 3, kLockFd = 4, kGuestsFd = 5;

/// What a wuserd is started with.
struct AgentPlan {
  std::string program, conf, folder;  ///< folder: of sockets and of the public key
  std::string web_user;
  uid_t web_uid = 0;
  std::string logs;  ///< folder of root's for a file UID.log each; empty: the journal
  std::vector<std::string> passed;  ///< "NAME=VALUE": what a private cluster's programs need
  std::string results;              ///< folder of users' results; empty: in their homes
};

std::vector<std::string> agent_words(const AgentPlan& plan);
std::vector<std::string> agent_environment(const proc::Account& account, const AgentPlan& plan);
/// "NAME" of --pass as "NAME=VALUE"; empty: it is not set. @cost O(variables)
std::string passed_variable(const std::string& name);

/// The call to systemd that puts the process `pid` into a scope of its own, with limits of memory
/// and processes: what a user's wuserd uses up is not wlogind's, and not other users'.
std::vector<std::string> scope_words(pid_t pid, uid_t uid);

/// No program that it starts gains privileges, nothing leaves a core file, and it has no more
/// descriptors than its connections. Once, in the child, before it becomes the user.
/// @errors System
Result<void> bind_down();

}  // namespace wm::login
