// What hosts of a large job are told of its agents: all at first, then what has changed.
#include "daemons/wmasterd/hosts/agent_news.h"

#include <gtest/gtest.h>

#include "libwm/codec/codec.h"
#include "libwm/elastic/agent_change.h"

namespace wm::master {
namespace {

const JobId kJob{7, 0};
bool takes_all(HostId) { return true; }

AgentOrder order_of(std::uint32_t hosts, std::uint64_t generation) {
  AgentOrder order;
  order.job = kJob;
  order.attempt = Attempt{1};
  order.generation = generation;
  for (std::uint32_t n = 1; n <= hosts; ++n)
    order.agents.push_back({HostId{n}, "h" + std::to_string(n), "", 1});
  return order;
}

/// Hosts that keep what they are told, as a host does.
struct Kept {
  std::map<HostId, std::optional<AgentOrder>> orders;
  std::size_t bytes = 0;
  void hear(const std::vector<AgentNews::Word>& words) {
    for (const auto& word : words) {
      bytes += word.bytes->size();
      auto& kept = orders[word.host];
      auto whole = elastic::completed(*codec::decode<AgentOrder>(*word.bytes), kept);
      ASSERT_TRUE(whole) << whole.error().text;
      kept = *whole;
    }
  }
};

TEST(agent_news, every_host_ends_up_with_the_newest_list) {
  AgentNews news;
  Kept kept;
  auto order = order_of(100, 1);
  std::vector<HostId> up;
  for (std::uint32_t n = 1; n <= 100; ++n) {
    order.agents[n - 1].launch = "127.0.0.1:" + std::to_string(n);
    ++order.generation;
    up.push_back(HostId{n});
    kept.hear(news.words(order, up, takes_all));
  }
  ASSERT_EQ(kept.orders.size(), 100u);
  for (const auto& [host, one] : kept.orders) EXPECT_EQ(one->agents, order.agents);
  auto whole = codec::encode(order).size();
  EXPECT_LT(kept.bytes, 250 * whole);  // 5,050 times the whole before
}

TEST(agent_news, what_has_not_changed_is_not_said_again) {
  AgentNews news;
  auto order = order_of(3, 1);
  EXPECT_EQ(news.words(order, {{1}, {2}}, takes_all).size(), 2u);
  ++order.generation;
  EXPECT_TRUE(news.words(order, {{1}, {2}}, takes_all).empty());
  auto one = news.words(order, {{1}, {2}, {3}}, takes_all);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].host, HostId{3});
  ++order.world;  // not a place, but told to all
  EXPECT_EQ(news.words(order, {{1}, {2}, {3}}, takes_all).size(), 3u);
}

TEST(agent_news, all_is_told_again_after_a_session_a_pause_and_to_those_who_know_no_changes) {
  AgentNews news;
  Kept kept;
  auto order = order_of(3, 1);
  kept.hear(news.words(order, {{1}, {2}, {3}}, takes_all));
  kept.orders.erase(HostId{1});  // a host that has lost everything
  news.forget_told(HostId{1});
  order.agents[0].launch = "new";
  ++order.generation;
  kept.hear(news.words(order, {{1}, {2}}, takes_all));  // 3 has no task for now
  order.agents[1].launch = "new";
  ++order.generation;
  auto words = news.words(order, {{1}, {2}, {3}}, [](HostId host) { return host != HostId{2}; });
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(codec::decode<AgentOrder>(*words[1].bytes)->since, 0u);
  kept.hear(words);
  for (const auto& [host, one] : kept.orders) EXPECT_EQ(one->agents, order.agents);
}

TEST(agent_news, another_attempt_is_told_from_the_beginning) {
  AgentNews news;
  auto order = order_of(3, 1);
  news.words(order, {{1}}, takes_all);
  order.attempt = Attempt{2};
  auto words = news.words(order, {{1}}, takes_all);
  ASSERT_EQ(words.size(), 1u);
  EXPECT_EQ(codec::decode<AgentOrder>(*words[0].bytes)->since, 0u);
}

}  // namespace
}  // namespace wm::master
