// Which tasks use more of a GPU than their gmem: by the process that does, and what is not told.
#include "daemons/wnoded/gpu_overuse.h"

#include <gtest/gtest.h>

namespace wm::node {
namespace {

constexpr std::int64_t kG = 1LL << 30;

class gpu_overuse : public ::testing::Test {
 protected:
  /// A task that runs on GPU-a as process `pid` and said that it needs so many G of it; 0: nothing.
  LocalAttempt& add(std::uint32_t job, std::int32_t pid, std::int64_t gmem,
                    std::uint32_t number = 1) {
    auto& one = known_.add({{job, 0}, {1}});
    one.stage = LocalAttempt::Stage::Up;
    one.order.resolved.task.gpu_mem = Bytes{gmem * kG};
    OrderedTask task;
    task.task = {number};
    task.gpu_uuids = {"GPU-a"};
    one.order.tasks.push_back(task);
    one.tasks[{number}].pid = pid;
    return one;
  }
  static gpu::GpuReading reading(std::vector<gpu::GpuProcess> processes, std::int64_t used = 0) {
    gpu::GpuReading made;
    made.uuid = "GPU-a";
    made.used = Bytes{used * kG};
    made.processes = std::move(processes);
    return made;
  }
  GpuOveruses over(const gpu::GpuReading& read) {
    return gpu_overuses({read}, known_, [](const auto&) { return Bytes{1 * kG}; });
  }
  static launch::AttemptKey key(std::uint32_t job) { return {{job, 0}, {1}}; }

  Attempts known_{[](const auto&) { return false; }, [](const auto&) {}};
};

TEST_F(gpu_overuse, what_its_processes_use_together_counts) {
  add(7, 100, 4);
  EXPECT_TRUE(over(reading({{100, Bytes{2 * kG}}, {110, Bytes{2 * kG}, {100, 50, 1}}})).empty());
  auto found = over(reading({{100, Bytes{2 * kG}}, {110, Bytes{3 * kG}, {100, 50, 1}}}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[key(7)],
            (std::vector<GpuOveruse>{{TaskNumber{1}, "GPU-a", Bytes{5 * kG}, Bytes{4 * kG}}}));
  EXPECT_EQ(overuse_words(found)["GPU-a"], "task 1 of job 7 uses 5G, its gmem is 4G");
}

TEST_F(gpu_overuse, of_those_that_share_a_gpu_each_answers_for_its_own_processes) {
  add(7, 100, 4);
  add(8, 200, 4);
  auto found = over(reading({{101, Bytes{1 * kG}, {100, 1}}, {205, Bytes{6 * kG}, {200, 1}}}));
  EXPECT_EQ(found.size(), 1u);
  EXPECT_TRUE(found.contains(key(8)));
  EXPECT_TRUE(over(reading({{999, Bytes{9 * kG}, {1}}})).empty()) << "nobody's";
}

TEST_F(gpu_overuse, tasks_of_one_job_are_told_apart) {
  add(7, 100, 4);
  add(7, 200, 4, 2);
  auto found = over(reading({{100, Bytes{1 * kG}}, {200, Bytes{6 * kG}}}));
  ASSERT_EQ(found[key(7)].size(), 1u);
  EXPECT_EQ(found[key(7)][0].task, TaskNumber{2});
}

TEST_F(gpu_overuse, one_that_has_the_gpu_alone_has_what_left_its_tree_too) {
  add(7, 100, 4);
  EXPECT_EQ(over(reading({{999, Bytes{9 * kG}, {1}}})).size(), 1u);
}

TEST_F(gpu_overuse, where_no_process_is_told_what_is_in_use_beyond_the_base_counts) {
  add(7, 100, 4);
  EXPECT_EQ(over(reading({{100, Bytes{0}}}, 6))[key(7)][0].used, Bytes{5 * kG});
  EXPECT_TRUE(over(reading({{100, Bytes{0}}}, 5)).empty());
  add(8, 200, 1);
  EXPECT_TRUE(over(reading({{100, Bytes{0}}, {200, Bytes{0}}}, 60)).empty()) << "whose it is?";
}

TEST_F(gpu_overuse, without_gmem_after_the_end_and_of_a_device_that_is_gone_nothing_is_said) {
  auto& one = add(7, 100, 0);
  auto much = reading({{100, Bytes{70 * kG}}});
  EXPECT_TRUE(over(much).empty());
  one.order.resolved.task.gpu_mem = Bytes{kG};
  EXPECT_FALSE(over(much).empty());
  much.trouble = 15;
  EXPECT_TRUE(over(much).empty());
  much.trouble = 0;
  one.tasks[{1}].ended = true;
  EXPECT_TRUE(over(much).empty());
}

}  // namespace
}  // namespace wm::node
