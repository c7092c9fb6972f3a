// Role: what the parts of wnoded stand on: the environment, and what holds of this host at the
// moment. core.h owns the one of a process; it changes by the master's welcome, a new address, and
// what the host's own files say when a job is authorised.
#pragma once

#include <vector>

#include "daemons/wnoded/env.h"
#include "libwm/launch/launch_env.h"

namespace wm::node {

/// See the file comment. @thread the loop's
struct OwnHost {
  Env& env;
  launch::HostFacts facts;
  std::vector<Gpu> gpus;  ///< as the host registers them
  TimeConf times = {};
};

}  // namespace wm::node
