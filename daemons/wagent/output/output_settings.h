// Role: what an agent is told of the output that other hosts of its job pass to the first one.
// Values, read from its environment (libwm/launch/part_env.h writes it).
#pragma once

#include <cstdint>
#include <string>

#include "libwm/launch/launch_parts.h"

namespace wm::wagent {

/// What is passed on, and where it is written.
struct OutputSettings {
  std::string socket;        ///< where copiers of tasks' output call; empty: nothing is passed on
  std::uint32_t others = 0;  ///< on the first host: how many more the job has
  launch::OutputFile out;    ///< of what tasks say on stdout; absolute
  launch::OutputFile err;    ///< of what they say on stderr; path empty: the same as `out`
};

}  // namespace wm::wagent
