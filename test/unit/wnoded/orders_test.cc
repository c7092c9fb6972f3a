// Which orders of the master a host follows.
#include "daemons/wnoded/orders.h"

#include <gtest/gtest.h>

#include "test/support/node_core.h"

namespace wm::node {
namespace {

using launch::EndCause;

class orders : public test::NodeCore {
 protected:
  static HostOrder torchrun() {
    HostOrder o = order();
    o.resolved.program.command = "torchrun x.py";
    o.first_host = true;
    return o;
  }
  void begin(const HostOrder& o) {
    start(o);
    env_.fake.told.clear();
    env_.take_facts();
  }
  /// The shepherd was told to suspend the tasks, and nothing else.
  bool was_suspended() {
    EXPECT_EQ(env_.fake.told.size(), 1u);
    return std::get<launch::Suspend>(env_.fake.told.at(0).second).on;
  }
};

// Signed by its owner, with what a host looks at in a later order.
HostOrder sealed(HostOrder o, const std::string& notify = "") {
  o.blobs.env.clear();  // its hash is another test's
  o.resolved.side.notify = notify;
  o.sealed.spec = codec::encode(o.resolved);
  o.sealed.credential = "signed " + notify;
  return o;
}

TEST_F(orders, an_order_starts_the_attempt_once_its_account_is_known) {
  hear(NodeVerb::Order, order());
  EXPECT_TRUE(env_.fake.started.empty());
  env_.authorise_next();
  ASSERT_EQ(env_.fake.started.size(), 1u);
  EXPECT_EQ(env_.fake.started[0].account.uid, 1000u);
  ASSERT_EQ(env_.fake.started[0].tasks.size(), 1u);
  hear(NodeVerb::Order, order());
  hear(NodeVerb::Order, order(1, 2));
  EXPECT_EQ(env_.fake.started.size(), 1u);
  EXPECT_TRUE(env_.fake.told.empty()) << "a repeat changes nothing";
}

TEST_F(orders, a_job_nobody_signed_is_not_started_and_its_end_is_told) {
  hear(NodeVerb::Order, order());
  env_.authorise_next(fail(Code::Denied, "not signed"));
  EXPECT_TRUE(env_.fake.started.empty());
  auto told = ends();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].term, Term::Denied);
  EXPECT_EQ(told[0].text, "not signed");
}

TEST_F(orders, an_attempt_older_than_one_known_is_refused) {
  hear(NodeVerb::Order, order(2));
  env_.authorise_next();
  hear(NodeVerb::Order, order(1));
  EXPECT_TRUE(env_.asked.empty());
  EXPECT_EQ(env_.fake.started.size(), 1u);
}

TEST_F(orders, a_lower_generation_is_ignored) {
  start(order(1, 5));
  auto late = order(1, 4);
  late.control.end = true;
  hear(NodeVerb::Order, late);
  EXPECT_TRUE(env_.fake.told.empty());
}

TEST_F(orders, the_order_of_a_new_attempt_ends_what_is_left_of_the_one_before) {
  start(order());
  auto next = order();
  next.attempt = Attempt{2};
  hear(NodeVerb::Order, next);
  ASSERT_FALSE(env_.fake.told.empty());
  EXPECT_EQ(env_.fake.told[0].first, key_);
  EXPECT_TRUE(std::holds_alternative<launch::Finish>(env_.fake.told[0].second));
}

TEST_F(orders, forgetting_ends_what_runs_and_drops_its_facts) {
  start(order());
  hear(NodeVerb::Forget, HostForget{{7, 0}, {1}});
  ASSERT_EQ(env_.fake.told.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<launch::Finish>(env_.fake.told[0].second));
  env_.take_facts();
  end_task(9, EndCause::Ordered);
  end_attempt();
  EXPECT_TRUE(env_.take_facts().empty());
  EXPECT_EQ(node_.attempts(), 0u);
}

TEST_F(orders, what_is_forgotten_for_a_reason_ends_with_it) {
  start(order());
  hear(NodeVerb::Forget, HostForget{{7, 0}, {1}, "nobody knows it"});
  ASSERT_EQ(env_.fake.told.size(), 1u);
  EXPECT_EQ(std::get<launch::Finish>(env_.fake.told[0].second).text, "nobody knows it");
}

TEST_F(orders, a_master_that_does_not_know_an_attempt_is_told_its_order_without_files) {
  auto o = order();
  o.blobs.script = "echo";
  start(o);
  EXPECT_TRUE(registered().recalls);
  auto said = [&](Attempt attempt) {
    env_.sent.clear();
    hear(NodeVerb::Recall, HostRecall{{7, 0}, attempt});
    EXPECT_EQ(env_.sent.at(0).first, NodeVerb::Recalled);
    return *codec::decode<HostRecalled>(env_.sent.at(0).second);
  };
  auto told = said({1});
  EXPECT_EQ(told.job, (JobId{7, 0}));
  EXPECT_EQ(told.order.job, o.job);
  EXPECT_EQ(told.order.attempt, o.attempt);
  EXPECT_EQ(told.order.generation, o.generation);
  EXPECT_EQ(told.order.sealed, o.sealed);
  EXPECT_EQ(told.order.resolved, o.resolved);
  EXPECT_EQ(told.order.tasks, o.tasks);
  EXPECT_EQ(told.order.blobs, decltype(o.blobs)());
  EXPECT_EQ(said({2}), (HostRecalled{{7, 0}, {}}));
}

