// Role: the tree of switches above the hosts, of any depth (hosts.conf: switches), as a pass
// sees it: which switch a room hangs on, and the compute unit of a type that it belongs to.
//
//        root ─┬─ core1 ─┬─ row1 ─┬─ leaf1: rooms 0 1 2       unit type 0: leaf1 …
//              └─ core2  └─ …     └─ leaf2: rooms 3 4 5       unit type 1: row1 …
//
// Invariants: node 0 is the root; a parent's number is lower than its children's; numbers
// follow the order in which the hosts name them, so equal configurations give equal trees.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/model/config/config.h"
#include "libwm/sched/capacity/host_capacity.h"

namespace wm::sched {

/// The tree. A value, made once a pass.
class Switches {
 public:
  /// A switch.
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t depth = 0;
    std::string name;
  };

  /// Only the root: no host names a switch.
  Switches() = default;
  /// Reads the hosts' paths. @cost O(hosts x depth x log switches)
  Switches(const Config& config, const std::vector<HostCapacity>& rooms);

  /// False: no host names a switch, all are alike. @cost O(1)
  bool any() const { return nodes_.size() > 1; }
  /// The switch of this room; 0: it names none. @cost O(1)
  std::uint32_t of(std::uint32_t room) const { return room < leaf_.size() ? leaf_[room] : 0; }
  /// The switch `up` levels above; the root where there are not so many. @cost O(up)
  std::uint32_t above(std::uint32_t node, std::uint32_t up) const;
  /// Reads one. @owns borrowed
  const Node& node(std::uint32_t number) const { return nodes_[number]; }
  /// How many there are, the root too. @cost O(1)
  std::size_t size() const { return nodes_.size(); }

 private:
  std::vector<Node> nodes_{Node{}};
  std::vector<std::uint32_t> leaf_;  // by room
};

/// How many levels above its own switch a host's compute unit of this type is; empty: 0; no
/// such type: -1. @cost O(types)
int unit_level(const Config& config, std::string_view type);

}  // namespace wm::sched
