// The chunks of a job's tasks: what a copy holds never changes, and one change copies one chunk.
#include "libwm/model/tasks.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

Tasks many(std::uint32_t n) {
  Tasks tasks;
  for (std::uint32_t i = 1; i <= n; ++i) tasks.push_back({TaskNumber{i}, HostId{1 + i % 7}});
  return tasks;
}

TEST(tasks, a_copy_does_not_see_later_changes) {
  auto tasks = many(200);
  const Tasks held = tasks;
  tasks.edit(130).pid = 4711;
  tasks.push_back({TaskNumber{201}, HostId{1}});
  EXPECT_EQ(held, many(200));
  EXPECT_EQ(tasks[130].pid, 4711);
  EXPECT_EQ(tasks.size(), 201u);
  EXPECT_EQ(tasks.back().number, TaskNumber{201});
}

TEST(tasks, a_change_leaves_the_other_chunks_shared) {
  auto tasks = many(10 * Tasks::kChunk);
  const Tasks held = tasks;
  tasks.edit(0).pid = 1;
  std::size_t shared = 0;
  for (std::size_t i = 0; i < held.size(); ++i) shared += &held[i] == &tasks[i];
  EXPECT_EQ(shared, 9 * Tasks::kChunk);
}

TEST(tasks, what_nobody_else_holds_is_edited_in_place) {
  auto tasks = many(100);
  const Task* before = &tasks[70];
  { const Tasks held = tasks; }
  tasks.edit(70).pid = 1;
  EXPECT_EQ(&tasks[70], before);
}

TEST(tasks, numbers_are_found_whether_they_rise_or_not) {
  auto rising = many(300);
  EXPECT_EQ(rising.position(TaskNumber{257}), 256u);
  EXPECT_EQ(rising.position(TaskNumber{301}), rising.size());
  Tasks any = {{TaskNumber{3}, HostId{1}}, {TaskNumber{1}, HostId{1}}};
  EXPECT_EQ(any.position(TaskNumber{1}), 1u);
  EXPECT_EQ(any.position(TaskNumber{2}), any.size());
  EXPECT_EQ(Tasks().position(TaskNumber{1}), 0u);
}

TEST(tasks, removing_some_keeps_the_order_of_the_others) {
  auto tasks = many(200);
  tasks.remove_if([](const Task& task) { return task.number.value % 2 == 0; });
  ASSERT_EQ(tasks.size(), 100u);
  for (std::size_t i = 0; i < tasks.size(); ++i) EXPECT_EQ(tasks[i].number.value, 2 * i + 1);
}

}  // namespace
}  // namespace wm
