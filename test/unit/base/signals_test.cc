#include "libwm/base/signals.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace wm {
namespace {

TEST(signals, have_names_with_and_without_sig_and_numbers) {
  EXPECT_EQ(signal_number("SIGTSTP"), SIGTSTP);
  EXPECT_EQ(signal_number("term"), SIGTERM);
  EXPECT_EQ(signal_number("64"), 64);
  for (const char* none : {"", "SIG", "NOPE", "0", "65", "9x", "kill -9 $LSB_JOBPGIDS"})
    EXPECT_EQ(signal_number(none), std::nullopt) << none;
}

TEST(signals, are_listed) { EXPECT_TRUE(signal_names().starts_with("HUP INT QUIT ABRT KILL")); }

}  // namespace
}  // namespace wm
