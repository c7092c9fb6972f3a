#include "libwm/model/stoppers.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

Job stopped_by(const std::string& who) {
  Job job;
  job.state = JobState::Suspended;
  job.suspension.by = who;
  return job;
}

TEST(stoppers, who_is_no_user_is_the_system) {
  EXPECT_EQ(lsf_state(stopped_by("ann")), "USUSP");
  EXPECT_EQ(lsf_state(stopped_by(window_stopper("night"))), "SSUSP");
  EXPECT_EQ(lsf_state(stopped_by(load_stopper("a"))), "SSUSP");
  auto parked = stopped_by("");
  parked.parked.emplace();
  EXPECT_EQ(lsf_state(parked), "SSUSP");
  parked.suspension.by = "ann";
  EXPECT_EQ(lsf_state(parked), "USUSP");
}

TEST(stoppers, load_is_told_from_windows) {
  EXPECT_TRUE(is_stopped_for_load(stopped_by(load_stopper("a"))));
  EXPECT_FALSE(is_stopped_for_load(stopped_by(window_stopper("a"))));
}

}  // namespace
}  // namespace wm
