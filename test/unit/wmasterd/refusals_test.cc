#include "daemons/wmasterd/state/refusals.h"

#include <gtest/gtest.h>

#include "libwm/base/log.h"

namespace wm::master {
namespace {

JobDispatched start(std::uint32_t job, std::vector<std::uint32_t> hosts) {
  JobDispatched event{{job, 0}, Attempt{1}, {}, ""};
  for (auto host : hosts) {
    Task task;
    task.host = HostId{host};
    event.tasks.push_back(task);
  }
  return event;
}

struct Counts : testing::Test {
  static void SetUpTestSuite() { log::open("refusals", "", log::Level::Error); }
  void refuse(const EventBody& body) { refusals.note(body, fail(Code::Conflict, "no room")); }
  Refusals refusals;
};

TEST_F(Counts, each_job_and_each_of_its_hosts_is_counted) {
  refuse(start(1, {7, 7, 8}));
  refuse(start(1, {8}));
  refuse(start(2, {8}));
  EXPECT_EQ(refusals.of(JobId{1, 0}), 2u);
  EXPECT_EQ(refusals.of(JobId{2, 0}), 1u);
  EXPECT_EQ(refusals.of(HostId{7}), 1u);
  EXPECT_EQ(refusals.of(HostId{8}), 3u);
}

TEST_F(Counts, a_fault_in_every_pass_is_told_ever_more_rarely) {
  for (int i = 0; i < 1000; ++i) refuse(start(1, {7}));
  EXPECT_EQ(refusals.told(), 10u);  // 1, 2, 4 … 512
  refusals.forget({1, 0});
  refuse(start(1, {7}));
  EXPECT_EQ(refusals.told(), 11u);
}

TEST_F(Counts, jobs_are_not_kept_for_ever) {
  for (std::uint32_t n = 1; n <= 30'000; ++n) refuse(start(n, {7}));
  EXPECT_EQ(refusals.of(JobId{1, 0}), 0u);
  EXPECT_EQ(refusals.of(JobId{30'000, 0}), 1u);
}

}  // namespace
}  // namespace wm::master
