// Which attempts a host knows, and when one leaves.
#include "daemons/wnoded/attempts/attempts.h"

#include <gtest/gtest.h>

namespace wm::node {
namespace {

using launch::AttemptKey;
using Stage = LocalAttempt::Stage;

class attempts : public ::testing::Test {
 protected:
  static AttemptKey key(std::uint32_t job, std::uint32_t attempt = 1) {
    return {{job, 0}, {attempt}};
  }
  LocalAttempt& over(const AttemptKey& of) {
    auto& one = known_.add(of);
    one.stage = Stage::Over;
    return one;
  }

  std::set<AttemptKey> awaited_;
  std::vector<AttemptKey> gone_;
  Attempts known_{[this](const AttemptKey& of) { return awaited_.contains(of); },
                  [this](const AttemptKey& of) { gone_.push_back(of); }};
};

TEST_F(attempts, one_that_is_added_has_its_number_and_is_not_made_anew) {
  auto& one = known_.add(key(7, 2));
  EXPECT_EQ(one.key, key(7, 2));
  EXPECT_EQ(one.order.job, (JobId{7, 0}));
  EXPECT_EQ(one.order.attempt, Attempt{2});
  EXPECT_EQ(one.stage, Stage::Authorising);
  one.stage = Stage::Up;
  EXPECT_EQ(&known_.add(key(7, 2)), &one);
  EXPECT_EQ(known_.find(key(7, 2))->stage, Stage::Up);
  EXPECT_EQ(known_.find(key(7, 1)), nullptr);
  EXPECT_EQ(known_.size(), 1u);
}

TEST_F(attempts, an_older_one_is_stale_and_a_newer_one_is_next_also_when_all_have_gone) {
  EXPECT_FALSE(known_.is_stale(key(7, 1)));
  EXPECT_FALSE(known_.is_next(key(7, 1))) << "there is none before the first";
  EXPECT_TRUE(known_.is_next(key(7, 2))) << "of one that another host had";
  known_.note(key(7, 2));
  EXPECT_FALSE(known_.is_next(key(7, 2)));
  EXPECT_TRUE(known_.is_next(key(7, 3)));
  EXPECT_TRUE(known_.is_stale(key(7, 1)));
  EXPECT_FALSE(known_.is_stale(key(7, 2)));
  EXPECT_FALSE(known_.is_stale(key(8, 1)));
  known_.note(key(7, 1));
  EXPECT_TRUE(known_.is_stale(key(7, 1))) << "what is noted never falls";
}

TEST_F(attempts, one_leaves_when_it_is_over_and_nothing_waits_for_it) {
  auto& one = known_.add(key(7));
  for (auto stage : {Stage::Authorising, Stage::Up, Stage::Sweeping}) {
    one.stage = stage;
    known_.drop_if_done(key(7));
    EXPECT_EQ(known_.size(), 1u);
  }
  one.stage = Stage::Over;
  one.waits = true;
  known_.drop_if_done(key(7));
  EXPECT_EQ(known_.size(), 1u) << "its tasks are to be started once a daemon is ready";
  one.waits = false;
  awaited_ = {key(7)};
  known_.drop_if_done(key(7));
  EXPECT_EQ(known_.size(), 1u) << "something of it is not acknowledged";
  awaited_.clear();
  known_.drop_if_done(key(7));
  EXPECT_EQ(known_.size(), 0u);
  known_.drop_if_done(key(7));
  EXPECT_EQ(gone_, std::vector{key(7)}) << "told once";
}

TEST_F(attempts, what_is_kept_of_them_is_looked_through_after_two_thousand) {
  for (std::uint32_t job = 1; job <= 2000; ++job) {
    EXPECT_FALSE(known_.take_shrink());
    over(key(job));
    known_.drop_if_done(key(job));
  }
  EXPECT_TRUE(known_.take_shrink());
  EXPECT_FALSE(known_.take_shrink());
}

TEST_F(attempts, cpus_are_taken_until_the_task_or_the_attempt_ends) {
  launch::HostFacts host;
  host.cpus = {{0, 0, 0, 0}, {1, 1, 0, 0}};
  auto& one = known_.add(key(7));
  one.stage = Stage::Up;
  one.cpus.recall({1}, {1}, host);
  EXPECT_EQ(bound_cpus(known_), std::set<std::uint32_t>{1}) << "a slot that has no process yet";
  one.tasks[{1}].pid = 4711;
  EXPECT_EQ(bound_cpus(known_), std::set<std::uint32_t>{1});
  one.tasks[{1}].ended = true;
  EXPECT_TRUE(bound_cpus(known_).empty());
  one.tasks[{1}].ended = false;
  one.stage = Stage::Over;
  EXPECT_TRUE(bound_cpus(known_).empty());
}

}  // namespace
}  // namespace wm::node
