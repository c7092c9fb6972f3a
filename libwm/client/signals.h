// Role: signals that are not for this process but for those it stands for: they arrive at a
// descriptor, to be passed on, instead of ending it.
#pragma once

#include <signal.h>

#include <optional>

namespace wm::client {

/// SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2 and SIGWINCH, for as long as it lives.
/// @thread main, before any other is there   @owns the descriptor
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Readable when one has come. @cost O(1)
  int descriptor() const { return fd_; }
  /// The number of the next that has come; none: no more. @cost O(1)
  std::optional<int> next();
  /// In a child: signals do again what they did before. @cost O(1)
  void let_through() const;

 private:
  sigset_t before_{};
  int fd_ = -1;
};

}  // namespace wm::client
