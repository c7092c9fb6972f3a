// Role: which log-on is asked about, which waits, which is refused before anything is asked.
#include "libwm/login/attempts.h"

#include <gtest/gtest.h>

#include <vector>

namespace wm::rest {
namespace {

using namespace std::chrono_literals;

TimePoint at(Duration time) { return TimePoint(time); }

std::size_t count(const Attempts& attempts, const std::vector<std::uint64_t>& all, Turn turn) {
  std::size_t n = 0;
  for (auto one : all) n += attempts.turn(one) == turn ? 1 : 0;
  return n;
}

// As if its password were wrong.
void fail_once(Attempts& attempts, const char* address, const std::string& user, TimePoint now) {
  auto number = attempts.enter(address, user, now);
  ASSERT_EQ(attempts.turn(number), Turn::Go) << address << " " << user;
  attempts.end(number, true, now);
}

TEST(attempts, a_hundred_guesses_at_once_are_five_guesses) {
  Attempts attempts;
  std::vector<std::uint64_t> all;
  for (int i = 0; i < 100; ++i) all.push_back(attempts.enter("10.0.0.1", "ann", at(0s)));
  EXPECT_EQ(count(attempts, all, Turn::Go), 5u);
  std::size_t asked = 0;
  for (bool more = true; more;) {
    more = false;
    for (auto one : all)
      if (attempts.turn(one) == Turn::Go) {
        ++asked;
        more = true;
        attempts.end(one, true, at(1s));
      }
  }
  EXPECT_EQ(asked, 5u);
  EXPECT_EQ(count(attempts, all, Turn::Wait), 0u) << "who waited is refused, too";
}

TEST(attempts, many_at_once_that_are_right_all_get_their_turn) {
  Attempts attempts;
  std::vector<std::uint64_t> all;
  for (int i = 0; i < 50; ++i) all.push_back(attempts.enter("10.0.0.1", "ann", at(0s)));
  for (auto one : all) {
    ASSERT_EQ(attempts.turn(one), Turn::Go);
    attempts.end(one, false, at(0s));
  }
}

TEST(attempts, after_five_failures_a_minute_has_to_pass_for_that_address_and_user_alone) {
  Attempts attempts;
  for (int i = 0; i < 5; ++i) fail_once(attempts, "10.0.0.1", "ann", at(1s * i));
  EXPECT_EQ(attempts.turn(attempts.enter("10.0.0.1", "ann", at(59s))), Turn::Refused);
  EXPECT_EQ(attempts.turn(attempts.enter("10.0.0.2", "ann", at(59s))), Turn::Go);
  EXPECT_EQ(attempts.turn(attempts.enter("10.0.0.1", "bob", at(59s))), Turn::Go);
  EXPECT_EQ(attempts.turn(attempts.enter("10.0.0.1", "ann", at(60s))), Turn::Go);
}

TEST(attempts, one_address_that_tries_many_names_is_refused_but_for_who_logged_on_there) {
  Attempts attempts({.address_failures = 10});
  auto ann = attempts.enter("10.0.0.1", "ann", at(0s));
  attempts.end(ann, false, at(0s));
  for (int i = 0; i < 10; ++i) fail_once(attempts, "10.0.0.1", "u" + std::to_string(i), at(1s));
  EXPECT_EQ(attempts.turn(attempts.enter("10.0.0.1", "new", at(2s))), Turn::Refused);
  EXPECT_EQ(attempts.turn(attempts.enter("10.0.0.1", "ann", at(2s))), Turn::Go);
  EXPECT_EQ(attempts.turn(attempts.enter("10.0.0.1", "new", at(61s))), Turn::Go);
}

TEST(attempts, one_address_takes_half_of_the_turns_at_most_and_a_refusal_none) {
  Attempts attempts({.at_once = 4, .of_address = 2});
  std::vector<std::uint64_t> flood;
  for (int i = 0; i < 9; ++i)
    flood.push_back(attempts.enter("10.0.0.1", "u" + std::to_string(i), at(0s)));
  EXPECT_EQ(count(attempts, flood, Turn::Go), 2u);
  auto other = attempts.enter("10.9.0.1", "ann", at(0s));
  EXPECT_EQ(attempts.turn(other), Turn::Go);
  attempts.end(flood[0], true, at(0s));
  EXPECT_EQ(count(attempts, flood, Turn::Go), 2u) << "the next one has its turn";
}

TEST(attempts, who_failed_waits_behind_who_did_not_and_gives_way_when_there_is_no_room) {
  Attempts attempts({.at_once = 1, .waiting = 2});
  fail_once(attempts, "10.0.0.1", "x", at(0s));
  auto first = attempts.enter("10.0.0.2", "y", at(1s));
  EXPECT_EQ(attempts.turn(first), Turn::Go);
  auto bad = attempts.enter("10.0.0.1", "x", at(1s));        // failed itself
  auto neighbour = attempts.enter("10.0.0.3", "z", at(1s));  // of its network
  EXPECT_EQ(attempts.turn(bad), Turn::Wait);
  auto good = attempts.enter("10.7.0.1", "ann", at(1s));
  EXPECT_EQ(attempts.turn(bad), Turn::Refused) << "no room for three";
  EXPECT_EQ(attempts.turn(neighbour), Turn::Wait);
  attempts.end(first, true, at(1s));
  EXPECT_EQ(attempts.turn(good), Turn::Go) << "it came last";
  EXPECT_EQ(attempts.turn(neighbour), Turn::Wait);
}

TEST(attempts, a_name_that_is_tried_from_everywhere_is_behind_the_others) {
  Attempts attempts({.at_once = 1, .waiting = 2});
  for (int i = 0; i < 9; ++i)
    fail_once(attempts, ("10." + std::to_string(i) + ".0.1").c_str(), "root", at(0s));
  auto going = attempts.enter("10.20.0.1", "root", at(1s));
  std::vector<std::uint64_t> flood;
  for (int i = 30; i < 40; ++i)  // each from a network that has never failed
    flood.push_back(attempts.enter("10." + std::to_string(i) + ".0.1", "root", at(1s)));
  auto ann = attempts.enter("10.99.0.1", "ann", at(1s));
  EXPECT_EQ(attempts.turn(ann), Turn::Wait);
  EXPECT_EQ(count(attempts, flood, Turn::Wait), 1u);
  attempts.end(going, true, at(1s));
  EXPECT_EQ(attempts.turn(ann), Turn::Go);
}

TEST(attempts, who_is_given_up_while_it_waits_counts_nothing) {
  Attempts attempts({.pair_failures = 1});
  auto first = attempts.enter("10.0.0.1", "ann", at(0s));
  auto second = attempts.enter("10.0.0.1", "ann", at(0s));
  EXPECT_EQ(attempts.turn(second), Turn::Wait);
  attempts.end(second, true, at(0s));
  attempts.end(first, false, at(0s));
  EXPECT_EQ(attempts.turn(attempts.enter("10.0.0.1", "ann", at(0s))), Turn::Go);
  EXPECT_EQ(attempts.turn(12345), Turn::Refused) << "there is none";
}

TEST(attempts, a_refusal_is_told_once_a_minute) {
  Attempts attempts({.pair_failures = 1});
  EXPECT_FALSE(attempts.is_first_refusal("10.0.0.1", "ann", at(0s)));
  fail_once(attempts, "10.0.0.1", "ann", at(0s));
  EXPECT_TRUE(attempts.is_first_refusal("10.0.0.1", "ann", at(1s)));
  EXPECT_FALSE(attempts.is_first_refusal("10.0.0.1", "ann", at(2s)));
  EXPECT_FALSE(attempts.is_first_refusal("10.0.0.1", "ann", at(60s)));
  fail_once(attempts, "10.0.0.1", "ann", at(60s));
  EXPECT_TRUE(attempts.is_first_refusal("10.0.0.1", "ann", at(61s)));
}

TEST(attempts, a_network_is_what_one_person_may_own) {
  EXPECT_EQ(network_of("127.3.4.5"), "127.3.4");
  EXPECT_EQ(network_of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2");
  EXPECT_EQ(network_of("::1"), "::1");
  EXPECT_EQ(network_of(""), "");
}

TEST(attempts, a_refusal_takes_a_whole_number_of_steps) {
  EXPECT_EQ(refusal_time(at(10s), at(10s), 1500ms), at(11500ms));
  EXPECT_EQ(refusal_time(at(10s), at(11s), 1500ms), at(11500ms));
  EXPECT_EQ(refusal_time(at(10s), at(11500ms), 1500ms), at(11500ms));
  EXPECT_EQ(refusal_time(at(10s), at(11501ms), 1500ms), at(13s));
  EXPECT_EQ(refusal_time(at(10s), at(9s), 1500ms), at(11500ms)) << "a clock that steps";
}

}  // namespace
}  // namespace wm::rest
