#include "libwm/launch/meeting_watch.h"

#include <gtest/gtest.h>

namespace wm::launch {
namespace {

using std::chrono::seconds;

constexpr Duration kLimit = seconds(30);

class meeting_watch : public ::testing::Test {
 protected:
  meeting_watch() {
    order_.app.type = AppType::Training;
    order_.launch = Launch::PerSlot;
    order_.team.port = 20000;
    order_.resolved.program.command = "python3 train.py";
    order_.hosts = job_hosts_of(
        {{{1}, "node1", "10.0.0.1"}, {{2}, "node1", "10.0.0.1"}, {{3}, "node2", "10.0.0.2"}},
        "node1");
  }
  /// So many seconds after the first look.
  std::optional<Rendezvous> at(int after, const PortUse& use) {
    return watch_.look(order_, use, TimePoint(seconds(1000 + after)), kLimit);
  }
  static PortUse use(std::vector<Callers> callers) { return {true, std::move(callers)}; }

  HostOrder order_;
  MeetingWatch watch_;
};

const Rendezvous kOver{};

TEST_F(meeting_watch, nothing_is_told_while_nobody_listens_or_time_is_left) {
  EXPECT_FALSE(at(0, {}));
  EXPECT_FALSE(at(100, {}));
  EXPECT_FALSE(at(101, use({})));
  EXPECT_FALSE(at(130, use({})));
}

TEST_F(meeting_watch, who_has_come_in_time_is_told_and_again_when_more_have) {
  EXPECT_FALSE(at(0, use({{"10.0.0.1", 2}})));
  EXPECT_EQ(at(30, use({{"10.0.0.1", 2}})), (Rendezvous{20000, seconds(30), {{"10.0.0.1", 2}}}));
  EXPECT_FALSE(at(70, use({{"10.0.0.1", 2}}))) << "said";
  EXPECT_EQ(at(71, use({{"10.0.0.1", 1}})), (Rendezvous{20000, seconds(71), {{"10.0.0.1", 1}}}));
  EXPECT_FALSE(at(72, use({{"10.0.0.1", 2}}))) << "said a moment ago";
  EXPECT_TRUE(at(101, use({{"10.0.0.1", 2}})));
}

TEST_F(meeting_watch, when_all_have_come_it_is_over_for_good) {
  at(0, use({}));
  EXPECT_TRUE(at(30, use({})));
  EXPECT_FALSE(watch_.is_settled(20000));
  EXPECT_EQ(at(31, use({{"10.0.0.1", 2}, {"10.0.0.2", 1}})), kOver);
  EXPECT_TRUE(watch_.is_settled(20000));
  EXPECT_FALSE(at(100, use({})));
  EXPECT_FALSE(at(200, use({}))) << "they leave one by one";
}

TEST_F(meeting_watch, what_may_have_come_from_one_address_is_for_the_master_to_count) {
  at(0, use({{"127.0.0.1", 3}}));
  EXPECT_EQ(at(30, use({{"127.0.0.1", 3}})), (Rendezvous{20000, seconds(30), {{"127.0.0.1", 3}}}));
}

TEST_F(meeting_watch, it_is_over_when_nobody_listens_any_more_and_begins_anew_at_another_port) {
  at(0, use({}));
  EXPECT_TRUE(at(30, use({})));
  EXPECT_EQ(at(31, {}), kOver);
  EXPECT_FALSE(at(32, {}));
  EXPECT_FALSE(at(33, use({})));
  EXPECT_TRUE(at(63, use({})));
  order_.control.relaunches = 1;
  EXPECT_EQ(at(64, use({})), kOver);
  EXPECT_FALSE(at(65, use({})));
  EXPECT_EQ(at(95, use({})), (Rendezvous{20001, seconds(30), {}}));
}

TEST_F(meeting_watch, another_master_is_told_again) {
  at(0, use({}));
  EXPECT_TRUE(at(30, use({})));
  EXPECT_FALSE(at(31, use({})));
  watch_.forget_told();
  EXPECT_TRUE(at(32, use({})));
}

TEST_F(meeting_watch, a_task_alone_waits_for_nobody) {
  order_.hosts = job_hosts_of({{{1}, "node1", "10.0.0.1"}}, "node1");
  at(0, use({}));
  EXPECT_FALSE(at(100, use({})));
}

TEST_F(meeting_watch, of_a_launcher_one_a_host_is_awaited_and_those_that_its_options_count) {
  order_.launch = Launch::PerHost;
  order_.resolved.program.command = "torchrun train.py";
  at(0, use({}));
  EXPECT_FALSE(at(30, use({{"10.0.0.1", 2}, {"10.0.0.2", 1}})));
  order_.resolved.program.command = "torchrun --nnodes 3 --master-port 4000 train.py";
  at(31, use({{"10.0.0.1", 2}, {"10.0.0.2", 1}}));
  EXPECT_EQ(at(61, use({{"10.0.0.1", 2}, {"10.0.0.2", 1}}))->port, 4000u);
}

TEST_F(meeting_watch, a_launcher_that_does_not_begin_to_listen_is_told_of_within_a_minute) {
  order_.launch = Launch::PerHost;
  order_.resolved.program.command = "torchrun train.py";
  EXPECT_FALSE(at(0, {}));
  EXPECT_FALSE(at(59, {}));
  EXPECT_EQ(at(60, {}), (Rendezvous{20000, seconds(60), {}}));
  EXPECT_FALSE(at(100, {})) << "said";
  EXPECT_EQ(at(101, use({{"10.0.0.1", 1}})), kOver) << "it has begun, and the limit anew";
  EXPECT_FALSE(at(130, use({{"10.0.0.1", 1}})));
  EXPECT_EQ(at(131, use({{"10.0.0.1", 1}})), (Rendezvous{20000, seconds(30), {{"10.0.0.1", 1}}}));
  EXPECT_EQ(at(132, use({{"10.0.0.1", 1}, {"10.0.0.2", 1}})), kOver);
  EXPECT_FALSE(at(300, {})) << "they have met";
}

TEST_F(meeting_watch, one_that_has_listened_or_meets_elsewhere_is_not_waited_for) {
  order_.launch = Launch::PerHost;
  order_.resolved.program.command = "torchrun train.py";
  at(0, use({}));
  at(1, {});
  EXPECT_FALSE(at(200, {})) << "it listened, and has stopped";
  for (const char* elsewhere :
       {"torchrun --standalone train.py", "torchrun --rdzv-endpoint=db:2379 train.py",
        "torchrun --rdzv_backend etcd train.py", "torchrun --master_addr 10.0.0.9 train.py",
        "accelerate launch --main_process_ip 10.0.0.9 train.py", "deepspeed train.py"}) {
    watch_ = {};
    order_.resolved.program.command = elsewhere;
    at(0, {});
    EXPECT_FALSE(at(200, {})) << elsewhere;
  }
  for (const char* here :
       {"torchrun --rdzv-endpoint=$MASTER_ADDR:$MASTER_PORT --rdzv-backend=c10d x",
        "accelerate launch train.py"}) {
    watch_ = {};
    order_.resolved.program.command = here;
    at(0, {});
    EXPECT_TRUE(at(60, {})) << here;
  }
  watch_ = {};
  order_.launch = Launch::PerSlot;
  at(0, {});
  EXPECT_FALSE(at(200, {})) << "tasks may have nobody to meet";
}

TEST_F(meeting_watch, where_nothing_meets_there_is_no_port) {
  EXPECT_EQ(meeting_port(order_), 20000u);
  auto other = order_;
  other.team.in_place = true;
  EXPECT_EQ(meeting_port(other), 0u);
  other = order_;
  other.control.suspend = true;
  EXPECT_EQ(meeting_port(other), 0u);
  other = order_;
  other.app.type = AppType::Batch;
  EXPECT_EQ(meeting_port(other), 0u);
  other = order_;
  other.team.port = 0;
  EXPECT_EQ(meeting_port(other), 0u);
}

}  // namespace
}  // namespace wm::launch
