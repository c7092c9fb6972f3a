// wnoded's decisions without a process: orders and words in, launcher calls and facts out.
#include "daemons/wnoded/core.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "libwm/base/log.h"
#include "test/support/node_core.h"

namespace wm::node {
namespace {

using launch::AttemptKey;
using launch::EndCause;

/// A line per task would bury what failed.
struct Quiet : ::testing::Environment {
  void SetUp() override { log::open("test", "", log::Level::Error); }
};
const auto* const kQuiet = ::testing::AddGlobalTestEnvironment(new Quiet);

class core : public test::NodeCore {};

TEST_F(core, a_host_whose_address_changes_registers_with_it_and_tells_it_to_its_jobs) {
  node_.on_address("10.0.0.9", "eth1");
  node_.on_session();
  auto words = codec::decode<HostRegister>(env_.sent.at(0).second);
  ASSERT_TRUE(words);
  EXPECT_EQ(words->address, "10.0.0.9");
}

TEST_F(core, start_and_end_are_facts_until_acknowledged) {
  start(order());
  end_task(3 << 8);
  end_attempt();
  auto facts = env_.take_facts();
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(std::get<FactStarted>(facts[0].fact).pid, 4711);
  EXPECT_EQ(std::get<FactEnded>(facts[1].fact).status, 3 << 8);
  EXPECT_EQ(std::get<FactEnded>(facts[1].fact).term, Term::None);

  auto words = registered();
  ASSERT_EQ(words.attempts.size(), 1u) << "an end nobody acknowledged counts as known";
  EXPECT_EQ(env_.take_facts(), facts) << "said again after every registration";
  hear(NodeVerb::Ack, HostAck{facts[0].number});
  hear(NodeVerb::Ack, HostAck{facts[1].number});
  EXPECT_EQ(node_.attempts(), 0u);
  EXPECT_TRUE(registered().attempts.empty());
}

TEST_F(core, more_tasks_go_to_the_same_shepherd) {
  start(order());
  hear(NodeVerb::Order, with_task(order(1, 2), 2));
  ASSERT_EQ(env_.fake.told.size(), 1u);
  auto& told = std::get<launch::StartTasks>(env_.fake.told[0].second);
  ASSERT_EQ(told.tasks.size(), 1u);
  EXPECT_EQ(told.tasks[0].task, TaskNumber{2});
  auto memo = codec::decode<HostOrder>(told.memo);
  ASSERT_TRUE(memo);
  EXPECT_EQ(memo->tasks.size(), 2u);
  EXPECT_TRUE(memo->blobs.env.empty());
}

TEST_F(core, a_task_ordered_while_the_shepherd_ended_gets_a_new_one) {
  start(order());
  end_task();
  hear(NodeVerb::Order, with_task(order(1, 2), 2));
  end_attempt();
  ASSERT_EQ(env_.fake.started.size(), 2u);
  ASSERT_EQ(env_.fake.started[1].tasks.size(), 1u);
  EXPECT_EQ(env_.fake.started[1].tasks[0].task, TaskNumber{2});
}

TEST_F(core, end_is_told_once_and_names_its_term) {
  start(order());
  auto o = order(1, 2);
  o.control.end = true;
  o.control.end_term = Term::Owner;
  hear(NodeVerb::Order, o);
  hear(NodeVerb::Order, o);
  ASSERT_EQ(env_.fake.told.size(), 1u);
  auto& told = std::get<launch::EndTasks>(env_.fake.told[0].second);
  EXPECT_FALSE(told.at_once);
  EXPECT_TRUE(told.text.starts_with("TERM_OWNER"));
  end_task(2, EndCause::Ordered);
  EXPECT_EQ(ends().at(0).term, Term::Owner);
}

TEST_F(core, an_end_by_force_leaves_no_time_also_to_who_was_ending) {
  start(order());
  auto o = order(1, 2);
  o.control.end = true;
  o.control.end_term = Term::Owner;
  hear(NodeVerb::Order, o);
  o.generation = 3;
  o.control.end_term = Term::ForceOwner;
  hear(NodeVerb::Order, o);
  ASSERT_EQ(env_.fake.told.size(), 2u);
  EXPECT_TRUE(std::get<launch::EndTasks>(env_.fake.told[1].second).at_once);
}

TEST_F(core, end_before_the_start_answers_for_the_tasks) {
  auto o = order();
  o.control.end = true;
  o.control.end_term = Term::Owner;
  hear(NodeVerb::Order, o);
  env_.authorise_next();
  EXPECT_TRUE(env_.fake.started.empty());
  EXPECT_EQ(ends().at(0).term, Term::Owner);
}

TEST_F(core, a_preempted_attempt_gets_one_signal_and_its_time) {
  start(order());
  auto o = order(1, 2);
  o.control.preempt = true;
  hear(NodeVerb::Order, o);
  hear(NodeVerb::Order, o);
  ASSERT_EQ(env_.fake.told.size(), 1u);
  EXPECT_EQ(std::get<launch::SignalTasks>(env_.fake.told[0].second).signal, SIGTERM);
  o.generation = 3;
  o.tasks[0].kill = true;
  o.tasks[0].term = Term::Preempt;
  hear(NodeVerb::Order, o);
  ASSERT_EQ(env_.fake.told.size(), 2u);
  EXPECT_TRUE(std::get<launch::EndTasks>(env_.fake.told[1].second).at_once);
}

TEST_F(core, preempted_before_the_start_answers_for_the_tasks) {
  auto o = order();
  o.control.preempt = true;
  hear(NodeVerb::Order, o);
  env_.authorise_next();
  EXPECT_TRUE(env_.fake.started.empty());
  EXPECT_EQ(ends().at(0).term, Term::Preempt);
}

TEST_F(core, kill_takes_one_task_by_force) {
  auto two = with_task(order(), 2);
  start(two);
  two.generation = 2;
  two.tasks[1].kill = true;
  two.tasks[1].term = Term::ReclaimGrace;
  hear(NodeVerb::Order, two);
  ASSERT_EQ(env_.fake.told.size(), 1u);
  auto& told = std::get<launch::EndTasks>(env_.fake.told[0].second);
  EXPECT_TRUE(told.at_once);
  EXPECT_EQ(told.tasks, std::vector<TaskNumber>{TaskNumber{2}});
  node_.on_word(key_, launch::TaskEnded{record(2, 9, EndCause::Ordered)});
  EXPECT_EQ(ends().at(0).term, Term::ReclaimGrace);
}

TEST_F(core, a_task_that_hangs_is_asked_where_before_it_is_ended) {
  auto two = with_task(order(), 2);
  start(two);
  two.generation = 2;
  two.tasks[1].kill = true;
  two.tasks[1].term = Term::Hung;
  hear(NodeVerb::Order, two);
  ASSERT_EQ(env_.fake.told.size(), 1u);
  auto& told = std::get<launch::EndTasks>(env_.fake.told[0].second);
  EXPECT_FALSE(told.at_once);
  EXPECT_EQ(told.first_signal, SIGQUIT);
}

TEST_F(core, the_first_hello_of_an_elastic_python_job_asks_for_a_warm_parent) {
  auto elastic = order();
  elastic.team.elastic = true;
  elastic.app.type = AppType::Training;
  elastic.app.warm_imports = {"torch"};
  elastic.resolved.program.command = "python3 train.py";
  start(elastic);
  node_.on_agent(key_, {{7, 0}, {1}, {1}, WorkerSeen{TaskNumber{1}}});
  ASSERT_EQ(env_.fake.told.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<launch::KeepWarm>(env_.fake.told[0].second));
}

TEST_F(core, an_attempt_of_a_service_is_opened_without_a_task_and_its_first_one_finds_it) {
  auto ready = order();
  ready.tasks.clear();
  ready.team.elastic = true;
  ready.app.type = AppType::Inference;
  ready.app.warm_imports = {"torch"};
  ready.resolved.exec.service = "digits";
  ready.resolved.program.command = "exec python3 kernel.py";
  ready.sealed.spec.clear();  // what it is compared with is not of this test
  start(ready);
  ASSERT_EQ(env_.fake.started.size(), 1u);
  EXPECT_TRUE(env_.fake.started[0].tasks.empty());
  EXPECT_TRUE(env_.fake.started[0].agent_argv.empty());
  ASSERT_EQ(env_.fake.told.size(), 1u);
  EXPECT_EQ(std::get<launch::KeepWarm>(env_.fake.told[0].second).after, Duration{});
  hear(NodeVerb::Order, with_task(ready, 2));
  EXPECT_EQ(env_.fake.started.size(), 1u);
  ASSERT_EQ(env_.fake.told.size(), 2u);
  EXPECT_EQ(std::get<launch::StartTasks>(env_.fake.told[1].second).tasks.size(), 1u);
}

TEST_F(core, a_leaver_is_asked_by_signal_unless_its_worker_is_told_in_place) {
  auto two = with_task(order(), 2);
  start(two);
  two.generation = 2;
  two.tasks[1].leave = true;
  hear(NodeVerb::Order, two);
  hear(NodeVerb::Order, two);
  ASSERT_EQ(env_.fake.told.size(), 1u);
  EXPECT_EQ(std::get<launch::EndTasks>(env_.fake.told[0].second).first_signal, SIGTERM);

  env_.fake.told.clear();
  node_.on_agent(key_, {{7, 0}, {1}, {1}, WorkerSeen{TaskNumber{1}}});
  two.generation = 3;
  two.tasks[0].leave = true;
  hear(NodeVerb::Order, two);
  EXPECT_TRUE(env_.fake.told.empty());
}

TEST_F(core, after_a_restart_the_order_says_that_its_workers_are_told_in_place) {
  launch::ShepherdUp up;
  up.key = key_;
  up.memo = codec::encode(with_task(order(), 2));
  up.tasks = {{TaskNumber{1}, 4711, {}, false}, {TaskNumber{2}, 4712, {}, false}};
  node_.adopt({up}, {});
  auto two = with_task(order(), 2);
  two.generation = 2;
  two.team.in_place = true;
  two.tasks[1].leave = true;
  auto ends_told = [&] {
    return std::count_if(env_.fake.told.begin(), env_.fake.told.end(), [](const auto& t) {
      return std::holds_alternative<launch::EndTasks>(t.second);
    });
  };
  hear(NodeVerb::Order, two);
  EXPECT_EQ(ends_told(), 0) << "SIGTERM to a worker that leaves by itself";
  two.generation = 3;  // made before the master heard of it
  two.team.in_place = false;
  hear(NodeVerb::Order, two);
  EXPECT_EQ(ends_told(), 0);
}

TEST_F(core, a_lost_shepherd_is_swept_and_its_tasks_end_with_that_reason) {
  start(order());
  env_.take_facts();
  node_.on_shepherd_lost(key_);
  ASSERT_EQ(env_.fake.swept.size(), 1u);
  EXPECT_EQ(env_.fake.swept[0].tasks, (std::vector<launch::RunningProcess>{{4711, 0}}));
  EXPECT_TRUE(ends().empty()) << "not before it is proven gone";
  end_attempt(EndCause::ShepherdLost);
  auto told = ends();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].term, Term::ShepherdLost);
}

