#include <gtest/gtest.h>

#include "test/unit/elastic/lead_rig.h"

namespace wm::elastic {
namespace {

using std::chrono::seconds;
using Numbers = LeadRig::Numbers;

WorkerStatus trainee(std::uint32_t task, std::uint32_t epoch, std::uint32_t faulted = 0) {
  return {TaskNumber{task},
          "10.0.0." + std::to_string(task) + ":9",
          EpochNumber{epoch},
          EpochNumber{epoch},
          EpochNumber{faulted},
          50,
          false,
          false};
}

EpochPlan plan_of(std::uint32_t epoch, Numbers tasks, std::uint32_t survivors) {
  EpochPlan plan{EpochNumber{epoch}, LeadNumber{1}, {}, "10.0.0.1:9", false, "grow", survivors};
  for (auto t : tasks) plan.members.push_back(TaskNumber{t});
  return plan;
}

AgentStatus status_of(const WorkerStatus& worker, std::vector<EpochPlan> plans) {
  return {HostId{worker.task.value}, LeadNumber{2}, {worker}, {}, std::move(plans), {}, {}};
}

TEST(lead_resume, an_intact_epoch_is_not_disturbed) {
  LeadRig rig({1, 2}, 2, EpochNumber{5});
  rig.status(status_of(trainee(1, 5), {plan_of(5, {1, 2}, 2)}));
  rig.status(status_of(trainee(2, 5), {plan_of(5, {1, 2}, 2)}));
  rig.pass(seconds(10));
  EXPECT_TRUE(rig.tell.empty());
  EXPECT_EQ(rig.machine->current().epoch, EpochNumber{5});
}

TEST(lead_resume, a_member_that_the_master_lists_no_more_is_not_waited_for) {
  LeadRig rig({1, 2, 4}, 2, EpochNumber{5});
  rig.status(status_of(trainee(1, 5), {plan_of(5, {1, 2, 3}, 3)}));
  rig.status(status_of(trainee(2, 5), {plan_of(5, {1, 2, 3}, 3)}));
  rig.agents_up({4});
  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{1, 2}));
  rig.faulted({1, 2}, 2 * kLeadBlock);
  EXPECT_EQ(rig.members(), (Numbers{1, 2}));
}

TEST(lead_resume, new_numbers_start_above_what_the_old_lead_may_have_used) {
  LeadRig rig({1, 2, 3}, 2);
  rig.status(status_of(trainee(1, 5), {plan_of(5, {1, 2}, 2)}));
  rig.status(status_of(trainee(2, 5), {plan_of(5, {1, 2}, 2)}));
  rig.agents_up({3});
  rig.ready({3});
  EXPECT_EQ(rig.members(), (Numbers{1, 2, 3}));
  EXPECT_EQ(rig.plan().epoch, EpochNumber{2 * kLeadBlock + 1});
}

TEST(lead_resume, the_loss_of_the_old_leads_host_ends_in_an_emergency_epoch) {
  LeadRig rig({2, 3}, 2, EpochNumber{5});
  rig.order.lead_host = HostId{2};
  rig.order.tasks.push_back({TaskNumber{1}, HostId{1}, false});
  rig.machine.emplace(rig.order, rig.now);
  rig.status(status_of(trainee(2, 5), {plan_of(5, {1, 2, 3}, 3)}));
  rig.status(status_of(trainee(3, 5), {plan_of(5, {1, 2, 3}, 3)}));
  rig.pass(seconds(2), {1});
  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{2, 3}));
  rig.faulted({2, 3}, 2 * kLeadBlock);
  EXPECT_EQ(rig.members(), (Numbers{2, 3}));
}

TEST(lead_resume, a_plan_in_flight_is_taken_over) {
  LeadRig rig({1, 2}, 2);
  auto old = plan_of(5, {1}, 1);
  auto next = plan_of(6, {1, 2}, 1);
  rig.status(status_of(trainee(1, 5), {old, next}));
  rig.status(status_of(trainee(2, 0), {next}));
  rig.connected({1, 2}, 6);
  rig.switched({1, 2}, 6, 50);
  EXPECT_TRUE(rig.told<EpochBroken>().empty());
  EXPECT_EQ(rig.machine->current().epoch, EpochNumber{6});
}

TEST(lead_resume, a_withdrawn_plan_is_not_taken_over) {
  LeadRig rig({1, 2}, 2);
  auto old = plan_of(5, {1}, 1);
  auto next = plan_of(6, {1, 2}, 1);
  auto status = status_of(trainee(1, 5), {old, next});
  status.withdrawn = EpochNumber{6};
  rig.status(status);
  rig.status(status_of(trainee(2, 0), {next}));
  EXPECT_EQ(rig.plan().epoch, EpochNumber{2 * kLeadBlock + 1});
}

