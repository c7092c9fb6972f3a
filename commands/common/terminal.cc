#include "commands/common/terminal.h"

#include <unistd.h>

namespace wm::cmd {

RawTerminal::RawTerminal(bool wanted) {
  terminal_ = ::tcgetattr(STDIN_FILENO, &before_) == 0;
  if (!wanted || !terminal_) return;
  termios raw = before_;
  ::cfmakeraw(&raw);
  raw_ = ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

RawTerminal::~RawTerminal() {
  if (raw_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

}  // namespace wm::cmd
