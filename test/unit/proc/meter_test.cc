// What processes use, limits on it, and the texts that say where cgroups are.
#include "libwm/proc/meter.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "libwm/proc/cgroup.h"

namespace wm::proc {
namespace {

TEST(meter, counts_a_process_and_its_threads) {
  auto alone = use_of({::getpid()});
  EXPECT_EQ(alone.processes, 1u);
  EXPECT_GT(alone.mem.value, 1 << 20);
  EXPECT_GE(alone.swap.value, alone.mem.value);
  std::atomic<bool> end = false;
  std::thread more([&] { end.wait(false); });
  EXPECT_EQ(use_of({::getpid()}).threads, alone.threads + 1);
  end = true;
  end.notify_all();
  more.join();
}

TEST(meter, what_is_gone_counts_nothing) { EXPECT_EQ(use_of({0x7ffffffe}), Use{}); }

TEST(meter, shared_pages_are_divided_so_the_fair_share_is_not_above_what_is_resident) {
  auto fair = fair_mem_of({::getpid()});
  EXPECT_GT(fair.value, 0);
  EXPECT_LE(fair.value, use_of({::getpid()}).mem.value + (1 << 20));
}

TEST(meter, the_first_limit_that_is_exceeded_is_named) {
  Use use{Duration(100), Bytes{100}, Bytes{1000}, 4, 9};
  EXPECT_EQ(excess_of(use, {}), Excess::None);
  EXPECT_EQ(excess_of(use, {Duration(100), 100, 1000, 4, 9}), Excess::None);
  EXPECT_EQ(excess_of(use, {Duration(99), 1, 1, 1, 1}), Excess::Cpu);
  EXPECT_EQ(excess_of(use, {{}, 99, 0, 0, 0}), Excess::Mem);
  EXPECT_EQ(excess_of(use, {{}, 0, 999, 0, 0}), Excess::Swap);
  EXPECT_EQ(excess_of(use, {{}, 0, 0, 3, 0}), Excess::Processes);
  EXPECT_EQ(excess_of(use, {{}, 0, 0, 0, 8}), Excess::Threads);
}

TEST(cgroup, roots_travel_as_text) {
  CgroupRoots roots{{"memory", "/m/x"}, {"v2", "/u"}};
  EXPECT_EQ(to_text(roots), "memory=/m/x,v2=/u");
  EXPECT_EQ(parse_cgroup_roots(to_text(roots)), roots);
  EXPECT_TRUE(parse_cgroup_roots("").empty());
}

TEST(cgroup, none_is_none_and_an_empty_one_does_nothing) {
  EXPECT_TRUE(usable_cgroups("none").empty());
  EXPECT_TRUE(usable_cgroups("/no/such/folder").empty());
  Cgroup none;
  EXPECT_FALSE(none);
  EXPECT_FALSE(none.freeze(true));
  EXPECT_FALSE(none.kill());
  EXPECT_TRUE(none.pids().empty());
  EXPECT_TRUE(none.joins(true).empty());
  none.remove();
}

}  // namespace
}  // namespace wm::proc
