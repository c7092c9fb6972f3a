// Changes of where agents are: what is told of them makes the new list of the old one.
#include "libwm/elastic/agent_change.h"

#include <gtest/gtest.h>

namespace wm::elastic {
namespace {

AgentPlace place(std::uint32_t host, const std::string& launch = "") {
  return {HostId{host}, "h" + std::to_string(host), launch, 1};
}

TEST(agent_change, names_only_what_differs) {
  std::vector<AgentPlace> before = {place(1, "a"), place(2), place(3, "c")};
  std::vector<AgentPlace> now = {place(1, "a"), place(2, "b"), place(4)};
  auto change = change_between(before, now);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->agents, (std::vector<AgentPlace>{place(2, "b"), place(4)}));
  EXPECT_EQ(change->gone, std::vector<HostId>{HostId{3}});
  EXPECT_EQ(changed(before, *change), now);
}

TEST(agent_change, another_order_is_no_change) {
  EXPECT_FALSE(change_between({place(1), place(2)}, {place(2), place(1)}));
  EXPECT_FALSE(change_between({place(2)}, {place(1), place(2)}));
}

TEST(agent_change, is_completed_by_the_order_it_is_a_change_of) {
  AgentOrder kept;
  kept.generation = 7;
  kept.agents = {place(1), place(2)};
  AgentOrder change;
  change.generation = 9;
  change.since = 7;
  change.agents = {place(2, "b")};
  change.gone = {HostId{1}};
  auto whole = completed(change, kept);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->agents, std::vector<AgentPlace>{place(2, "b")});
  EXPECT_EQ(whole->generation, 9u);
  EXPECT_EQ(whole->since, 0u);
  EXPECT_TRUE(whole->gone.empty());
}

TEST(agent_change, of_an_order_that_is_not_kept_is_refused) {
  AgentOrder kept, change;
  kept.generation = 8;
  change.since = 7;
  EXPECT_EQ(completed(change, kept).error().code, Code::Stale);
  EXPECT_EQ(completed(change, std::nullopt).error().code, Code::Stale);
  EXPECT_TRUE(completed(AgentOrder{}, std::nullopt));
}

}  // namespace
}  // namespace wm::elastic
