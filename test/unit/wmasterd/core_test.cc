// What the master does by itself, whoever asks or not.
#include "daemons/wmasterd/core.h"

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

}  // namespace
}  // namespace wm::master
