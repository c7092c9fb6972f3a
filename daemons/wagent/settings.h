// Role: what the agent is told by its environment (libwm/elastic/PROTOCOL.md, Environment).
// Called by main only.
#pragma once

#include <functional>
#include <string>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/wire/shared_key.h"

namespace wm::wagent {

/// One agent's place in the world.
struct Settings {
  std::string elastic_socket;  ///< where workers connect; empty: the job is not elastic
  std::string node_socket;     ///< where wnoded listens
  JobId job;
  Attempt attempt;
  HostId host;
  std::string address;  ///< numeric, of this host
  wire::SharedKey key{};
  std::string results;  ///< RESULT_DIR of a trial that gets its metrics reported; empty: none are
};

/// Looks a variable up; null: not set.
using Lookup = std::function<const char*(const char* name)>;

/// Reads the WM_… variables.
/// @errors BadArgument: one is missing or malformed; the text names it and its value
Result<Settings> read_settings(const Lookup& lookup);

}  // namespace wm::wagent
