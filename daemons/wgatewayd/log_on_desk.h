// Role: log-ons under way, each in a thread of the server's: gives them their turns as
// rest::Attempts decides, and answers refusals after the same time whatever was wrong. What asks
// takes the only slow step, outside the lock.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

#include "libwm/base/result.h"
#include "libwm/login/attempts.h"

namespace wm::gateway {

/// See the head of this file. @thread any
class LogOnDesk {
 public:
  /// @param refusal what a refusal takes, zero: no longer than it takes; turn: how long one waits
  explicit LogOnDesk(Duration refusal, Duration turn = std::chrono::seconds(3))
      : refusal_(refusal), turn_(turn) {}

  /// What `ask` says, once its turn has come. @errors Limit: too many failures of that address and
  /// user, or no room: nothing was asked; Denied as `ask`   @cost blocks, at most `turn`, `ask` and
  /// `refusal` together
  Result<std::string> log_on(const std::string& address, const std::string& user,
                             const std::function<Result<std::string>()>& ask);
  /// After a Limit: true once a minute of an address and user, for the record of acts.
  bool is_first_refusal(const std::string& address, const std::string& user);

 private:
  Result<std::string> refuse_late(std::unique_lock<std::mutex>& lock, TimePoint begun,
                                  Result<std::string> made);

  const Duration refusal_, turn_;
  std::mutex mutex_;
  std::condition_variable news_;
  rest::Attempts attempts_;  // Guarded by mutex_.
  std::size_t delayed_ = 0;  // Guarded by mutex_.
};

}  // namespace wm::gateway
