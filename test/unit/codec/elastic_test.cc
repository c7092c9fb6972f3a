#include "libwm/model/elastic.h"

#include <gtest/gtest.h>

#include "libwm/codec/codec.h"
#include "libwm/model/node/worker_key.h"

namespace wm {
namespace {

template <class T>
void expect_round_trip(const T& value) {
  auto back = codec::decode<T>(codec::encode(value));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, value);
}

TEST(codec, words_of_a_worker_survive_the_trip) {
  expect_round_trip(FromWorker{WorkerHello{1, TaskNumber{3}, 4711, 4, 2}});
  expect_round_trip(FromWorker{
      WorkerProgress{EpochNumber{2}, 10, 640, 1, 0.25, -1, Duration(20000), 3200.5, -1, true}});
  expect_round_trip(FromWorker{WorkerDone{}});
  expect_round_trip(FromWorker{WorkerDone{40, 2}});
  expect_round_trip(ToWorker{WorkerLeave{"it goes on", 2}});
}

TEST(codec, a_plan_keeps_the_order_of_its_members) {
  expect_round_trip(ToWorker{EpochPlan{EpochNumber{7},
                                       LeadNumber{2},
                                       {TaskNumber{3}, TaskNumber{1}},
                                       "127.0.0.1:9",
                                       true,
                                       "grow",
                                       1,
                                       EpochCause::Resize}});
}

TEST(codec, what_older_programs_said_in_words_is_a_cause_once_it_is_read) {
  auto cause = [](const std::string& reason) {
    EpochFormed formed;
    formed.epoch = EpochNumber{4};
    formed.reason = reason;  // no cause is written: as an older program does
    auto bytes = codec::encode(AgentReport{{5, 0}, Attempt{1}, HostId{2}, formed});
    return std::get<EpochFormed>(codec::decode<AgentReport>(bytes)->fact).cause;
  };
  EXPECT_EQ(cause("start"), EpochCause::Start);
  EXPECT_EQ(cause("grow"), EpochCause::Resize);
  EXPECT_EQ(cause("grow and shrink"), EpochCause::Resize);
  EXPECT_EQ(cause("shrink"), EpochCause::Resize);
  EXPECT_EQ(cause("lost task 3: signal 9"), EpochCause::Loss);
}

TEST(codec, an_order_keeps_leaving_tasks) {
  AgentOrder order;
  order.job = {12, 4};
  order.tasks = {{TaskNumber{1}, HostId{1}, false}, {TaskNumber{2}, HostId{2}, true}};
  order.world = 1;
  order.hang_limit = Duration(30000000);
  expect_round_trip(order);
}

TEST(codec, an_agents_status_keeps_plans_and_dead_numbers) {
  AgentStatus status{HostId{2},      LeadNumber{3}, {}, {TaskNumber{9}}, {},
                     EpochNumber{4}, EpochNumber{6}};
  status.workers = {
      {TaskNumber{1}, "127.0.0.1:9", EpochNumber{5}, EpochNumber{5}, {}, 40, false, true}};
  status.plans = {EpochPlan{EpochNumber{5},
                            LeadNumber{3},
                            {TaskNumber{1}},
                            "127.0.0.1:9",
                            false,
                            "start",
                            0,
                            EpochCause::Start}};
  expect_round_trip(AgentToLead{status});
}

TEST(codec, words_of_wnoded_survive_the_trip) {
  expect_round_trip(NodeToAgent{NodeHeartbeat{MasterSeen::Down}});
  expect_round_trip(NodeToAgent{TaskGone{TaskNumber{2}, "signal 9"}});
}

TEST(codec, every_truncation_is_refused_or_harmless) {
  auto bytes =
      codec::encode(AgentReport{{5, 0}, Attempt{1}, HostId{2}, TaskFaulty{TaskNumber{1}, "hangs"}});
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    auto got = codec::decode<AgentReport>(std::string_view(bytes).substr(0, n));
    if (got) continue;  // cut between two fields: the rest has its zero value
    EXPECT_EQ(got.error().code, Code::Damaged);
  }
}

TEST(codec, a_key_beside_the_words_says_nothing_to_who_does_not_know_it) {
  auto bytes = codec::encode(WorkerKey{std::string(32, 'k')});
  auto as_words = codec::decode<ToWorker>(bytes);
  ASSERT_TRUE(as_words);
  EXPECT_EQ(*as_words, ToWorker{EpochPlan{}});  // of epoch 0: dead by W-3
  EXPECT_EQ(codec::decode<WorkerKey>(bytes)->key, std::string(32, 'k'));
  auto words = codec::encode(ToWorker{WorkerLeave{"bye"}});
  EXPECT_EQ(codec::decode<WorkerKey>(words)->key, "");
}

TEST(codec, unknown_tags_are_skipped) {
  std::string bytes = codec::encode(ToWorker{WorkerLeave{"bye"}});
  auto got = codec::decode<ToWorker>(bytes + std::string("\x98\x06\x01", 3));  // tag 99, varint 1
  ASSERT_TRUE(got);
  EXPECT_EQ(std::get<WorkerLeave>(*got).reason, "bye");
}

}  // namespace
}  // namespace wm
