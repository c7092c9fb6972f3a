// Role: equal division without hosts, pauses or whole numbers, on workloads small enough to do by
// hand: what a policy is compared with.
#include "libwm/replay/ideal.h"

#include <gtest/gtest.h>

#include "libwm/replay/metrics.h"
#include "test/unit/replay/small_jobs.h"

namespace wm::replay {
namespace {

std::vector<double> ends_of(const Workload& list, const Setup& setup = kFour) {
  std::vector<double> ends;
  for (const JobRun& run : ideal_shares(list, setup, {}).jobs) ends.push_back(run.end_s);
  return ends;
}

TEST(ideal, three_have_a_third_each) {
  auto outcome =
      ideal_shares({{job(0, 4, 100, true), job(0, 4, 100, true), job(0, 4, 100, true)}}, kFour, {});
  for (const JobRun& run : outcome.jobs) {
    EXPECT_NEAR(run.end_s, 300, 1e-6);
    EXPECT_NEAR(run.attained, 400, 1e-5);
    EXPECT_EQ(run.start_s, 0);
  }
  EXPECT_EQ(outcome.samples.front().busy, 4u);
}

TEST(ideal, what_one_cannot_use_goes_to_the_others) {
  auto ends = ends_of({{job(0, 1, 100), job(0, 4, 75, true)}});
  EXPECT_NEAR(ends[0], 100, 1e-6);
  EXPECT_NEAR(ends[1], 100, 1e-6);  // 300 task-seconds on 3
}

TEST(ideal, a_newcomer_takes_its_part_at_once) {
  auto ends = ends_of({{job(0, 4, 100, true), job(50, 4, 25, true)}});
  EXPECT_NEAR(ends[1], 100, 1e-6);  // 2 of 4 from 50 on
  EXPECT_NEAR(ends[0], 125, 1e-6);
}

TEST(ideal, who_needs_more_than_its_part_takes_turns) {
  auto ends = ends_of({{job(0, 4, 100), job(0, 4, 100)}});
  EXPECT_NEAR(ends[0], 200, 1e-6);
  EXPECT_NEAR(ends[1], 200, 1e-6);
}

// Twice as fast on two, half as fast on three and more: as on five GPUs of two hosts.
class Crossing : public WorkBySpeed {
 public:
  Crossing() : WorkBySpeed(100) {}

 private:
  double speed(std::uint32_t tasks) const override { return tasks < 3 ? tasks : 0.5; }
};

TEST(ideal, nobody_has_more_than_makes_it_faster) {
  TraceJob crossing = job(0, 1, 1, true);
  crossing.work = std::make_shared<Crossing>();
  auto ends = ends_of({{crossing, job(0, 4, 25, true)}});
  EXPECT_NEAR(ends[0], 50, 1e-6);
  EXPECT_NEAR(ends[1], 50, 1e-6);  // 100 task-seconds on the other two
}

TEST(ideal, on_a_cluster_of_gpus_jobs_without_any_take_nothing) {
  TraceJob plain = job(0, 2, 40);
  plain.milli_gpus = 0;
  auto ends = ends_of({{plain, job(0, 4, 100, true)}});
  EXPECT_NEAR(ends[0], 40, 1e-6);
  EXPECT_NEAR(ends[1], 100, 1e-6);
}

TEST(ideal, a_task_of_two_gpus_counts_as_two) {
  TraceJob wide = job(0, 1, 100);
  wide.milli_gpus = 2000;
  auto outcome = ideal_shares({{wide}}, kFour, {});
  EXPECT_NEAR(outcome.jobs[0].end_s, 100, 1e-6);
  EXPECT_EQ(outcome.samples.front().busy, 2u);
  EXPECT_NEAR(metrics_of(outcome, kFour, {}).utilisation, 0.5, 1e-6);
}

TEST(ideal, ends_are_found_at_late_times) {
  auto ends = ends_of({{job(3e8, 3, 33.3, true), job(3e8 + 0.1, 2, 0, true), job(4e8, 1, 7)}});
  EXPECT_NEAR(ends[0], 3e8 + 33.3 * 3 / 4, 1e-3);
  EXPECT_NEAR(ends[1], 3e8 + 0.1, 1e-3);
  EXPECT_NEAR(ends[2], 4e8 + 7, 1e-3);
}

}  // namespace
}  // namespace wm::replay
