// Role: events of something that concerns many jobs at once (a window that closes): proposed in
// parts, the next once the one before is durable, so that nobody else waits long for the loop.
//
//   add ─► part proposed ─durable─► the next      the store fails ─► the same again, at a tick
#pragma once

#include <cstddef>
#include <deque>
#include <iterator>
#include <vector>

#include "daemons/wmasterd/state/journal.h"

namespace wm::master {

/// In order. One that is refused by its time (its job has ended) is left out. @thread the loop's
class InTurns {
 public:
  static constexpr std::size_t kPart = 500;  ///< about 10 ms of the loop

  explicit InTurns(Journal& journal) : journal_(journal) {}
  /// All that was added is durable.
  bool idle() const { return rest_.empty(); }
  void add(std::vector<EventBody> events) {
    rest_.insert(rest_.end(), std::make_move_iterator(events.begin()),
                 std::make_move_iterator(events.end()));
    on_tick();
  }
  /// Goes on where a part has failed. @cost O(kPart)
  void on_tick();

 private:
  Journal& journal_;
  std::deque<EventBody> rest_;
  bool proposed_ = false;
};

}  // namespace wm::master
