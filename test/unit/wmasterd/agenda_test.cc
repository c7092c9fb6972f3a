// What comes due when, and that keeping it up by change finds what a walk finds.
#include "daemons/wmasterd/state/agenda.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::master {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;
using Ids = std::vector<JobId>;

Ids due(const ClusterBuilder& c, double when) {
  return Agenda::of(c.state, WallTime{}).due(at(when));
}

std::vector<EventBody> events_of(const Job& job, double when) {
  std::vector<EventBody> events;
  add_due(job, at(when), events);
  return events;
}

TEST(agenda, a_waiting_job_is_due_at_its_begin_and_at_its_end) {
  ClusterBuilder c;
  SpecBuilder later;
  later.spec.when.begin = at(10);
  later.spec.when.deadline = at(20);
  auto id = c.submit(later);
  EXPECT_EQ(due(c, 9), Ids{});
  EXPECT_EQ(due(c, 10), Ids{id});
  auto known = Agenda::of(c.state, at(10));
  EXPECT_EQ(known.due(at(19)), Ids{});
  EXPECT_EQ(known.due(at(20)), Ids{id});
  c.step(KillRequested{id, {Term::Owner, "u1", "", at(11)}}, 11);
  EXPECT_EQ(due(c, 100), Ids{});
}

TEST(agenda, a_leaver_that_is_late_is_condemned) {
  ClusterBuilder c;
  auto h = c.host(4);
  auto id = c.submit(SpecBuilder().tasks(1, 2).elastic());
  c.run(id, {h, h});
  c.enter_epoch(id, 1);
  c.step(TasksLeaving{id, Attempt{1}, {TaskNumber{2}}, at(5), "test"}, 4);
  EXPECT_EQ(due(c, 4.5), Ids{});
  EXPECT_TRUE(events_of(c.job(id), 4.5).empty());
  EXPECT_EQ(due(c, 5.5), Ids{id});
  auto events = events_of(c.job(id), 5.5);
  ASSERT_EQ(events.size(), 1u);
  auto condemned = std::get<TaskCondemned>(events[0]);
  EXPECT_EQ(condemned.task, TaskNumber{2});
  EXPECT_EQ(condemned.term, Term::ReclaimGrace);
  c.step(condemned, 6);
  EXPECT_EQ(due(c, 100), Ids{}) << "told once";
}

TEST(agenda, a_preempted_job_has_its_grace) {
  ClusterBuilder c;
  auto h = c.host(4);
  auto id = c.submit(SpecBuilder().rerunnable());
  c.run(id, {h});
  c.step(JobPreempted{id, Attempt{1}, {JobId{9, 0}, at(30), true, "preempted by job <9>"}});
  EXPECT_EQ(due(c, 29), Ids{});
  EXPECT_EQ(due(c, 30), Ids{id});
  ASSERT_EQ(events_of(c.job(id), 30).size(), 1u);
  EXPECT_EQ(std::get<TaskCondemned>(events_of(c.job(id), 30)[0]).term, Term::Preempt);
}

TEST(agenda, a_memory_reservation_ends) {
  ClusterBuilder c;
  auto h = c.host(4);
  SpecBuilder reserving;
  reserving.spec.mem_for = std::chrono::seconds(60);
  auto id = c.submit(reserving);
  c.run(id, {h});
  EXPECT_EQ(due(c, 59), Ids{});
  EXPECT_EQ(due(c, 60), Ids{id});
  ASSERT_EQ(events_of(c.job(id), 60).size(), 1u);
  EXPECT_TRUE(std::holds_alternative<MemoryReleased>(events_of(c.job(id), 60)[0]));
}

TEST(agenda, those_that_depend_on_others_are_known_while_they_are_unfinished) {
  ClusterBuilder c;
  auto h = c.host(4);
  auto first = c.submit({});
  SpecBuilder after;
  after.spec.when.depend = "done(" + to_string(first) + ")";
  auto second = c.submit(after);
  auto agenda = Agenda::of(c.state, WallTime{});
  EXPECT_EQ(agenda.dependents(), std::set<JobId>{second});
  EXPECT_EQ(agenda.waiting(), std::set<JobId>{second});
  c.run(second, {h});
  agenda.note(c.state, second, WallTime{});
  EXPECT_EQ(agenda.dependents(), std::set<JobId>{second});
  EXPECT_TRUE(agenda.waiting().empty());
  c.step(TaskEnded{second, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""}, 5);
  agenda.note(c.state, second, WallTime{});
  EXPECT_TRUE(agenda.dependents().empty());
}

}  // namespace
}  // namespace wm::master
