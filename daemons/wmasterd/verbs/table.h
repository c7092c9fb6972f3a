// Role: the table of verbs: what each is called on the wire, whom it serves, what does it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "daemons/wmasterd/verbs/service.h"

namespace wm::master {

/// A verb.
struct VerbRow {
  Verb verb;
  std::string_view name;  ///< for monitoring
  May may;
  /// Decodes, asks whether the caller may, looks whether a write has been answered; then acts.
  void (*serve)(Service& service, const Call& call, const std::string& payload);
};

/// Every verb, once. @cost O(1)
std::span<const VerbRow> verb_table();
/// None: no such verb. @cost O(verbs)
const VerbRow* find_verb(std::uint16_t type);

}  // namespace wm::master
