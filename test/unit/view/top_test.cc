#include "libwm/view/top.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "test/unit/view/moments.h"

namespace wm::view {
namespace {

JobView job(std::uint32_t id, std::string user, JobState state, std::uint32_t tasks) {
  auto sealed = std::make_shared<SealedSpec>();
  sealed->spec.owner.user = std::move(user);
  sealed->spec.queue = "normal";
  sealed->spec.name = "train-" + std::to_string(id);
  sealed->spec.elastic = true;
  sealed->spec.min_tasks = 1;
  sealed->spec.max_tasks = 4;
  auto made = std::make_shared<Job>();
  made->id = {id, 0};
  made->sealed = sealed;
  made->state = state;
  made->times.submitted = at(0);
  made->times.started = at(60);
  JobView view;
  view.id = made->id;
  view.plan = "/ann";
  for (std::uint32_t n = 1; n <= tasks; ++n) {
    made->tasks.push_back(
        {.number = TaskNumber{n}, .host = HostId{1}, .state = TaskState::Running});
    view.task_hosts.push_back("h1");
  }
  view.job = made;
  return view;
}

HostView host(std::string name, std::uint32_t slots, std::uint32_t used) {
  HostView view;
  view.host.name = std::move(name);
  view.host.capacity.slots = slots;
  view.host.used_slots = used;
  view.connected = true;
  return view;
}

PlanView used_plan(std::string path, std::uint32_t used) {
  PlanView view;
  view.path = std::move(path);
  view.used = used;
  view.deserved = 2;
  return view;
}

TopState shown() {
  setenv("TZ", "UTC", 1);
  tzset();
  TopState state;
  state.cluster = "mini";
  state.now = at(125);
  take(state, {job(7, "bob", JobState::Pending, 0), job(3, "ann", JobState::Running, 2)},
       {host("h1", 4, 2), host("h2", 4, 0)}, {used_plan("/", 2), used_plan("/ann", 2)});
  return state;
}

std::vector<std::string> texts(const TopState& state) {
  std::vector<std::string> lines;
  for (const auto& line : top_lines(state)) lines.push_back(line.text);
  return lines;
}

bool says(const TopState& state, const std::string& text) {
  for (const auto& line : texts(state))
    if (line.find(text) != std::string::npos) return true;
  return false;
}

JobChange change(std::uint32_t id, JobState state, std::uint32_t slots) {
  JobChange made;
  made.id = {id, 0};
  made.user = "ann";
  made.name = "train-3";
  made.state = state;
  made.slots = slots;
  made.at = at(100);
  return made;
}

TEST(top_lines, eighty_columns_and_24_rows_hold_what_matters) {
  auto lines = texts(shown());
  ASSERT_EQ(lines.size(), 24u);
  for (const auto& line : lines) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_EQ(lines[0], "wmtop  mini  07:35:25   jobs: 1 run, 1 pend, 0 susp   hosts: 2/2 open");
  EXPECT_EQ(lines[1], "slots [#####               ] 2/8");
  EXPECT_EQ(lines[3], "  JOBID USER     STAT   SLOTS   TIME QUEUE   PLAN       HOSTS      NAME");
  EXPECT_EQ(lines[4], "      3 ann      RUN      2/4   1:05 normal  /ann       2*h1       train-3");
  EXPECT_EQ(lines[5], "      7 bob      PEND       -   2:05 normal  /ann       -          train-7");
  EXPECT_EQ(lines[23], "1 jobs  2 hosts  3 plans  / filter  ? keys  q leave");
}

TEST(top_lines, any_size_of_a_terminal_is_filled_exactly) {
  auto state = shown();
  for (int rows : {1, 3, 5, 10, 60})
    for (int columns : {1, 20, 200}) {
      state.rows = rows;
      state.columns = columns;
      auto lines = top_lines(state);
      EXPECT_EQ(lines.size(), static_cast<std::size_t>(rows));
      for (const auto& line : lines) EXPECT_LE(line.text.size(), static_cast<std::size_t>(columns));
    }
}

TEST(tell, a_running_job_that_holds_more_or_fewer_slots_was_resized) {
  auto state = shown();
  tell(state, change(3, JobState::Running, 2));
  EXPECT_TRUE(state.resizes.empty());
  tell(state, change(3, JobState::Running, 4));
  EXPECT_TRUE(says(state, "07:35:00  job 3 of ann: 2 -> 4 slots  train-3"));
  tell(state, change(3, JobState::Running, 1));
  EXPECT_EQ(state.resizes.front().to, 1u);
  EXPECT_EQ(top_lines(state)[21].style, TopStyle::Alert) << "newest first";
}

TEST(tell, a_job_that_starts_again_was_not_resized) {
  auto state = shown();
  tell(state, change(3, JobState::Pending, 0));
  tell(state, change(3, JobState::Running, 1));
  EXPECT_TRUE(state.resizes.empty());
}

TEST(press, pages_filter_and_leaving) {
  auto state = shown();
  press(state, TopKey::Character, '2');
  EXPECT_TRUE(says(state, "      0/4 [                    ]"));
  press(state, TopKey::Character, '3');
  EXPECT_TRUE(says(state, "  /ann"));
  press(state, TopKey::Character, '1');
  press(state, TopKey::Character, '/');
  for (char c : std::string("bobq")) press(state, TopKey::Character, c);
  press(state, TopKey::Erase);
  EXPECT_TRUE(says(state, "filter: bob_"));
  EXPECT_FALSE(says(state, "      3 ann "));
  EXPECT_FALSE(state.over) << "q was typed into the filter";
  press(state, TopKey::Enter);
  press(state, TopKey::Escape);
  EXPECT_TRUE(says(state, "      3 ann "));
  press(state, TopKey::Character, 'q');
  EXPECT_TRUE(state.over);
}

TEST(press, scrolling_keeps_the_last_line_in_sight) {
  auto state = shown();
  state.rows = 6;
  for (int i = 0; i < 9; ++i) press(state, TopKey::PageDown);
  EXPECT_TRUE(says(state, "      7 bob "));
  EXPECT_FALSE(says(state, "      3 ann "));
  press(state, TopKey::Home);
  EXPECT_TRUE(says(state, "      3 ann "));
}

TEST(sparkline, newest_on_the_right_most_is_full) {
  EXPECT_EQ(sparkline({0, 4, 8}, 8, 5), "   +@");
  EXPECT_EQ(sparkline({1, 2, 3}, 8, 2), "-=");
  EXPECT_EQ(sparkline({}, 8, 3), "   ");
  EXPECT_EQ(sparkline({5}, 0, 1), " ");
}

TEST(top_lines, names_with_escapes_do_no_harm) {
  auto state = shown();
  tell(state, change(3, JobState::Running, 2));
  auto nasty = change(3, JobState::Running, 3);
  nasty.name = "\x1b[2J\nx";
  tell(state, nasty);
  for (const auto& line : texts(state)) EXPECT_EQ(line.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace wm::view
