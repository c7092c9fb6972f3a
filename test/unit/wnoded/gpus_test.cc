// Role: the end of a task waits for its GPUs; health is told to the master.
#include "daemons/wnoded/gpus.h"

#include <gtest/gtest.h>

#include "daemons/wnoded/core.h"
#include "test/support/fake_outside.h"

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
    outside_.sent.clear();
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
    outside_.now += by;
    node_.on_tick(0, Bytes{0});
  }
  void answer(const std::vector<gpu::GpuReading>& readings) {
    ASSERT_FALSE(outside_.gpu_reads.empty());
    auto done = std::move(outside_.gpu_reads.front());
    outside_.gpu_reads.pop_front();
    done(readings);
  }
  void start(bool shared = false) {
    HostOrder o;
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
    outside_.authorise_next();
    node_.on_word(key_, launch::TaskStarted{{TaskNumber{1}, 4711, {}, false}});
    outside_.take_facts();
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
    for (const auto& fact : outside_.take_facts())
      if (std::holds_alternative<FactEnded>(fact.fact)) return true;
    return false;
  }
  std::vector<GpuReports> told_gpus() {
    std::vector<GpuReports> told;
    for (const auto& [verb, payload] : outside_.sent)
      if (verb == NodeVerb::Gpus) told.push_back(*codec::decode<GpuReports>(payload));
    return told;
  }

  test::FakeOutside outside_;
  Core node_{outside_, card(), host()};
  AttemptKey key_{{7, 0}, {1}};
};

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
  for (std::size_t i = 0; i < outside_.sent.size(); ++i) {
    if (outside_.sent[i].first == NodeVerb::Gpus) report = i;
    if (outside_.sent[i].first == NodeVerb::Fact) fact = i;
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
  outside_.sent.clear();
  node_.on_session();
  auto words = *codec::decode<HostRegister>(outside_.sent.at(0).second);
  ASSERT_EQ(words.attempts.size(), 1u);
  EXPECT_EQ(words.attempts[0].tasks.size(), 1u);
  EXPECT_EQ(words.gpus.size(), 2u);
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
  if (!outside_.gpu_reads.empty()) answer(idle());
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
  EXPECT_EQ(outside_.gpu_reads.size(), 1u);
}

}  // namespace
}  // namespace wm::node
