// What is kept of a job's progress: once a size has settled, and when it says something new.
#include "daemons/wmasterd/paces.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::master {
namespace {

using namespace std::chrono_literals;
using test::SpecBuilder;

class PacesTest : public testing::Test {
 protected:
  PacesTest() {
    for (auto& queue : cluster.config.queues) queue.elastic = "goodput";
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
  for (auto& queue : cluster.config.queues) queue.elastic = "fairshare";
  cluster.reconfigure();
  EXPECT_FALSE(tell(10));
}

TEST_F(PacesTest, a_step_that_takes_no_time_is_no_report) {
  EXPECT_FALSE(tell(5, 0ms));
  report.progress.samples_per_s = 0;
  EXPECT_FALSE(paces.hear(cluster.state, job, report, now));
}

}  // namespace
}  // namespace wm::master
