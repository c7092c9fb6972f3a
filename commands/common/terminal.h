// Role: the user's own terminal while a session in a job has it: every key goes there, and
// whatever happens here the terminal is put back as it was.
#pragma once

#include <termios.h>

namespace wm::cmd {

/// Raw from construction to destruction when standard input is a terminal, else nothing.
/// @thread main
class RawTerminal {
 public:
  /// `wanted` false: leaves it alone.
  explicit RawTerminal(bool wanted);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  /// Standard input is a terminal. @cost O(1)
  bool is_terminal() const { return terminal_; }

 private:
  termios before_{};
  bool terminal_ = false, raw_ = false;
};

}  // namespace wm::cmd
