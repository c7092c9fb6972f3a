// What the master is told of what runs here: all of it, once for what comes together.
#include "daemons/wnoded/uses.h"

#include <gtest/gtest.h>

namespace wm::node {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

launch::AttemptKey key_of(std::uint32_t job) { return {{job, 0}, Attempt{1}}; }

launch::Used using_mem(std::int64_t bytes) {
  launch::Used word;
  word.now = true;
  word.use.mem = Bytes{bytes};
  return word;
}

TEST(uses, what_is_new_is_told_at_once_with_all_that_runs) {
  Uses uses;
  EXPECT_FALSE(uses.take(TimePoint(seconds(1))));
  uses.hear(key_of(7), using_mem(70));
  auto told = uses.take(TimePoint(seconds(10)));
  ASSERT_TRUE(told);
  ASSERT_EQ(told->attempts.size(), 1u);
  EXPECT_EQ(told->attempts[0].job, (JobId{7, 0}));
  EXPECT_FALSE(uses.take(TimePoint(seconds(100))));
  uses.hear(key_of(3), using_mem(30));
  told = uses.take(TimePoint(seconds(101)));
  ASSERT_EQ(told->attempts.size(), 2u);
  ASSERT_TRUE(told->of({7, 0}, Attempt{1}));
  EXPECT_EQ(told->of({7, 0}, Attempt{1})->mem, Bytes{70});
  EXPECT_EQ(told->of({3, 0}, Attempt{1})->mem, Bytes{30});
  EXPECT_EQ(told->of({3, 0}, Attempt{2}), nullptr);
}

TEST(uses, frames_are_a_second_apart_however_many_jobs_start) {
  Uses uses;
  int frames = 0;
  for (std::uint32_t i = 1; i <= 50; ++i) {  // ten seconds
    uses.hear(key_of(i), using_mem(1));
    frames += uses.take(TimePoint(seconds(10) + milliseconds(200) * i)).has_value();
  }
  EXPECT_EQ(frames, 10);
}

TEST(uses, what_is_over_is_told_no_more_and_another_master_hears_all) {
  Uses uses;
  uses.hear(key_of(1), using_mem(1));
  uses.hear(key_of(2), using_mem(2));
  uses.hear(key_of(3), {});  // a shepherd of before
  EXPECT_EQ(uses.take(TimePoint(seconds(10)))->attempts.size(), 2u);
  uses.forget(key_of(1));
  uses.say_again();
  EXPECT_EQ(uses.take(TimePoint(seconds(20)))->attempts.size(), 1u);
}

TEST(uses, what_is_used_of_gpus_beyond_gmem_is_told_until_it_is_over) {
  Uses uses;
  uses.hear(key_of(7), using_mem(70));
  (void)uses.take(TimePoint(seconds(10)));
  GpuOveruse over{TaskNumber{1}, "GPU-a", Bytes{5}, Bytes{4}};
  uses.set_gpu_over({{key_of(7), {over}}});
  uses.hear(key_of(7), using_mem(71));
  auto told = uses.take(TimePoint(seconds(20)));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->attempts[0].gpu_over, std::vector{over});
  EXPECT_EQ(told->attempts[0].mem, Bytes{71});
  uses.set_gpu_over({{key_of(7), {over}}});
  EXPECT_FALSE(uses.take(TimePoint(seconds(30)))) << "nothing new";
  uses.set_gpu_over({});
  told = uses.take(TimePoint(seconds(40)));
  ASSERT_TRUE(told);
  EXPECT_TRUE(told->attempts[0].gpu_over.empty());
}

TEST(uses, the_energy_of_gpus_is_told_when_it_is_another_and_words_of_use_keep_it) {
  Uses uses;
  uses.hear(key_of(7), using_mem(70));
  (void)uses.take(TimePoint(seconds(10)));
  uses.set_gpu_energy({{key_of(7), 4000}, {key_of(8), 1}});
  uses.hear(key_of(7), using_mem(71));
  auto told = uses.take(TimePoint(seconds(20)));
  ASSERT_TRUE(told);
  ASSERT_EQ(told->attempts.size(), 1u) << "of 8 nothing else is known";
  EXPECT_EQ(told->attempts[0].gpu_energy_mj, 4000);
  uses.set_gpu_energy({{key_of(7), 4000}});
  EXPECT_FALSE(uses.take(TimePoint(seconds(30)))) << "nothing new";
  uses.set_gpu_energy({});
  EXPECT_EQ(uses.take(TimePoint(seconds(40)))->attempts[0].gpu_energy_mj, 0);
}

}  // namespace
}  // namespace wm::node
