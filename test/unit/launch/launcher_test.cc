#include "libwm/launch/launcher.h"

#include <gtest/gtest.h>

namespace wm::launch {
namespace {

AttemptSpec full_spec() {
  AttemptSpec spec;
  spec.cluster = "c";
  spec.key = {{12, 4}, {3}};
  spec.account = {1000, 100, {100, 27}};
  spec.cwd = "/w/d";
  spec.caps = {{7, 1024}};
  spec.run_limit = Duration(5);
  spec.files = {{"script", std::string("a\0b", 3), true}};
  spec.report.hosts = {"4*a"};
  spec.report.submitted = WallTime(Duration(99));
  spec.memo = std::string(100000, 'm');
  spec.ends_with_last_task = false;
  TaskSpec task;
  task.task = {2};
  task.argv = {"sh", "-c", "true"};
  task.env = {"A=", "B=x y"};
  task.out = {{"/o", "12.out", true, true, 77}};
  task.merge_err = true;
  task.cpus = {0, 3};
  spec.tasks = {task};
  return spec;
}

TEST(launcher, orders_survive_the_trip) {
  for (const ShepherdOrder& order :
       {ShepherdOrder(full_spec()), ShepherdOrder(EndTasks{{TaskNumber{1}}, true, 15, "why"}),
        ShepherdOrder(Sweep{"c", {{1, 0}, {2}}, {{-1, 0}, {5, 77}}, Duration(7)}),
        ShepherdOrder(ReadFile{{1, 2, {3}}, "/", {"p", "", false, false, 0}, -5, 9})}) {
    auto back = order_from_bytes(to_bytes(order));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, order);
  }
}

// EXIT-1: hosts before wrote none, and those wrote by a newer one read them.
TEST(launcher, a_record_is_read_with_and_without_a_report) {
  ExitRecord record;
  record.key = {{12, 4}, {3}};
  record.text = "why";
  auto before = to_bytes(record);
  auto plain = record_from_bytes(before);
  ASSERT_TRUE(plain);
  EXPECT_EQ(*plain, record);
  record.report = R"({"loss":{"min":1}})";
  auto bytes = to_bytes(record);
  EXPECT_TRUE(bytes.starts_with(before)) << "it stands behind the rest";
  auto whole = record_from_bytes(bytes);
  ASSERT_TRUE(whole);
  EXPECT_EQ(*whole, record);
  for (auto size = before.size() + 1; size < bytes.size(); ++size)
    EXPECT_FALSE(record_from_bytes(std::string_view(bytes).substr(0, size))) << size;
  EXPECT_FALSE(record_from_bytes(bytes + "x"));
  auto word = word_from_bytes(to_bytes(ShepherdWord(TaskEnded{record})));
  ASSERT_TRUE(word);
  EXPECT_EQ(std::get<TaskEnded>(*word).record, record);
}

// Shepherds and records of before say nothing of it.
TEST(launcher, mean_memory_and_swap_are_read_where_they_are) {
  ExitRecord record;
  record.key = {{12, 4}, {3}};
  record.usage.mean_mem = Bytes{64 << 20};
  record.usage.max_swap = Bytes{5};
  auto whole = record_from_bytes(to_bytes(record));
  ASSERT_TRUE(whole);
  EXPECT_EQ(*whole, record);
  EXPECT_FALSE(record_from_bytes(to_bytes(record) + "x"));
  auto ended = to_bytes(ShepherdWord(TaskEnded{record}));
  EXPECT_EQ(std::get<TaskEnded>(*word_from_bytes(ended)).record, record);
  auto before = word_from_bytes(std::string_view(ended).substr(0, ended.size() - 24));
  ASSERT_TRUE(before);
  EXPECT_EQ(std::get<TaskEnded>(*before).record.usage.mean_mem, Bytes{0});
  Used used{std::chrono::seconds(1), std::chrono::seconds(60), Bytes{9}};
  used.now = true;
  used.use.pids = {4, 5};
  auto told = to_bytes(ShepherdWord(used));
  EXPECT_EQ(std::get<Used>(*word_from_bytes(told)), used);
  auto old = word_from_bytes(std::string_view(told).substr(0, 32));
  ASSERT_TRUE(old);
  EXPECT_EQ(std::get<Used>(*old).mem_peak, Bytes{9});
  EXPECT_FALSE(std::get<Used>(*old).now);
}

// A host daemon that was replaced meets shepherds that the one before started.
TEST(launcher, a_shepherd_of_before_is_understood) {
  ShepherdUp up;
  up.key = {{12, 4}, {3}};
  up.tasks = {{TaskNumber{1}, 70, WallTime(Duration(1)), true}, {TaskNumber{2}, 71}};
  up.tasks[1].start = 99;
  up.delivers = true;
  auto now = to_bytes(ShepherdWord(up));
  EXPECT_EQ(std::get<ShepherdUp>(*word_from_bytes(now)), up);
  auto before = word_from_bytes(std::string_view(now).substr(0, now.size() - 3 * 8));
  ASSERT_TRUE(before);
  up.tasks[1].start = 0;
  up.delivers = false;
  EXPECT_EQ(std::get<ShepherdUp>(*before), up);
  EXPECT_FALSE(word_from_bytes(std::string_view(now).substr(0, now.size() - 8)));
}

TEST(launcher, every_truncated_order_is_refused) {
  auto spec = full_spec();
  spec.memo = "m";
  auto bytes = to_bytes(ShepherdOrder(spec));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    auto back = order_from_bytes(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(back) << size;
    EXPECT_EQ(back.error().code, Code::Damaged);
  }
  EXPECT_FALSE(order_from_bytes(bytes + "x"));
}

TEST(launcher, a_mad_count_is_refused_without_allocating) {
  std::string bytes(8, '\0');
  bytes[0] = 1;  // StartTasks
  EXPECT_FALSE(order_from_bytes(bytes + std::string(8, '\x7f')));
}

TEST(launcher, attempt_names_go_both_ways) {
  AttemptKey key{{12, 4}, {3}};
  EXPECT_EQ(to_string(key), "12-4.3");
  auto back = parse_attempt_key("12-4.3");
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, key);
  for (auto* bad : {"", "12", "12-4", "12-4.", "12-4.3x", "a-4.3", "12.4-3"})
    EXPECT_FALSE(parse_attempt_key(bad)) << bad;
  EXPECT_EQ(attempt_marker("c", "b", key), "c@b:12[4].3");
}

}  // namespace
}  // namespace wm::launch
