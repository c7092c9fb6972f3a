// Several trainings of one program (PROTOCOL W-14): who is in which, and what of the ones before
// counts.
#include <gtest/gtest.h>

#include "libwm/elastic/member.h"
#include "libwm/elastic/status.h"
#include "test/unit/elastic/lead_rig.h"

namespace wm::elastic {
namespace {

using std::chrono::seconds;
using Numbers = LeadRig::Numbers;

/// A worker's first words in a training with `before` before it.
WorkerHello hello(std::uint32_t task, std::uint32_t before) {
  return {1, TaskNumber{task}, 77, 0, before};
}

void done(LeadRig& rig, Numbers tasks, std::uint32_t before = 0) {
  for (auto t : tasks) rig.said(t, WorkerDone{100, before});
}

void come(LeadRig& rig, Numbers tasks, std::uint32_t before) {
  for (auto t : tasks) rig.said(t, hello(t, before));
  rig.ready(tasks);
}

TEST(lead_again, workers_that_come_once_more_begin_an_epoch_of_their_own) {
  LeadRig rig({1, 2, 3});
  rig.train({1, 2, 3});
  done(rig, {1, 2, 3});
  EXPECT_TRUE(rig.tell.empty());

  come(rig, {1, 2}, 1);
  EXPECT_TRUE(rig.tell.empty()) << "the third may come yet";
  come(rig, {3}, 1);

  EXPECT_EQ(rig.members(), (Numbers{1, 2, 3}));
  EXPECT_EQ(rig.plan().epoch, EpochNumber{2});
  EXPECT_EQ(rig.plan().survivors, 0u);
  EXPECT_EQ(rig.plan().cause, EpochCause::Start);
  rig.connected({1, 2, 3}, 2);
  rig.switched({1, 2, 3}, 2);
  ASSERT_FALSE(rig.reports<EpochFormed>().empty());
  EXPECT_EQ(rig.reports<EpochFormed>().back().step, 0u) << "not the steps of the one before";
}

TEST(lead_again, who_does_not_come_in_time_is_let_in_later) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  done(rig, {1, 2});
  come(rig, {1}, 1);
  rig.pass(seconds(3));
  EXPECT_EQ(rig.members(), (Numbers{1}));
  rig.connected({1}, 2);
  rig.switched({1}, 2);
  rig.forget();

  come(rig, {2}, 1);
  EXPECT_EQ(rig.members(), (Numbers{1, 2}));
  EXPECT_EQ(rig.plan().survivors, 1u);
}

TEST(lead_again, one_that_ended_in_between_is_missed_by_nobody) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  done(rig, {1, 2});
  rig.gone(2, "exit 0");
  come(rig, {1}, 1);
  EXPECT_EQ(rig.members(), (Numbers{1}));
  EXPECT_TRUE(rig.told<EpochBroken>().empty());
}

TEST(lead_again, a_newcomer_to_a_training_that_is_over_is_sent_on_and_joins) {
  LeadRig rig({1});
  rig.train({1});
  done(rig, {1});
  come(rig, {1}, 1);
  rig.connected({1}, 2);
  rig.switched({1}, 2);
  rig.want({1, 2});
  rig.agents_up({2});
  rig.forget();

  rig.said(2, hello(2, 0));
  EXPECT_TRUE(rig.tell.empty()) << "it has still to build";
  rig.ready({2});
  ASSERT_EQ(rig.told<WorkerLeave>(), (Numbers{2}));
  EXPECT_EQ(std::get<WorkerLeave>(rig.tell.back().words.words).trainings, 1u);
  EXPECT_TRUE(rig.told<EpochPlan>().empty());
  rig.forget();

  come(rig, {2}, 1);
  EXPECT_EQ(rig.members(), (Numbers{1, 2}));
}

TEST(lead_again, a_resize_in_the_later_training_goes_on_from_its_members) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  done(rig, {1, 2});
  come(rig, {1, 2}, 1);
  rig.connected({1, 2}, 2);
  rig.switched({1, 2}, 2);
  rig.forget();
  rig.want({1, 2}, {2});
  EXPECT_EQ(rig.members(), (Numbers{1}));
  EXPECT_EQ(rig.plan().survivors, 1u);
}

