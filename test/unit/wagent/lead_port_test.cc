// Role: links between the agents of one job: who follows whom, who said which words, and what a
// link that is lost or silent leads to.
#include "daemons/wagent/elastic/lead_port.h"

#include <gtest/gtest.h>

#include <vector>

#include "test/support/loop.h"

namespace wm::wagent {
namespace {

wire::SharedKey key_of(std::uint8_t byte) {
  wire::SharedKey key{};
  key.fill(byte);
  return key;
}
AgentStatus status_of(std::uint32_t host, std::uint32_t lead = 0) {
  AgentStatus status;
  status.host = HostId{host};
  status.lead = LeadNumber{lead};
  return status;
}
TellWorker words_for(std::uint32_t task) {
  TellWorker words;
  words.task = TaskNumber{task};
  return words;
}

/// An agent's end, and what it heard.
struct Agent {
  explicit Agent(test::Loop& loop, std::uint8_t key = 7)
      : port(loop.context, key_of(key),
             {[this](const elastic::FromAgent& from) { from_agents.push_back(from); },
              [this] { ++leads_up; },
              [this](const LeadToAgent& words) { from_lead.push_back(words); }}) {
    auto at = port.listen("127.0.0.1");
    EXPECT_TRUE(at);
    if (at) address = *at;
  }
  std::vector<elastic::FromAgent> from_agents;
  std::vector<LeadToAgent> from_lead;
  int leads_up = 0;
  std::string address;
  LeadPort port;
};

class lead_port : public ::testing::Test {
 protected:
  void follow(Agent& agent, std::uint32_t host) {
    auto before = agent.leads_up;
    agent.port.follow(lead_.address);
    ASSERT_TRUE(loop_.until([&] { return agent.leads_up > before; }));
    auto heard = lead_.from_agents.size();
    agent.port.send_lead(status_of(host));
    ASSERT_TRUE(loop_.until([&] { return lead_.from_agents.size() > heard; }));
  }
  test::Loop loop_;
  Agent lead_{loop_}, one_{loop_}, two_{loop_};
};

TEST_F(lead_port, words_go_to_the_agent_of_that_host_alone) {
  follow(one_, 1);
  follow(two_, 2);
  EXPECT_EQ(lead_.from_agents[0].host, HostId{1});
  EXPECT_EQ(lead_.from_agents[1].host, HostId{2});
  lead_.port.send_agent(HostId{2}, words_for(5));
  lead_.port.send_agent(HostId{3}, words_for(6));
  ASSERT_TRUE(loop_.until([&] { return !two_.from_lead.empty(); }));
  ASSERT_EQ(two_.from_lead.size(), 1u);
  EXPECT_EQ(std::get<TellWorker>(two_.from_lead[0]).task, TaskNumber{5});
  EXPECT_TRUE(one_.from_lead.empty());
}

TEST_F(lead_port, nothing_counts_of_an_agent_that_has_not_said_who_it_is) {
  one_.port.follow(lead_.address);
  ASSERT_TRUE(loop_.until([&] { return one_.leads_up == 1; }));
  one_.port.send_lead(TaskGone{TaskNumber{1}, "exit 0"});
  one_.port.send_lead(status_of(1));
  one_.port.send_lead(TaskGone{TaskNumber{2}, "exit 0"});
  ASSERT_TRUE(loop_.until([&] { return lead_.from_agents.size() == 2; }));
  EXPECT_TRUE(std::holds_alternative<AgentStatus>(lead_.from_agents[0].words));
  EXPECT_EQ(std::get<TaskGone>(lead_.from_agents[1].words).task, TaskNumber{2});
}

TEST_F(lead_port, the_newest_link_of_a_host_is_the_one_that_counts) {
  follow(one_, 1);
  follow(two_, 1);  // the agent was started again
  lead_.port.send_agent(HostId{1}, words_for(5));
  ASSERT_TRUE(loop_.until([&] { return !two_.from_lead.empty(); }));
  EXPECT_TRUE(one_.from_lead.empty());
}

TEST_F(lead_port, an_agent_that_is_dropped_looks_again) {
  follow(one_, 1);
  lead_.port.drop(HostId{1});
  EXPECT_TRUE(loop_.until([&] { return one_.leads_up == 2; }));
}

TEST_F(lead_port, a_lead_that_says_nothing_is_dialled_anew) {
  follow(one_, 1);
  EXPECT_TRUE(loop_.until([&] { return one_.leads_up == 2; })) << "after kLinkSilence";
}

TEST_F(lead_port, who_follows_nobody_any_more_says_nothing) {
  follow(one_, 1);
  one_.port.follow("");
  one_.port.send_lead(TaskGone{TaskNumber{1}, "exit 0"});
  follow(two_, 2);
  EXPECT_EQ(lead_.from_agents.size(), 2u);
}

TEST_F(lead_port, an_agent_of_another_job_does_not_get_in) {
  Agent stranger(loop_, 8);
  stranger.port.follow(lead_.address);
  follow(one_, 1);
  stranger.port.send_lead(status_of(9));
  follow(two_, 2);
  for (const auto& from : lead_.from_agents) EXPECT_NE(from.host, HostId{9});
}

}  // namespace
}  // namespace wm::wagent
