// Role: an owned descriptor, and errno as an Error. Invariant: descriptors that this folder makes
// are close-on-exec.
#pragma once

#include <string_view>
#include <utility>

#include "libwm/base/result.h"

namespace wm {

/// An owned descriptor, closed on destruction. @owns the descriptor
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Fd() { reset(); }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  /// Closes the old one, if any. @cost one close
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

/// Text of errno with what was being done: "open /x: Permission denied". @thread any
Error system_error(std::string_view what);

/// Writes every byte, however many calls that takes. @errors System: with `what`, such as a path
/// @thread any   @cost blocks as the descriptor does
Result<void> write_all(int fd, std::string_view bytes, std::string_view what);

}  // namespace wm
