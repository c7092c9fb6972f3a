// What the master does by itself, even if nobody asks.
#include "daemons/wmasterd/state/core.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

TEST(core, accounting_is_called_at_every_tick_so_that_rows_that_wait_go_on) {
  Desk desk;
  desk.start();
  desk.submit("one");
  desk.told.clear();
  desk.sim.run(desk.sim.now() + std::chrono::seconds(1));
  EXPECT_GE(std::ranges::count(desk.told, 0u), 4);
}

TEST(core, a_hosts_silence_from_before_a_start_is_no_reason_to_switch_it_off_at_once) {
  Desk desk;
  desk.past.config.cluster.fence_command = "off";
  desk.past.reconfigure();
  auto host = desk.past.host(1);
  desk.past.run(desk.past.submit({}), {host});
  desk.past.step(HostSilent{host});
  desk.start();
  int commands = 0;
  desk.env->on_command = [&](const std::vector<std::string>&) -> Result<std::string> {
    ++commands;
    return fail(Code::System, "no answer");
  };
  auto grace = desk.past.config.cluster.times.silent_after;
  desk.sim.run(desk.sim.now() + grace - std::chrono::seconds(1));
  EXPECT_EQ(commands, 0);
  desk.sim.run(desk.sim.now() + std::chrono::seconds(30));
  EXPECT_EQ(commands, 1);
}

TEST(core, replies_are_kept_for_who_could_not_be_heard_while_the_master_was_down) {
  Desk desk;
  desk.past.config.cluster.times.clean_period = std::chrono::seconds(30);
  desk.past.reconfigure();
  desk.start();
  desk.sim.run(desk.sim.now() + std::chrono::minutes(9));
  ASSERT_FALSE(desk.env->tidied.empty());
  EXPECT_EQ(desk.env->tidied.back(), WallTime{}) << "none is forgotten";
  desk.sim.run(desk.sim.now() + std::chrono::minutes(3));
  EXPECT_LT(desk.env->tidied.back(), desk.env->wall() - std::chrono::minutes(59));
  EXPECT_GT(desk.env->tidied.back(), WallTime{});
}

TEST(core, room_on_a_full_disk_is_looked_for_within_seconds) {
  Desk desk;
  desk.start();
  desk.sim.run(desk.sim.now() + std::chrono::minutes(2));
  auto before = desk.env->tidied.size();
  desk.env->full = true;
  desk.sim.run(desk.sim.now() + std::chrono::seconds(30));
  EXPECT_GE(desk.env->tidied.size(), before + 8);
}

}  // namespace
}  // namespace wm::master
