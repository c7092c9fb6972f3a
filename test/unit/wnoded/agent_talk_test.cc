// What agents of this host's attempts are told, and what of their words the master hears.
#include "daemons/wnoded/agent_talk.h"

#include <gtest/gtest.h>

#include "test/support/node_core.h"

namespace wm::node {
namespace {

class agent_talk : public test::NodeCore {};

TEST_F(agent_talk, an_agent_gets_the_newest_order_and_the_ends) {
  auto two = with_task(order(), 2);
  two.team.elastic = true;
  start(two);
  AgentOrder words;
  words.job = {7, 0};
  words.attempt = {1};
  words.generation = 9;
  hear(NodeVerb::Agent, words);
  end_task();
  env_.agents.clear();
  EXPECT_TRUE(node_.admits_agent(key_, 1000));
  EXPECT_FALSE(node_.admits_agent(key_, 1001));
  EXPECT_FALSE(node_.admits_agent({{7, 0}, {2}}, 1000));
  node_.on_agent(key_, {{7, 0}, {1}, {1}, AgentUp{"10.0.0.1:5"}});
  ASSERT_EQ(env_.agents.size(), 3u);
  EXPECT_EQ(std::get<AgentOrder>(env_.agents[0].second).generation, 9u);
  EXPECT_EQ(std::get<TaskGone>(env_.agents[1].second).task, TaskNumber{1});
  EXPECT_EQ(registered().attempts.at(0).agent_address, "10.0.0.1:5");
}

TEST_F(agent_talk, an_agent_learns_that_its_doors_are_told_before_any_end) {
  start(order());
  env_.take_facts();
  env_.agents.clear();
  node_.on_agent(key_, {{7, 0}, {1}, {1}, AgentUp{"a", {"a", "b"}}});
  ASSERT_EQ(env_.agents.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<NodeHeartbeat>(env_.agents[0].second));
  end_task();
  auto facts = env_.take_facts();
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<AgentReport>(facts[0].fact));
  EXPECT_TRUE(std::holds_alternative<FactEnded>(facts[1].fact));
}

TEST_F(agent_talk, agents_hear_how_the_master_is_seen) {
  auto elastic = order();
  elastic.team.elastic = true;
  start(elastic);
  node_.on_agent(key_, {{7, 0}, {1}, {1}, AgentUp{"a"}});
  auto seen = [&] {
    env_.agents.clear();
    node_.on_tick(0, Bytes{0});
    return std::get<NodeHeartbeat>(env_.agents.at(0).second).master;
  };
  EXPECT_EQ(seen(), MasterSeen::Heard);
  env_.now += std::chrono::seconds(2);
  EXPECT_EQ(seen(), MasterSeen::Silent);
  node_.on_session_lost(true);
  EXPECT_EQ(seen(), MasterSeen::Down);
  node_.on_session_lost(false);
  EXPECT_EQ(seen(), MasterSeen::Silent);
}

TEST_F(agent_talk, progress_is_passed_on_and_never_kept) {
  start(order());
  env_.take_facts();
  node_.on_agent(key_, {{7, 0}, {1}, {1}, JobProgress{}});
  EXPECT_EQ(env_.take_facts().at(0).number, 0u);
  registered();
  for (const auto& fact : env_.take_facts())
    EXPECT_FALSE(std::holds_alternative<AgentReport>(fact.fact));
}

TEST_F(agent_talk, words_for_and_of_attempts_that_are_not_here_are_dropped) {
  AgentOrder words;
  words.job = {7, 0};
  words.attempt = {1};
  hear(NodeVerb::Agent, words);
  node_.on_agent(key_, {{7, 0}, {1}, {1}, AgentUp{"a"}});
  EXPECT_TRUE(env_.agents.empty());
  EXPECT_TRUE(env_.sent.empty());
  EXPECT_EQ(node_.attempts(), 0u);
}

TEST_F(agent_talk, a_change_of_an_order_that_is_not_known_is_not_passed_on) {
  auto elastic = order();
  elastic.team.elastic = true;
  start(elastic);
  AgentOrder change;
  change.job = {7, 0};
  change.attempt = {1};
  change.generation = 9;
  change.since = 8;
  hear(NodeVerb::Agent, change);
  EXPECT_TRUE(env_.agents.empty());
}

TEST_F(agent_talk, nobody_speaks_for_an_attempt_before_its_account_is_known) {
  hear(NodeVerb::Order, order());
  EXPECT_FALSE(node_.admits_agent(key_, 1000));
  env_.authorise_next();
  EXPECT_TRUE(node_.admits_agent(key_, 1000));
}

}  // namespace
}  // namespace wm::node
