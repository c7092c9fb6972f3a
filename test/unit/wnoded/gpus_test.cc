// Role: the end of a task waits for its GPUs; health is told to the master.
#include "daemons/wnoded/gpus.h"

#include <gtest/gtest.h>

#include "daemons/wnoded/core.h"
#include "test/support/fake_env.h"

namespace wm::node {
namespace {

using launch::AttemptKey;
using std::chrono::seconds;

class gpus : public ::testing::Test {
 protected:
  gpus() {
    node_.on_session();
    tick();
    answer(idle());
    env_.sent.clear();
  }
  static HostRegister card() {
    HostRegister words;
    words.name = "n";
    for (const char* uuid : {"GPU-a", "GPU-b"}) {
      Gpu gpu{uuid, "H200", Bytes{80LL << 30}};
      gpu.pci = "00000000:17:00.0";
      words.capacity.gpus.push_back(gpu);
    }
    return words;
  }
  static launch::HostFacts host() {
    launch::HostFacts facts;
    facts.name = "n";
    facts.cluster = "c";
    facts.run = "/run/n";
    return facts;
  }
  static std::vector<gpu::GpuReading> idle() {
    std::vector<gpu::GpuReading> readings;
    for (const char* uuid : {"GPU-a", "GPU-b"}) {
      gpu::GpuReading r;
      r.uuid = uuid;
      r.total = Bytes{80LL << 30};
      readings.push_back(r);
    }
    return readings;
  }
  static std::vector<gpu::GpuReading> busy() {
    auto readings = idle();
    readings[0].used = Bytes{5LL << 30};
    readings[0].processes = {{4711, Bytes{5LL << 30}}};
    return readings;
  }
  void tick(seconds by = seconds(0)) {
    env_.now += by;
    node_.on_tick(0, Bytes{0});
  }
  void answer(const std::vector<gpu::GpuReading>& readings) {
    ASSERT_FALSE(env_.gpu_reads.empty());
    auto done = std::move(env_.gpu_reads.front());
    env_.gpu_reads.pop_front();
    done(readings);
  }
  void start(bool shared = false, Bytes gmem = Bytes{0}) {
    HostOrder o;
    o.resolved.task.gpu_mem = gmem;
    o.job = {7, 0};
    o.attempt = {1};
    o.generation = 1;
    o.resolved.task.gpu_shared = shared;
    OrderedTask task;
    task.task = {1};
    task.gpu_uuids = {"GPU-a"};
    o.tasks.push_back(task);
    o.all.push_back({{1}, "n", "10.0.0.1"});
    ASSERT_TRUE(node_.on_frame(static_cast<std::uint16_t>(NodeVerb::Order), codec::encode(o)));
    env_.authorise_next();
    node_.on_word(key_, launch::TaskStarted{{TaskNumber{1}, 4711, {}, false}});
    env_.take_facts();
  }
  /// Two tasks with a GPU each, that see both.
  void start_seers() {
    HostOrder o;
    o.job = {7, 0};
    o.attempt = {1};
    o.generation = 1;
    o.resolved.task.gpu_see_all = true;
    for (std::uint32_t number : {1u, 2u}) {
      OrderedTask task;
      task.task = {number};
      task.gpu_uuids = {number == 1 ? "GPU-a" : "GPU-b"};
      o.tasks.push_back(task);
      o.all.push_back({{number}, "n", "10.0.0.1"});
    }
    ASSERT_TRUE(node_.on_frame(static_cast<std::uint16_t>(NodeVerb::Order), codec::encode(o)));
    env_.authorise_next();
    for (std::uint32_t number : {1u, 2u})
      node_.on_word(key_, launch::TaskStarted{{TaskNumber{number}, 4710, {}, false}});
    env_.take_facts();
    env_.fake.told.clear();
  }
  void end_task(std::uint32_t number, int status,
                launch::EndCause cause = launch::EndCause::Exited) {
    launch::ExitRecord record;
    record.key = key_;
    record.task = {number};
    record.status = status;
    record.cause = cause;
    node_.on_word(key_, launch::TaskEnded{record});
  }
  void end() {
    launch::ExitRecord record;
    record.key = key_;
    record.task = {1};
    node_.on_word(key_, launch::TaskEnded{record});
    record.task = {};
    node_.on_word(key_, launch::AttemptEnded{record});
  }
  bool told_end() {
    for (const auto& fact : env_.take_facts())
      if (std::holds_alternative<FactEnded>(fact.fact)) return true;
    return false;
  }
  std::vector<GpuReports> told_gpus() {
    std::vector<GpuReports> told;
    for (const auto& [verb, payload] : env_.sent)
      if (verb == NodeVerb::Gpus) told.push_back(*codec::decode<GpuReports>(payload));
    return told;
  }

