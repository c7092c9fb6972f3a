// Role: how the site's command is asked about submissions (wpolicyd(8)): which one, for how long and
// how often at a time, and what its failure means. A part of Config.
#pragma once

#include <cstdint>
#include <string>

#include "libwm/base/units.h"

namespace wm {

/// The site's own word on every submission, asked by the master.
struct SubmitPolicyConf {
  std::string command;                       ///< absolute path; empty: none is asked
  Duration limit = std::chrono::seconds(5);  ///< of one question; longer is a failure
  std::uint32_t at_once = 4;                 ///< questions under way
  std::string failure = "refuse";            ///< what a failure means: refuse, accept
  bool operator==(const SubmitPolicyConf&) const = default;
};

}  // namespace wm
