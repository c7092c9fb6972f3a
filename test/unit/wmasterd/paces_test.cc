// What is kept of a job's progress: once a size has settled, and when it says something new.
#include "daemons/wmasterd/hosts/paces.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::master {
namespace {

using namespace std::chrono_literals;
using test::SpecBuilder;

class PacesTest : public testing::Test {
 protected:
  PacesTest() {
    for (auto& queue : cluster.config.queues) queue.elastic = SizeBy::Goodput;
    cluster.reconfigure();
    auto a = cluster.host(2, 2), b = cluster.host(2, 2);
    job = cluster.submit(SpecBuilder().elastic().gpus(1).tasks(1, 4));
    cluster.run(job, {a, b});
    cluster.enter_epoch(job, 3);
  }
  // One a second, so long; the last answer.
  std::optional<StepsMeasured> tell(int seconds, Duration step = 100ms, double noise = -1) {
    std::optional<StepsMeasured> last;
    for (int i = 0; i < seconds; ++i) {
      now += 1s;
      report.progress.step_time = step;
      report.progress.samples_per_s = 32 / std::chrono::duration<double>(step).count();
      report.progress.noise = noise;
      if (auto made = paces.hear(cluster.state, job, report, now)) {
        cluster.step(*made);
        last = made;
      }
    }
    return last;
  }
  JobProgress made_report() {
    JobProgress made;
    made.world = 2;
    made.progress.epoch = EpochNumber{3};
    made.progress.exchange = 20ms;
    return made;
  }
  test::ClusterBuilder cluster;
  JobId job;
  Paces paces;
  JobProgress report = made_report();
  TimePoint now{};
};

TEST_F(PacesTest, under_fairshare_it_counts_where_tasks_must_be_worth_it) {
  for (auto& queue : cluster.config.queues) queue.elastic = SizeBy::FairShare;
  cluster.reconfigure();
  EXPECT_FALSE(tell(4));
  cluster.config.cluster.sched.elastic_worth = 50;
  cluster.reconfigure();
  EXPECT_TRUE(tell(4));
}

TEST_F(PacesTest, a_size_counts_once_it_has_settled) {
  EXPECT_FALSE(tell(2));
  auto event = tell(1);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->report, (StepReport{2, 2, 16, 100ms, 20ms}));
  EXPECT_EQ(event->attempt, Attempt{1});
  EXPECT_EQ(cluster.job(job).pace.reports.size(), 1u);
}

TEST_F(PacesTest, what_says_nothing_new_is_not_kept) {
  tell(3);
  EXPECT_FALSE(tell(100));
  EXPECT_FALSE(tell(100, 110ms));
  EXPECT_FALSE(tell(100, 117ms)) << "15 % of the longer of the two";
}

TEST_F(PacesTest, another_step_time_at_the_same_size_is_news_but_not_every_second) {
  tell(3);
  EXPECT_FALSE(tell(10, 200ms));
  ASSERT_TRUE(tell(30, 200ms));
  ASSERT_EQ(cluster.job(job).pace.reports.size(), 1u);
  EXPECT_EQ(cluster.job(job).pace.reports[0].step, 200ms);
}

TEST_F(PacesTest, so_is_the_noise_of_its_gradients) {
  tell(3);
  ASSERT_TRUE(tell(40, 100ms, 500));
  EXPECT_EQ(cluster.job(job).pace.noise, 500);
  EXPECT_FALSE(tell(40, 100ms, 550));
}

TEST_F(PacesTest, words_of_another_membership_do_not_count) {
  report.world = 3;
  EXPECT_FALSE(tell(5));
  report = made_report();
  tell(2);
  report.progress.epoch = EpochNumber{2};
  EXPECT_FALSE(tell(1));
  report.progress.epoch = EpochNumber{3};
  EXPECT_FALSE(tell(2)) << "what was heard before is forgotten";
  EXPECT_TRUE(tell(1));
}

TEST_F(PacesTest, nothing_is_kept_of_a_job_that_nobody_sizes_by_gain) {
  for (auto& queue : cluster.config.queues) queue.elastic = SizeBy::FairShare;
  cluster.reconfigure();
  EXPECT_FALSE(tell(10));
}

