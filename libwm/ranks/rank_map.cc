#include "libwm/ranks/rank_map.h"

#include <algorithm>
#include <charconv>

namespace wm::ranks {
namespace {

/// Cuts the next word off; empty: there is none.
std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  auto word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

std::uint32_t RankMap::size() const { return hosts.back().first + hosts.back().ranks; }

std::uint32_t RankMap::place_of(std::uint32_t rank) const {
  if (rank >= size()) return static_cast<std::uint32_t>(hosts.size());
  auto after =
      std::upper_bound(hosts.begin(), hosts.end(), rank,
                       [](std::uint32_t r, const RankHost& host) { return r < host.first; });
  return static_cast<std::uint32_t>(after - hosts.begin() - 1);
}

std::uint32_t RankMap::place_of(std::string_view name) const {
  auto at = std::find_if(hosts.begin(), hosts.end(),
                         [&](const RankHost& host) { return host.name == name; });
  return static_cast<std::uint32_t>(at - hosts.begin());
}

Result<RankMap> parse_rank_map(std::string_view text) {
  const auto whole = text;
  RankMap map;
  std::uint32_t first = 0;
  for (auto name = next_word(text); !name.empty(); name = next_word(text)) {
    auto digits = next_word(text);
    std::uint32_t ranks = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ranks);
    if (error != std::errc() || end != digits.data() + digits.size() || ranks == 0)
      return fail(Code::BadArgument, "'" + std::string(whole) + "': not hosts and their ranks");
    map.hosts.push_back({std::string(name), first, ranks});
    first += ranks;
  }
  if (map.hosts.empty()) return fail(Code::BadArgument, "no hosts of ranks are named");
  return map;
}

std::string node_map(const RankMap& map) {
  std::string text = "raw:";
  for (const auto& host : map.hosts) text += (host.first == 0 ? "" : ",") + host.name;
  return text;
}

std::string proc_map(const RankMap& map) {
  std::string text = "raw:";
  for (const auto& host : map.hosts) text += (host.first == 0 ? "" : ";") + peers_at(host);
  return text;
}

std::string peers_at(const RankHost& host) {
  std::string text;
  for (std::uint32_t i = 0; i < host.ranks; ++i)
    text += (i == 0 ? "" : ",") + std::to_string(host.first + i);
  return text;
}

}  // namespace wm::ranks
