// Role: a cluster's live state as a job list: hosts, what runs, what waits, and for how long.
#include <gtest/gtest.h>

#include "libwm/codec/codec.h"
#include "libwm/replay/engine.h"
#include "libwm/replay/read.h"
#include "test/support/builders.h"

namespace wm::replay {
namespace {

using test::ClusterBuilder;
using test::SpecBuilder;

SpecBuilder limited(std::uint32_t tasks, int seconds) {
  auto spec = SpecBuilder().tasks(tasks, tasks);
  spec.spec.run_limit = std::chrono::seconds(seconds);
  return spec;
}

class SnapshotTest : public testing::Test {
 protected:
  Saved read() {
    auto saved = read_snapshot(codec::encode(live.state));
    EXPECT_TRUE(saved) << saved.error().text;
    return saved ? std::move(*saved) : Saved{};
  }
  const TraceJob& named(const Saved& saved, const std::string& name) {
    for (const auto& job : saved.workload.jobs)
      if (job.name == name) return job;
    throw std::runtime_error("no job " + name);
  }
  ClusterBuilder live;
};

TEST_F(SnapshotTest, open_hosts_are_the_cluster_each_with_its_own_size) {
  live.host(4, 2);
  live.host(2);
  auto closed = live.host(8);
  live.step(HostClosed{closed, "admin", ""});
  live.submit(limited(1, 60));
  auto setup = read().setup;
  EXPECT_EQ(setup.hosts, 2u);
  EXPECT_EQ(setup.host(0).gpus, 2u);
  EXPECT_EQ(setup.host(1).cpus, 2u);
  EXPECT_EQ(setup.host(1).gpus, 0u);
  EXPECT_EQ(setup.units(), 2u);
}

TEST_F(SnapshotTest, what_runs_has_what_is_left_of_its_limit_what_waits_all_of_it) {
  auto h = live.host(4);
  auto runs = live.submit(limited(2, 100));
  live.run(runs, {h, h});
  auto waits = live.submit(limited(3, 50));
  live.step(JobHeld{live.submit(limited(1, 5)), "u1"}, 30);
  auto saved = read();
  ASSERT_EQ(saved.workload.jobs.size(), 2u) << "a held job is none";
  EXPECT_DOUBLE_EQ(named(saved, to_string(runs)).estimate_s, 70);
  EXPECT_EQ(named(saved, to_string(runs)).submit_s, 0);
  EXPECT_DOUBLE_EQ(named(saved, to_string(waits)).estimate_s, 50);
  EXPECT_GT(named(saved, to_string(waits)).submit_s, 0);
  EXPECT_EQ(named(saved, to_string(waits)).tasks, 3u);
}

TEST_F(SnapshotTest, who_states_no_limit_counts_as_one_of_an_hour) {
  live.host(4);
  auto job = live.submit(SpecBuilder());
  EXPECT_DOUBLE_EQ(named(read(), to_string(job)).estimate_s, 3600);
}

TEST_F(SnapshotTest, every_element_of_an_array_that_waits_is_a_job) {
  live.host(4);
  live.submit(SpecBuilder().array(1, 5));
  EXPECT_EQ(read().workload.jobs.size(), 5u);
}

TEST_F(SnapshotTest, an_elastic_job_keeps_its_range_and_the_work_that_its_size_has_left) {
  auto h = live.host(4, 4);
  auto spec = SpecBuilder().elastic().gpus(1).tasks(1, 4);
  spec.spec.run_limit = std::chrono::seconds(100);
  auto job = live.submit(spec);
  live.run(job, {h, h});
  const auto saved = read();
  const TraceJob& trace = named(saved, to_string(job));
  EXPECT_EQ(trace.min_tasks, 1u);
  EXPECT_EQ(trace.max_tasks, 4u);
  EXPECT_DOUBLE_EQ(trace.work->left_s(0, {2}, Batch::Fixed), 100);
  EXPECT_DOUBLE_EQ(trace.work->left_s(0, {4}, Batch::Fixed), 50);
}

// Two hosts of 2: a job of 2 has 40 s left on one of them, two of 2 for 60 s wait.
TEST_F(SnapshotTest, it_runs_on_from_there) {
  auto a = live.host(2);
  live.host(2);
  auto runs = live.submit(limited(2, 40));
  live.run(runs, {a, a});
  auto first = live.submit(limited(2, 60)), second = live.submit(limited(2, 60));
  auto saved = read();
  Options options;
  options.policy = Policy::Easy;
  options.config = saved.config;
  auto outcome = simulate(saved.workload, saved.setup, options);
  ASSERT_TRUE(outcome) << outcome.error().text;
  std::map<std::string, double> start;
  for (const auto& job : outcome->jobs) start[job.trace->name] = job.start_s;
  EXPECT_NEAR(start[to_string(runs)], 0, 1e-6);
  EXPECT_NEAR(start[to_string(first)], 1, 1e-6);
  EXPECT_NEAR(start[to_string(second)], 40, 1e-6);
}

TEST_F(SnapshotTest, what_is_no_state_or_holds_nothing_is_refused) {
  EXPECT_FALSE(read_snapshot("not a state"));
  EXPECT_FALSE(read_snapshot(""));
  live.host(2);
  auto empty = read_snapshot(codec::encode(live.state));
  ASSERT_FALSE(empty);
  EXPECT_NE(empty.error().text.find("no job"), std::string::npos);
}

}  // namespace
}  // namespace wm::replay
