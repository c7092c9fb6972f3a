// Role: a store that goes on where a newer one is lost: numbers that the lost one gave are not
// given again.
#include <gtest/gtest.h>

#include "libwm/codec/codec.h"
#include "test/support/builders.h"

namespace wm {
namespace {

using test::ClusterBuilder;

JobDispatched dispatched(JobId id, std::uint32_t attempt, HostId host) {
  Task task;
  task.number = TaskNumber{1};
  task.host = host;
  return {id, Attempt{attempt}, {task}, "key"};
}

TEST(master_fsm, a_take_over_raises_term_and_job_numbers) {
  ClusterBuilder c;
  c.step(TakenOver{3, 500, "root", "restored"});
  EXPECT_EQ(c.state.term, 3u);
  EXPECT_EQ(c.state.last_job, 500u);
  c.step(TakenOver{4, 12, "root", ""});
  EXPECT_EQ(c.state.last_job, 500u) << "never back";
}

TEST(master_fsm, a_term_that_is_not_higher_is_stale) {
  ClusterBuilder c;
  c.step(TakenOver{3, 0, "root", ""});
  EXPECT_EQ(c.check(TakenOver{3, 0, "root", ""}).error().code, Code::Stale);
}

TEST(master_fsm, jobs_go_on_with_attempts_that_no_host_knows) {
  ClusterBuilder c;
  auto h = c.host(2);
  auto id = c.submit({});
  c.step(TakenOver{1, 0, "root", ""});
  EXPECT_EQ(c.check(dispatched(id, 1, h)).error().code, Code::Stale);
  c.step(dispatched(id, 1001, h));
  EXPECT_EQ(c.job(id).attempt, Attempt{1001});
}

TEST(master_fsm, a_snapshot_keeps_the_term) {
  ClusterBuilder c;
  c.step(TakenOver{2, 9, "root", ""});
  auto again = codec::decode<Cluster>(codec::encode(c.state));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->term, 2u);
  EXPECT_EQ(again->last_job, 9u);
  EXPECT_EQ(c.state.freeze().term, 2u);
}

}  // namespace
}  // namespace wm
