// The session with the master: who is registered, what is said again, when the host says that it
// lives. Which masters are obeyed is in obeyed_test.cc.
#include "daemons/wnoded/master_session.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/node_core.h"

namespace wm::node {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class master_session : public ::testing::Test {
 protected:
  test::FakeEnv env_;
  MasterSession session_{env_, test::node_card()};
};

TEST_F(master_session, heartbeats_are_not_in_step_with_those_of_other_hosts) {
  session_.on_open({}, {});
  std::vector<Duration> pauses;
  TimePoint last{};
  for (int i = 0; i < 2000; ++i) {
    env_.now += milliseconds(10);
    env_.sent.clear();
    session_.beat(seconds(1), {});
    if (env_.sent.empty()) continue;
    if (last != TimePoint{}) pauses.push_back(env_.now - last);
    last = env_.now;
  }
  ASSERT_GE(pauses.size(), 17u);
  auto [least, most] = std::minmax_element(pauses.begin(), pauses.end());
  EXPECT_GE(*least, Duration(milliseconds(900)));
  EXPECT_LE(*most, Duration(milliseconds(1110)));
  EXPECT_GT(*most - *least, Duration(milliseconds(50)));
}

TEST_F(master_session,
       what_is_told_without_a_session_is_told_in_the_next_and_passed_on_words_are_not) {
  session_.tell(FactMet{{7, 0}, {1}});
  session_.pass_on(FactHostWell{3});
  session_.beat(seconds(1), {});
  EXPECT_TRUE(env_.sent.empty());
  EXPECT_EQ(session_.facts().size(), 1u);
  session_.on_open({}, {AttemptStatus{{7, 0}, {1}, {}, {}, {}}});
  ASSERT_EQ(env_.sent.size(), 2u);
  auto words = codec::decode<HostRegister>(env_.sent[0].second);
  ASSERT_TRUE(words);
  EXPECT_EQ(words->name, "n");
  EXPECT_TRUE(words->takes_changes && words->recalls);
  EXPECT_EQ(words->attempts.size(), 1u);
  auto facts = env_.take_facts();
  ASSERT_EQ(facts.size(), 1u);
  session_.facts().acknowledge(facts[0].number);
  session_.on_lost(false);
  session_.on_open({}, {});
  EXPECT_TRUE(env_.take_facts().empty());
}

TEST_F(master_session, words_that_are_passed_on_are_not_said_again) {
  session_.on_open({}, {});
  session_.pass_on(FactHostWell{3});
  auto facts = env_.take_facts();
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].number, 0u);
  session_.on_open({}, {});
  EXPECT_TRUE(env_.take_facts().empty());
}

TEST_F(master_session, a_new_address_is_registered) {
  session_.on_address("10.0.0.9");
  session_.on_open({}, {});
  EXPECT_EQ(codec::decode<HostRegister>(env_.sent.at(0).second)->address, "10.0.0.9");
}

TEST_F(master_session, the_master_is_heard_silent_or_down) {
  EXPECT_EQ(session_.seen(), MasterSeen::Silent);
  session_.on_open({}, {});
  EXPECT_EQ(session_.seen(), MasterSeen::Heard);
  env_.now += milliseconds(1500);
  EXPECT_EQ(session_.seen(), MasterSeen::Silent);
  session_.on_heard();
  EXPECT_EQ(session_.seen(), MasterSeen::Heard);
  session_.on_lost(true);
  EXPECT_EQ(session_.seen(), MasterSeen::Down);
  session_.on_lost(false);
  EXPECT_EQ(session_.seen(), MasterSeen::Silent);
}

TEST_F(master_session, one_that_is_refused_changes_nothing) {
  ASSERT_TRUE(session_.follow({"aa", 1, Seq{10}, 4}));
  auto refused = session_.follow({"aa", 1, Seq{9}, 4});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::Denied);
  session_.on_rank({"aa", 1, Seq{9}, 4});
  EXPECT_EQ(env_.obeyed.size(), 1u);
  session_.on_open({}, {});
  EXPECT_EQ(codec::decode<HostRegister>(env_.sent.at(0).second)->obeyed.seq, Seq{10});
}

}  // namespace
}  // namespace wm::node
