#include "libwm/view/group_tables.h"

#include <gtest/gtest.h>

namespace wm::view {
namespace {

using Rows = std::vector<GroupRow>;

Config config() {
  Config made;
  made.users = {{.name = "@vision", .groups = {"research"}},
                {.name = "ann", .groups = {"vision"}},
                {.name = "bob", .groups = {"vision", "research"}}};
  made.hosts = {{.name = "h1", .groups = {"gpu"}, .resources = {{"ssd", ""}, {"disk", "500"}}},
                {.name = "h2", .groups = {"gpu", "big"}, .resources = {{"ssd", ""}}}};
  return made;
}

TEST(user_groups, have_users_and_groups_as_members) {
  EXPECT_EQ(user_groups(config()),
            (Rows{{"research", {"bob", "vision/"}}, {"vision", {"ann", "bob"}}}));
}

TEST(expanded, puts_members_of_groups_in_their_place_and_ends_in_a_circle) {
  EXPECT_EQ(expanded(user_groups(config())),
            (Rows{{"research", {"ann", "bob"}}, {"vision", {"ann", "bob"}}}));
  EXPECT_EQ(expanded(Rows{{"a", {"b/", "x"}}, {"b", {"a/"}}}), (Rows{{"a", {"x"}}, {"b", {"x"}}}));
}

TEST(group_table, is_as_lsf_prints_it) {
  EXPECT_EQ(group_table(host_groups(config()), "HOSTS", true),
            "GROUP_NAME    HOSTS\n"
            "big           h2\n"
            "gpu           h1 h2\n");
}

TEST(resource_rows, name_the_hosts_that_have_it) {
  EXPECT_EQ(resource_rows(config()),
            (std::vector<ResourceRow>{{"disk", "500", {"h1"}}, {"ssd", "", {"h1", "h2"}}}));
}

}  // namespace
}  // namespace wm::view
