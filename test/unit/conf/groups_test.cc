#include "libwm/conf/groups.h"

#include <gtest/gtest.h>

#include "libwm/conf/load.h"

namespace wm::conf {
namespace {

using Words = std::vector<std::string>;

Config some() {
  return parse({{"users.conf", "[default]\nmax_slots = 9\n[ann]\ngroups = old\nmax_slots = 3\n"},
                {"hosts.conf", "[h1]\n[h2]\n"}},
               "h1")
      .value();
}

TEST(add_groups, users_and_hosts_join_groups) {
  auto config = some();
  ASSERT_TRUE(add_groups(config,
                         "# from the directory\nuser vision: ann, bob\n\nhost big: h2 h9\n"
                         "user vision: ann\n"));
  EXPECT_EQ(config.user("ann")->groups, (Words{"old", "vision"}));
  EXPECT_EQ(config.user("ann")->max_slots, 3u);
  EXPECT_EQ(config.user("bob")->groups, Words{"vision"});
  EXPECT_EQ(config.user("bob")->max_slots, 9u);
  EXPECT_EQ(config.host("h2")->groups, Words{"big"});
  EXPECT_EQ(config.host("h9"), nullptr);
}

TEST(add_groups, a_line_that_is_none_adds_nothing) {
  for (const char* line : {"nonsense", "user: ann", "group vision: ann", "user a b: ann"}) {
    auto config = some();
    EXPECT_FALSE(add_groups(config, "user vision: ann\n" + std::string(line) + "\n")) << line;
    EXPECT_EQ(config, some());
  }
}

}  // namespace
}  // namespace wm::conf
