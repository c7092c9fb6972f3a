// Where a training stands: rounds, passes, tests, and the numbers that agree on a switch.
#include "libwm/trainer/groups/progress.h"

#include <gtest/gtest.h>

namespace wm::groups {
namespace {

using Phase = Progress::Phase;
constexpr Course kCourse{.epochs = 2,
                         .batch_size = 4,
                         .effective_batch_size = 10,
                         .train_samples = 25,
                         .test_samples = 9};

TEST(progress, a_step_never_crosses_the_end_of_a_pass) {
  Progress at;
  for (std::uint64_t end : {10u, 20u, 25u}) {
    auto batch = at.next_batch(kCourse, 3);
    EXPECT_EQ(batch.end, end);
    at.commit_train(kCourse, batch.end, {});
  }
  EXPECT_EQ(at.phase, Phase::Test);
  EXPECT_EQ(at.step, 3u);
  EXPECT_EQ(at.samples, 25u);
}

TEST(progress, without_an_effective_batch_each_member_has_batch_size) {
  Course course = kCourse;
  course.effective_batch_size = 0;
  EXPECT_EQ(Progress{}.next_batch(course, 3).end, 12u);
}

TEST(progress, tests_follow_each_pass_and_the_last_pass_ends_the_training) {
  Progress at;
  int rounds = 0;
  for (; at.phase != Phase::End && rounds < 100; ++rounds) {
    auto batch = at.next_batch(kCourse, 1);
    if (at.phase == Phase::Train) at.commit_train(kCourse, batch.end, {1, 0, 1});
    else if (at.phase == Phase::Test) at.commit_test(kCourse, batch.end, {2, 1, 4});
    else at.commit_finish();
  }
  EXPECT_EQ(rounds, 2 * (3 + 3) + 1);
  EXPECT_EQ(at.round, static_cast<std::uint64_t>(rounds));
  EXPECT_EQ(at.data_epoch, 2u);
  EXPECT_EQ(at.trained, (Score{3, 0, 3}));  // of the last pass alone
  EXPECT_EQ(at.tested, (Score{6, 3, 12}));
}

TEST(progress, without_tests_the_next_pass_begins_at_once) {
  Course course = kCourse;
  course.test_samples = 0;
  Progress at{.cursor = 20};
  EXPECT_TRUE(at.commit_train(course, 25, {}));
  EXPECT_EQ(at.phase, Phase::Train);
  EXPECT_EQ(at.data_epoch, 1u);
  EXPECT_EQ(at.cursor, 0u);
}

TEST(progress, is_the_same_after_packing) {
  Progress at{1, 2, 3, Phase::Test, 4, 5, 6, {7.5, 8, 9}, {10.25, 11, 12}};
  EXPECT_EQ(Progress::unpack(at.pack()), at);
}

std::array<double, 3> sum_of(std::initializer_list<std::uint32_t> ready) {
  std::array<double, 3> sums{};
  for (auto epoch : ready)
    for (std::size_t i = 0; i < 3; ++i) sums[i] += flags(epoch)[i];
  return sums;
}

TEST(agreement, needs_every_member_and_one_plan) {
  EXPECT_TRUE(all_agree(sum_of({7, 7, 7}), 3));
  EXPECT_FALSE(all_agree(sum_of({7, 7, 0}), 3));
  EXPECT_FALSE(all_agree(sum_of({0, 0, 0}), 3));
  EXPECT_FALSE(all_agree(sum_of({7, 8, 7}), 3));
  EXPECT_FALSE(all_agree(sum_of({6, 8, 7}), 3));  // the mean alone would look right
}

}  // namespace
}  // namespace wm::groups
