// Role: the routers of one service, of which each sees its own requests, as one: what each has seen
// lies where the others read it, and one of them says how many kernels there should be. Pure.
//
//   each look:  own load ─► note_text ─► the others      their notes ─► heard ─► whole ─► Scale
//
// Invariant: of the routers with notes that go on, the one of the lowest rank decides; when it ends
// the next one does. A note that does not read is none.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "libwm/serve/scale.h"

namespace wm::serve {

/// The most routers that a service has.
inline constexpr std::uint32_t kMostRouters = 16;

/// What the files of a router are called; that of rank 0 as if it were the only one. @cost O(1)
std::string router_name(std::uint32_t rank);

/// The task that a router is, by job, attempt and number. Of two of one name, one of which may be
/// on a host that is cut off, the higher one is the service's: it was started later.
struct RouterTask {
  std::uint32_t job = 0;
  std::uint64_t attempt = 0;
  std::uint32_t task = 0;
  auto operator<=>(const RouterTask&) const = default;
};
/// As it is written beside the router's socket: "12 1 3\n". @cost O(1)
std::string text_of(const RouterTask& task);
/// Nothing: it does not read. @cost O(length)
std::optional<RouterTask> read_router_task(std::string_view text);

/// What a router tells the others. `turn` is another one each time. @cost O(1)
std::string note_text(const Load& load, std::uint64_t turn);

/// What one router knows of the others. @thread one at a time
class Peers {
 public:
  explicit Peers(std::uint32_t rank = 0) : rank_(rank) {}

  /// This lies there of another one; nothing: it has never said a word. @cost O(length)
  void heard(std::uint32_t rank, std::string_view note, TimePoint now);
  /// Its own load, and what the others had when they were heard of last. @cost O(routers)
  Load whole(Load own, TimePoint now) const;
  /// Is it the one that decides? @cost O(routers)
  bool decides(TimePoint now) const;
  /// Who says nothing new for so long is not there.
  void adopt(Duration silent) { silent_ = silent; }

 private:
  struct Peer {
    std::string note;
    Load load;
    TimePoint changed{};
  };
  bool is_there(const Peer& peer, TimePoint now) const { return now - peer.changed <= silent_; }

  std::uint32_t rank_;
  Duration silent_ = std::chrono::seconds(11);
  std::uint64_t arrived_ = 0;  // at the others, since they were first heard of
  std::map<std::uint32_t, Peer> peers_;
};

}  // namespace wm::serve
