#include "libwm/base/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace wm {
namespace {

constexpr std::array<std::string_view, 3> kWords = {"priority", "policy", "users"};

TEST(nearest, a_slip_is_found) {
  EXPECT_EQ(nearest("priorty", kWords), "priority");
  EXPECT_EQ(nearest("user", kWords), "users");
}

TEST(nearest, nothing_is_better_than_a_wild_guess) {
  EXPECT_EQ(nearest("zzz", kWords), "");
  EXPECT_EQ(nearest("", kWords), "");
  EXPECT_EQ(nearest("x", {}), "");
}

}  // namespace
}  // namespace wm
