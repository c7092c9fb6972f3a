// A rigid job's room on hosts where only blaunch starts something: free when it is proven gone.
#include "libwm/fsm/part.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/builders.h"

namespace wm {
namespace {

using test::ClusterBuilder;
using test::kExit3;
using test::kSigkill;
using test::SpecBuilder;

/// A batch job of four slots on two hosts, running; `doors`: its agents are up.
struct TwoHosts {
  explicit TwoHosts(bool doors = true) {
    h1 = c.host(2);
    h2 = c.host(2);
    id = c.submit(SpecBuilder().tasks(4, 4));
    c.dispatch(id, {h1, h1, h2, h2});
    c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 11});
    for (auto host : {h1, h2})
      if (doors) c.step(AgentSeen{id, Attempt{1}, host, "a:1", {"a:1", "a:2"}});
  }
  Actions end(std::uint32_t task, std::int32_t status = 0, Term term = Term::None) {
    return c.step(TaskEnded{id, Attempt{1}, TaskNumber{task}, status, term, {}, ""});
  }
  ClusterBuilder c;
  HostId h1, h2;
  JobId id;
};

TEST(part, a_job_is_over_when_its_parts_elsewhere_are_gone) {
  TwoHosts t;
  auto actions = t.end(1);
  EXPECT_EQ(t.c.job(t.id).state, JobState::Running);
  EXPECT_TRUE(t.c.job(t.id).ending) << "the other host is told to end its part";
  EXPECT_NE(std::find(actions.begin(), actions.end(), Action(OrderHost{t.h2, t.id})),
            actions.end());
  t.end(3);
  EXPECT_EQ(t.c.job(t.id).state, JobState::Running);
  t.end(4);
  EXPECT_EQ(t.c.job(t.id).state, JobState::Finished);
  EXPECT_EQ(t.c.host_of(t.h1).used_slots, 0u);
  EXPECT_EQ(t.c.host_of(t.h2).used_slots, 0u);
}

TEST(part, how_a_part_was_ended_is_not_how_the_job_ended) {
  TwoHosts t;
  t.end(1);
  t.end(3, kSigkill, Term::ShepherdLost);
  t.end(4, kSigkill, Term::ShepherdLost);
  EXPECT_EQ(t.c.job(t.id).state, JobState::Finished);

  TwoHosts failed;
  failed.end(1, kExit3);
  failed.end(3);
  failed.end(4);
  EXPECT_EQ(failed.c.job(failed.id).state, JobState::Failed);
  EXPECT_EQ(failed.c.job(failed.id).outcome.status, kExit3);
}

TEST(part, a_part_that_is_lost_ends_the_job) {
  TwoHosts t;
  t.end(3, kSigkill, Term::HostLost);
  EXPECT_TRUE(t.c.job(t.id).ending);
  t.end(4, kSigkill, Term::HostLost);
  t.end(1, kSigkill, Term::None);
  EXPECT_EQ(t.c.job(t.id).state, JobState::Failed);
  EXPECT_EQ(t.c.job(t.id).outcome.term, Term::HostLost);
}

TEST(part, room_where_nobody_could_start_anything_is_free_with_the_command) {
  TwoHosts t(false);
  t.end(1);
  EXPECT_EQ(t.c.job(t.id).state, JobState::Finished);
  EXPECT_EQ(t.c.host_of(t.h2).used_slots, 0u);
}

TEST(part, agents_of_a_rigid_job_are_told_of_each_other) {
  TwoHosts t(false);
  auto actions = t.c.step(AgentSeen{t.id, Attempt{1}, t.h2, "a:1", {"a:1", "a:2"}});
  EXPECT_NE(std::find(actions.begin(), actions.end(), Action(OrderAgents{t.id})), actions.end());
  EXPECT_FALSE(t.c.check(AgentSeen{t.id, Attempt{1}, t.h2, "a:1", {"a:1", "a:2"}})) << "known";
  EXPECT_TRUE(t.c.check(AgentSeen{t.id, Attempt{1}, t.h2, "a:1", {"a:1", "a:3"}}));
}

}  // namespace
}  // namespace wm
