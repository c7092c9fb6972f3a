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
    auto back = gone_back(versions, "ping");
    ASSERT_TRUE(back);
    versions = *back;
    EXPECT_EQ(versions.present, expected);
  }
  EXPECT_EQ(versions.undone, (Names{"d", "c", "b"}));
  auto none = gone_back(versions, "ping");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::NotFound);
}

TEST(versions, one_deployed_after_a_roll_back_comes_after_what_it_went_back_to) {
  auto back = gone_back(deployed({"a", "b", "c"}), "ping");
  auto next = with_version(*back, "d");
  EXPECT_EQ(next, (Versions{"d", {"a", "b"}, {"c"}}));
  EXPECT_EQ(gone_back(next, "ping")->present, "b");
}

TEST(versions, of_both_lists_the_newest_stay) {
  Versions versions{"f", {"a", "b", "c", "d"}, {"x", "y"}};
  EXPECT_EQ(outdated(versions, 2), (Names{"a", "b"}));
  EXPECT_EQ(versions, (Versions{"f", {"c", "d"}, {"x", "y"}}));
}

}  // namespace
}  // namespace wm::serve
