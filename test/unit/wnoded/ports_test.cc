// The port at which the processes of a training meet: leased before one starts, held to the end.
#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/node_core.h"

namespace wm::node {
namespace {

class ports : public test::NodeCore {};

TEST_F(ports, the_leased_port_is_told_with_the_start) {
  auto o = order();
  o.app.type = AppType::Training;
  start(o);
  auto facts = env_.take_facts();
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(std::get<FactStarted>(facts[0].fact).port, env_.ports.at(key_));
}

TEST_F(ports, a_job_that_no_port_is_free_for_does_not_start) {
  auto o = order();
  o.app.type = AppType::Training;
  env_.no_ports = true;
  hear(NodeVerb::Order, o);
  env_.authorise_next();
  EXPECT_TRUE(env_.fake.started.empty());
  auto ended = ends();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].term, Term::LaunchFailed);
  EXPECT_EQ(ended[0].text, "no port is free");
}

TEST_F(ports, an_order_that_knows_no_port_does_not_take_one_away) {
  auto o = order();
  o.app.type = AppType::Training;
  start(o);
  auto port = env_.ports.at(key_);
  hear(NodeVerb::Order, with_task(o, 2));
  const auto& env = std::get<launch::StartTasks>(env_.fake.told.back().second).tasks.at(0).env;
  auto told = "MASTER_PORT=" + std::to_string(port);
  EXPECT_NE(std::find(env.begin(), env.end(), told), env.end());
}

TEST_F(ports, the_port_of_a_training_job_is_held_until_it_ends) {
  auto o = order();
  o.app.type = AppType::Training;
  start(o);
  EXPECT_EQ(env_.ports.size(), 1u);
  const auto& env = env_.fake.started.at(0).tasks.at(0).env;
  auto told = "MASTER_PORT=" + std::to_string(env_.ports.at(key_));
  EXPECT_NE(std::find(env.begin(), env.end(), told), env.end());
  end_task();
  end_attempt();
  EXPECT_TRUE(env_.ports.empty());
}

TEST_F(ports, the_port_of_a_notebooks_program_is_its_owners_alone) {
  auto o = order();
  o.app.type = AppType::Notebook;
  o.first_host = true;
  start(o);
  auto port = env_.ports.at(key_) + 3;
  const auto& env = env_.fake.started.at(0).tasks.at(0).env;
  auto has = [&](const std::string& word) { return std::ranges::find(env, word) != env.end(); };
  EXPECT_TRUE(has("WM_WEB_PORT=" + std::to_string(port)));
  EXPECT_TRUE(has("WM_WEB_PORT_OWNED=yes"));
  EXPECT_EQ(env_.guarded.at(key_).first, port);
  end_task();
  end_attempt();
  EXPECT_TRUE(env_.guarded.empty());
}

TEST_F(ports, where_no_rule_can_be_made_the_program_is_not_told_that_its_port_is_its_own) {
  auto o = order();
  o.app.type = AppType::Notebook;
  o.first_host = true;
  env_.no_guard = true;
  start(o);
  const auto& env = env_.fake.started.at(0).tasks.at(0).env;
  EXPECT_EQ(std::ranges::find(env, "WM_WEB_PORT_OWNED=yes"), env.end());
}

}  // namespace
}  // namespace wm::node
