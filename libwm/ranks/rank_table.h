// Role: how the ranks of a parallel job stand, as one host's agent sees it, and the fences they
// wait in: a pure machine. Data goes up a tree over the job's hosts to the first one, which
// joins it, and comes down again to those that take part.
//
//   rank:   silent ─connects─► connected ─finalizes─► finalized
//             └── ends ──► left: no fence with it can be complete; the first host judges
//                               └── ends: it broke off, all are told
//   fence:  open ─(own ranks and all subtrees with ranks of it)─► up ─► done ─► its ticket
//
// Invariants: a fence's ticket is completed once; after the ranks are broken every ticket
// fails, at once; words go to neighbours in the tree only. Called by agents.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "libwm/base/fan_out.h"
#include "libwm/model/node/ranks.h"
#include "libwm/ranks/rank_map.h"

namespace wm::ranks {

/// See the head of this file. @thread one
class RankTable {
 public:
  /// These words to the agent of the neighbour at this place.
  struct Send {
    std::uint32_t place = 0;
    RankWords words;
    bool operator==(const Send&) const = default;
  };
  /// The fence with this ticket is over; not `ok`: it never will be complete.
  struct Complete {
    std::uint64_t ticket = 0;
    bool ok = true;
    std::string bytes;
    bool operator==(const Complete&) const = default;
  };
  /// The ranks cannot go on; said once. `here`: found out on this host.
  struct Broken {
    std::string why;
    bool here = false;
    bool operator==(const Broken&) const = default;
  };
  using Action = std::variant<Send, Complete, Broken>;
  using Actions = std::vector<Action>;

  /// `here`: place of this host in `map`.
  RankTable(RankMap map, std::uint32_t here, FanOut tree);

  /// All ranks of this host that take part have arrived. `ranks`: all that take part on any
  /// host, sorted; empty: every rank of the job. @cost O(ranks + bytes)
  Actions arrive(const std::vector<std::uint32_t>& ranks, std::uint64_t ticket, std::string bytes,
                 Meeting kind = Meeting::Fence);
  Actions on(const FencePart& words);
  Actions on(const FenceDone& words);
  Actions on(const RankLeft& words);
  /// From the neighbour at this place.
  Actions on(const RanksBroken& words, std::uint32_t from);

  void connected(std::uint32_t rank) { standing_[rank] = Standing::Connected; }
  void finalized(std::uint32_t rank) { standing_[rank] = Standing::Finalized; }
  /// The process of this host's rank has ended.
  Actions ended(std::uint32_t rank);
  /// A neighbour cannot be reached any more: what waits fails, nobody is to blame.
  Actions cut_off();

 private:
  enum class Standing : std::uint8_t { Silent, Connected, Finalized };
  struct Fence {
    std::uint32_t parts = 0;  ///< subtrees, this host included, that have arrived
    std::optional<std::uint64_t> ticket;
    std::string bytes;
  };
  Actions add(const FenceName& name, const std::string& bytes, std::optional<std::uint64_t> ticket);
  Actions finish(const FenceName& name, std::string bytes);
  Actions break_off(const std::string& why, std::optional<std::uint32_t> from);
  Actions fail_all();
  Actions judge();
  std::set<std::uint32_t> places(const FenceName& name) const;
  std::uint32_t wanted_parts(const FenceName& name) const;
  bool has_any_below(const std::set<std::uint32_t>& places, std::uint32_t top) const;

  RankMap map_;
  std::uint32_t here_;
  FanOut tree_;
  std::map<FenceName, Fence> open_;
  std::map<std::pair<Meeting, std::vector<std::uint32_t>>, std::uint64_t> arrivals_;
  std::map<std::uint32_t, Standing> standing_;
  std::set<std::uint32_t> left_;  ///< on the first host: of all hosts
  bool broken_ = false, cut_off_ = false;
};

}  // namespace wm::ranks
