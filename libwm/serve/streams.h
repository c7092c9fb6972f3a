// Role: streams of tasks to one service: which task of a stream is next and which has waited too
// long, and which streams make a group. Pure: the time is an argument.
//
//   put ─► waiting ─► next: one at a time, in order; its turn comes when the one before is answered
//
// Invariant: every task that was put comes out of next() once.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "libwm/base/units.h"

namespace wm::serve {

/// What a profile says of streams.
struct StreamRules {
  std::uint32_t per_group = 0;  ///< streams that share a kernel; 0: each task goes anywhere
  bool discards = true;         ///< a task that has waited for `patience` is not begun
  Duration patience = Duration::zero();  ///< 0: without end
};

/// One message of a stream.
struct StreamTask {
  std::uint64_t id = 0;  ///< the client's
  std::string data;
  TimePoint arrived{};
};

/// What of one stream waits for the tasks before it. @thread one at a time
class StreamQueue {
 public:
  static constexpr std::size_t kMostTasks = 64;
  static constexpr std::size_t kMostBytes = 32 << 20;

  explicit StreamQueue(const StreamRules& rules) : rules_(rules) {}

  /// Without room nothing is read of the stream, and its client has to wait.
  bool has_room() const { return tasks_.size() < kMostTasks && bytes_ < kMostBytes; }
  void put(StreamTask task);

  /// The task that is next in its stream.
  struct Turn {
    StreamTask task;
    bool late = false;  ///< it is not to be begun
  };
  /// Nothing: none waits. @cost O(1)
  std::optional<Turn> next(TimePoint now);

 private:
  StreamRules rules_;
  std::deque<StreamTask> tasks_;
  std::size_t bytes_ = 0;
};

/// Streams of all services in groups of so many. @thread one at a time
class StreamGroups {
 public:
  /// @shape first: what no other process of the same service counts from
  explicit StreamGroups(std::uint64_t first) : next_(first) {}

  /// The group of one more stream to `service`, of `size`; 0: with a size of 0 there are none.
  /// @cost O(groups of the service)
  std::uint64_t join(const std::string& service, std::uint32_t size);
  /// One of them has ended.
  void leave(const std::string& service, std::uint64_t group);

 private:
  std::uint64_t next_;
  std::map<std::string, std::map<std::uint64_t, std::uint32_t>> streams_;  // of a service's groups
};

}  // namespace wm::serve
