// Role: what administrators did, as it is kept: one entry an act, each tied to the one before it.
// Written by the master, read by badmin hist and badmin audit. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/units.h"
#include "libwm/model/verbs/verb_numbers.h"

namespace wm {

/// One act. `outcome`: empty: done; else why it was refused.
struct AuditEntry {
  std::uint64_t number = 0;  ///< from 1
  WallTime at{};
  std::string by;                    ///< the account
  std::string act;                   ///< "hclose", "reconfig" …: badmin's word
  std::vector<std::string> objects;  ///< hosts, queues, GPUs
  std::string why, outcome;
  std::string chain;  ///< hex of BLAKE2b-256(chain of the entry before ‖ this one's other words)
  bool operator==(const AuditEntry&) const = default;
};

/// Administrators. What was done since `after`, oldest first.
struct AuditRequest {
  using Reply = struct AuditReply;
  static constexpr Verb kVerb = Verb::Audit;
  std::uint64_t after = 0;           ///< number of an entry; 0: from the first
  std::vector<std::string> objects;  ///< only about one of these; empty: about anything
  std::vector<std::string> acts;     ///< only these; empty: any
  bool operator==(const AuditRequest&) const = default;
};
struct AuditReply {
  std::vector<AuditEntry> entries;
  std::uint64_t checked = 0;  ///< entries in the chain that was followed from the first
  std::string broken;         ///< where it does not hold; empty: it holds
  bool more = false;          ///< ask again after the last one
  bool operator==(const AuditReply&) const = default;
};

}  // namespace wm
