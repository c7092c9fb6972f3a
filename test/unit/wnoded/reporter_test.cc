// What the master is told of attempts, and what makes a host look whether it can start any.
#include "daemons/wnoded/reporter.h"

#include <gtest/gtest.h>

#include "test/support/node_core.h"

namespace wm::node {
namespace {

class reporter : public ::testing::Test {
 protected:
  reporter() {
    attempt_.key = {{7, 0}, {1}};
    session_.on_open({}, {});
    env_.sent.clear();
  }
  static FactEnded ended(Term term, bool delivers = false) {
    FactEnded fact;
    fact.job = {7, 0};
    fact.attempt = {1};
    fact.term = term;
    fact.delivers = delivers;
    return fact;
  }
  /// The host asks whether it may start a job of its own, half a minute after a fault.
  bool looks_after_itself() {
    env_.now += std::chrono::seconds(31);
    probe_.on_tick(std::chrono::seconds(1));
    return !env_.proofs.empty();
  }

  test::FakeEnv env_;
  launch::HostFacts host_ = test::node_facts();
  MasterSession session_{env_, test::node_card()};
  Probe probe_{env_, host_, [](std::uint32_t) {}};
  GpuEnergy energy_;
  Reporter reporter_{session_, probe_, energy_};
  LocalAttempt attempt_;
};

TEST_F(reporter, of_a_forgotten_attempt_nothing_is_told) {
  reporter_.say(attempt_, FactMet{{7, 0}, {1}});
  attempt_.forgotten = true;
  reporter_.say(attempt_, FactMet{{7, 0}, {1}});
  EXPECT_EQ(env_.take_facts().size(), 1u);
  EXPECT_EQ(session_.facts().size(), 1u);
}

TEST_F(reporter, an_end_by_the_hosts_own_fault_makes_it_look_after_itself) {
  reporter_.say(attempt_, ended(Term::Owner));
  EXPECT_FALSE(looks_after_itself());
  reporter_.say(attempt_, ended(Term::LaunchFailed));
  EXPECT_TRUE(looks_after_itself());
}

TEST_F(reporter, the_fault_counts_also_where_nobody_wants_to_know_the_end) {
  attempt_.forgotten = true;
  reporter_.say(attempt_, ended(Term::LaunchFailed));
  EXPECT_TRUE(env_.take_facts().empty());
  EXPECT_TRUE(looks_after_itself());
}

TEST_F(reporter, an_end_that_was_kept_back_until_all_was_delivered_owes_no_more) {
  attempt_.delivers = true;
  reporter_.say(attempt_, ended(Term::None, true));
  attempt_.delivers = false;
  reporter_.say(attempt_, ended(Term::None, true));
  auto facts = env_.take_facts();
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_TRUE(std::get<FactEnded>(facts[0].fact).delivers);
  EXPECT_FALSE(std::get<FactEnded>(facts[1].fact).delivers);
}

}  // namespace
}  // namespace wm::node
