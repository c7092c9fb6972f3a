// Versions of a service: two of one second are two, and each roll-back goes back one more.
#include "libwm/serve/versions.h"

#include <gtest/gtest.h>

#include <set>

namespace wm::serve {
namespace {

using Names = std::vector<std::string>;

Versions deployed(const Names& names) {
  Versions versions;
  for (const auto& name : names) versions = with_version(versions, name);
  return versions;
}

TEST(versions, two_of_one_second_are_two) {
  std::set<std::string> there;
  for (const char* expected : {"ping-1", "ping-1-2", "ping-1-3"}) {
    auto name = version_name("ping-1", [&](const auto& n) { return there.contains(n); });
    EXPECT_EQ(name, expected);
    there.insert(name);
  }
}

TEST(versions, each_roll_back_goes_back_one_more) {
  auto versions = deployed({"a", "b", "c", "d"});
  for (const char* expected : {"c", "b", "a"}) {
    auto back = gone_back(versions, "model ping");
    ASSERT_TRUE(back);
    versions = *back;
    EXPECT_EQ(versions.present, expected);
  }
  EXPECT_EQ(versions.undone, (Names{"d", "c", "b"}));
  auto none = gone_back(versions, "model ping");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::NotFound);
}

TEST(versions, one_deployed_after_a_roll_back_comes_after_what_it_went_back_to) {
  auto back = gone_back(deployed({"a", "b", "c"}), "ping");
  auto next = with_version(*back, "d");
  EXPECT_EQ(next, (Versions{"d", {"a", "b"}, {"c"}}));
  EXPECT_EQ(gone_back(next, "ping")->present, "b");
}

TEST(versions, one_is_taken_out_wherever_it_stands) {
  Versions versions{"c", {"a", "b"}, {"d"}};
  EXPECT_EQ(*without_version(versions, "a", "model ping"), (Versions{"c", {"b"}, {"d"}}));
  EXPECT_EQ(*without_version(versions, "d", "model ping"), (Versions{"c", {"a", "b"}, {}}));
  EXPECT_EQ(*without_version(versions, "c", "model ping"), (Versions{"b", {"a"}, {"d"}}));
  EXPECT_EQ(without_version(versions, "x", "model ping").error().code, Code::NotFound);
  auto last = without_version({"a", {}, {"b"}}, "a", "model ping");
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, Code::Conflict);
}

TEST(versions, all_are_listed_the_present_one_first) {
  Versions versions{"c", {"a", "b"}, {"e", "d"}};
  EXPECT_EQ(all_of(versions), (Names{"c", "b", "a", "d", "e"}));
  EXPECT_EQ(state_of(versions, "c"), "present");
  EXPECT_EQ(state_of(versions, "a"), "earlier");
  EXPECT_EQ(state_of(versions, "e"), "undone");
  EXPECT_EQ(state_of(versions, "x"), "");
  EXPECT_EQ(state_of(versions, ""), "");
}

TEST(versions, of_both_lists_the_newest_stay) {
  Versions versions{"f", {"a", "b", "c", "d"}, {"x", "y"}};
  EXPECT_EQ(outdated(versions, 2), (Names{"a", "b"}));
  EXPECT_EQ(versions, (Versions{"f", {"c", "d"}, {"x", "y"}}));
}

}  // namespace
}  // namespace wm::serve