  test::FakeEnv env_;
  Core node_{env_, card(), host()};
  AttemptKey key_{{7, 0}, {1}};
};

TEST_F(gpus, use_beyond_gmem_is_told_and_the_master_asked_where_the_site_ends_such_tasks) {
  start(false, Bytes{4LL << 30});
  auto facts = [&] {
    std::vector<FactGpuOveruse> found;
    for (const auto& fact : env_.take_facts())
      if (auto* over = std::get_if<FactGpuOveruse>(&fact.fact)) found.push_back(*over);
    return found;
  };
  tick(seconds(60));
  answer(busy());
  ASSERT_FALSE(told_gpus().empty());
  EXPECT_EQ(told_gpus().back().gpus[0].over, "task 1 of job 7 uses 5G, its gmem is 4G");
  EXPECT_FALSE(told_gpus().back().gpus[0].sick);
  EXPECT_TRUE(facts().empty()) << "tell is the default";
  HostWelcome words;
  words.limits.gpu_memory_overuse = "end";
  ASSERT_TRUE(node_.on_frame(static_cast<std::uint16_t>(NodeVerb::Welcome), codec::encode(words)));
  tick(seconds(60));
  answer(busy());
  auto asked = facts();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].use.used, Bytes{5LL << 30});
  tick(seconds(60));
  answer(idle());
  EXPECT_EQ(told_gpus().back().gpus[0].over, "");
}

TEST_F(gpus, an_end_is_told_when_the_gpu_is_free) {
  start();
  end();
  EXPECT_FALSE(told_end());
  tick();
  answer(busy());
  EXPECT_FALSE(told_end());
  tick();
  answer(idle());
  EXPECT_TRUE(told_end());
  EXPECT_TRUE(told_gpus().empty()) << "nothing was wrong";
}

TEST_F(gpus, a_reading_begun_before_the_end_proves_nothing) {
  start();
  tick(seconds(10));
  end();
  answer(idle());
  EXPECT_FALSE(told_end());
  tick();
  answer(idle());
  EXPECT_TRUE(told_end());
}

TEST_F(gpus, one_that_stays_in_use_is_set_aside_before_its_task_is_told_gone) {
  start();
  end();
  tick();
  answer(busy());
  tick(seconds(11));
  answer(busy());
  auto told = told_gpus();
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(told.back().gpus[0].sick);
  EXPECT_EQ(told.back().gpus[0].why, "not free after its task ended: held by process 4711");
  EXPECT_FALSE(told.back().gpus[1].sick) << "alone";
  std::size_t report = 0, fact = 0;
  for (std::size_t i = 0; i < env_.sent.size(); ++i) {
    if (env_.sent[i].first == NodeVerb::Gpus) report = i;
    if (env_.sent[i].first == NodeVerb::Fact) fact = i;
  }
  EXPECT_LT(report, fact);
  EXPECT_TRUE(told_end());
  tick(seconds(10));
  answer(idle());
  tick(seconds(10));
  answer(idle());
  EXPECT_FALSE(told_gpus().back().gpus[0].sick) << "free at last";
}

TEST_F(gpus, while_it_drains_the_task_is_still_registered) {
  start();
  end();
  env_.sent.clear();
  node_.on_session();
  auto words = *codec::decode<HostRegister>(env_.sent.at(0).second);
  ASSERT_EQ(words.attempts.size(), 1u);
  EXPECT_EQ(words.attempts[0].tasks.size(), 1u);
  EXPECT_EQ(words.gpus.size(), 2u);
}

