// wnoded and parts of jobs that have no task of their own on its host, and agents on demand.
#include <gtest/gtest.h>

#include "test/support/node_core.h"

namespace wm::node {
namespace {

launch::HostFacts facts() {
  auto facts = test::node_facts();
  facts.sbin_dir = "/opt/sbin";
  return facts;
}

class part : public test::NodeCore {
 protected:
  part() : NodeCore(test::node_card(), facts()) {}
  /// Task 1 runs on host m; 2 and 3 are room here.
  static HostOrder order(std::uint64_t generation = 1) {
    HostOrder o;
    o.job = {7, 0};
    o.attempt = {1};
    o.generation = generation;
    o.resolved.owner = {1000, 100, "ann"};
    o.all = {{{1}, "m", ""}, {{2}, "n", ""}, {{3}, "n", ""}};
    for (std::uint32_t number : {2u, 3u}) add(o, number);
    return o;
  }
  static void add(HostOrder& o, std::uint32_t number) {
    OrderedTask task;
    task.task = {number};
    task.has_process = false;
    o.tasks.push_back(task);
  }
  /// A job that is restarted for another size: 2 and 3 have left, 4 has come.
  static HostOrder regrown(std::uint64_t generation) {
    auto o = order(generation);
    o.app.resize = ResizeMode::Restart;
    for (auto& task : o.tasks) task.leave = true;
    o.all = {{{1}, "m", ""}};
    if (generation == 2) return o;
    o.tasks.clear();
    add(o, 4);
    o.all.push_back({{4}, "n", ""});
    return o;
  }
  void hear(const HostOrder& o) { NodeCore::hear(NodeVerb::Order, o); }
  void end_attempt(launch::EndCause cause = launch::EndCause::Exited) {
    launch::ExitRecord record;
    record.key = key_;
    record.cause = cause;
    record.usage.cpu = std::chrono::seconds(5);
    node_.on_word(key_, launch::AttemptEnded{record});
  }
};

TEST_F(part, a_host_with_room_only_gets_an_attempt_with_an_agent) {
  hear(order());
  env_.authorise_next();
  ASSERT_EQ(env_.fake.started.size(), 1u);
  EXPECT_TRUE(env_.fake.started[0].tasks.empty());
  EXPECT_FALSE(env_.fake.started[0].agent_argv.empty());
  hear(order(2));
  EXPECT_EQ(env_.fake.started.size(), 1u) << "a repeat changes nothing";
}

TEST_F(part, its_end_is_the_end_of_its_tasks_and_its_usage_counts_once) {
  hear(order());
  env_.authorise_next();
  auto ending = order(2);
  ending.control.end = true;
  hear(ending);
  ASSERT_EQ(env_.fake.told.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<launch::EndTasks>(env_.fake.told[0].second));
  EXPECT_TRUE(ends().empty()) << "not before it is proven";
  end_attempt();
  auto told = ends();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].task, TaskNumber{2});
  EXPECT_EQ(told[0].usage.cpu, std::chrono::seconds(5));
  EXPECT_EQ(told[1].usage.cpu, Duration{});
}

TEST_F(part, it_is_not_opened_again_after_its_end) {
  hear(order());
  env_.authorise_next();
  end_attempt();
  hear(order(2));
  EXPECT_EQ(env_.fake.started.size(), 1u);
}

TEST_F(part, the_end_of_one_that_grew_again_is_told_of_the_new_task) {
  hear(order());
  env_.authorise_next();
  hear(regrown(2));
  EXPECT_EQ(ends().size(), 2u);
  hear(regrown(3));
  auto ending = regrown(4);
  ending.control.end = true;
  hear(ending);
  end_attempt();
  auto told = ends();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].task, TaskNumber{4});
}

TEST_F(part, it_is_opened_again_for_a_task_that_comes_later) {
  hear(order());
  env_.authorise_next();
  hear(regrown(2));
  end_attempt();
  hear(regrown(3));
  EXPECT_EQ(env_.fake.started.size(), 2u);
}

TEST_F(part, a_lost_one_is_told_as_lost) {
  hear(order());
  env_.authorise_next();
  node_.on_shepherd_lost(key_);
  EXPECT_EQ(env_.fake.swept.size(), 1u);
  end_attempt(launch::EndCause::ShepherdLost);
  auto told = ends();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[1].term, Term::ShepherdLost);
}

TEST_F(part, an_agent_is_started_for_an_owner_who_wants_in_and_registered_with_its_doors) {
  HostOrder o;
  o.job = {7, 0};
  o.attempt = {1};
  o.generation = 1;
  o.all = {{{1}, "n", ""}};
  OrderedTask task;
  task.task = {1};
  o.tasks.push_back(task);
  hear(o);
  env_.authorise_next();
  ASSERT_TRUE(env_.fake.started.at(0).agent_argv.empty());
  o.control.attach = true;
  hear(o);
  ASSERT_EQ(env_.fake.told.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<launch::StartAgent>(env_.fake.told[0].second));
  AgentDoors doors{"10.0.0.1:1", "10.0.0.1:2"};
  node_.on_agent(key_, {{7, 0}, {1}, {}, AgentUp{"10.0.0.1:1", doors}});
  hear(o);
  EXPECT_EQ(env_.fake.told.size(), 1u) << "it is there";
  env_.sent.clear();
  node_.on_session();
  auto words = *codec::decode<HostRegister>(env_.sent.at(0).second);
  ASSERT_EQ(words.attempts.size(), 1u);
  EXPECT_EQ(words.attempts[0].doors, doors);
}

}  // namespace
}  // namespace wm::node
