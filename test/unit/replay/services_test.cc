// Role: services beside a list of jobs: what they want over time, and what jobs have of it.
#include <gtest/gtest.h>

#include "libwm/replay/metrics.h"
#include "libwm/replay/read.h"
#include "test/unit/replay/small_jobs.h"

namespace wm::replay {
namespace {

std::vector<TraceJob> services(std::string_view lines) {
  auto read = read_services("name,low,high,period_s\n" + std::string(lines));
  EXPECT_TRUE(read) << read.error().text;
  return read ? *read : std::vector<TraceJob>{};
}

TEST(services, a_wave_goes_from_low_to_high_and_back) {
  Wave wave{1, 4, 1000};
  EXPECT_EQ(wave.wanted(0), 1u);
  EXPECT_EQ(wave.wanted(1), 2u);  // a part of a kernel's load needs a kernel
  EXPECT_EQ(wave.wanted(500), 4u);
  EXPECT_EQ(wave.wanted(1000), 1u);
}

TEST(services, errors_name_line_and_field) {
  auto read = read_services("name,low,high,period_s\na,2,1,3600\n");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().text.find("line 2: field 3 (high)"), std::string::npos);
}

// Four GPUs: the service wants one at first, all but one at its most; the job has the rest.
TEST(services, jobs_have_what_services_do_not_want_now) {
  Workload list{{job(0, 4, 2000, true)}};
  add_services(list, services("chat,1,3,2000\n"));
  auto outcome = simulate(list, kFour, {.policy = Policy::Fairshare});
  ASSERT_TRUE(outcome) << outcome.error().text;
  ASSERT_EQ(outcome->jobs.size(), 1u);
  ASSERT_EQ(outcome->services.size(), 1u);
  // Between 4/3 (three GPUs all along) and 4 times (one) of its time on four.
  EXPECT_GT(outcome->jobs[0].end_s, 2000 * 4 / 3.0);
  EXPECT_LT(outcome->jobs[0].end_s, 2000 * 4 * 0.75);
  EXPECT_GE(outcome->jobs[0].resizes, 4u);
  EXPECT_GT(outcome->services[0].wished_s, outcome->jobs[0].end_s);
  EXPECT_EQ(outcome->services[0].missed_s, 0);
}

// What a rigid job holds is not taken back for a service: it misses it, and the figure says so.
TEST(services, what_a_service_misses_is_counted) {
  Workload list{{job(0, 3, 1000)}};
  add_services(list, services("chat,1,3,2000\n"));
  Options options{.policy = Policy::Fairshare};
  auto outcome = simulate(list, kFour, options);
  ASSERT_TRUE(outcome) << outcome.error().text;
  EXPECT_GT(metrics_of(*outcome, kFour, options).service_missed, 0.2);
}

TEST(services, only_the_masters_elastic_policies_take_them) {
  Workload list{{job(0, 1, 10)}};
  add_services(list, services("chat,1,2,3600\n"));
  auto outcome = simulate(list, kFour, {.policy = Policy::Easy});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().text, "services need the policy fairshare or goodput");
}

TEST(services, a_job_that_they_leave_no_room_for_is_refused) {
  Workload list{{job(0, 4, 10)}};
  add_services(list, services("chat,1,2,3600\n"));
  auto outcome = simulate(list, kFour, {.policy = Policy::Fairshare});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().text, "job 'job0' asks for 4 tasks; services keep 1 of 4");
}

}  // namespace
}  // namespace wm::replay
