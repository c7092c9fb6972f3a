#include "libwm/sched/capacity/switches.h"

#include <algorithm>
#include <map>
#include <utility>

namespace wm::sched {

Switches::Switches(const Config& config, const std::vector<HostCapacity>& rooms) {
  bool none = std::all_of(config.hosts.begin(), config.hosts.end(),
                          [](const HostConf& host) { return host.switches.empty(); });
  if (none) return;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> known;
  leaf_.resize(rooms.size());
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    const HostConf* conf = config.host(rooms[i].host->name);
    std::string_view rest = conf ? std::string_view(conf->switches) : std::string_view();
    std::uint32_t at = 0;
    while (!rest.empty()) {
      auto slash = std::min(rest.find('/'), rest.size());
      std::string name(rest.substr(0, slash));
      rest.remove_prefix(std::min(slash + 1, rest.size()));
      if (name.empty()) continue;
      auto [it, is_new] = known.try_emplace({at, name}, static_cast<std::uint32_t>(nodes_.size()));
      if (is_new) nodes_.push_back({at, nodes_[at].depth + 1, std::move(name)});
      at = it->second;
    }
    leaf_[i] = at;
  }
}

std::uint32_t Switches::above(std::uint32_t node, std::uint32_t up) const {
  for (; up > 0 && node != 0; --up) node = nodes_[node].parent;
  return node;
}

int unit_level(const Config& config, std::string_view type) {
  const auto& types = config.cluster.unit_types;
  if (type.empty() || (types.empty() && type == "switch")) return 0;
  auto it = std::find(types.begin(), types.end(), type);
  return it == types.end() ? -1 : static_cast<int>(it - types.begin());
}

}  // namespace wm::sched
