// Role: which jobs a limit of limits.conf is about, and which of them count together. Pure; for the
// scheduler, which counts, and for blimits, which shows.
#pragma once

#include <string>
#include <vector>

#include "libwm/model/job.h"

namespace wm {

/// What jobs that count together have in common.
struct LimitKey {
  std::string key;   ///< equal for those that do
  std::string text;  ///< for people: "limit <night>, user <alice>"
};

/// Are these names, "all" and "~name" among them, about what `listed` says of a list of names?
/// @shape bool listed(const std::vector<std::string>&)
template <class Listed>
bool is_meant(const std::vector<std::string>& names, Listed listed) {
  std::vector<std::string> in, out;
  bool all = false;
  for (const auto& name : names) {
    if (name.starts_with('~')) out.push_back(name.substr(1));
    else in.push_back(name);
    all = all || name == "all";
  }
  return !listed(out) && (in.empty() || all || listed(in));
}

/// Nothing: the limit is not about such a job. Hosts are not looked at. @cost O(names)
bool find_limit_key(const Config& config, const LimitRule& rule, const JobSpec& spec,
                    LimitKey& key);

}  // namespace wm
