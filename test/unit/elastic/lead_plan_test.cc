#include <gtest/gtest.h>

#include "test/unit/elastic/lead_rig.h"

namespace wm::elastic {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Numbers = LeadRig::Numbers;

TEST(lead, first_epoch_is_planned_as_soon_as_all_wanted_are_ready) {
  LeadRig rig({1, 2});
  rig.agents_up({1, 2});
  rig.ready({1});
  EXPECT_TRUE(rig.tell.empty());

  rig.ready({2});

  EXPECT_EQ(rig.members(), (Numbers{1, 2}));
  EXPECT_EQ(rig.plan().epoch, EpochNumber{1});
  EXPECT_EQ(rig.plan().rendezvous, "10.0.0.1:9");
  EXPECT_EQ(rig.plan().survivors, 0u);
  EXPECT_FALSE(rig.plan().emergency);
}

TEST(lead, first_epoch_waits_the_start_window_for_a_slow_worker) {
  LeadRig rig({1, 2, 3});
  rig.agents_up({1, 2, 3});
  rig.ready({1, 3});
  rig.pass(milliseconds(1800));
  EXPECT_TRUE(rig.tell.empty());

  rig.pass(milliseconds(400));

  EXPECT_EQ(rig.members(), (Numbers{1, 3}));
}

TEST(lead, an_epoch_is_reported_at_once_and_again_with_the_longest_pause) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  rig.want({1, 2, 3});
  rig.agents_up({3});
  rig.ready({3});
  rig.connected({1, 2, 3}, 2);
  rig.said(1, WorkerSwitched{EpochNumber{2}, 40, {}, false});
  rig.said(2, WorkerSwitched{EpochNumber{2}, 40, {}, false});
  rig.said(3, WorkerSwitched{EpochNumber{2}, 40, {}, false});
  ASSERT_EQ(rig.reports<EpochFormed>().size(), 1u);
  EXPECT_FALSE(rig.reports<EpochFormed>()[0].pause_known);

  rig.said(1, WorkerSwitched{EpochNumber{2}, 40, Duration(2000), true});
  rig.said(2, WorkerSwitched{EpochNumber{2}, 40, Duration(5000), true});
  rig.pass(seconds(5));

  auto formed = rig.reports<EpochFormed>();
  ASSERT_EQ(formed.size(), 2u);
  EXPECT_EQ(formed[1].pause, Duration(5000));
  EXPECT_TRUE(formed[1].pause_known);
  EXPECT_EQ(formed[1].members.size(), 3u);
  EXPECT_EQ(formed[1].step, 40u);
  EXPECT_EQ(formed[1].reason, "grow");
  EXPECT_EQ(formed[1].cause, EpochCause::Resize);
}

TEST(lead, nobody_waits_for_a_newcomer_before_it_is_ready) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  rig.want({1, 2, 3});
  rig.agents_up({3});
  rig.said(3, WorkerHello{1, TaskNumber{3}, 99, 0});
  rig.pass(seconds(20));
  EXPECT_TRUE(rig.tell.empty());

  rig.ready({3});

  EXPECT_EQ(rig.told<EpochPlan>(), (Numbers{1, 2, 3}));
  EXPECT_EQ(rig.members(), (Numbers{1, 2, 3}));
  EXPECT_EQ(rig.plan().survivors, 2u);
}

TEST(lead, a_leaver_hears_the_plan_that_leaves_it_out) {
  LeadRig rig({1, 2, 3});
  rig.train({1, 2, 3});

  rig.want({1, 2, 3}, {1});

  EXPECT_EQ(rig.told<EpochPlan>(), (Numbers{1, 2, 3}));
  EXPECT_EQ(rig.members(), (Numbers{2, 3})) << "rank 0 is the first survivor";
  rig.switched({2, 3}, 2);
  rig.said(1, WorkerLeft{EpochNumber{1}});
  rig.forget();
  rig.gone(1, "exit 0");
  EXPECT_TRUE(rig.tell.empty()) << "a leaver's end is no failure";
}

TEST(lead, when_everybody_is_to_leave_newcomers_are_let_in_first) {
  LeadRig rig({1});
  rig.train({1});
  rig.want({1, 2}, {1});
  rig.agents_up({2});
  rig.ready({2});
  EXPECT_EQ(rig.members(), (Numbers{1, 2}));

  rig.connected({1, 2}, 2);
  rig.switched({1, 2}, 2);

  EXPECT_EQ(rig.members(), (Numbers{2}));
}

TEST(lead, a_plan_not_connected_in_time_is_withdrawn_and_tried_again) {
  LeadRig rig({1});
  rig.train({1});
  rig.want({1, 2});
  rig.agents_up({2});
  rig.ready({2});
  rig.forget();

  rig.pass(seconds(5));
  EXPECT_EQ(rig.told<EpochWithdrawn>(), (Numbers{1, 2}));
  EXPECT_TRUE(rig.told<EpochBroken>().empty()) << "the old group goes on";

  rig.pass(seconds(1));
  EXPECT_EQ(rig.plan().epoch, EpochNumber{3}) << "a number is never used again";
}

TEST(lead, a_newcomer_that_cannot_connect_is_given_up_after_its_tries) {
  LeadRig rig({1});
  rig.reporting = true;
  rig.train({1});
  rig.want({1, 2});
  rig.agents_up({2});
  rig.ready({2});
  rig.pass(seconds(60));

  auto faulty = rig.reports<TaskFaulty>();
  ASSERT_EQ(faulty.size(), 1u);
  EXPECT_EQ(faulty[0].task, TaskNumber{2});
  EXPECT_EQ(rig.plan().epoch, EpochNumber{1 + kConnectTries});
}

