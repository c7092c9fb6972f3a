// wnoded's decisions about an attempt that runs: suspended, started again, asked about its size.
#include <gtest/gtest.h>
#include <signal.h>

#include "test/support/node_core.h"

namespace wm::node {
namespace {

using std::chrono::seconds;

class running : public test::NodeCore {
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
  /// The only worker of an elastic training that is started task by task.
  static HostOrder workers() {
    HostOrder o = order();
    o.app.type = AppType::Training;
    o.launch = Launch::PerSlot;
    o.team.elastic = true;
    o.hosts.first_address = "10.0.0.1";
    return o;
  }
  void start(const HostOrder& o) {
    hear(NodeVerb::Order, o);
    outside_.authorise_next();
    started(1, 4711);
    outside_.fake.told.clear();
    outside_.take_facts();
  }
  void started(std::uint32_t task, std::int32_t pid) {
    node_.on_word(key_, launch::TaskStarted{{TaskNumber{task}, pid, {}, false}});
  }
  /// The only thing that the shepherd was told.
  template <class T>
  const T& told() {
    EXPECT_EQ(outside_.fake.told.size(), 1u);
    return std::get<T>(outside_.fake.told.at(0).second);
  }
  std::vector<std::uint32_t> left() {
    std::vector<std::uint32_t> tasks;
    for (const auto& fact : outside_.take_facts())
      if (auto* ended = std::get_if<FactEnded>(&fact.fact))
        if (ended->term == Term::Left) tasks.push_back(ended->task.value);
    return tasks;
  }
};

TEST_F(running, the_first_host_leases_the_port_that_the_master_chose_and_tells_if_it_cannot) {
  HostOrder o = workers();
  o.team.port = 20008;
  hear(NodeVerb::Order, o);
  outside_.authorise_next();
  started(1, 4711);
  EXPECT_EQ(std::get<FactStarted>(outside_.take_facts().at(0).fact).port, 20008u);
}

TEST_F(running, a_chosen_port_that_somebody_has_is_another_whatever_the_master_says_meanwhile) {
  outside_.taken = {20008};
  HostOrder o = workers();
  o.team.port = 20008;
  hear(NodeVerb::Order, o);
  outside_.authorise_next();
  started(1, 4711);
  auto port = std::get<FactStarted>(outside_.take_facts().at(0).fact).port;
  EXPECT_NE(port, 20008u);
  o.generation = 2;
  o.control.relaunches = 1;
  hear(NodeVerb::Order, o);
  const auto& env = told<launch::RestartTasks>().tasks.at(0).spec.env;
  auto wanted = "MASTER_PORT=" + std::to_string(port + 1);
  EXPECT_EQ(std::count(env.begin(), env.end(), wanted), 1);
}

const PortUse kCalled{true, {{"10.0.0.1", 1}}};

TEST_F(running, tasks_that_meet_at_their_port_are_told_of_once) {
  HostOrder o = workers();
  o.team.port = 20008;
  start(o);
  auto told = [this] {
    node_.on_tick(0, {}, {});
    std::size_t count = 0;
    for (const auto& fact : outside_.take_facts())
      count += std::holds_alternative<FactMet>(fact.fact);
    return count;
  };
  outside_.ports_used = {{22, kCalled}, {20008, {true, {}}}, {20009, kCalled}};
  EXPECT_EQ(told(), 0u);
  outside_.ports_used[20008] = kCalled;
  EXPECT_EQ(told(), 1u);
  EXPECT_EQ(told(), 0u);
}

TEST_F(running, jobs_that_are_resized_otherwise_are_not_looked_after) {
  outside_.ports_used = {{20008, kCalled}};
  for (auto kind : {0, 1, 2}) {
    HostOrder o = kind == 0 ? launcher() : workers();
    o.team.port = 20008;
    if (kind == 1) o.team.in_place = true;
    if (kind == 2) o.team.elastic = false;
    o.job = {static_cast<std::uint32_t>(8 + kind), 0};
    hear(NodeVerb::Order, o);
    outside_.authorise_next();
    outside_.take_facts();
    node_.on_tick(0, {}, {});
    EXPECT_TRUE(outside_.take_facts().empty()) << kind;
  }
}

TEST_F(running, who_does_not_come_is_told_to_each_master_and_no_acknowledgement_is_awaited) {
  HostOrder o = with_task(workers(), 2);
  o.team.port = 20008;
  o.team.elastic = false;
  start(o);
  auto told = [this](seconds later) {
    outside_.now += later;
    node_.on_tick(0, {}, {});
    std::vector<HostFact> facts = outside_.take_facts();
    std::erase_if(facts, [](auto& f) { return !std::holds_alternative<FactRendezvous>(f.fact); });
    return facts;
  };
  outside_.ports_used = {{20008, kCalled}};
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
  outside_.ports_used[20008].callers[0].connections = 2;
  facts = told(seconds(1));
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(std::get<FactRendezvous>(facts[0].fact).meeting, Rendezvous{});
}

TEST_F(running, a_suspension_is_passed_on_once_and_taken_back_once) {
  auto o = launcher();
  start(o);
  o.control.suspend = true;
  o.generation = 2;
  hear(NodeVerb::Order, o);
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(told<launch::Suspend>().on);
  outside_.fake.told.clear();
  o.control.suspend = false;
  o.generation = 3;
  hear(NodeVerb::Order, o);
  EXPECT_FALSE(told<launch::Suspend>().on);
}

// Signed by its owner, with what a host looks at in a later order.
HostOrder sealed(HostOrder o, const std::string& notify = "") {
  o.blobs.env.clear();  // its hash is another test's
  o.resolved.side.notify = notify;
  o.sealed.spec = codec::encode(o.resolved);
  o.sealed.credential = "signed " + notify;
  return o;
}

TEST_F(running, a_later_order_that_is_not_as_signed_is_not_followed) {
  auto o = sealed(launcher());
  start(o);
  o.generation = 2;
  o.control.suspend = true;
  o.resolved.side.post = "evil";
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(outside_.fake.told.empty());
  o.sealed.spec.clear();  // as if it were known
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(outside_.fake.told.empty());
  o.resolved.side.post.clear();
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(told<launch::Suspend>().on);
}

TEST_F(running, what_its_owner_signed_anew_is_followed_once_that_is_proven) {
  auto o = sealed(launcher());
  start(o);
  o = sealed(o, "./tell");
  o.generation = 2;
  o.control.suspend = true;
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(outside_.fake.told.empty());
  outside_.authorise_next(fail(Code::Denied, "forged"));
  EXPECT_TRUE(outside_.fake.told.empty());
  hear(NodeVerb::Order, o);
  outside_.authorise_next();
  EXPECT_TRUE(told<launch::Suspend>().on);
}

TEST_F(running, what_another_user_signed_is_not_done_as_its_owner) {
  auto o = sealed(launcher());
  start(o);
  o.resolved.owner = {1001, 100, "bob"};
  o.sealed.spec = codec::encode(o.resolved);
  o.sealed.credential = "signed by bob";
  o.generation = 2;
  o.control.suspend = true;
  hear(NodeVerb::Order, o);
  outside_.authorise_next(launch::Account{1001, 100, {}});
  EXPECT_TRUE(outside_.fake.told.empty());
}

TEST_F(running, another_signature_is_not_taken_for_one_that_is_being_proven) {
  auto o = sealed(launcher());
  hear(NodeVerb::Order, o);
  auto forged = o;
  forged.resolved.program.command = "evil";
  forged = sealed(forged);
  forged.generation = 2;
  hear(NodeVerb::Order, forged);
  outside_.authorise_next();
  ASSERT_EQ(outside_.fake.started.size(), 1u);
  std::string run;
  for (const auto& task : outside_.fake.started[0].tasks)
    for (const auto& word : task.argv) run += word + " ";
  EXPECT_NE(run.find("torchrun"), run.npos);
  EXPECT_EQ(run.find("evil"), run.npos);
}

TEST_F(running, commands_of_profile_and_queue_are_this_hosts_whatever_comes_meanwhile) {
  auto o = sealed(launcher());
  o.app.pre_exec = "mine";
  hear(NodeVerb::Order, o);
  o.generation = 2;
  o.app.pre_exec = o.queue_side.pre = "evil";  // before the host has looked
  hear(NodeVerb::Order, o);
  outside_.authorise_next();
  ASSERT_EQ(outside_.fake.started.size(), 1u);
  std::string run;
  for (const auto& command : outside_.fake.started[0].before)
    for (const auto& word : command.argv) run += word + " ";
  EXPECT_NE(run.find("mine"), run.npos);
  EXPECT_EQ(run.find("evil"), run.npos);
}

TEST_F(running, another_run_limit_is_passed_on_once_with_what_is_left_of_it) {
  auto o = launcher();
  o.resolved.run_limit = std::chrono::minutes(5);
  o.run_left = std::chrono::minutes(5);
  start(o);
  o.generation = 2;
  o.run_left = std::chrono::minutes(4);  // a minute later
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(outside_.fake.told.empty());
  o.generation = 3;
  o.resolved.run_limit = std::chrono::minutes(9);
  o.run_left = std::chrono::minutes(8);
  hear(NodeVerb::Order, o);
  hear(NodeVerb::Order, o);
  EXPECT_EQ(told<launch::LimitRun>().left, std::chrono::minutes(8));
}

TEST_F(running, another_writer_of_the_jobs_output_is_passed_on_once) {
  auto o = launcher();
  o.team.writer = TaskNumber{1};
  start(o);
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(outside_.fake.told.empty());
  o.team.writer = TaskNumber{2};
  hear(NodeVerb::Order, o);
  hear(NodeVerb::Order, o);
  EXPECT_EQ(told<launch::WriteAsked>().task, TaskNumber{2});
}

TEST_F(running, an_attempt_that_is_suspended_before_it_starts_is_stopped_from_the_start) {
  auto o = launcher();
  o.control.suspend = true;
  start(o);
  EXPECT_TRUE(outside_.fake.started.at(0).suspended);
}

TEST_F(running, a_restart_replaces_the_process_and_promises_another_port) {
  auto o = launcher();
  start(o);
  auto port = outside_.ports.at(key_);
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
  EXPECT_EQ(outside_.ports.at(key_), port);
}

TEST_F(running, a_bare_slot_leaves_when_the_process_of_the_new_size_runs) {
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

TEST_F(running, a_process_whose_slot_leaves_makes_room_for_that_of_another_slot) {
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

TEST_F(running, a_slot_leaves_a_host_where_nothing_of_a_command_runs_that_is_started_once) {
  auto o = launcher();
  o.launch = Launch::Once;
  o.app.resize = ResizeMode::Restart;
  o.first_host = false;
  o.tasks.erase(o.tasks.begin());
  hear(NodeVerb::Order, o);
  outside_.authorise_next();
  EXPECT_TRUE(left().empty());
  ++o.generation;
  o.control.relaunches = 1;
  o.tasks[0].leave = true;
  hear(NodeVerb::Order, o);
  EXPECT_EQ(left(), std::vector<std::uint32_t>{2});
}

TEST_F(running, where_no_process_is_replaced_the_ranks_of_one_that_is_started_once_are_told) {
  auto o = launcher();
  o.launch = Launch::Once;
  o.app.resize = ResizeMode::Restart;
  o.first_host = false;
  o.tasks.erase(o.tasks.begin());
  hear(NodeVerb::Order, o);
  outside_.authorise_next();
  outside_.fake.told.clear();
  ++o.generation;
  o.control.relaunches = 1;
  hear(NodeVerb::Order, o);
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(told<launch::RestartTasks>().tasks.empty());
}

TEST_F(running, a_host_that_leaves_ends_its_process_and_then_its_bare_slots) {
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

TEST_F(running, a_notice_is_asked_once_and_its_answer_is_told) {
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
  auto facts = outside_.take_facts();
  const auto& answer = std::get<FactNotified>(facts.at(0).fact);
  EXPECT_FALSE(answer.ok);
  EXPECT_EQ(answer.text, "the notification command said 1");
}

TEST_F(running, a_failed_script_of_the_site_is_told) {
  start(launcher());
  node_.on_word(key_, launch::ScriptFailed{"epilog exited with 1"});
  auto facts = outside_.take_facts();
  EXPECT_EQ(std::get<FactScriptFailed>(facts.at(0).fact).why, "epilog exited with 1");
}

TEST_F(running, what_runs_is_told_once_a_minute_with_the_energy_of_processors) {
  start(launcher());
  node_.on_word(key_, launch::Used{std::chrono::seconds(90), std::chrono::seconds(60), Bytes{500}});
  auto frame = [&]() -> std::optional<HostMeter> {
    outside_.sent.clear();
    outside_.now += std::chrono::minutes(1);
    node_.on_tick(0, {});
    for (const auto& [verb, bytes] : outside_.sent)
      if (verb == static_cast<NodeVerb>(kMeterFrame)) return *codec::decode<HostMeter>(bytes);
    return std::nullopt;
  };
  auto told = frame();
  ASSERT_TRUE(told);
  ASSERT_EQ(told->tasks.size(), 1u);
  EXPECT_EQ(told->tasks[0].cpu, std::chrono::seconds(90));
  EXPECT_EQ(told->energy_seen, Duration{}) << "nothing counts it";
  EXPECT_FALSE(frame());
  outside_.energy_mj = 5000;
  told = frame();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->cpu_energy_mj, 5000);
  EXPECT_EQ(told->energy_seen, std::chrono::minutes(1));
}

TEST_F(running, every_limit_has_its_own_term) {
  launch::ExitRecord r;
  for (auto [cause, term] : {std::pair(launch::EndCause::MemLimit, Term::MemLimit),
                             std::pair(launch::EndCause::CpuLimit, Term::CpuLimit),
                             std::pair(launch::EndCause::ProcessLimit, Term::ProcessLimit),
                             std::pair(launch::EndCause::ThreadLimit, Term::ThreadLimit),
                             std::pair(launch::EndCause::SwapLimit, Term::Swap),
                             std::pair(launch::EndCause::PreExecFailed, Term::PreExecFail),
                             std::pair(launch::EndCause::PrologFailed, Term::PrologFailed)}) {
    r.cause = cause;
    EXPECT_EQ(term_of(r, {}), term);
  }
}

}  // namespace
}  // namespace wm::node