TEST_F(orders, what_is_run_as_root_and_where_is_this_hosts_own_word_and_not_the_masters) {
  env_.own_scripts.prolog = "/own/prolog";
  HostWelcome other{HostId{1}, "c", {}, {}, {}};
  other.scripts.prolog = "/planted/prolog";
  other.scripts.epilog = "/planted/epilog";
  hear(NodeVerb::Welcome, other);
  start(order());
  const auto& spec = env_.fake.started.at(0);
  ASSERT_EQ(spec.before.size(), 1u);
  EXPECT_EQ(spec.before[0].argv.back(), "/own/prolog");
  EXPECT_TRUE(spec.after.empty());
}

TEST_F(orders, a_later_order_that_is_not_as_signed_is_not_followed) {
  auto o = sealed(torchrun());
  begin(o);
  o.generation = 2;
  o.control.suspend = true;
  o.resolved.side.post = "evil";
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(env_.fake.told.empty());
  o.sealed.spec.clear();  // as if it were known
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(env_.fake.told.empty());
  o.resolved.side.post.clear();
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(was_suspended());
}

TEST_F(orders, what_its_owner_signed_anew_is_followed_once_that_is_proven) {
  auto o = sealed(torchrun());
  begin(o);
  o = sealed(o, "./tell");
  o.generation = 2;
  o.control.suspend = true;
  hear(NodeVerb::Order, o);
  EXPECT_TRUE(env_.fake.told.empty());
  env_.authorise_next(fail(Code::Denied, "forged"));
  EXPECT_TRUE(env_.fake.told.empty());
  hear(NodeVerb::Order, o);
  env_.authorise_next();
  EXPECT_TRUE(was_suspended());
}

TEST_F(orders, what_another_user_signed_is_not_done_as_its_owner) {
  auto o = sealed(torchrun());
  begin(o);
  o.resolved.owner = {1001, 100, "bob"};
  o.sealed.spec = codec::encode(o.resolved);
  o.sealed.credential = "signed by bob";
  o.generation = 2;
  o.control.suspend = true;
  hear(NodeVerb::Order, o);
  env_.authorise_next(launch::Account{1001, 100, {}});
  EXPECT_TRUE(env_.fake.told.empty());
}

TEST_F(orders, another_signature_is_not_taken_for_one_that_is_being_proven) {
  auto o = sealed(torchrun());
  hear(NodeVerb::Order, o);
  auto forged = o;
  forged.resolved.program.command = "evil";
  forged = sealed(forged);
  forged.generation = 2;
  hear(NodeVerb::Order, forged);
  env_.authorise_next();
  ASSERT_EQ(env_.fake.started.size(), 1u);
  std::string run;
  for (const auto& task : env_.fake.started[0].tasks)
    for (const auto& word : task.argv) run += word + " ";
  EXPECT_NE(run.find("torchrun"), run.npos);
  EXPECT_EQ(run.find("evil"), run.npos);
}

TEST_F(orders, commands_of_profile_and_queue_are_this_hosts_whatever_comes_meanwhile) {
  auto o = sealed(torchrun());
  o.app.pre_exec = "mine";
  hear(NodeVerb::Order, o);
  o.generation = 2;
  o.app.pre_exec = o.queue_side.pre = "evil";  // before the host has looked
  hear(NodeVerb::Order, o);
  env_.authorise_next();
  ASSERT_EQ(env_.fake.started.size(), 1u);
  std::string run;
  for (const auto& command : env_.fake.started[0].before)
    for (const auto& word : command.argv) run += word + " ";
  EXPECT_NE(run.find("mine"), run.npos);
  EXPECT_EQ(run.find("evil"), run.npos);
}

TEST_F(orders, a_signal_goes_to_the_attempts_tasks) {
  start(order());
  hear(NodeVerb::Signal, HostSignal{{7, 0}, {1}, 10});
  ASSERT_EQ(env_.fake.told.size(), 1u);
  EXPECT_EQ(env_.fake.told[0].first, key_);
  EXPECT_EQ(std::get<launch::SignalTasks>(env_.fake.told[0].second).signal, 10);
}

TEST_F(orders, one_that_is_forgotten_before_its_account_is_known_never_starts) {
  hear(NodeVerb::Order, order());
  hear(NodeVerb::Forget, HostForget{{7, 0}, {1}});
  EXPECT_EQ(node_.attempts(), 0u);
  env_.authorise_next();
  EXPECT_TRUE(env_.fake.started.empty());
  EXPECT_TRUE(ends().empty());
}

}  // namespace
}  // namespace wm::node