TEST_F(gpus, tasks_that_see_each_others_gpus_end_together) {
  start_seers();
  end_task(1, 0);
  EXPECT_FALSE(told_end()) << "the other may use its GPU";
  env_.sent.clear();
  node_.on_session();
  auto words = *codec::decode<HostRegister>(env_.sent.at(0).second);
  EXPECT_EQ(words.attempts.at(0).tasks.size(), 2u) << "both are still there for the master";
  end_task(2, 0);
  EXPECT_FALSE(told_end());
  tick();
  answer(idle());
  EXPECT_TRUE(told_end());
  EXPECT_TRUE(env_.fake.told.empty()) << "nothing was ended";
}

TEST_F(gpus, one_of_them_that_fails_ends_the_others_on_its_host) {
  start_seers();
  end_task(1, 1 << 8);
  ASSERT_EQ(env_.fake.told.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<launch::EndTasks>(env_.fake.told[0].second));
  end_task(2, 9, launch::EndCause::Ordered);
  tick();
  answer(idle());
  std::vector<Term> terms;
  for (const auto& fact : env_.take_facts())
    if (auto* ended = std::get_if<FactEnded>(&fact.fact)) terms.push_back(ended->term);
  EXPECT_EQ(terms, (std::vector<Term>{Term::None, Term::TaskFailed}));
}

TEST_F(gpus, a_shared_gpu_is_not_waited_for) {
  start(true);
  end();
  EXPECT_TRUE(told_end());
}

TEST_F(gpus, a_forgotten_attempt_is_not_waited_for) {
  start();
  end();
  HostForget forget{{7, 0}, {1}};
  ASSERT_TRUE(node_.on_frame(static_cast<std::uint16_t>(NodeVerb::Forget), codec::encode(forget)));
  EXPECT_EQ(node_.attempts(), 0u);
  tick();
  if (!env_.gpu_reads.empty()) answer(idle());
  EXPECT_FALSE(told_end());
}

TEST_F(gpus, a_fault_is_told_at_the_next_look_and_its_end_too) {
  tick(seconds(10));
  auto readings = idle();
  readings[1].xids = {79};
  readings[0].ecc_uncorrected = 1;
  answer(readings);
  auto told = told_gpus();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[0].gpus[0].sick && !told[0].gpus[0].sticky);
  EXPECT_TRUE(told[0].gpus[1].sick && told[0].gpus[1].sticky);
  for (int i = 0; i < 2; ++i) {
    tick(seconds(10));
    answer(idle());
  }
  EXPECT_FALSE(told_gpus().back().gpus[0].sick);
  EXPECT_TRUE(told_gpus().back().gpus[1].sick);
}

TEST_F(gpus, what_runs_here_is_no_stranger) {
  start();
  for (int i = 0; i < 3; ++i) {
    tick(seconds(10));
    answer(busy());
  }
  EXPECT_FALSE(told_gpus().back().gpus[0].sick);
}

TEST_F(gpus, one_reading_at_a_time) {
  tick(seconds(10));
  tick(seconds(10));
  tick(seconds(10));
  EXPECT_EQ(env_.gpu_reads.size(), 1u);
}

TEST_F(gpus, a_driver_that_hangs_keeps_no_end_back_and_its_gpus_are_set_aside) {
  start();
  tick(seconds(20));  // a reading is begun, and never answered
  end_task(1, 0);
  tick(seconds(9));
  EXPECT_TRUE(env_.take_facts().empty());
  tick(seconds(1));
  auto reported = node_.numbers().gpus;
  ASSERT_EQ(reported.size(), 2u);
  EXPECT_TRUE(reported[0].sick);
  EXPECT_EQ(reported[0].why, "the driver does not answer");
  EXPECT_FALSE(reported[1].sick) << "nobody waits for it yet";
  EXPECT_EQ(env_.take_facts().size(), 1u) << "set aside first, then told";
  tick(seconds(20));
  EXPECT_TRUE(node_.numbers().gpus.at(1).sick) << "30 s without an answer";
  for (int n = 0; n < 2; ++n) {
    answer(idle());
    tick(seconds(20));
  }
  auto now = node_.numbers().gpus;
  EXPECT_FALSE(now.at(0).sick || now.at(1).sick) << "they come back when readings do";
}

}  // namespace
}  // namespace wm::node
