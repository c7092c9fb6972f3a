// Role: requests under way, and whether each may still go on: an event stream, a tunnel or a
// guest's terminal lives for hours, and ends within seconds of what let it begin: the token, or the
// share. Knows also for how long nobody has asked anything.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "libwm/base/units.h"

namespace wm::user {

/// @thread any
class OpenRequests {
 public:
  /// May it still go on? Called without a lock, by the thread of look().
  using Still = std::function<bool()>;

  /// One request, for as long as it lives. @owns the descriptor stays the server's
  class Entry {
   public:
    Entry(OpenRequests& all, int fd, Still still);
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry();

   private:
    OpenRequests& all_;
    std::uint64_t number_;
  };

  explicit OpenRequests(TimePoint now) : last_(now) {}

  /// Cuts the connections of those that may not go on. @cost a question each
  void look();
  /// How long nothing has been under way; zero: something is. @thread any
  Duration idle(TimePoint now) const;

 private:
  struct Request {
    int fd;
    Still still;
  };
  mutable std::mutex mutex_;
  std::uint64_t next_ = 0;                     // Guarded by mutex_.
  std::map<std::uint64_t, Request> requests_;  // Guarded by mutex_.
  TimePoint last_;                             // Guarded by mutex_.
};

}  // namespace wm::user
