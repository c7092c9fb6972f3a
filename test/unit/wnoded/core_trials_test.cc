// What trials report, as wnoded's core passes it on: the last report goes with the end, and once.
#include <gtest/gtest.h>

#include "test/support/node_core.h"

namespace wm::node {
namespace {

class core_trials : public test::NodeCore {};

// What an agent says after the end is known comes too late: by then the master may have said that
// it wants no more of the attempt.
TEST_F(core_trials, a_trials_last_report_is_told_with_its_end) {
  start(order());
  auto ended = record(1);
  ended.report = R"({"loss":{"min":1}})";
  node_.on_word(key_, launch::TaskEnded{ended});
  auto facts = env_.take_facts();
  ASSERT_EQ(facts.size(), 2u);  // its start, its end
  EXPECT_EQ(std::get<FactEnded>(facts[1].fact).report, ended.report);
  hear(NodeVerb::Ack, HostAck{facts[1].number});
  hear(NodeVerb::Forget, HostForget{{7, 0}, {1}});
  node_.on_agent(key_, {{7, 0}, {1}, {1}, TrialSaid{ended.report}});
  EXPECT_TRUE(env_.take_facts().empty());
}

TEST_F(core_trials, what_a_trials_agent_read_before_its_end_is_not_told_after_it) {
  start(order());
  auto says = [&](const char* text) {
    node_.on_agent(key_, {{7, 0}, {1}, {1}, TrialSaid{text}});
    return env_.take_facts().size();
  };
  EXPECT_EQ(says("{\"a\":1}"), 2u);  // after its start
  auto ended = record(1);
  ended.report = "{\"a\":2}";
  node_.on_word(key_, launch::TaskEnded{ended});
  env_.take_facts();
  EXPECT_EQ(says("{\"a\":1}"), 0u);
  node_.on_word(key_, launch::TaskStarted{{TaskNumber{2}, 4712, {}, false}});
  env_.take_facts();
  EXPECT_EQ(says("{\"a\":3}"), 1u) << "it goes on";
}

TEST_F(core_trials, a_trials_last_report_outlives_a_host_daemon_that_was_killed) {
  auto ended = record(1);
  ended.report = R"({"loss":{"min":1}})";
  node_.adopt({}, {ended, record(0)});
  auto told = ends();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].report, ended.report);
  node_.on_session();  // not acknowledged: said again
  auto again = ends();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].report, ended.report);
}

}  // namespace
}  // namespace wm::node
