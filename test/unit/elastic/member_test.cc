#include "libwm/elastic/member.h"

#include <gtest/gtest.h>

namespace wm::elastic {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
const TimePoint kBegin{std::chrono::hours(1)};
const TaskNumber kTask{3};

EpochPlan plan(std::uint32_t epoch, std::uint32_t lead = 1) {
  return {EpochNumber{epoch}, LeadNumber{lead}, {kTask}, "10.0.0.1:9", false, "start", 0};
}
LeadToAgent tell(const ToWorker& words, std::uint32_t lead = 1) {
  return TellWorker{LeadNumber{lead}, kTask, words};
}

TEST(member, a_hello_is_reported_once_and_passed_to_the_lead) {
  Member member(HostId{1}, kBegin);
  auto out = member.on_worker({kTask, WorkerHello{1, kTask, 77, 4}});
  EXPECT_EQ(out.facts, (std::vector<AgentFact>{WorkerSeen{kTask}, WorkersCapped{4}}));
  EXPECT_EQ(out.lead.size(), 1u);
  EXPECT_TRUE(member.on_worker({kTask, WorkerHello{1, kTask, 77, 4}}).facts.empty());
}

TEST(member, words_of_an_older_lead_go_nowhere) {
  Member member(HostId{1}, kBegin);
  EXPECT_EQ(member.on_lead(tell(plan(2, 2), 2), kBegin).workers.size(), 1u);
  EXPECT_TRUE(member.on_lead(tell(plan(3, 1), 1), kBegin).workers.empty());
}

TEST(member, a_worker_that_says_hello_again_hears_its_last_words_again) {
  Member member(HostId{1}, kBegin);
  member.on_worker({kTask, WorkerHello{1, kTask, 77, 0}});
  member.on_lead(tell(plan(1)), kBegin);
  auto out = member.on_worker({kTask, WorkerHello{1, kTask, 77, 0}});
  EXPECT_EQ(out.workers, (std::vector<ToLocal>{{kTask, plan(1)}}));
}

TEST(member, its_status_holds_what_a_new_lead_needs) {
  Member member(HostId{1}, kBegin);
  member.on_worker({kTask, WorkerHello{1, kTask, 77, 0}});
  member.on_worker({kTask, WorkerReady{"10.0.0.1:9"}});
  member.on_lead(tell(plan(1)), kBegin);
  member.on_worker({kTask, WorkerSwitched{EpochNumber{1}, 5, {}, false}});
  member.on_lead(tell(EpochWithdrawn{EpochNumber{2}, "late"}), kBegin);
  member.on_lead(tell(EpochBroken{EpochNumber{1}, "lost"}), kBegin);
  AgentStatus status = member.status();
  ASSERT_EQ(status.workers.size(), 1u);
  EXPECT_EQ(status.workers[0].epoch, EpochNumber{1});
  EXPECT_EQ(status.workers[0].step, 5u);
  EXPECT_EQ(status.plans, (std::vector<EpochPlan>{plan(1)}));
  EXPECT_EQ(status.withdrawn, EpochNumber{2});
  EXPECT_EQ(status.broken, EpochNumber{1});
}

TEST(member, workers_stand_when_neither_lead_nor_master_is_heard) {  // PROTOCOL L-4
  Member member(HostId{1}, kBegin);
  member.on_worker({kTask, WorkerHello{1, kTask, 77, 0}});
  EXPECT_TRUE(member.on_tick(kBegin + seconds(1)).workers.empty());
  auto out = member.on_tick(kBegin + milliseconds(1100));
  EXPECT_EQ(out.workers, (std::vector<ToLocal>{{kTask, WorkerStand{true}}}));
  EXPECT_TRUE(member.on_tick(kBegin + seconds(2)).workers.empty()) << "said once";

  member.hear_master(kBegin + seconds(3));
  out = member.on_tick(kBegin + seconds(3));
  EXPECT_EQ(out.workers, (std::vector<ToLocal>{{kTask, WorkerStand{false}}}));
}

TEST(member, a_task_ends_once_and_says_nothing_afterwards) {
  Member member(HostId{1}, kBegin);
  EXPECT_EQ(member.on_gone({kTask, "signal 9"}).lead.size(), 1u);
  EXPECT_TRUE(member.on_gone({kTask, "its process ended"}).lead.empty());
  EXPECT_TRUE(member.on_worker({kTask, WorkerReady{"late"}}).lead.empty());
}

}  // namespace
}  // namespace wm::elastic
