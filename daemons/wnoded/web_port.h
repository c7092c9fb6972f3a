// Role: the port of the loopback address where a notebook job's program may listen.
#pragma once

#include "daemons/wnoded/env.h"

namespace wm::node {

/// Does nobody but the job's account reach the port of its program? From now on, if a rule for it
/// can be made; false for a job that has no such port here. @cost as proc::PortGuard::keep
bool owns_web_port(Env& env, const launch::AttemptKey& key, const HostOrder& order,
                   const launch::Account& account);

}  // namespace wm::node
