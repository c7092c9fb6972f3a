#include "libwm/elastic/agent.h"

#include <gtest/gtest.h>

namespace wm::elastic {
namespace {

using Actions = std::vector<AgentAction>;
const TimePoint kStart{std::chrono::hours(1)};
const HostId kHost{1};

Agent make_agent() { return Agent({{7, 0}, Attempt{1}, kHost, "10.0.0.1:5"}, kStart); }

AgentOrder order(std::uint32_t lead, std::uint32_t host, const std::string& address) {
  AgentOrder o;
  o.job = {7, 0};
  o.attempt = Attempt{1};
  o.lead = LeadNumber{lead};
  o.lead_host = HostId{host};
  o.lead_address = address;
  o.generation = lead;
  return o;
}

template <class Action>
std::vector<Action> only(const Actions& actions) {
  std::vector<Action> list;
  for (const auto& a : actions) {
    if (auto* x = std::get_if<Action>(&a)) list.push_back(*x);
  }
  return list;
}

TEST(agent, says_where_it_is_on_every_connection_to_wnoded) {
  Agent agent = make_agent();
  auto sent = only<SendNode>(agent.on(NodeUp{}, kStart));
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].report, (AgentReport{{7, 0}, Attempt{1}, kHost, AgentUp{"10.0.0.1:5"}}));
}

TEST(agent, says_everything_again_when_the_master_is_back) {
  Agent agent = make_agent();
  agent.on(NodeToAgent{NodeHeartbeat{MasterSeen::Down}}, kStart);
  EXPECT_EQ(only<SendNode>(agent.on(NodeToAgent{NodeHeartbeat{MasterSeen::Heard}}, kStart)).size(),
            1u);
  EXPECT_TRUE(
      only<SendNode>(agent.on(NodeToAgent{NodeHeartbeat{MasterSeen::Heard}}, kStart)).empty());
}

TEST(agent, passes_on_what_a_reporter_says_with_the_number_of_tasks) {  // W-13
  Agent agent = make_agent();
  AgentOrder two = order(1, 2, "10.0.0.2:5");
  two.tasks = {{TaskNumber{1}, kHost, false},
               {TaskNumber{2}, kHost, true},
               {TaskNumber{3}, HostId{2}, false}};
  two.world = 2;
  agent.on(NodeToAgent{two}, kStart);
  WorkerProgress progress;
  progress.epoch = EpochNumber{4};
  progress.step = 9;
  auto actions = agent.on(WorkerSaid{TaskNumber{}, progress}, kStart);
  ASSERT_EQ(actions.size(), 1u);
  auto sent = only<SendNode>(actions);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].report, (AgentReport{{7, 0}, Attempt{1}, kHost, JobProgress{progress, 2}}));
  EXPECT_TRUE(agent.on(WorkerSaid{TaskNumber{}, WorkerDone{5}}, kStart).empty());
}

TEST(agent, leads_only_under_its_own_address) {
  Agent agent = make_agent();
  agent.on(NodeToAgent{order(1, 1, "10.0.0.1:4")}, kStart);
  EXPECT_EQ(agent.lead(), nullptr) << "that was the agent before";
  agent.on(NodeToAgent{order(2, 1, "10.0.0.1:5")}, kStart);
  EXPECT_NE(agent.lead(), nullptr);
}

TEST(agent, follows_the_newest_order_and_sends_its_status_when_connected) {
  Agent agent = make_agent();
  auto follow = only<FollowLead>(agent.on(NodeToAgent{order(2, 2, "10.0.0.2:5")}, kStart));
  ASSERT_EQ(follow.size(), 1u);
  EXPECT_EQ(follow[0].address, "10.0.0.2:5");
  EXPECT_TRUE(agent.on(NodeToAgent{order(1, 3, "10.0.0.3:5")}, kStart).empty()) << "older";

  auto sent = only<SendLead>(agent.on(LeadUp{}, kStart));
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<AgentStatus>(sent[0].words));
}

TEST(agent, orders_of_another_attempt_are_ignored) {
  Agent agent = make_agent();
  auto other = order(1, 1, "10.0.0.1:5");
  other.attempt = Attempt{2};
  EXPECT_TRUE(agent.on(NodeToAgent{other}, kStart).empty());
}

TEST(agent, an_agent_that_looks_for_its_lead_here_too_early_is_sent_away) {
  Agent agent = make_agent();
  FromAgent early{HostId{2}, AgentStatus{HostId{2}, LeadNumber{1}, {}, {}, {}, {}, {}}};
  EXPECT_EQ(only<DropAgent>(agent.on(early, kStart)).size(), 1u);
  agent.on(NodeToAgent{order(1, 1, "10.0.0.1:5")}, kStart);
  EXPECT_TRUE(only<DropAgent>(agent.on(early, kStart)).empty());
}

TEST(agent, who_stops_leading_sends_its_followers_away) {
  Agent agent = make_agent();
  agent.on(NodeToAgent{order(1, 1, "10.0.0.1:5")}, kStart);
  agent.on(FromAgent{HostId{2}, Heartbeat{LeadNumber{1}}}, kStart);
  auto actions = agent.on(NodeToAgent{order(2, 2, "10.0.0.2:5")}, kStart);
  EXPECT_EQ(only<DropAgent>(actions).size(), 1u);
  EXPECT_EQ(agent.lead(), nullptr);
}

TEST(agent, a_checkpoint_is_asked_of_every_local_worker) {
  Agent agent = make_agent();
  agent.on(WorkerSaid{TaskNumber{1}, WorkerHello{1, TaskNumber{1}, 5, 0}}, kStart);
  agent.on(WorkerSaid{TaskNumber{2}, WorkerHello{1, TaskNumber{2}, 6, 0}}, kStart);
  auto told = only<SendWorker>(agent.on(NodeToAgent{WorkerCheckpoint{"asked"}}, kStart));
  EXPECT_EQ(told.size(), 2u);
}

}  // namespace
}  // namespace wm::elastic
