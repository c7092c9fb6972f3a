// What an agent may tell: a user's process is held to so many reports, and the newest counts.
#include "daemons/wnoded/attempts/agent_flow.h"

#include <gtest/gtest.h>

#include <set>

namespace wm::node {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

AgentReport trial(const std::string& text) { return {{7, 0}, {1}, {1}, TrialSaid{text}}; }
AgentReport faulty(std::uint32_t task) { return {{7, 0}, {1}, {1}, TaskFaulty{{task}, "hangs"}}; }
std::string text_of(const AgentReport& report) { return std::get<TrialSaid>(report.fact).report; }

TEST(agent_flow, one_a_second_is_told_at_once) {
  AgentFlow flow;
  TimePoint now{};
  for (int i = 0; i < 500; ++i, now += seconds(1))
    EXPECT_EQ(flow.say(trial(std::to_string(i)), now).size(), 1u);
}

TEST(agent_flow, a_flood_is_cut_to_a_burst_and_a_rate_and_its_last_word_is_told) {
  AgentFlow flow;
  TimePoint now{};
  std::size_t told = 0;
  std::string last;
  auto count = [&](const std::vector<AgentReport>& reports) {
    told += reports.size();
    if (!reports.empty()) last = text_of(reports.back());
  };
  for (int i = 0; i < 10'000; ++i, now += milliseconds(1))  // ten seconds
    count(flow.say(trial(std::to_string(i)), now));
  EXPECT_LE(told, 64u + 10 * 8 + 1);
  EXPECT_GE(told, 64u + 10 * 7);
  count(flow.due(now + seconds(1)));
  EXPECT_EQ(last, "9999");
  EXPECT_EQ(flow.waiting(), 0u);
}

TEST(agent_flow, bytes_count_not_reports_alone) {
  AgentFlow flow;
  TimePoint now{};
  std::size_t bytes = 0;
  for (int i = 0; i < 1'000; ++i, now += milliseconds(10))
    for (const auto& report : flow.say(trial(std::string(1 << 20, 'x')), now))
      bytes += text_of(report).size();
  EXPECT_LE(bytes, 2u << 20) << "a megabyte at once, then 32 KiB a second";
}

TEST(agent_flow, kinds_and_tasks_do_not_push_each_other_out) {
  AgentFlow flow;
  TimePoint now{};
  for (int i = 0; i < 200; ++i) flow.say(trial("old"), now);
  flow.say(faulty(1), now);
  flow.say(faulty(2), now);
  flow.say(trial("new"), now);
  auto told = flow.due(now + seconds(60));
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(std::get<TaskFaulty>(told[0].fact).task, TaskNumber{1});
  EXPECT_EQ(std::get<TaskFaulty>(told[1].fact).task, TaskNumber{2});
  EXPECT_EQ(text_of(told[2]), "new");
}

TEST(agent_flow, what_waits_is_bounded_however_many_tasks_it_names) {
  AgentFlow flow;
  for (std::uint32_t task = 1; task < 10'000; ++task) flow.say(faulty(task), {});
  EXPECT_LE(flow.waiting(), 64u);
}

}  // namespace
}  // namespace wm::node