TEST_F(core, a_shepherd_that_could_not_be_made_fails_the_start) {
  hear(NodeVerb::Order, order());
  env_.authorise_next();
  end_attempt(EndCause::StartFailed);
  EXPECT_EQ(ends().at(0).term, Term::LaunchFailed);
}

TEST_F(core, a_stuck_attempt_is_said_for_every_task_left) {
  start(order());
  env_.take_facts();
  node_.on_word(key_, launch::AttemptStuck{{4711}});
  auto facts = env_.take_facts();
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(std::get<FactStuck>(facts[0].fact).task, TaskNumber{1});
}

TEST_F(core, after_a_restart_what_runs_is_adopted_and_what_ended_is_told) {
  auto running = order();
  running.blobs.env.clear();
  launch::ShepherdUp up;
  up.key = key_;
  up.memo = codec::encode(running);
  up.tasks = {{TaskNumber{1}, 4711, {}, false}};
  auto ended = record(1, 5 << 8);
  ended.key = {{8, 0}, {2}};
  test::FakeEnv env;
  Core fresh(env, test::node_card(), test::node_facts());
  fresh.adopt({up}, {ended});
  fresh.on_session();
  auto words = codec::decode<HostRegister>(env.sent.at(0).second);
  ASSERT_EQ(words->attempts.size(), 2u);
  EXPECT_EQ(words->attempts[0].tasks[0].pid, 4711);
  auto facts = env.take_facts();
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(std::get<FactEnded>(facts[1].fact).status, 5 << 8);
  ASSERT_TRUE(fresh.on_frame(static_cast<std::uint16_t>(NodeVerb::Order), codec::encode(order())));
  EXPECT_TRUE(env.fake.started.empty()) << "never started twice";
}

TEST_F(core, records_are_shrunk_to_what_the_master_has_not_got) {
  for (std::uint32_t job = 1; job <= 2000; ++job) {
    auto o = order();
    o.job = {job, 0};
    AttemptKey key{{job, 0}, {1}};
    hear(NodeVerb::Order, o);
    env_.authorise_next();
    auto r = record(1);
    r.key = key;
    env_.records.push_back(r);
    node_.on_word(key, launch::TaskEnded{r});
    r.task = {};
    node_.on_word(key, launch::AttemptEnded{r});
  }
  auto facts = env_.take_facts();
  node_.on_tick(0, Bytes{0});
  EXPECT_EQ(env_.shrunk, 0);
  for (const auto& fact : facts) hear(NodeVerb::Ack, HostAck{fact.number});
  node_.on_tick(0, Bytes{0});
  EXPECT_EQ(env_.shrunk, 1);
  EXPECT_TRUE(env_.records.empty());
}

TEST_F(core, a_damaged_frame_is_an_error) {
  EXPECT_FALSE(node_.on_frame(static_cast<std::uint16_t>(NodeVerb::Order), "\xff\xff"));
  EXPECT_FALSE(node_.on_frame(999, ""));
}

}  // namespace
}  // namespace wm::node
