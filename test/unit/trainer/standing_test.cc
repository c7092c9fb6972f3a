#include "libwm/trainer/standing.h"

#include <gtest/gtest.h>

namespace wm::trainer {
namespace {

EpochPlan plan(std::uint32_t epoch, std::uint32_t lead = 1) {
  return {EpochNumber{epoch}, LeadNumber{lead}, {TaskNumber{1}}, "127.0.0.1:9", false, "grow", 1};
}

WorkerHello hello() { return {1, TaskNumber{3}, 4711, 4}; }

TEST(standing, says_hello_alone_when_nothing_else_was_said) {
  EXPECT_EQ(Standing(hello()).again(), std::vector<FromWorker>{hello()});
}

TEST(standing, a_reporter_has_nothing_to_say_again) {  // W-13
  Standing standing(WorkerHello{1, TaskNumber{}, 4711, 0});
  EXPECT_TRUE(standing.is_reporter());
  standing.note(WorkerReady{"127.0.0.1:7"});
  EXPECT_TRUE(standing.again().empty());
}

TEST(standing, repeats_what_still_holds_in_the_order_of_the_protocol) {  // W-2
  Standing standing(hello());
  WorkerReady ready{"127.0.0.1:7"};
  WorkerSwitched switched{EpochNumber{2}, 40, {}, false};
  WorkerConnected connected{EpochNumber{3}};
  standing.note(connected);
  standing.note(switched);
  standing.note(ready);
  standing.note(WorkerProgress{});
  EXPECT_EQ(standing.again(), (std::vector<FromWorker>{hello(), ready, switched, connected}));
}

TEST(standing, forgets_a_connection_once_it_has_switched_or_was_withdrawn) {
  Standing standing(hello());
  standing.note(WorkerConnected{EpochNumber{2}});
  standing.note(WorkerSwitched{EpochNumber{2}, 5, {}, false});
  EXPECT_EQ(standing.again().size(), 2u);
  standing.note(WorkerConnected{EpochNumber{3}});
  EXPECT_EQ(standing.again().size(), 3u);
  EXPECT_TRUE(standing.admits(EpochWithdrawn{EpochNumber{3}, "late"}));
  EXPECT_EQ(standing.again().size(), 2u);
}

TEST(standing, repeats_a_fault_until_a_later_epoch_is_in_force) {
  Standing standing(hello());
  standing.note(WorkerSwitched{EpochNumber{2}, 5, {}, false});
  standing.note(WorkerFaulted{EpochNumber{2}, 6, "peer"});
  EXPECT_EQ(standing.again().size(), 3u);
  standing.note(WorkerSwitched{EpochNumber{4}, 6, {}, false});
  EXPECT_EQ(standing.again().size(), 2u);
}

TEST(standing, repeats_that_it_is_done) {
  Standing standing(hello());
  standing.note(WorkerDone{9});
  EXPECT_EQ(standing.again().back(), FromWorker{WorkerDone{9}});
}

TEST(standing, ignores_plans_that_are_not_above_all_it_knows) {  // W-3
  Standing standing(hello());
  EXPECT_TRUE(standing.admits(plan(2)));
  EXPECT_FALSE(standing.admits(plan(2)));
  EXPECT_FALSE(standing.admits(plan(1)));
  EXPECT_TRUE(standing.admits(EpochBroken{EpochNumber{5}, "lost"}));
  EXPECT_FALSE(standing.admits(plan(5)));
  EXPECT_TRUE(standing.admits(plan(6)));
  standing.note(WorkerSwitched{EpochNumber{9}, 1, {}, false});
  EXPECT_FALSE(standing.admits(plan(9)));
}

TEST(standing, ignores_plans_of_a_replaced_lead) {
  Standing standing(hello());
  EXPECT_TRUE(standing.admits(plan(2, 3)));
  EXPECT_FALSE(standing.admits(plan(3, 2)));
  EXPECT_TRUE(standing.admits(plan(3, 3)));
}

}  // namespace
}  // namespace wm::trainer
