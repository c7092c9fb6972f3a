#include "libwm/base/exit_status.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace wm {
namespace {

TEST(exit_status, it_is_what_a_shell_shows) {
  EXPECT_EQ(shell_status(0), 0);
  EXPECT_EQ(shell_status(3 << 8), 3);
  EXPECT_EQ(shell_status(255 << 8), 255);
  EXPECT_EQ(shell_status(SIGKILL), 137);
  EXPECT_EQ(shell_status(SIGSEGV | 0x80), 139) << "with a core";
}

}  // namespace
}  // namespace wm
