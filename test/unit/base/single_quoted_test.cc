#include "libwm/base/single_quoted.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

TEST(single_quoted, a_shell_reads_the_word_back) {
  EXPECT_EQ(single_quoted("a b;$c"), "'a b;$c'");
  EXPECT_EQ(single_quoted("it's"), R"('it'\''s')");
  EXPECT_EQ(single_quoted("'"), R"(''\''')");
  EXPECT_EQ(single_quoted(""), "''");
}

}  // namespace
}  // namespace wm
