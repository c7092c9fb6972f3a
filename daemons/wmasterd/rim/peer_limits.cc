#include "daemons/wmasterd/rim/peer_limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "libwm/proc/accounts.h"

namespace wm::master {
namespace {

std::size_t sessions_of_users() {
  constexpr std::size_t kLeast = 256, kPart = 8, kMost = 1u << 20;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return kLeast;
  auto all = std::min<std::size_t>(files.rlim_cur, kMost);
  auto kept = std::max(kLeast, all / kPart);
  return all > 2 * kept ? all - kept : all / 2;
}

}  // namespace

wire::PeerLimits peer_limits() {
  wire::PeerLimits limits;
  limits.all_sessions = sessions_of_users();
  limits.reserved = {0u, ::getuid()};
  if (auto door = proc::account("wm-web")) limits.reserved.insert(door->uid);
  return limits;
}

}  // namespace wm::master
