// Role: several routers as one: sums, who decides, and what a router's death or a damaged note
// does.
#include "libwm/serve/peers.h"

#include <gtest/gtest.h>

#include "libwm/serve/frames.h"

namespace wm::serve {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TimePoint moment(int s) { return TimePoint(seconds(1000 + s)); }

Load load(std::uint64_t arrived, std::size_t queued = 0, int cost_ms = 0) {
  Load l;
  l.arrived = arrived;
  l.queued = queued;
  l.task_cost = milliseconds(cost_ms);
  return l;
}

TEST(peers, names_of_the_first_routers_files_are_those_of_an_only_one) {
  EXPECT_EQ(router_name(0), "router");
  EXPECT_EQ(router_name(2), "router-2");
}

TEST(peers, loads_are_summed_and_the_cost_of_a_task_is_that_of_those_who_know_it) {
  Peers peers(0);
  peers.heard(1, note_text(load(100, 3, 20), 1), moment(0));
  peers.heard(1, note_text(load(110, 4, 20), 2), moment(1));
  auto whole = peers.whole(load(7, 1), moment(1));
  EXPECT_EQ(whole.arrived, 17u) << "what came before it was heard of counts for nobody";
  EXPECT_EQ(whole.queued, 5u);
  EXPECT_EQ(whole.task_cost, milliseconds(20));
  EXPECT_EQ(peers.whole(load(7, 1, 40), moment(1)).task_cost, milliseconds(30));
}

TEST(peers, the_lowest_rank_that_goes_on_decides) {
  Peers peers(1);
  peers.adopt(seconds(9));
  EXPECT_TRUE(peers.decides(moment(0)));
  peers.heard(0, note_text(load(1), 1), moment(0));
  EXPECT_TRUE(peers.decides(moment(0))) << "a note of one that may be gone";
  peers.heard(0, note_text(load(1), 2), moment(3));
  EXPECT_FALSE(peers.decides(moment(3)));
  peers.heard(0, note_text(load(1), 2), moment(11));
  EXPECT_FALSE(peers.decides(moment(12)));
  EXPECT_TRUE(peers.decides(moment(13))) << "it says nothing new";
  EXPECT_EQ(peers.whole(load(0, 1), moment(13)).queued, 1u);
  peers.heard(2, note_text(load(5), 1), moment(13));
  peers.heard(2, note_text(load(5), 2), moment(13));
  EXPECT_TRUE(peers.decides(moment(13)));
}

TEST(peers, one_that_was_started_anew_counts_from_nothing_and_sums_never_fall) {
  Peers peers(0);
  peers.heard(1, note_text(load(100), 1), moment(0));
  peers.heard(1, note_text(load(120), 2), moment(1));
  peers.heard(1, note_text(load(3), 1), moment(2));
  EXPECT_EQ(peers.whole(load(0), moment(2)).arrived, 23u);
}

TEST(peers, a_damaged_note_and_its_own_are_none) {
  Peers peers(0);
  auto whole = note_text(load(100, 5), 7);
  for (std::size_t n = 0; n + 1 < whole.size(); ++n) peers.heard(1, whole.substr(0, n), moment(0));
  peers.heard(0, whole, moment(0));
  EXPECT_EQ(peers.whole(load(0), moment(0)).queued, 0u);
  EXPECT_TRUE(peers.decides(moment(0)));
}

TEST(peers, of_two_routers_of_one_name_that_of_the_later_task_is_the_services) {
  RouterTask first{7, 1, 1}, next{7, 1, 3}, requeued{7, 2, 1}, started_anew{8, 1, 1};
  EXPECT_LT(first, next);
  EXPECT_LT(next, requeued);
  EXPECT_LT(requeued, started_anew);
  EXPECT_EQ(read_router_task(text_of(requeued)), requeued);
  for (const char* damaged : {"", "7", "7 1", "x 1 2", "\n"})
    EXPECT_FALSE(read_router_task(damaged)) << damaged;
}

// The master is told which tasks serve, so a kernel says which it is.
TEST(instance, a_kernels_name_has_its_task_and_one_without_has_none) {
  EXPECT_EQ(task_of(instance_of("h1-4711-ab12", "3")), TaskNumber{3});
  EXPECT_EQ(instance_of("h1-4711-ab12", ""), "h1-4711-ab12");
  for (const char* text : {"h1-4711-ab12", "h@", "h@x", "h@3x", "h@0", "", "h@99999999999"})
    EXPECT_FALSE(task_of(text)) << text;
}

}  // namespace
}  // namespace wm::serve
