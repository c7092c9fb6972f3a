// Faults of the host's own: how an order that it cannot follow ends, and what shows that it is well
// again. And the two words of an end before its report.
#include <gtest/gtest.h>

#include "test/support/node_core.h"

namespace wm::node {
namespace {

using launch::EndCause;
using std::chrono::seconds;

class core_faults : public test::NodeCore {
 protected:
  Term refused(Error why) {
    auto o = order(++attempts_);
    hear(NodeVerb::Order, o);
    env_.authorise_next(std::move(why));
    return ends().at(0).term;
  }
  void tick(seconds by) {
    env_.now += by;
    node_.on_tick(0, Bytes{0});
  }
  template <class F>
  std::vector<F> facts() {
    std::vector<F> found;
    for (const auto& fact : env_.take_facts())
      if (auto* one = std::get_if<F>(&fact.fact)) found.push_back(*one);
    return found;
  }
  /// The host's own job, once it is proven that it may be started.
  launch::AttemptKey probe(Result<launch::Account> proof = launch::Account{65534, 65534, {}}) {
    auto done = std::move(env_.proofs.at(0));
    env_.proofs.pop_front();
    done(std::move(proof));
    return env_.fake.started.empty() ? launch::AttemptKey{} : env_.fake.started.back().key;
  }
  void probe_ends(const launch::AttemptKey& key, int status) {
    launch::ExitRecord record;
    record.key = key;
    record.task = {1};
    record.status = status;
    node_.on_word(key, launch::TaskEnded{record});
    record.task = {};
    node_.on_word(key, launch::AttemptEnded{record});
  }
  std::uint32_t attempts_ = 0;
};

TEST_F(core_faults, why_an_order_cannot_be_followed_says_at_whose_fault) {
  EXPECT_EQ(refused(fail(Code::Unavailable, "munged")), Term::LaunchFailed);
  EXPECT_EQ(refused(fail(Code::NotFound, "no account")), Term::LaunchFailed);
  EXPECT_EQ(refused(fail(Code::Conflict, "another name here")), Term::LaunchFailed);
  EXPECT_EQ(refused(fail(Code::System, "fork")), Term::LaunchFailed);
  EXPECT_EQ(refused(fail(Code::Version, "profile 'x'")), Term::ConfigGap);
  EXPECT_EQ(refused(fail(Code::Denied, "changed")), Term::Denied);
  EXPECT_EQ(refused(fail(Code::Stale, "key")), Term::NotSigned);
}

TEST_F(core_faults, after_one_a_job_of_its_own_shows_that_the_host_is_well) {
  tick(seconds(31));
  probe_ends(probe(), 0);  // that of the start
  env_.take_facts();
  env_.fake.started.clear();
  refused(fail(Code::Unavailable, "munged"));
  tick(seconds(29));
  EXPECT_TRUE(env_.proofs.empty());
  tick(seconds(1));
  EXPECT_EQ(probe(fail(Code::Unavailable, "munged")), launch::AttemptKey{}) << "not yet";
  tick(seconds(30));
  auto key = probe();
  ASSERT_TRUE(Probe::owns(key));
  const auto& spec = env_.fake.started.back();
  EXPECT_EQ(spec.account.uid, 65534u);
  EXPECT_FALSE(spec.files.empty()) << "its folder must take a file";
  EXPECT_TRUE(env_.ports.empty()) << "a port was had, and let go";
  probe_ends(key, 1 << 8);
  EXPECT_TRUE(facts<FactHostWell>().empty());
  tick(seconds(30));
  probe_ends(probe(), 0);
  auto well = facts<FactHostWell>();
  ASSERT_EQ(well.size(), 1u);
  EXPECT_EQ(well[0].faults, 1u);
  tick(seconds(100));
  EXPECT_TRUE(env_.proofs.empty()) << "no fault, no probe";
}

TEST_F(core_faults, a_gap_of_configuration_and_a_job_that_is_not_as_signed_are_no_faults) {
  tick(seconds(31));
  probe_ends(probe(), 0);
  refused(fail(Code::Version, "profile 'x'"));
  refused(fail(Code::Denied, "changed"));
  tick(seconds(100));
  EXPECT_TRUE(env_.proofs.empty());
}

TEST_F(core_faults, no_port_for_it_is_no_proof) {
  tick(seconds(31));
  env_.no_ports = true;
  EXPECT_EQ(probe(), launch::AttemptKey{});
}

class core_delivery : public core_faults {
 protected:
  void ends_ahead() {
    start(order());
    env_.take_facts();
    node_.on_word(key_, launch::TaskEnded{record(1), true});
  }
};

TEST_F(core_delivery, an_end_that_is_not_delivered_is_told_as_two_facts) {
  ends_ahead();
  auto told = ends();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[0].delivers);
  node_.on_word(key_, launch::Delivered{"copy late"});
  EXPECT_EQ(facts<FactDelivered>(),
            (std::vector<FactDelivered>{{key_.job, key_.attempt, "copy late"}}));
  end_attempt();
  EXPECT_TRUE(facts<FactDelivered>().empty()) << "once";
}

TEST_F(core_delivery, a_shepherd_that_is_killed_meanwhile_keeps_no_end) {
  ends_ahead();
  env_.take_facts();
  node_.on_shepherd_lost(key_);
  end_attempt(EndCause::ShepherdLost);
  auto told = facts<FactDelivered>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].text, "");
}

TEST_F(core_delivery, one_that_was_started_again_hears_of_it_from_the_shepherd) {
  launch::ShepherdUp up;
  up.key = key_;
  up.memo = memo_of(order());
  up.tasks = {{TaskNumber{1}, 4711, {}, true}};
  up.delivers = true;
  node_.adopt({up}, {record(1)});
  EXPECT_EQ(registered().attempts.size(), 1u) << "the master knows that it is being written";
  env_.take_facts();
  node_.on_word(key_, launch::Delivered{});
  EXPECT_EQ(facts<FactDelivered>().size(), 1u);
}

TEST_F(core_delivery, of_an_attempt_that_is_over_it_is_told_after_a_restart) {
  node_.adopt({}, {record(1), record(0)});
  EXPECT_EQ(facts<FactDelivered>().size(), 1u) << "the master may wait for it";
}

}  // namespace
}  // namespace wm::node
