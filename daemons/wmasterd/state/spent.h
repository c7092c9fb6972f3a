// Role: what the master spends its time on: passes, commits, requests; for monitoring. Values.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "libwm/view/metrics_page.h"

namespace wm::master {

/// @thread the loop's; a copy may go elsewhere
struct Spent {
  view::Histogram passes, commits, requests;
  std::map<std::string, std::uint64_t> by_verb;
  view::Histogram policy_runs;                           ///< of the site's policy of submissions
  std::map<std::string, std::uint64_t> policy_verdicts;  ///< accepted, refused, options, failed
};

}  // namespace wm::master