TEST(lead, a_newcomer_is_not_blamed_for_a_member_that_is_stopped) {
  LeadRig rig({1});
  rig.train({1});
  rig.want({1, 2});
  rig.agents_up({2});
  rig.ready({2});
  rig.pass(seconds(60));
  EXPECT_TRUE(rig.reports<TaskFaulty>().empty());
}

TEST(lead, after_a_failed_try_newcomers_are_tried_one_by_one) {
  LeadRig rig({1});
  rig.reporting = true;
  rig.train({1});
  rig.want({1, 2, 3});
  rig.agents_up({2, 3});
  rig.ready({2});
  rig.said(2, WorkerConnectFailed{EpochNumber{2}, "refused"});
  rig.ready({3});
  rig.forget();
  rig.pass(seconds(1));
  EXPECT_EQ(rig.members(), (Numbers{1, 3})) << "the one not yet tried goes first";
}

TEST(lead, a_plan_that_all_have_connected_to_is_not_withdrawn_by_time) {
  LeadRig rig({1});
  rig.train({1});
  rig.want({1, 2});
  rig.agents_up({2});
  rig.ready({2});
  rig.connected({1, 2}, 2);
  rig.forget();
  rig.pass(seconds(25));
  EXPECT_TRUE(rig.tell.empty()) << "a step may be long";
}

TEST(lead, a_slow_leaver_is_left_in_peace_until_it_has_applied_its_last_step) {
  LeadRig rig({1, 2, 3});
  rig.train({1, 2, 3});
  rig.want({1, 2, 3}, {3});
  rig.connected({1, 2, 3}, 2);
  rig.forget();

  rig.switched({1, 2}, 2, 40);  // 3 is still in the all-reduce in which all agreed
  rig.pass(seconds(3));

  ASSERT_EQ(rig.reports<EpochFormed>().size(), 1u);
  EXPECT_EQ(rig.reports<EpochFormed>()[0].members.size(), 2u);
  EXPECT_TRUE(rig.tell.empty()) << "told to break off, it would lose that step";
}

TEST(lead, whoever_missed_the_epoch_in_force_is_told_that_its_own_is_dead) {
  LeadRig rig({1, 2, 3});
  rig.train({1, 2, 3});
  rig.want({1, 2, 3}, {3});
  rig.connected({1, 2, 3}, 2);
  rig.switched({1, 2}, 2, 40);
  rig.want({1, 2}, {2});  // the master has forgotten 3 meanwhile
  rig.forget();

  rig.connected({1, 2}, 3);
  rig.switched({1}, 3, 50);

  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{3}));
}

TEST(lead, a_leaver_that_does_not_answer_is_reported_and_its_end_lets_the_others_go_on) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  rig.want({1, 2}, {2});
  rig.connected({1}, 2);
  rig.pass(seconds(5));
  ASSERT_EQ(rig.reports<TaskFaulty>().size(), 1u);
  EXPECT_EQ(rig.reports<TaskFaulty>()[0].task, TaskNumber{2});
  rig.forget();

  rig.gone(2, "signal 9");
  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{1}));
  rig.faulted({1}, 2);
  EXPECT_EQ(rig.members(), (Numbers{1}));
  EXPECT_TRUE(rig.plan().emergency);
}

TEST(lead, a_plan_whose_newcomer_is_not_wanted_any_more_is_withdrawn_at_once) {
  LeadRig rig({1});
  rig.train({1});
  rig.want({1, 2});
  rig.agents_up({2});
  rig.ready({2});
  rig.forget();

  rig.want({1, 2}, {2});

  EXPECT_EQ(rig.told<EpochWithdrawn>(), (Numbers{1, 2}));
  EXPECT_EQ(rig.told<WorkerLeave>(), (Numbers{2}));
}

TEST(lead, newcomers_leave_when_the_training_is_complete) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  rig.want({1, 2, 3});
  rig.agents_up({3});
  rig.said(1, WorkerDone{100});
  rig.ready({3});
  EXPECT_EQ(rig.told<WorkerLeave>(), (Numbers{3}));
  rig.forget();

  rig.said(2, WorkerDone{100});
  rig.gone(2, "exit 0");
  rig.gone(1, "exit 0");
  EXPECT_TRUE(rig.tell.empty()) << "ends after completion are no failures";
}

TEST(lead, progress_of_the_job_is_that_of_rank_0) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  WorkerProgress progress;
  progress.step = 7;
  rig.said(2, progress);
  EXPECT_TRUE(rig.facts.empty());
  rig.said(1, progress);
  EXPECT_EQ(rig.facts, (std::vector<AgentFact>{JobProgress{progress, 2}}));
}

TEST(lead_plan, the_last_step_is_told_though_it_came_after_the_last_report) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  WorkerProgress progress;
  progress.epoch = EpochNumber{1};
  progress.step = 40;
  rig.said(1, progress);
  rig.forget();
  rig.said(1, WorkerDone{57});
  progress.step = 57;
  EXPECT_EQ(rig.facts, (std::vector<AgentFact>{JobProgress{progress, 2}}));
}

}  // namespace
}  // namespace wm::elastic