TEST(lead_again, newcomers_leave_when_the_later_training_is_complete) {
  LeadRig rig({1});
  rig.train({1});
  done(rig, {1});
  come(rig, {1}, 1);
  rig.connected({1}, 2);
  rig.switched({1}, 2);
  rig.want({1, 2});
  rig.agents_up({2});
  done(rig, {1}, 1);
  rig.forget();
  come(rig, {2}, 1);
  EXPECT_EQ(rig.told<WorkerLeave>(), (Numbers{2}));
  EXPECT_EQ(std::get<WorkerLeave>(rig.tell.back().words.words).trainings, 0u) << "to end";
}

TEST(lead_again, a_new_lead_finds_the_later_training_as_it_is) {
  EpochPlan plan{EpochNumber{5}, LeadNumber{1}, {TaskNumber{1}}, "10.0.0.1:9", false, "start", 0};
  WorkerStatus trains{TaskNumber{1}, "10.0.0.1:9", EpochNumber{5}, EpochNumber{5}, {}, 50};
  trains.trainings = 1;
  WorkerStatus behind{TaskNumber{2}, "10.0.0.2:9", EpochNumber{4}, EpochNumber{4}, {}, 900};
  behind.done = true;
  LeadRig rig({1, 2}, 2, EpochNumber{5});
  rig.status({HostId{1}, LeadNumber{2}, {trains}, {}, {plan}, {}, {}});
  rig.status({HostId{2}, LeadNumber{2}, {behind}, {}, {}, {}, {}});
  rig.pass(seconds(1));
  EXPECT_EQ(rig.machine->current().epoch, EpochNumber{5});
  EXPECT_TRUE(rig.tell.empty());
}

TEST(lead_again, a_new_lead_takes_no_plan_of_the_training_before_up) {
  EpochPlan plan{
      EpochNumber{5}, LeadNumber{1}, {TaskNumber{1}, TaskNumber{2}}, "x", false, "start", 0};
  WorkerStatus again{TaskNumber{1}, "10.0.0.1:9"};
  again.trainings = 1;
  WorkerStatus before{TaskNumber{2}, "10.0.0.2:9", EpochNumber{5}, EpochNumber{5}, {}, 900};
  before.done = true;
  LeadRig rig({1, 2}, 2, EpochNumber{5});
  rig.status({HostId{1}, LeadNumber{2}, {again}, {}, {plan}, {}, {}});
  rig.status({HostId{2}, LeadNumber{2}, {before}, {}, {plan}, {}, {}});
  EXPECT_TRUE(rig.told<EpochPlan>().empty());
  come(rig, {2}, 1);
  EXPECT_EQ(rig.members(), (Numbers{1, 2}));
  EXPECT_GT(rig.plan().epoch, EpochNumber{5});
}

TEST(status, words_of_a_training_before_count_no_more) {
  WorkerStatus status;
  merge(status, WorkerReady{"old"});
  merge(status, WorkerSwitched{EpochNumber{3}, 100, {}, false});
  merge(status, hello(2, 1));
  EXPECT_EQ(status.trainings, 1u);
  EXPECT_EQ(status.rendezvous, "");
  EXPECT_EQ(status.epoch, EpochNumber{});
  merge(status, WorkerDone{100, 0});
  EXPECT_FALSE(status.done) << "it came late";
  merge(status, hello(2, 1));
  merge(status, WorkerDone{7, 1});
  EXPECT_TRUE(status.done);
  EXPECT_EQ(status.step, 7u);
}

TEST(status, of_two_the_one_of_the_later_training_counts) {
  WorkerStatus early, late;
  early.done = true;
  early.epoch = EpochNumber{3};
  late.trainings = 1;
  late.rendezvous = "new";
  auto both = early;
  merge(both, late);
  EXPECT_EQ(both, late);
  merge(both, early);
  EXPECT_EQ(both, late);
}

TEST(member, a_worker_in_its_next_training_hears_nothing_of_the_one_before) {
  Member member(HostId{1}, TimePoint{std::chrono::hours(1)});
  EpochPlan plan{EpochNumber{1}, LeadNumber{1}, {TaskNumber{3}}, "10.0.0.1:9", false, "start", 0};
  member.on_worker({TaskNumber{3}, hello(3, 0)});
  member.on_lead(TellWorker{LeadNumber{1}, TaskNumber{3}, plan}, TimePoint{std::chrono::hours(1)});
  EXPECT_TRUE(member.on_worker({TaskNumber{3}, hello(3, 1)}).workers.empty());
  EXPECT_EQ(member.status().workers[0].trainings, 1u);
}

}  // namespace
}  // namespace wm::elastic
