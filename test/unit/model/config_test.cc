#include "libwm/model/config/config.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

TEST(config, entries_are_found_by_name_in_sorted_lists) {
  Config c;
  c.queues = {{.name = "high"}, {.name = "normal"}, {.name = "short"}};
  c.plans = {{.path = "/"}, {.path = "/research"}, {.path = "/research/vision"}};
  ASSERT_NE(c.queue("normal"), nullptr);
  EXPECT_EQ(c.queue("normal")->name, "normal");
  EXPECT_EQ(c.queue("norm"), nullptr);
  EXPECT_EQ(c.queue("zzz"), nullptr);
  ASSERT_NE(c.plan("/"), nullptr);
  EXPECT_EQ(c.plan("/research/vision"), &c.plans[2]);
  EXPECT_EQ(c.host("h1"), nullptr);
}

TEST(config, enumerations_read_as_in_the_files) {
  EXPECT_EQ(to_string(AppType::Training), "training");
  EXPECT_EQ(to_string(ResizeMode::InPlace), "inplace");
  EXPECT_EQ(to_string(PlanPolicy::FairShare), "fairshare");
  EXPECT_EQ(to_string(static_cast<AppType>(9)), "unknown");
}

}  // namespace
}  // namespace wm
