// Role: questions to hosts what a task's output is, until they are answered: by the host, by the
// end of its session, or by the limit of time. Pure: the caller sends, and has the clock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/model/node/node.h"

namespace wm::master {

/// A file system that hangs keeps nobody waiting for longer.
inline constexpr Duration kPeekLimit = std::chrono::minutes(1);

/// @thread the loop's
class Peeks {
 public:
  /// @errors Unavailable: the session ended, or no answer in time; NotFound: what the host says
  using Done = std::function<void(Result<std::string>)>;

  /// Notes a question to this host; it is to be sent with the number that is returned.
  std::uint64_t ask(HostId host, Done done, Duration now);
  /// The host has answered. One that nobody waits for any more is dropped.
  void on_reply(const PeekReply& reply);
  /// The host's session is gone. @cost O(questions)
  void on_left(HostId host);
  /// Answers what has waited for too long. @cost O(questions)
  void on_tick(Duration now);

 private:
  struct Peek {
    HostId host;
    Done done;
    Duration until{};
  };
  void fail_all(const std::function<bool(const Peek&)>& these, const std::string& why);

  std::map<std::uint64_t, Peek> peeks_;
  std::uint64_t next_ = 1;
};

}  // namespace wm::master
