// Who may call a service: by name, by group, everybody; nobody else.
#include "libwm/serve/callers.h"

#include <gtest/gtest.h>

#include "libwm/serve/profile.h"

namespace wm::serve {
namespace {

using Names = std::vector<std::string>;

bool may(const Names& callers, const std::string& user, const Names& groups = {}) {
  return may_call(callers, user, groups);
}

TEST(callers, are_named_or_of_a_group_or_everybody) {
  EXPECT_FALSE(may({}, "bob")) << "the owner alone";
  EXPECT_TRUE(may({"ann", "bob"}, "bob"));
  EXPECT_FALSE(may({"bob"}, "bobby"));
  EXPECT_TRUE(may({"@vision"}, "bob", {"users", "vision"}));
  EXPECT_FALSE(may({"@vision"}, "vision", {"users"}))
      << "an account of the group's name is no member";
  EXPECT_FALSE(may({"vision"}, "bob", {"vision"})) << "a name without @ is an account's";
  EXPECT_TRUE(may({"*"}, "anybody"));
}

TEST(callers, are_refused_where_they_are_no_names) {
  for (const auto& fine :
       {Names{}, Names{"*"}, Names{"bob", "@vision", "ann@site.org", "DOM\\ann"}})
    EXPECT_TRUE(check_callers(fine));
  for (const char* wrong : {"", "@", "a b", "**", "a/b", "@*"}) {
    auto checked = check_callers(Names{wrong});
    ASSERT_FALSE(checked) << wrong;
    EXPECT_EQ(checked.error().code, Code::BadArgument);
  }
  EXPECT_FALSE(check_callers(Names(kMostCallers + 1, "bob")));
}

TEST(callers, are_a_list_of_the_profile_that_may_change_while_it_runs) {
  auto before = read_profile("ping", "ann", "", {});
  ASSERT_TRUE(before);
  EXPECT_TRUE(before->callers.empty());
  auto after = read_profile("ping", "ann", R"({"callers": ["bob", "@vision"]})", {});
  ASSERT_TRUE(after) << after.error().text;
  EXPECT_EQ(after->callers, (Names{"bob", "@vision"}));
  EXPECT_TRUE(check_keys(R"({"callers": ["bob"]})"));
  EXPECT_TRUE(check_live(*before, *after));
  for (const char* wrong :
       {R"({"callers": "bob"})", R"({"callers": [1]})", R"({"callers": ["a b"]})"}) {
    auto read = read_profile("ping", "ann", wrong, {});
    ASSERT_FALSE(read) << wrong;
    EXPECT_NE(read.error().text.find("callers"), std::string::npos);
  }
}

}  // namespace
}  // namespace wm::serve
