// Role: which ranks of a parallel job are on which host, as its agents are told
// ("node1 2 node2 2") and as PMIx wants to hear it. Pure values.
// @source PMIx 4: PMIX_NODE_MAP, PMIX_PROC_MAP; the form "raw:" of their regular expressions
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::ranks {

/// A host of the job and the ranks there: `first` … first + ranks - 1.
struct RankHost {
  std::string name;
  std::uint32_t first = 0, ranks = 0;
  bool operator==(const RankHost&) const = default;
};
/// All hosts of the job in the order of their ranks. @shape never empty
struct RankMap {
  std::vector<RankHost> hosts;

  /// Ranks of the job. @cost O(1)
  std::uint32_t size() const;
  /// Place of the host with this rank; hosts.size(): no such rank. @cost O(log hosts)
  std::uint32_t place_of(std::uint32_t rank) const;
  /// Place of the host of this name; hosts.size(): none. @cost O(hosts)
  std::uint32_t place_of(std::string_view name) const;
  bool operator==(const RankMap&) const = default;
};

/// Reads "node1 2 node2 2". @errors BadArgument: not pairs of a name and a number from 1
Result<RankMap> parse_rank_map(std::string_view text);

/// "raw:node1,node2". @cost O(hosts)
std::string node_map(const RankMap& map);
/// "raw:0,1;2,3". @cost O(ranks)
std::string proc_map(const RankMap& map);
/// "2,3": the ranks of one host. @cost O(its ranks)
std::string peers_at(const RankHost& host);

}  // namespace wm::ranks
