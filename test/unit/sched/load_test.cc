// Load thresholds: when a host is too busy for a queue, and what the scheduler makes of it.
#include "libwm/sched/plan/load.h"

#include <random>

#include "libwm/sched/memory.h"
#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::slots;

Measured at_load(double r1m) { return {r1m, {}, 4000}; }

TEST(judge_load, starting_ends_before_running_does_and_both_begin_again_together) {
  std::vector<LoadLimit> limits{{"r1m", 0.7, 2.0}};
  EXPECT_EQ(judge_load(limits, at_load(0.5), false), LoadState());
  EXPECT_EQ(judge_load(limits, at_load(1), false), (LoadState{true, false, "r1m 1 (0.7)"}));
  EXPECT_EQ(judge_load(limits, at_load(2.5), false), (LoadState{true, true, "r1m 2.5 (2)"}));
  EXPECT_EQ(judge_load(limits, at_load(1), true), (LoadState{true, true, "r1m 1 (0.7)"}));
  EXPECT_EQ(judge_load(limits, at_load(0.7), true), LoadState());
}

TEST(judge_load, one_limit_is_enough_and_what_stops_is_named) {
  std::vector<LoadLimit> limits{{"r1m", 0.7, {}}, {"mem", {}, 100.0}, {"it", 5.0, {}}};
  auto host = at_load(1);
  host.more.mem = Bytes{99};  // it is not measured
  EXPECT_EQ(judge_load(limits, host, false), (LoadState{true, true, "mem 99 (100)"}));
  host.more.mem = Bytes{100};
  EXPECT_EQ(judge_load(limits, host, false), (LoadState{true, false, "r1m 1 (0.7)"}));
}

TEST(judge_load, what_stops_is_busy_and_less_load_never_makes_it_worse) {
  std::mt19937 random(7);
  auto value = [&] { return static_cast<double>(random() % 40) / 10; };
  for (int i = 0; i < 2000; ++i) {
    double sched = value(), stop = sched + value(), more = value(), less = more * 0.9;
    bool stopped = random() % 2 == 0;
    std::vector<LoadLimit> limits{{"r1m", sched, stop}};
    auto high = judge_load(limits, at_load(more), stopped);
    auto low = judge_load(limits, at_load(less), stopped);
    EXPECT_LE(high.stops, high.busy);
    EXPECT_LE(low.busy, high.busy);
    EXPECT_LE(low.stops, high.stops);
    EXPECT_LE(judge_load(limits, at_load(more), false).stops, high.stops);
  }
}

class load : public test::SchedCluster {
 protected:
  void busy(const std::string& queue, std::vector<HostId> hosts) {
    auto loaded = std::make_shared<LoadedHosts>();
    for (HostId host : hosts) (*loaded)[queue][host] = "r1m 2.4 (0.7)";
    run.policy.loaded = loaded;
  }
};

TEST_F(load, jobs_of_the_queue_wait_and_are_told_why) {
  auto host = run.host(4);
  busy("normal", {host});
  auto job = submit_and_settle(slots("ann", 1)),
       other = submit_and_settle(slots("ann", 1).queue("high"));
  EXPECT_EQ(run.size(job), 0u);
  EXPECT_EQ(run.size(other), 1u);
  EXPECT_EQ(run.code(job), PendCode::HostsClosed);
  EXPECT_EQ(run.why(job), "Load threshold reached, <h1> r1m 2.4 (0.7): 1 host");
  run.policy.loaded = nullptr;
  run.settle();
  EXPECT_EQ(run.size(job), 1u);
}

TEST_F(load, they_go_to_hosts_that_are_less_busy) {
  auto first = run.host(4);
  run.host(4);
  busy("normal", {first});
  auto job = submit_and_settle(slots("ann", 6)), small = submit_and_settle(slots("ann", 4));
  EXPECT_EQ(run.size(job), 0u);
  EXPECT_EQ(run.size(small), 4u);
  for (const Task& task : run.job(small).tasks) EXPECT_NE(task.host, first);
}

// What a pass with a memory decides is what one without decides, as loads come and go.
TEST_F(load, a_memory_forgets_no_load) {
  std::vector<HostId> hosts;
  for (int i = 0; i < 6; ++i) hosts.push_back(run.host(2));
  Memory memory;
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    if (random() % 2) run.submit(slots("ann", 1 + random() % 3));
    std::vector<HostId> some;
    for (HostId host : hosts)
      if (random() % 3 == 0) some.push_back(host);
    if (random() % 2) busy("normal", some);
    auto known = schedule(run.state.freeze(), run.policy, test::at(run.now), memory);
    auto fresh = schedule(run.state, run.policy, test::at(run.now));
    ASSERT_EQ(known.starts, fresh.starts) << i;
    ASSERT_EQ(known.waiting.size(), fresh.waiting.size()) << i;
    for (std::size_t w = 0; w < known.waiting.size(); ++w)
      ASSERT_EQ(*known.waiting[w].reasons, *fresh.waiting[w].reasons) << i;
    if (random() % 4 == 0) run.pass();
  }
}

TEST_F(load, preemption_ends_where_the_queue_says_so) {
  run.host(1);
  for (auto& queue : run.config.queues) {
    if (queue.name == "normal") queue.preempt_by = PreemptBy::Suspend;
    if (queue.name == "normal") queue.terminate_when.preempt = true;
    if (queue.name == "high") queue.preempts = {"lower"};
  }
  run.reconfigure();
  auto low = submit_and_settle(slots("ann", 1));
  ASSERT_EQ(run.size(low), 1u);
  run.submit(slots("bob", 1).queue("high"));
  auto plan = run.plan();
  ASSERT_EQ(plan.preempts.size(), 1u);
  EXPECT_EQ(plan.preempts[0].how, MakeWay::End);
}

}  // namespace
}  // namespace wm::sched