TEST(lead_resume, a_half_switched_epoch_is_followed_to_its_end) {
  LeadRig rig({1, 2}, 2, EpochNumber{5});
  auto old = plan_of(5, {1, 2, 3}, 3);
  auto next = plan_of(6, {1, 2}, 2);
  rig.status(status_of(trainee(1, 6), {old, next}));
  rig.status(status_of(trainee(2, 5), {old, next}));
  EXPECT_TRUE(rig.told<EpochBroken>().empty());
  rig.switched({2}, 6, 50);
  EXPECT_EQ(rig.machine->current().epoch, EpochNumber{6});
  EXPECT_EQ(rig.reports<EpochFormed>().size(), 1u);
  rig.switched({1}, 6, 50);
  EXPECT_EQ(rig.reports<EpochFormed>().size(), 2u) << "once more, with the pauses";
}

TEST(lead_resume, a_broken_epoch_is_recovered) {
  LeadRig rig({1, 2}, 2);
  auto old = plan_of(5, {1, 2}, 2);
  auto one = status_of(trainee(1, 5, 5), {old});
  one.broken = EpochNumber{5};
  rig.status(one);
  rig.status(status_of(trainee(2, 5), {old}));
  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{1, 2}));
  rig.faulted({1, 2}, 2 * kLeadBlock, 50);
  EXPECT_EQ(rig.members(), (Numbers{1, 2}));
  EXPECT_TRUE(rig.plan().emergency);
}

TEST(lead_resume, stale_statuses_are_not_gone_on_from_while_others_are_only_silent) {
  LeadRig rig({1, 2}, 2, EpochNumber{7});
  rig.status(status_of(trainee(1, 5), {plan_of(5, {1, 2}, 2)}));
  rig.pass(seconds(20), {2});
  EXPECT_TRUE(rig.tell.empty()) << "epoch 7 may still train on host 2";

  rig.want({1});
  rig.faulted({1}, 5);
  EXPECT_EQ(rig.members(), (Numbers{1}));
  EXPECT_EQ(rig.plan().survivors, 0u) << "its state is stale";
}

TEST(lead_resume, an_epoch_whose_plan_is_forgotten_is_recovered_by_those_who_train_in_it) {
  LeadRig rig({1, 2}, 2, EpochNumber{5});
  rig.status(status_of(trainee(1, 5), {plan_of(3, {1, 2}, 2)}));
  rig.status(status_of(trainee(2, 3), {plan_of(3, {1, 2}, 2)}));
  rig.faulted({1}, 2 * kLeadBlock, 50);
  EXPECT_EQ(rig.members(), (Numbers{1}));
  EXPECT_TRUE(rig.plan().emergency);
}

TEST(lead_resume, a_plan_above_a_forgotten_broken_epoch_is_not_waited_for) {
  LeadRig rig({1, 2}, 2, EpochNumber{4});
  rig.status(status_of(trainee(1, 4, 4), {plan_of(6, {1}, 1)}));
  rig.agents_up({2});
  EXPECT_EQ(rig.told<EpochBroken>(), (Numbers{1}));
  rig.faulted({1}, 2 * kLeadBlock, 50);
  EXPECT_EQ(rig.members(), (Numbers{1}));
  EXPECT_EQ(rig.plan().survivors, 1u) << "its state is not lost";
}

TEST(lead_resume, a_lead_that_meets_a_higher_number_falls_silent) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  rig.status({HostId{2}, LeadNumber{2}, {}, {}, {}, {}, {}});
  rig.gone(2, "signal 9");
  EXPECT_TRUE(rig.tell.empty());
}

TEST(lead_resume, a_silent_agent_is_waited_for_as_long_as_it_may_be_silent_and_no_longer) {
  LeadRig rig({1, 2}, 2, EpochNumber{5});
  rig.status(status_of(trainee(1, 5), {plan_of(5, {1, 2}, 2)}));
  rig.pass(kAgentSilence, {2});
  EXPECT_EQ(rig.machine->current().epoch, EpochNumber{});
  rig.pass(std::chrono::milliseconds(200), {2});
  EXPECT_NE(rig.machine->current().epoch, EpochNumber{});
}

TEST(lead_resume, who_has_switched_is_not_told_the_plan_again_after_a_reconnect) {
  LeadRig rig({1, 2});
  rig.train({1, 2});
  rig.want({1, 2, 3});
  rig.agents_up({3});
  rig.ready({3});
  auto epoch = rig.plan().epoch.value;
  rig.connected({1, 2, 3}, epoch);
  rig.switched({1}, epoch);
  rig.forget();
  AgentStatus again = status_of(trainee(1, epoch), {});
  again.lead = LeadNumber{1};
  rig.status(again);
  EXPECT_TRUE(rig.told<EpochPlan>().empty());
}

TEST(lead_resume, after_a_reconnect_the_words_in_force_are_said_again) {
  LeadRig rig({1});
  rig.train({1});
  rig.want({1, 2});
  rig.agents_up({2});
  rig.ready({2});
  rig.forget();
  AgentStatus again = status_of(trainee(1, 1), {});
  again.lead = LeadNumber{1};
  rig.status(again);
  EXPECT_EQ(rig.told<EpochPlan>(), (Numbers{1}));
}

}  // namespace
}  // namespace wm::elastic
