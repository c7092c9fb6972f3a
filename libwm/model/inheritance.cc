#include "libwm/model/inheritance.h"

#include <algorithm>

#include "libwm/base/hash.h"

namespace wm {
namespace {

// Enough to see a change; it keeps no secret.
std::string mark_of(std::string_view value) { return hex(hash_of(value, 16).substr(0, 2)); }

}  // namespace

std::string own_entry(std::string_view name, std::string_view value) {
  return std::string(name) + ":" + mark_of(value);
}

void leave_out_own(std::map<std::string, std::string>& variables) {
  auto listed = variables.extract(kOwnList);
  if (!listed) return;
  std::string_view list = listed.mapped();
  while (!list.empty()) {
    auto entry = list.substr(0, list.find(' '));
    list.remove_prefix(std::min(entry.size() + 1, list.size()));
    auto colon = entry.find(':');
    auto at = variables.find(std::string(entry.substr(0, colon)));
    if (at == variables.end()) continue;
    if (colon == entry.npos || entry.substr(colon + 1) == mark_of(at->second)) variables.erase(at);
  }
}

}  // namespace wm
