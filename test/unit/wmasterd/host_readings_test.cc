// What hosts say of themselves, as it was heard last.
#include "daemons/wmasterd/hosts/host_readings.h"

#include <gtest/gtest.h>

namespace wm::master {
namespace {

TEST(host_readings, readers_keep_what_they_have) {
  HostReadings readings;
  readings.of(HostId{1}).load = 0.5;
  auto before = readings.freeze();
  readings.of(HostId{1}).load = 2;
  EXPECT_EQ(before.find(1)->load, 0.5);
  EXPECT_EQ(readings.freeze().find(1)->load, 2);
}

TEST(host_readings, of_a_host_that_was_never_heard_nothing_becomes_busy) {
  HostReadings readings;
  readings.set_busy(HostId{1}, "r1m 9 > 8");
  EXPECT_EQ(readings.freeze().find(1), nullptr);
  readings.of(HostId{1});
  readings.set_busy(HostId{1}, "r1m 9 > 8");
  EXPECT_EQ(readings.freeze().find(1)->busy, "r1m 9 > 8");
  readings.set_busy(HostId{1}, "");
  EXPECT_EQ(readings.freeze().find(1)->busy, "");
}

}  // namespace
}  // namespace wm::master
