#include <gtest/gtest.h>

#include "test/unit/elastic/lead_rig.h"

namespace wm::elastic {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Numbers = LeadRig::Numbers;

TEST(lead_recover, survivors_answer_and_then_get_an_emergency_plan) {
  LeadRig rig({1, 2, 3});
  rig.train({1, 2, 3});
  rig.gone(2, "signal 9");
  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{1, 3}));
  rig.faulted({1}, 1, 10);
  EXPECT_TRUE(rig.told<EpochPlan>().empty()) << "one has not answered yet";

  rig.faulted({3}, 1, 11);

  EXPECT_EQ(rig.members(), (Numbers{1, 3}));
  EXPECT_TRUE(rig.plan().emergency);
  EXPECT_EQ(rig.plan().survivors, 2u);
  EXPECT_EQ(rig.plan().reason, "lost task 2: signal 9");
}

TEST(lead_recover, a_member_that_the_master_lists_no_more_is_lost_though_its_host_is_heard) {
  LeadRig rig({1, 2, 3});
  rig.train({1, 2, 3});
  rig.faulted({1, 3}, 1, 10);  // their connections to task 2 broke
  rig.agents_up({2});          // an agent that began anew with a new shepherd
  ASSERT_TRUE(rig.told<EpochPlan>().empty());

  rig.want({1, 3, 4});

  EXPECT_EQ(rig.members(), (Numbers{1, 3}));
  EXPECT_TRUE(rig.plan().emergency);
}

TEST(lead_recover, a_member_that_finished_and_is_listed_no_more_breaks_nothing) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  rig.said(2, WorkerDone{20});
  rig.want({1});
  EXPECT_TRUE(rig.told<EpochBroken>().empty());
}

TEST(lead_recover, steps_lost_are_those_that_nobody_has_any_more) {
  LeadRig rig({1, 2, 3});
  rig.train({1, 2, 3});
  WorkerProgress progress;
  progress.epoch = EpochNumber{1};
  progress.step = 12;
  rig.said(2, progress);
  rig.gone(2, "signal 9");
  rig.faulted({1, 3}, 1, 11);
  rig.connected({1, 3}, 2);
  rig.switched({1, 3}, 2, 11);

  auto formed = rig.reports<EpochFormed>();
  ASSERT_EQ(formed.size(), 1u);
  EXPECT_EQ(formed[0].step, 11u);
  EXPECT_EQ(formed[0].steps_lost, 1u);
  EXPECT_EQ(formed[0].cause, EpochCause::Loss);
}

TEST(lead_recover, the_next_survivor_takes_rank_0) {
  LeadRig rig({1, 2, 3});
  rig.train({1, 2, 3});
  rig.gone(1, "signal 9");
  rig.faulted({2, 3}, 1);
  EXPECT_EQ(rig.members(), (Numbers{2, 3}));
  EXPECT_EQ(rig.plan().rendezvous, "10.0.0.2:9");
}

TEST(lead_recover, a_half_formed_epoch_is_dead_even_for_ranks_that_switched) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  rig.want({1, 2, 3});
  rig.agents_up({3});
  rig.ready({3});
  rig.connected({1, 2, 3}, 2);
  rig.switched({1}, 2, 20);
  rig.forget();

  rig.gone(3, "signal 9");

  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{1, 2}));
  rig.faulted({1, 2}, 2, 20);
  EXPECT_EQ(rig.plan().epoch, EpochNumber{3});
  EXPECT_EQ(rig.members(), (Numbers{1, 2}));
}

TEST(lead_recover, a_newcomer_lost_while_connecting_does_not_disturb_the_others) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  rig.want({1, 2, 3});
  rig.agents_up({3});
  rig.ready({3});
  rig.forget();

  rig.gone(3, "exit 1");

  EXPECT_EQ(rig.told<EpochWithdrawn>(), (Numbers{1, 2}));
  EXPECT_TRUE(rig.told<EpochBroken>().empty());
}

TEST(lead_recover, a_worker_that_switched_to_a_withdrawn_epoch_breaks_it) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  rig.want({1, 2, 3});
  rig.agents_up({3});
  rig.ready({3});
  rig.said(3, WorkerConnectFailed{EpochNumber{2}, "reset"});
  rig.forget();

  rig.switched({1}, 2, 30);

  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{1, 2}));
}

TEST(lead_recover, a_leaver_with_the_newest_step_stays_until_others_have_it) {
  LeadRig rig({1, 2, 3});
  rig.train({1, 2, 3});
  rig.want({1, 2, 3}, {3});
  rig.gone(2, "signal 9");
  rig.faulted({1}, 2, 10);
  rig.faulted({3}, 2, 11);
  EXPECT_EQ(rig.members(), (Numbers{1, 3}));

  rig.connected({1, 3}, 3);
  rig.switched({1, 3}, 3, 11);
  EXPECT_EQ(rig.members(), (Numbers{1}));
}

TEST(lead_recover, a_silent_host_is_left_out_when_the_master_is_heard) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  rig.pass(milliseconds(1000), {2});
  EXPECT_TRUE(rig.tell.empty());

  rig.pass(milliseconds(400), {2});

  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{1}));
  rig.faulted({1}, 1);
  EXPECT_EQ(rig.members(), (Numbers{1}));
}

TEST(lead_recover, a_silent_host_is_left_out_when_the_master_is_down) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  rig.seen = MasterSeen::Down;
  rig.pass(seconds(2), {2});
  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{1}));
}

