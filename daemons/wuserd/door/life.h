// Role: when a wuserd ends by itself: nobody has asked anything for an hour, its program was
// replaced, or the account is not what it was when it started: a process keeps the groups that it
// began with. The next request starts another, with what is then true.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// What a look found.
struct LifeFacts {
  Duration idle{};        ///< nothing was under way for so long
  bool replaced = false;  ///< another program has its name by now
  bool account = true;    ///< the account is still there
  std::vector<gid_t> groups_then, groups_now;
};

/// Why it is to end now; nothing: it goes on. Pure. @cost O(groups)
std::optional<std::string> why_to_end(const LifeFacts& facts);

/// Looks each second at what is open, each half minute at the above; ends the process. Returns at
/// once; a thread does it. @thread main, before requests are answered
void watch_life(Site& site);

}  // namespace wm::user
