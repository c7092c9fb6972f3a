// wnoded's decisions about an attempt that runs: suspended, started again, asked about its size.
#include "daemons/wnoded/steering.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "test/support/node_core.h"

namespace wm::node {
namespace {

using std::chrono::seconds;

class steering : public test::NodeCore {
 protected:
  static void add(HostOrder& o, std::uint32_t number, bool has_process) {
    o = with_task(std::move(o), number);
    o.tasks.back().has_process = has_process;
  }
  /// A torchrun job with a process and a bare slot here.
  static HostOrder launcher() {
    HostOrder o = order();
    o.tasks.clear();
    o.all.clear();
    o.resolved.program.command = "torchrun x.py";
    o.app.type = AppType::Training;
    o.launch = Launch::PerHost;
    o.team.elastic = true;
    o.first_host = true;
    add(o, 1, true);
    add(o, 2, false);
    return o;
  }
  void start(const HostOrder& o) {
    hear(NodeVerb::Order, o);
    env_.authorise_next();
    started(1, 4711);
    env_.fake.told.clear();
    env_.take_facts();
  }
  void started(std::uint32_t task, std::int32_t pid) {
    node_.on_word(key_, launch::TaskStarted{{TaskNumber{task}, pid, {}, false}});
  }
  /// The only thing that the shepherd was told.
  template <class T>
  const T& told() {
    EXPECT_EQ(env_.fake.told.size(), 1u);
    return std::get<T>(env_.fake.told.at(0).second);
  }
  std::vector<std::uint32_t> left() {
    std::vector<std::uint32_t> tasks;
    for (const auto& fact : env_.take_facts())
      if (auto* ended = std::get_if<FactEnded>(&fact.fact))
        if (ended->term == Term::Left) tasks.push_back(ended->task.value);
    return tasks;
  }
};

TEST_F(steering, a_suspension_is_passed_on_once_and_taken_back_once) {
  auto o = launcher();
  start(o);
  o.control.suspend = true;
  o.generation = 2;
  hear(NodeVerb::Order, o);
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(told<launch::Suspend>().on);
  env_.fake.told.clear();
  o.control.suspend = false;
  o.generation = 3;
  hear(NodeVerb::Order, o);
  EXPECT_FALSE(told<launch::Suspend>().on);
}

TEST_F(steering, another_run_limit_is_passed_on_once_with_what_is_left_of_it) {
  auto o = launcher();
  o.resolved.run_limit = std::chrono::minutes(5);
  o.run_left = std::chrono::minutes(5);
  start(o);
  o.generation = 2;
  o.run_left = std::chrono::minutes(4);  // a minute later
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(env_.fake.told.empty());
  o.generation = 3;
  o.resolved.run_limit = std::chrono::minutes(9);
  o.run_left = std::chrono::minutes(8);
  hear(NodeVerb::Order, o);
  hear(NodeVerb::Order, o);
  EXPECT_EQ(told<launch::LimitRun>().left, std::chrono::minutes(8));
}

TEST_F(steering, another_writer_of_the_jobs_output_is_passed_on_once) {
  auto o = launcher();
  o.team.writer = TaskNumber{1};
  start(o);
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(env_.fake.told.empty());
  o.team.writer = TaskNumber{2};
  hear(NodeVerb::Order, o);
  hear(NodeVerb::Order, o);
  EXPECT_EQ(told<launch::WriteAsked>().task, TaskNumber{2});
}

TEST_F(steering, an_attempt_that_is_suspended_before_it_starts_is_stopped_from_the_start) {
  auto o = launcher();
  o.control.suspend = true;
  start(o);
  EXPECT_TRUE(env_.fake.started.at(0).suspended);
}

TEST_F(steering, a_restart_replaces_the_process_and_promises_another_port) {
  auto o = launcher();
  start(o);
  auto port = env_.ports.at(key_);
  o.control.relaunches = 1;
  o.generation = 2;
  o.leave_grace = Duration(77);
  add(o, 3, false);
  hear(NodeVerb::Order, o);
  hear(NodeVerb::Order, o);
  const auto& restart = told<launch::RestartTasks>();
  ASSERT_EQ(restart.tasks.size(), 1u);
  EXPECT_EQ(restart.tasks[0].old, TaskNumber{1});
  EXPECT_EQ(restart.tasks[0].spec.task, TaskNumber{1});
  EXPECT_EQ(restart.grace, Duration(77));
  const auto& env = restart.tasks[0].spec.env;
  EXPECT_NE(std::find(env.begin(), env.end(), "PET_NPROC_PER_NODE=3"), env.end());
  auto first = std::find(env.begin(), env.end(), "MASTER_PORT=" + std::to_string(port + 1));
  EXPECT_NE(first, env.end());  // the next one of those it has
  EXPECT_EQ(env_.ports.at(key_), port);
}

TEST_F(steering, a_bare_slot_leaves_when_the_process_of_the_new_size_runs) {
  auto o = launcher();
  start(o);
  o.control.relaunches = 1;
  o.generation = 2;
  o.tasks[1].leave = true;
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(left().empty());
  started(1, 4712);
  EXPECT_EQ(left(), (std::vector<std::uint32_t>{2}));
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(left().empty());
}

TEST_F(steering, a_process_whose_slot_leaves_makes_room_for_that_of_another_slot) {
  auto o = launcher();
  start(o);
  o.control.relaunches = 1;
  o.generation = 2;
  o.tasks[0].has_process = false;
  o.tasks[0].leave = true;
  o.tasks[1].has_process = true;
  hear(NodeVerb::Order, o);
  const auto& restart = told<launch::RestartTasks>();
  EXPECT_EQ(restart.tasks.at(0).old, TaskNumber{1});
  EXPECT_EQ(restart.tasks.at(0).spec.task, TaskNumber{2});
  started(2, 4712);
  EXPECT_EQ(left(), (std::vector<std::uint32_t>{1}));
}

TEST_F(steering, a_slot_leaves_a_host_where_nothing_of_a_command_runs_that_is_started_once) {
  auto o = launcher();
  o.launch = Launch::Once;
  o.app.resize = ResizeMode::Restart;
  o.first_host = false;
  o.tasks.erase(o.tasks.begin());
  hear(NodeVerb::Order, o);
  env_.authorise_next();
  EXPECT_TRUE(left().empty());
  ++o.generation;
  o.control.relaunches = 1;
  o.tasks[0].leave = true;
  hear(NodeVerb::Order, o);
  EXPECT_EQ(left(), std::vector<std::uint32_t>{2});
}

TEST_F(steering, where_no_process_is_replaced_the_ranks_of_one_that_is_started_once_are_told) {
  auto o = launcher();
  o.launch = Launch::Once;
  o.app.resize = ResizeMode::Restart;
  o.first_host = false;
  o.tasks.erase(o.tasks.begin());
  hear(NodeVerb::Order, o);
  env_.authorise_next();
  env_.fake.told.clear();
  ++o.generation;
  o.control.relaunches = 1;
  hear(NodeVerb::Order, o);
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(told<launch::RestartTasks>().tasks.empty());
}

TEST_F(steering, a_host_that_leaves_ends_its_process_and_then_its_bare_slots) {
  auto o = launcher();
  start(o);
  o.control.relaunches = 1;
  o.generation = 2;
  o.tasks[0].leave = o.tasks[1].leave = true;
  hear(NodeVerb::Order, o);
  EXPECT_EQ(told<launch::EndTasks>().first_signal, SIGTERM);
  EXPECT_TRUE(left().empty());
  launch::ExitRecord record;
  record.key = key_;
  record.task = {1};
  record.cause = launch::EndCause::Ordered;
  node_.on_word(key_, launch::TaskEnded{record});
  EXPECT_EQ(left(), (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(steering, a_notice_is_asked_once_and_its_answer_is_told) {
  auto o = launcher();
  start(o);
  o.generation = 2;
  o.change.notice = ResizeNotice{4, false, {TaskNumber{2}}};
  o.change.command = "tell";
  o.change.hosts = "n 1";
  hear(NodeVerb::Order, o);
  hear(NodeVerb::Order, o);
  const auto& notice = told<launch::Notice>();
  EXPECT_EQ(notice.number, 4u);
  const auto& env = notice.command.env;
  for (const char* entry : {"LSB_RESIZE_EVENT=shrink", "LSB_RESIZE_HOSTS=n 1",
                            "LSB_RESIZE_NOTIFY_OK=0", "LSB_RESIZE_NOTIFY_FAIL=1"})
    EXPECT_NE(std::find(env.begin(), env.end(), entry), env.end()) << entry;
  node_.on_word(key_, launch::Noticed{4, 1 << 8});
  auto facts = env_.take_facts();
  const auto& answer = std::get<FactNotified>(facts.at(0).fact);
  EXPECT_FALSE(answer.ok);
  EXPECT_EQ(answer.text, "the notification command said 1");
}

TEST_F(steering, a_failed_script_of_the_site_is_told) {
  start(launcher());
  node_.on_word(key_, launch::ScriptFailed{"epilog exited with 1"});
  auto facts = env_.take_facts();
  EXPECT_EQ(std::get<FactScriptFailed>(facts.at(0).fact).why, "epilog exited with 1");
}

TEST_F(steering, what_runs_is_told_once_a_minute_with_the_energy_of_processors) {
  start(launcher());
  node_.on_word(key_, launch::Used{std::chrono::seconds(90), std::chrono::seconds(60), Bytes{500}});
  auto frame = [&]() -> std::optional<HostMeter> {
    env_.sent.clear();
    env_.now += std::chrono::minutes(1);
    node_.on_tick(0, {});
    for (const auto& [verb, bytes] : env_.sent)
      if (verb == static_cast<NodeVerb>(kMeterFrame)) return *codec::decode<HostMeter>(bytes);
    return std::nullopt;
  };
  auto told = frame();
  ASSERT_TRUE(told);
  ASSERT_EQ(told->tasks.size(), 1u);
  EXPECT_EQ(told->tasks[0].cpu, std::chrono::seconds(90));
  EXPECT_EQ(told->energy_seen, Duration{}) << "nothing counts it";
  EXPECT_FALSE(frame());
  env_.energy_mj = 5000;
  told = frame();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->cpu_energy_mj, 5000);
  EXPECT_EQ(told->energy_seen, std::chrono::minutes(1));
}

}  // namespace
}  // namespace wm::node
