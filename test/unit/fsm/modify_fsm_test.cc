// Role: a job that waits asks for something else: who may, what is forgotten, and which elements
// of an array it is about.
#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;

JobModified modified(JobId id, const SpecBuilder& builder) { return {id, builder.sealed(), "u1"}; }

TEST(modify_fsm, a_waiting_job_asks_for_something_else_and_is_looked_at) {
  ClusterBuilder c;
  auto id = c.submit(SpecBuilder().tasks(4, 4));
  EXPECT_EQ(c.step(modified(id, SpecBuilder().tasks(2, 2))), (Actions{RunScheduler{}}));
  EXPECT_EQ(c.job(id).spec().min_tasks, 2u);
  EXPECT_EQ(c.job(id).revision, 1u);
  EXPECT_EQ(c.job(id).state, JobState::Pending);
  auto held = c.submit(SpecBuilder().hold());
  c.step(modified(held, SpecBuilder().tasks(2, 2)));
  EXPECT_EQ(c.job(held).state, JobState::Held);
}

TEST(modify_fsm, what_it_was_promised_it_was_for_what_it_asked_before) {
  ClusterBuilder c;
  auto id = c.submit(SpecBuilder());
  c.step(StartPromised{id, at(100), {{HostId{1}, 1}}});
  c.step(modified(id, SpecBuilder().tasks(2, 2)));
  EXPECT_EQ(c.job(id).waits.promised, WallTime{});
  EXPECT_EQ(c.job(id).waits.first_promised, WallTime{});
  EXPECT_TRUE(c.job(id).waits.places.empty());
}

TEST(modify_fsm, its_place_is_one_in_its_queue) {
  ClusterBuilder c;
  auto id = c.submit(SpecBuilder());
  c.step(JobMoved{id, -7, "boss"});
  c.step(modified(id, SpecBuilder().tasks(2, 2)));
  EXPECT_EQ(c.job(id).waits.place, -7);
  c.step(modified(id, SpecBuilder().queue("night")));
  EXPECT_EQ(c.job(id).waits.place, 0);
}

TEST(modify_fsm, one_that_runs_or_is_over_stays_as_it_is) {
  ClusterBuilder c;
  auto host = c.host(1);
  auto id = c.submit(SpecBuilder());
  c.run(id, {host});
  EXPECT_EQ(c.check(modified(id, SpecBuilder().queue("night"))).error().text,
            "Job <1>: Job has already started");
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""});
  EXPECT_EQ(c.check(modified(id, SpecBuilder())).error().text, "Job <1>: Job has already finished");
}

SpecBuilder limited(int minutes) {
  SpecBuilder builder;
  builder.spec.run_limit = std::chrono::minutes(minutes);
  return builder;
}

// Its hosts keep the limit, and the scheduler reckons with its end.
TEST(modify_fsm, the_run_limit_of_one_that_runs_is_told_to_its_hosts) {
  ClusterBuilder c;
  auto host = c.host(1);
  auto id = c.submit(limited(5));
  c.run(id, {host});
  auto before = c.job(id).generation;
  auto actions = c.step(modified(id, limited(9)));
  EXPECT_EQ(actions, (Actions{OrderHost{host, id}, RunScheduler{}}));
  EXPECT_EQ(c.job(id).spec().run_limit, std::chrono::minutes(9));
  EXPECT_EQ(c.job(id).generation, before + 1);
  EXPECT_EQ(c.job(id).state, JobState::Running);
  EXPECT_FALSE(c.check(modified(id, limited(9).tasks(2, 2))));
}

TEST(modify_fsm, owner_and_elements_stay) {
  ClusterBuilder c;
  auto id = c.submit(SpecBuilder().array(1, 3));
  EXPECT_TRUE(c.check(modified(id, SpecBuilder().array(1, 3, 2))));
  EXPECT_EQ(c.check(modified(id, SpecBuilder().array(1, 4))).error().code, Code::Conflict);
  EXPECT_EQ(c.check(modified(id, SpecBuilder().array(1, 3).user("u2", 1002))).error().code,
            Code::Conflict);
}

TEST(modify_fsm, it_is_charged_to_its_new_plan_when_it_starts_again) {
  ClusterBuilder c;
  auto host = c.host(1);
  auto id = c.submit(SpecBuilder().plan("/one").rerunnable());
  c.run(id, {host});
  auto before = c.job(id).account;
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 9, Term::HostLost, {}, ""});
  ASSERT_EQ(c.job(id).state, JobState::Pending);
  c.step(modified(id, SpecBuilder().plan("/two").rerunnable()));
  c.run(id, {host});
  EXPECT_NE(c.job(id).account, before);
  EXPECT_EQ(c.state.accounts.find(c.job(id).account)->plan, "/two");
}

TEST(modify_fsm, of_an_array_what_waits_asks_for_something_else) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().array(1, 4));
  c.run({id.job, 1}, {host});
  c.step(JobHeld{{id.job, 2}, "u1"});  // an object of its own
  c.step(modified(id, SpecBuilder().array(1, 4).queue("night")));
  c.run({id.job, 3}, {host});  // from the range
  EXPECT_EQ(c.job({id.job, 1}).spec().queue, "normal");
  EXPECT_EQ(c.job({id.job, 2}).spec().queue, "night");
  EXPECT_EQ(c.job({id.job, 3}).spec().queue, "night");
  EXPECT_EQ(c.job({id.job, 3}).revision, c.job(id).revision);
}

TEST(modify_fsm, an_element_by_itself_leaves_the_others) {
  ClusterBuilder c;
  auto id = c.submit(SpecBuilder().array(1, 3));
  c.step(modified({id.job, 2}, SpecBuilder().array(1, 3).queue("night")));
  EXPECT_EQ(c.job({id.job, 2}).spec().queue, "night");
  EXPECT_EQ(c.job(id).spec().queue, "normal");
  c.step(KillRequested{id, {}});
  EXPECT_FALSE(c.check(modified(id, SpecBuilder().array(1, 3))));
}

}  // namespace
}  // namespace wm
