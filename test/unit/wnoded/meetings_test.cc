// Where processes meet on this host: the port of their rendezvous, and who comes to it.
#include "daemons/wnoded/meetings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/node_core.h"

namespace wm::node {
namespace {

using std::chrono::seconds;

class meetings : public test::NodeCore {
 protected:
  /// The only worker of an elastic training that is started task by task.
  static HostOrder workers() {
    HostOrder o = order();
    o.app.type = AppType::Training;
    o.launch = Launch::PerSlot;
    o.team.elastic = true;
    o.hosts.first_address = "10.0.0.1";
    return o;
  }
  void begin(const HostOrder& o) {
    start(o);
    env_.fake.told.clear();
    env_.take_facts();
  }
  void started() { node_.on_word(key_, launch::TaskStarted{{TaskNumber{1}, 4711, {}, false}}); }
};

const PortUse kCalled{true, {{"10.0.0.1", 1}}};

TEST_F(meetings, the_first_host_leases_the_port_that_the_master_chose_and_tells_if_it_cannot) {
  HostOrder o = workers();
  o.team.port = 20008;
  hear(NodeVerb::Order, o);
  env_.authorise_next();
  started();
  EXPECT_EQ(std::get<FactStarted>(env_.take_facts().at(0).fact).port, 20008u);
}

TEST_F(meetings, a_chosen_port_that_somebody_has_is_another_whatever_the_master_says_meanwhile) {
  env_.taken = {20008};
  HostOrder o = workers();
  o.team.port = 20008;
  hear(NodeVerb::Order, o);
  env_.authorise_next();
  started();
  auto port = std::get<FactStarted>(env_.take_facts().at(0).fact).port;
  EXPECT_NE(port, 20008u);
  o.generation = 2;
  o.control.relaunches = 1;
  hear(NodeVerb::Order, o);
  ASSERT_EQ(env_.fake.told.size(), 1u);
  const auto& restart = std::get<launch::RestartTasks>(env_.fake.told[0].second);
  const auto& env = restart.tasks.at(0).spec.env;
  auto wanted = "MASTER_PORT=" + std::to_string(port + 1);
  EXPECT_EQ(std::count(env.begin(), env.end(), wanted), 1);
}

TEST_F(meetings, tasks_that_meet_at_their_port_are_told_of_once) {
  HostOrder o = workers();
  o.team.port = 20008;
  begin(o);
  auto told = [this] {
    node_.on_tick(0, {}, {});
    std::size_t count = 0;
    for (const auto& fact : env_.take_facts()) count += std::holds_alternative<FactMet>(fact.fact);
    return count;
  };
  env_.ports_used = {{22, kCalled}, {20008, {true, {}}}, {20009, kCalled}};
  EXPECT_EQ(told(), 0u);
  env_.ports_used[20008] = kCalled;
  EXPECT_EQ(told(), 1u);
  EXPECT_EQ(told(), 0u);
}

TEST_F(meetings, jobs_that_are_resized_otherwise_are_not_looked_after) {
  env_.ports_used = {{20008, kCalled}};
  for (auto kind : {0, 1, 2}) {
    HostOrder o = workers();
    if (kind == 0) o.launch = Launch::PerHost;
    o.team.port = 20008;
    if (kind == 1) o.team.in_place = true;
    if (kind == 2) o.team.elastic = false;
    o.job = {static_cast<std::uint32_t>(8 + kind), 0};
    hear(NodeVerb::Order, o);
    env_.authorise_next();
    env_.take_facts();
    node_.on_tick(0, {}, {});
    EXPECT_TRUE(env_.take_facts().empty()) << kind;
  }
}

TEST_F(meetings, who_does_not_come_is_told_to_each_master_and_no_acknowledgement_is_awaited) {
  HostOrder o = with_task(workers(), 2);
  o.team.port = 20008;
  o.team.elastic = false;
  begin(o);
  auto told = [this](seconds later) {
    env_.now += later;
    node_.on_tick(0, {}, {});
    std::vector<HostFact> facts = env_.take_facts();
    std::erase_if(facts, [](auto& f) { return !std::holds_alternative<FactRendezvous>(f.fact); });
    return facts;
  };
  env_.ports_used = {{20008, kCalled}};
  EXPECT_TRUE(told(seconds(0)).empty());
  auto facts = told(seconds(30));
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].number, 0u);
  EXPECT_EQ(std::get<FactRendezvous>(facts[0].fact),
            (FactRendezvous{{7, 0}, {1}, {20008, seconds(30), kCalled.callers}}));
  EXPECT_TRUE(told(seconds(40)).empty());
  node_.on_session_lost(true);
  EXPECT_TRUE(told(seconds(40)).empty());
  node_.on_session();
  EXPECT_EQ(told(seconds(1)).size(), 1u);
  env_.ports_used[20008].callers[0].connections = 2;
  facts = told(seconds(1));
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(std::get<FactRendezvous>(facts[0].fact).meeting, Rendezvous{});
}

}  // namespace
}  // namespace wm::node
