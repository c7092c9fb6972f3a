// Role: a store in a directory of its own, and rows to put in it. For tests of libwm/store.
#pragma once

#include <string>
#include <vector>

#include "libwm/store/core/event_store.h"

namespace wm::test {

/// A new directory under /dev/shm, else $TMPDIR or /tmp; gone with this object.
class ScratchDir {
 public:
  ScratchDir();
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Event `n`, its content a function of n.
store::EventRow event_row(std::uint64_t n);
/// Events first … first + count - 1, nothing else.
store::Batch events(std::uint64_t first, std::uint64_t count);
/// Events as above, and one blob and one reply that are functions of `first`.
store::Batch full_batch(std::uint64_t first, std::uint64_t count);
store::RequestKey request_key(std::uint64_t n);
/// A moment in November 2026, `seconds` later.
WallTime at_second(std::int64_t seconds);
/// All events that the store holds from `from` on; aborts the test on an error.
std::vector<store::EventRow> all_events(store::EventStore& store, Seq from = Seq{1});

}  // namespace wm::test