TEST_F(PacesTest, a_step_that_takes_no_time_is_no_report) {
  EXPECT_FALSE(tell(5, 0ms));
  report.progress.samples_per_s = 0;
  EXPECT_FALSE(paces.hear(cluster.state, job, report, now));
}

// A job that starts its command again at each size: on both hosts, then on three.
class RestartedPaces : public PacesTest {
 protected:
  RestartedPaces() {
    for (auto& app : cluster.config.apps) app.resize = ResizeMode::Restart;
    cluster.reconfigure();
    third = cluster.host(2, 2);
    job = cluster.submit(SpecBuilder().elastic().gpus(1).tasks(1, 4));
    cluster.run(job, {HostId{1}, HostId{2}});
    report.progress.epoch = EpochNumber{1};
    report.progress.exchange = Duration(-1);
  }
  // Ordered now; the processes of the new size run at once, their steps come later.
  void grow() {
    Task task;
    task.number = TaskNumber{3};
    task.host = third;
    task.gpus = {0};
    cluster.step(TasksAdded{job, Attempt{1}, {task}, ""});
    for (std::uint32_t n : {1u, 2u, 3u})
      cluster.step(TaskStarted{job, Attempt{1}, TaskNumber{n}, 20 + static_cast<int>(n)});
    ASSERT_EQ(cluster.job(job).state, JobState::Running);
  }
  HostId third;
};

TEST_F(RestartedPaces, a_start_counts_with_its_own_number_of_tasks) {
  EXPECT_FALSE(tell(2));
  auto event = tell(1);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->report, (StepReport{2, 2, 16, 100ms, Duration(-1)}));
  EXPECT_LT(event->pause, Duration{});
  grow();
  report.world = 3;
  report.progress.epoch = EpochNumber{2};
  event = tell(3, 70ms);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->report, (StepReport{3, 3, 32.0 / 3, 70ms, Duration(-1)}));
  EXPECT_EQ(cluster.job(job).pace.reports.size(), 2u);
}

TEST_F(RestartedPaces, what_the_start_before_still_says_is_not_of_the_new_size) {
  tell(3);
  grow();
  report.world = 3;  // as the agent counts by now
  EXPECT_FALSE(tell(50, 300ms));
  EXPECT_EQ(cluster.job(job).pace.reports.size(), 1u);
}

TEST_F(RestartedPaces, from_the_last_step_of_one_start_to_the_first_of_the_next_is_the_cost) {
  tell(3);
  grow();
  tell(2);  // it is still being ended
  now += 8s;
  report.world = 3;
  report.progress.epoch = EpochNumber{2};
  auto event = tell(3);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->pause, 9s);
  EXPECT_EQ(cluster.job(job).pace.resizes, 1u);
  EXPECT_EQ(cluster.job(job).pace.resize_cost, 9s);
  EXPECT_FALSE(tell(50));
}

TEST_F(RestartedPaces, a_cost_is_told_though_the_size_is_known) {
  tell(3);
  cluster.step(StepsMeasured{job, Attempt{1}, {3, 3, 32.0 / 3, 100ms, Duration(-1)}, -1, {}});
  grow();
  report.world = 3;
  report.progress.epoch = EpochNumber{2};
  ASSERT_TRUE(tell(3));
  EXPECT_EQ(cluster.job(job).pace.resizes, 1u);
}

TEST_F(RestartedPaces, another_attempt_is_no_change_of_size) {
  tell(3);
  cluster.step(JobPreempted{job, Attempt{1}, {JobId{9, 0}, test::at(9), true, "preempted"}});
  for (std::uint32_t n : {1u, 2u})
    cluster.step(TaskEnded{job, Attempt{1}, TaskNumber{n}, 0, Term::None, {}, ""});
  cluster.run(job, {HostId{1}});
  report.world = 1;
  auto event = tell(3);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->attempt, Attempt{2});
  EXPECT_EQ(event->report.tasks, 1u);
  EXPECT_LT(event->pause, Duration{});
}

}  // namespace
}  // namespace wm::master
