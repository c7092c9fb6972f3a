// Role: tests of libwm/proc/plain_command.h.
#include "libwm/launch/plain_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wm::launch {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(plain_command, a_file_and_its_words_need_no_shell) {
  EXPECT_THAT(plain_words("/bin/true"), Optional(ElementsAre("/bin/true")));
  EXPECT_THAT(plain_words(" ./solver\t-n  4 in=data.txt "),
              Optional(ElementsAre("./solver", "-n", "4", "in=data.txt")));
  EXPECT_THAT(plain_words("bin/a --at=10%,20% u@h:/x+y"),
              Optional(ElementsAre("bin/a", "--at=10%,20%", "u@h:/x+y")));
}

TEST(plain_command, what_may_be_a_built_in_or_an_assignment_is_a_shells) {
  for (auto* text : {"true", "exit 3", "sleep 10", "cd /tmp", ". ./x", "A=/bin/true", "", " \t"})
    EXPECT_EQ(plain_words(text), std::nullopt) << text;
}

TEST(plain_command, every_character_with_a_meaning_to_a_shell_is_left_to_one) {
  for (char c : std::string("|&;<>()$`\\\"'*?[]#~{}!^\n\r\v\f\x7f\x80"))
    for (const auto& text : {std::string("/bin/x a") + c + "b", std::string("/bin/x ") + c,
                             std::string(1, c) + "/bin/x", std::string("/bin/x") + c})
      EXPECT_EQ(plain_words(text), std::nullopt) << text;
}

}  // namespace
}  // namespace wm::launch
