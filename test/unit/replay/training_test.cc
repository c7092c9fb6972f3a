// Role: what a training of the lists reports of its steps.
#include "libwm/replay/training.h"

#include <gtest/gtest.h>

namespace wm::replay {
namespace {

constexpr const char* kPlacements =
    "placement,local_bsz,step_time,sync_time\n"
    "1,100,1.0,0\n1,200,2.0,0\n"
    "2,100,1.5,0.5\n2,200,2.5,0.5\n";
constexpr const char* kScalability = "num_nodes,num_replicas,local_bsz,step_time,sync_time\n";
constexpr const char* kPasses = "progress,iteration,metric,grad_sqr,grad_var\n1000,10,1,1,1\n";

std::shared_ptr<const Application> application() {
  auto parsed = parse_application({{"placements.csv", kPlacements},
                                   {"scalability.csv", kScalability},
                                   {"validation-400.csv", kPasses},
                                   {"validation-800.csv", kPasses}},
                                  "", 0);
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().text);
  return parsed ? std::make_shared<const Application>(*parsed) : nullptr;
}

// 800 samples are four rounds of 200 for one task, two for each of two: a report is of the step.
TEST(training, a_report_is_of_the_whole_step_whatever_its_rounds) {
  auto work = training_work(application(), 800);
  Report alone = work->report(0, {1}, Batch::Fixed);
  EXPECT_EQ(alone.local_batch, 800);
  EXPECT_DOUBLE_EQ(alone.compute_s + alone.exchange_s, 8.0);
  Report both = work->report(0, {2}, Batch::Fixed);
  EXPECT_EQ(both.local_batch, 400);
  EXPECT_DOUBLE_EQ(both.compute_s, 4.0);
  EXPECT_DOUBLE_EQ(both.exchange_s, 0.5);
}

}  // namespace
}  // namespace wm::replay
