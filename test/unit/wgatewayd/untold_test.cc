// Role: log-offs are told user by user: one that cannot be told delays nobody else's.
#include "daemons/wgatewayd/untold.h"

#include <gtest/gtest.h>

namespace wm::gateway {
namespace {

using namespace std::chrono_literals;

TimePoint at(Duration time) { return TimePoint(time); }

LoggedOff one(std::uint32_t uid, const std::string& id) {
  LoggedOff one;
  one.claims.uid = uid;
  one.claims.id = id;
  return one;
}

std::vector<std::string> ids(const std::vector<LoggedOff>& list) {
  std::vector<std::string> ids;
  for (const auto& entry : list) ids.push_back(entry.claims.id);
  return ids;
}
using Ids = std::vector<std::string>;

TEST(untold, one_users_that_cannot_be_told_delays_that_users_alone) {
  Untold untold;
  EXPECT_TRUE(untold.add(one(1, "stopped"), at(0s)));
  EXPECT_TRUE(untold.add(one(1, "too"), at(0s)));
  EXPECT_TRUE(untold.add(one(2, "well"), at(0s)));
  EXPECT_EQ(ids(untold.due(at(0s))), (Ids{"stopped", "well"}));
  untold.failed(one(1, "stopped"), at(0s));
  EXPECT_EQ(ids(untold.due(at(0s))), Ids{"well"});
  untold.told(one(2, "well"), at(0s));
  EXPECT_TRUE(untold.due(at(500ms)).empty());
  EXPECT_EQ(ids(untold.due(at(1200ms))), Ids{"stopped"}) << "after the first pause";
}

TEST(untold, what_failed_least_comes_first) {
  Untold untold;
  untold.add(one(1, "a"), at(0s));
  untold.failed(one(1, "a"), at(0s));
  untold.add(one(2, "b"), at(9s));
  EXPECT_EQ(ids(untold.due(at(9s))), (Ids{"b", "a"}));
}

TEST(untold, the_pauses_grow_to_a_minute_and_begin_anew_when_it_went_well) {
  Untold untold;
  untold.add(one(1, "a"), at(0s));
  untold.add(one(1, "b"), at(0s));
  for (int i = 0; i < 20; ++i) untold.failed(one(1, "a"), at(0s));
  EXPECT_GT(*untold.next(), at(50s));
  EXPECT_LT(*untold.next(), at(70s));
  untold.told(one(1, "a"), at(5s));
  EXPECT_EQ(ids(untold.due(at(5s))), Ids{"b"});
  untold.failed(one(1, "b"), at(5s));
  EXPECT_LT(*untold.next(), at(7s));
}

TEST(untold, what_was_told_is_forgotten_and_one_user_fills_nothing) {
  Untold untold;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(untold.add(one(1, std::to_string(i)), at(0s)));
  EXPECT_FALSE(untold.add(one(1, "more"), at(0s)));
  EXPECT_TRUE(untold.add(one(2, "x"), at(0s)));
  for (int i = 0; i < 1000; ++i) untold.told(one(1, std::to_string(i)), at(0s));
  untold.told(one(2, "x"), at(0s));
  EXPECT_FALSE(untold.next());
  EXPECT_TRUE(untold.due(at(99s)).empty());
  untold.failed(one(3, "nobody's"), at(0s));
  untold.told(one(3, "nobody's"), at(0s));
}

}  // namespace
}  // namespace wm::gateway
