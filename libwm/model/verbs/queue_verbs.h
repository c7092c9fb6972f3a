// Role: what commands and the gateway ask about queues: one request struct and one reply struct a
// verb. Rules as verbs.h says. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/model/config/config.h"
#include "libwm/model/verbs/verb_numbers.h"

namespace wm {

/// Anyone.
struct QueuesRequest {
  using Reply = struct QueuesReply;
  static constexpr Verb kVerb = Verb::Queues;
  std::vector<std::string> names;
  bool operator==(const QueuesRequest&) const = default;
};
struct QueueView {
  QueueConf conf;
  bool closed = false, inactive = false;
  std::string why;
  std::uint32_t jobs = 0, pending = 0, running = 0, suspended = 0;  ///< slots, as LSF counts
  std::uint32_t parked = 0;  ///< of `suspended`: stopped by the system, not by a user
  bool operator==(const QueueView&) const = default;
};
struct QueuesReply {
  std::vector<QueueView> queues;
  bool operator==(const QueuesReply&) const = default;
};

}  // namespace wm
