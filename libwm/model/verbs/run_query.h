// Role: which runs somebody asks for: jobs that are live, and those that the archive keeps. Values.
// The same for the wire (run_verbs.h) and for the archive (store/archive), so that both answer
// alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libwm/base/units.h"
#include "libwm/model/config/config_words.h"
#include "libwm/model/job.h"

namespace wm {

/// Which runs. Empty and unset mean any.
struct RunQuery {
  std::vector<std::uint32_t> jobs = {};  ///< these numbers alone
  std::string user = {}, queue = {}, app = {}, plan = {}, project = {};
  std::string framework = {}, service = {}, bundle = {};
  std::string label = {};  ///< "key=value"
  std::string tag = {};
  std::string name = {};  ///< may begin or end with '*'
  std::vector<JobState> states = {};
  std::optional<AppType> kind = {};
  std::optional<bool> search = {};
  bool executions = false;  ///< with a framework, whichever
  std::optional<bool> starred = {}, shelved = {};
  std::string text = {};  ///< somewhere in what it is or its owner says of it
  std::optional<WallTime> submitted_from = {}, submitted_to = {}, ended_from = {}, ended_to = {};
  /// The master's to say: who asks may see runs of this user and those in these queues alone.
  std::optional<std::string> own = {};
  std::vector<std::string> seen_queues = {};
  std::uint32_t from = 0, to = ~0u;  ///< numbers: from <= job < to
  bool oldest_first = false;
  bool operator==(const RunQuery&) const = default;
};

}  // namespace wm
