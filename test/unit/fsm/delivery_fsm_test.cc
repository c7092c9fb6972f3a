// What a job leaves is written after its slots are free and before its end is told.
#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm {
namespace {

using test::ClusterBuilder;
using test::ended;
using test::kExit3;
using test::SpecBuilder;

class DeliveryFsm : public testing::Test {
 protected:
  JobId ends(std::int32_t status = 0, const SpecBuilder& spec = {}) {
    auto id = c.submit(spec);
    c.run(id, {h1});
    auto end = ended(c, id, 1, status);
    end.delivers = true;
    c.step(end, 10);
    return id;
  }
  ClusterBuilder c;
  HostId h1 = c.host(2);
};

TEST_F(DeliveryFsm, the_slot_is_free_and_the_end_is_not_told_yet) {
  auto id = ends();
  EXPECT_EQ(c.host_of(h1).used_slots, 0u);
  EXPECT_EQ(c.job(id).state, JobState::Running);
  EXPECT_EQ(*c.state.indexes.delivering, (std::set<JobId>{id}));
  c.step(JobDelivered{id, Attempt{1}, ""}, 11);
  EXPECT_EQ(c.job(id).state, JobState::Finished);
  EXPECT_EQ(c.job(id).times.ended, test::at(11));
  EXPECT_TRUE(c.state.indexes.delivering->empty());
}

TEST_F(DeliveryFsm, what_is_not_written_is_said_and_changes_no_end) {
  auto id = ends(kExit3);
  c.step(JobDelivered{id, Attempt{1}, "report late"}, 11);
  EXPECT_EQ(c.job(id).state, JobState::Failed);
  EXPECT_EQ(c.job(id).outcome.status, kExit3);
  EXPECT_EQ(c.job(id).outcome.text, "report late");
}

TEST_F(DeliveryFsm, of_a_lost_host_the_end_is_told_at_once) {
  auto silent = ends(), dead = ends();
  c.step(HostSilent{h1}, 20);
  EXPECT_EQ(c.job(silent).state, JobState::Finished);
  EXPECT_NE(c.job(dead).outcome.text.find("host h1 is lost"), std::string::npos);
  EXPECT_FALSE(c.check(JobDelivered{silent, Attempt{1}, ""})) << "it comes too late";
}

TEST_F(DeliveryFsm, a_kill_ends_the_wait_and_not_what_has_ended) {
  auto id = ends();
  c.step(KillRequested{id, {Term::Owner, "u1", "", test::at(12)}}, 12);
  EXPECT_EQ(c.job(id).state, JobState::Finished);
}

// The first host writes for all: what it owes is owed until the others have ended, too.
TEST_F(DeliveryFsm, while_others_run_the_job_is_killed_and_resized_as_any_other) {
  auto h2 = c.host(2);
  auto id = c.submit(SpecBuilder().elastic().tasks(1, 4));
  c.run(id, {h1, h2});
  auto end = ended(c, id, 1, 9);
  end.delivers = true;
  c.step(end, 10);
  c.step(KillRequested{id, {Term::Owner, "u1", "", test::at(12)}}, 12);
  EXPECT_EQ(c.job(id).state, JobState::Running) << "a process of it may run on";
  ASSERT_TRUE(c.job(id).kill);
  auto generation = c.job(id).generation;
  c.step(ended(c, id, 2, 9), 13);
  EXPECT_EQ(c.job(id).state, JobState::Running);
  EXPECT_GT(c.job(id).generation, generation) << "its host hears that no task will come";
  c.step(JobDelivered{id, Attempt{1}, ""}, 14);
  EXPECT_EQ(c.job(id).state, JobState::Killed);
}

TEST_F(DeliveryFsm, what_waits_again_does_so_once_it_is_delivered) {
  c.config.queues[0].requeue_exits.codes = {3};
  c.reconfigure();
  auto id = ends(kExit3);
  EXPECT_EQ(c.job(id).state, JobState::Running);
  c.step(JobDelivered{id, Attempt{1}, ""}, 11);
  EXPECT_EQ(c.job(id).state, JobState::Pending);
  EXPECT_FALSE(c.job(id).outcome.delivers_on);
}

TEST_F(DeliveryFsm, an_end_that_says_nothing_of_it_is_told_at_once) {
  auto id = c.submit({});
  c.run(id, {h1});
  c.step(ended(c, id, 1), 10);
  EXPECT_EQ(c.job(id).state, JobState::Finished);
}

}  // namespace
}  // namespace wm