TEST(lead_recover, cut_off_from_host_and_master_the_lead_waits) {  // PROTOCOL L-5
  LeadRig rig({1, 2});
  rig.train({1, 2});
  rig.seen = MasterSeen::Silent;
  rig.pass(seconds(20), {2});
  EXPECT_TRUE(rig.tell.empty());

  rig.seen = MasterSeen::Down;
  rig.pass(seconds(20), {2});
  EXPECT_TRUE(rig.tell.empty()) << "it may have appointed another lead before it went down";

  rig.seen = MasterSeen::Heard;
  rig.pass(milliseconds(1400), {2});
  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{1}));
}

TEST(lead_recover, a_host_that_comes_back_joins_as_a_newcomer) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  rig.pass(seconds(2), {2});
  rig.faulted({1}, 1);
  rig.connected({1}, 2);
  rig.switched({1}, 2);
  rig.forget();

  AgentStatus back{HostId{2}, LeadNumber{1}, {}, {}, {}, {}, {}};
  back.workers = {
      {TaskNumber{2}, "10.0.0.2:9", EpochNumber{1}, EpochNumber{1}, {}, 9, false, false}};
  rig.status(back);
  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{2})) << "its old group is dead";
  rig.faulted({2}, 1);

  EXPECT_EQ(rig.members(), (Numbers{1, 2}));
  EXPECT_EQ(rig.plan().survivors, 1u) << "its state is stale";
}

TEST(lead_recover, without_any_survivor_the_training_starts_anew) {
  LeadRig rig({1, 2});
  rig.train({1});
  rig.gone(1, "signal 9");
  rig.agents_up({2});
  rig.ready({2});
  EXPECT_EQ(rig.members(), (Numbers{2}));
  EXPECT_EQ(rig.plan().survivors, 0u);
  EXPECT_FALSE(rig.plan().emergency);
}

TEST(lead_recover, training_does_not_start_anew_beside_members_that_are_only_silent) {
  LeadRig rig({2});
  rig.agents_up({1});
  rig.train({2});
  rig.pass(seconds(2), {2});
  rig.want({1, 2});
  rig.agents_up({1});
  rig.ready({1});
  rig.pass(seconds(20), {2});
  EXPECT_TRUE(rig.told<EpochPlan>().empty());

  rig.want({1});
  EXPECT_EQ(rig.members(), (Numbers{1})) << "the master has given task 2 up";
}

TEST(lead_recover, who_recovers_while_others_are_done_gets_its_plan) {
  LeadRig rig({1, 2, 3});
  rig.train({1, 2, 3});
  rig.said(1, WorkerDone{100});
  rig.gone(2, "signal 9");
  rig.faulted({3}, 1, 100);
  EXPECT_EQ(rig.members(), (Numbers{3}));
  EXPECT_TRUE(rig.told<EpochWithdrawn>().empty());
}

TEST(lead_recover, cut_off_from_the_master_nothing_is_started) {  // PROTOCOL L-5
  LeadRig rig({1});
  rig.agents_up({1});
  rig.master(MasterSeen::Silent);
  rig.ready({1});
  EXPECT_TRUE(rig.tell.empty());
}

TEST(lead_recover, a_survivor_that_never_answers_is_given_up) {
  LeadRig rig({1, 2, 3});
  rig.train({1, 2, 3});
  rig.gone(3, "signal 9");
  rig.faulted({1}, 1);
  rig.pass(seconds(31));
  ASSERT_EQ(rig.reports<TaskFaulty>().size(), 1u);
  EXPECT_EQ(rig.reports<TaskFaulty>()[0].task, TaskNumber{2});
  EXPECT_EQ(rig.members(), (Numbers{1}));
}

/// Members 1 to 3 train; 1 and 3 wait in a collective for `span`, 2 does not come.
void hang(LeadRig& rig, Duration span) {
  WorkerProgress waiting;
  waiting.epoch = EpochNumber{1};
  waiting.in_collective = true;
  WorkerProgress away = waiting;
  away.in_collective = false;
  for (Duration passed{}; passed < span; passed += seconds(1)) {
    rig.said(1, waiting);
    rig.said(2, away);
    rig.said(3, waiting);
    rig.pass(seconds(1));
  }
}

TEST(lead_recover, a_member_missing_in_a_collective_is_named_and_its_end_is_the_failure) {
  LeadRig rig({1, 2, 3});
  rig.train({1, 2, 3});
  hang(rig, seconds(31));
  ASSERT_EQ(rig.reports<TaskFaulty>().size(), 1u);
  EXPECT_EQ(rig.reports<TaskFaulty>()[0].task, TaskNumber{2});
  EXPECT_TRUE(rig.tell.empty()) << "its host still asks it where it stands";

  rig.gone(2, "signal 9");

  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{1, 3}));
  rig.faulted({1, 3}, 1);
  EXPECT_EQ(rig.members(), (Numbers{1, 3}));
  EXPECT_NE(rig.plan().reason.find("task 2: has not entered a collective"), std::string::npos);
}

TEST(lead_recover, a_member_that_hangs_and_that_nobody_ends_is_treated_as_failed) {
  LeadRig rig({1, 2, 3});
  rig.train({1, 2, 3});
  hang(rig, seconds(38));
  EXPECT_EQ(rig.reports<TaskFaulty>().size(), 1u);
  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{1, 2, 3}));
}

TEST(lead_recover, a_group_that_is_slow_together_is_left_alone) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  WorkerProgress busy;
  busy.epoch = EpochNumber{1};
  for (int second = 0; second < 100; ++second) {
    rig.said(1, busy);
    rig.said(2, busy);
    rig.pass(seconds(1));
  }
  EXPECT_TRUE(rig.reports<TaskFaulty>().empty());
}

}  // namespace
}  // namespace wm::elastic
