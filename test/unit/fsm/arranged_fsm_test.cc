// Reservations, job groups, messages and moves: what they change, and what is refused.
#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::fsm {
namespace {

using test::ClusterBuilder;
using test::SpecBuilder;

Reservation reservation(const std::string& name) {
  Reservation made;
  made.name = name;
  made.users = {"u1"};
  made.end = test::at(60);
  return made;
}

TEST(arranged_fsm, a_reservation_is_set_changed_and_removed_and_wakes_the_scheduler) {
  ClusterBuilder c;
  EXPECT_EQ(c.step(ReservationSet{reservation("a"), "root"}), (Actions{RunScheduler{}}));
  auto changed = reservation("a");
  changed.open = true;
  c.step(ReservationSet{changed, "root"});
  EXPECT_EQ(*find_reservation(c.state, "a"), changed);
  EXPECT_EQ(c.step(ReservationRemoved{"a", "root"}), (Actions{RunScheduler{}}));
  EXPECT_EQ(find_reservation(c.state, "a"), nullptr);
  EXPECT_EQ(c.check(ReservationRemoved{"a", "root"}).error().code, Code::NotFound);
}

TEST(arranged_fsm, a_frozen_copy_keeps_the_reservation_it_had) {
  ClusterBuilder c;
  c.step(ReservationSet{reservation("a"), "root"});
  Cluster frozen = c.state.freeze();
  c.step(ReservationRemoved{"a", "root"});
  EXPECT_NE(find_reservation(frozen, "a"), nullptr);
}

TEST(arranged_fsm, a_job_group_is_set_and_removed) {
  ClusterBuilder c;
  c.step(JobGroupSet{"/risk", {"u1", 3, {}}, "u1"});
  EXPECT_EQ(c.state.job_groups->at("/risk").limit, 3u);
  c.step(JobGroupRemoved{"/risk", "u1"});
  EXPECT_TRUE(c.state.job_groups->empty());
  EXPECT_EQ(c.check(JobGroupRemoved{"/risk", "u1"}).error().code, Code::NotFound);
}

TEST(arranged_fsm, messages_are_kept_by_index_also_of_a_job_that_is_over) {
  ClusterBuilder c;
  auto host = c.host(2);
  auto id = c.submit(SpecBuilder());
  c.step(JobNoted{id, {2, "u1", "two", {}, "", ""}});
  c.step(JobNoted{id, {0, "u1", "zero", {}, "", ""}});
  c.run(id, {host});
  c.step(JobNoted{id, {2, "u1", "again", {}, "", ""}});
  const auto& notes = c.job(id).notes;
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].text, "zero");
  EXPECT_EQ(notes[1].text, "again");
}

TEST(arranged_fsm, messages_have_bounds) {
  ClusterBuilder c;
  auto id = c.submit(SpecBuilder());
  auto code = [&](JobNote note) { return c.check(JobNoted{id, std::move(note)}).error().code; };
  EXPECT_EQ(code({kMostNotes, "u1", "x", {}, "", ""}), Code::Limit);
  EXPECT_EQ(code({0, "u1", std::string(kMostNoteText + 1, 'x'), {}, "", ""}), Code::Limit);
  c.step(JobNoted{id, {0, "u1", "x", {}, "f", std::string(kMostNoteData, 'x')}});
  EXPECT_EQ(code({1, "u1", "x", {}, "f", "x"}), Code::Limit);
  EXPECT_TRUE(c.check(JobNoted{id, {0, "u1", "x", {}, "f", "instead"}}));
}

TEST(arranged_fsm, a_job_that_moves_starts_on_its_new_hosts_once) {
  ClusterBuilder c;
  auto a = c.host(2), b = c.host(2);
  auto id = c.submit(SpecBuilder().rerunnable());
  c.run(id, {a});
  c.step(JobRelocated{id, {b}, "u1"});
  EXPECT_EQ(c.job(id).waits.only_hosts, std::vector{b});
  auto waits = c.submit(SpecBuilder());
  c.step(JobRelocated{waits, {b}, "u1"});
  c.dispatch(waits, {b});
  EXPECT_TRUE(c.job(waits).waits.only_hosts.empty());
}

}  // namespace
}  // namespace wm::fsm
