#include "daemons/wmasterd/hosts/strangers.h"

#include <algorithm>

namespace wm::master {

bool Strangers::knocked(const std::string& name, const std::string& address, TimePoint now) {
  auto [at, fresh] = heard_.try_emplace(name);
  fresh = fresh || now - at->second.last > kStrangerKept;
  at->second = {address, now};
  if (heard_.size() > kMostStrangers)
    heard_.erase(
        std::ranges::min_element(heard_, {}, [](const auto& entry) { return entry.second.last; }));
  return fresh;
}

std::vector<Stranger> Strangers::present(TimePoint now) const {
  std::vector<Stranger> found;
  for (const auto& [name, heard] : heard_)
    if (now - heard.last <= kStrangerKept) found.push_back({name, heard.address});
  return found;
}

}  // namespace wm::master
