// How time passes for hosts, and how often they are heard where they are many.
#include "daemons/wmasterd/hosts/silence.h"

#include <gtest/gtest.h>

namespace wm::master {
namespace {

using namespace std::chrono_literals;

TEST(silence, time_in_which_nobody_listened_does_not_pass) {
  ListeningTime attended;
  TimePoint now{1h};
  EXPECT_EQ(attended.on_tick(now), Duration{}) << "the first";
  EXPECT_EQ(attended.on_tick(now += 250ms), Duration{});
  EXPECT_EQ(attended.on_tick(now += 300ms), Duration{}) << "a little late";
  EXPECT_EQ(attended.now(), Duration{550ms});
  EXPECT_EQ(attended.on_tick(now += 60s), Duration{59500ms});
  EXPECT_EQ(attended.now(), Duration{1050ms});
}

TEST(silence, what_came_due_in_a_stall_is_excused_for_a_moment) {
  ListeningTime attended;
  TimePoint now{1h};
  attended.on_tick(now);
  attended.on_tick(now += 10s);
  EXPECT_EQ(attended.excuse(), Duration{9500ms});
  for (int i = 0; i < 8; ++i) attended.on_tick(now += 250ms);
  EXPECT_EQ(attended.excuse(), Duration{9500ms});
  attended.on_tick(now += 250ms);
  attended.on_tick(now += 250ms);
  EXPECT_EQ(attended.excuse(), Duration{});
}

TEST(silence, many_hosts_are_heard_less_often_and_are_silent_later) {
  Config config;
  config.cluster.times.silent_after = 2s;
  EXPECT_EQ(heartbeat_for(config), Duration{1s});
  EXPECT_EQ(silent_after_for(config), Duration{2s}) << "as configured";
  config.hosts.resize(2000);
  EXPECT_EQ(heartbeat_for(config), Duration{1s});
  EXPECT_EQ(silent_after_for(config), Duration{2s});
  config.hosts.resize(10000);
  EXPECT_EQ(heartbeat_for(config), Duration{5s});
  EXPECT_EQ(silent_after_for(config), Duration{15s});
  config.cluster.times.silent_after = 1min;
  EXPECT_EQ(silent_after_for(config), Duration{1min});
  EXPECT_EQ(time_to_register(config), Duration{1min});
}

}  // namespace
}  // namespace wm::master
