#include "libwm/view/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "test/unit/view/moments.h"

namespace wm::view {
namespace {

HistoryJob job() {
  setenv("TZ", "UTC", 1);
  tzset();
  return {.id = {12, 0},
          .user = "ann",
          .name = "a long name",
          .queue = "normal",
          .project = "p",
          .command = "train",
          .app = "training",
          .plan = "/a",
          .submitted = at(0),
          .started = at(60),
          .ended = at(160),
          .state = "failed",
          .exit_status = 3 << 8,
          .events = {{.time = at(0.25), .event = "SUBMIT", .to = 4},
                     {.time = at(90),
                      .event = "EPOCH",
                      .from = 4,
                      .to = 2,
                      .reason = "shrink",
                      .pause_ms = 1.5,
                      .steps_lost = 0}}};
}

TEST(history, states_are_summed_in_whole_seconds) {
  auto one = job();
  EXPECT_EQ(history_table({&one, 1}, at(999)),
            "Summary of time in seconds spent in various states:\n"
            "JOBID   USER    JOB_NAME  PEND    PSUSP   RUN     USUSP   SSUSP   UNKWN   TOTAL\n"
            "12      ann     a long na 60      0       100     0       0       0       160\n");
}

TEST(history, a_job_that_still_waits_counts_until_now) {
  auto one = job();
  one.started = one.ended = WallTime{};
  EXPECT_NE(history_table({&one, 1}, at(30)).find(" 30      0       0 "), std::string::npos);
}

TEST(history, long_form_holds_what_clients_look_for) {
  auto text = history_long(job(), at(999));
  EXPECT_NE(text.find("Project <p>"), std::string::npos);
  EXPECT_NE(text.find("EPOCH 4 -> 2 task(s), shrink, pause 1.50 ms, 0 steps lost;"),
            std::string::npos);
  EXPECT_NE(text.find("Exited with exit code 3."), std::string::npos);
}

TEST(history, who_was_killed_before_it_ran_was_not_done) {
  auto killed = job();
  killed.state = "killed";
  killed.exit_status = 0;
  killed.term = "TERM_OWNER";
  auto text = history_long(killed, at(999));
  EXPECT_EQ(text.find("Done successfully"), std::string::npos) << text;
  EXPECT_NE(text.find(": Completed <exit>; TERM_OWNER;\n"), std::string::npos) << text;
  auto done = job();
  done.state = "finished";
  done.exit_status = 0;
  EXPECT_NE(
      history_long(done, at(999)).find(": Done successfully. The CPU time used is 0.0 seconds;\n"),
      std::string::npos);
}

TEST(history, long_form_has_lsfs_words) {
  auto one = job();
  one.submit_host = "login1", one.cwd = "/home/ann";
  one.term = "TERM_OWNER", one.term_number = 14;
  one.exit_status = 9;
  one.cpu = std::chrono::milliseconds(2250);
  one.max_mem = Bytes{80LL << 20}, one.mean_mem = Bytes{64LL << 20};
  one.events = {{.time = at(0), .event = "SUBMIT", .to = 2},
                {.time = at(1), .event = "HOLD", .reason = "by root"},
                {.time = at(2), .event = "RELEASE", .reason = "by ann"},
                {.time = at(3), .event = "DISPATCH", .to = 2, .reason = "on <2*n1>"},
                {.time = at(4), .event = "START", .to = 2, .reason = "Pid 4711"},
                {.time = at(5), .event = "SUSPEND", .reason = "by ann"},
                {.time = at(6), .event = "RESUME", .reason = "by ann"},
                {.time = at(7), .event = "KILL", .reason = "by ann: too slow"},
                {.time = at(8), .event = "END", .reason = "killed"}};
  auto text = history_long(one, at(999), true);
  for (const char* line :
       {": Submitted from host <login1>, to Queue <normal>, CWD </home/ann>, 2 Task(s);\n",
        ": Dispatched 2 Task(s) on Host(s) <2*n1>, Allocated 2 Slot(s) on Host(s) <2*n1>;\n",
        ": Starting (Pid 4711);\n", ", Execution Pid <4711>;\n",
        ": Signal <STOP> requested by user or administrator <ann>;\n", ": Running;\n",
        ": Signal <KILL> requested by user or administrator <ann>: too slow;\n",
        ": Exited by signal 9. The CPU time used is 2.2 seconds;\n",
        ": Completed <exit>; TERM_OWNER: job killed by owner;\n",
        "\n MEMORY USAGE:\n MAX MEM: 80 Mbytes;  AVG MEM: 64 Mbytes\n"})
    EXPECT_NE(text.find(line), text.npos) << line << text;
  EXPECT_EQ(text.find(": END"), text.npos);
}

TEST(history, wide_table_cuts_nothing) {
  auto one = job();
  one.id = {1234567890, 12};
  auto text = history_table({&one, 1}, at(999), true);
  EXPECT_NE(text.find("\n1234567890[12] ann     a long name 60      0 "), text.npos) << text;
}

TEST(history, long_lines_are_wrapped_unless_it_is_to_be_wide) {
  auto one = job();
  one.events[1].reason = std::string(200, 'x');
  auto text = history_long(one, at(999));
  for (std::size_t from = 0; from < text.size();) {
    auto end = text.find('\n', from);
    EXPECT_LE(end - from, 80u) << text.substr(from, end - from);
    from = end + 1;
  }
  EXPECT_NE(history_long(one, at(999), true).find(std::string(200, 'x')), std::string::npos);
}

TEST(history, numbers_are_named_for_what_they_are) {
  auto one = job();
  one.events = {{.time = at(1), .event = "PROMISE", .to = 86400},
                {.time = at(2), .event = "PROMISE"},
                {.time = at(3), .event = "PROMISE_ERROR", .from = 9, .to = -4},
                {.time = at(4), .event = "TASK_END", .from = 3, .to = 2 << 8},
                {.time = at(5), .event = "TASK_END", .from = 3, .to = 9},
                {.time = at(6), .event = "CONDEMN", .from = 7, .reason = "hung"}};
  auto text = history_long(one, at(999));
  for (const char* line :
       {"PROMISE to start by Fri Jan  2", "PROMISE withdrawn;", "PROMISE_ERROR 4 s early;",
        "TASK_END task 3, exit code 2;", "TASK_END task 3, signal 9;", "CONDEMN task 7, hung;"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST(history, events_of_several_jobs_stand_in_the_order_of_their_times) {
  auto one = job(), other = job();
  other.id = {13, 2};
  other.events = {{.time = at(60), .event = "START"}};
  other.ended = WallTime{};
  std::vector<HistoryJob> jobs{one, other};
  auto text = history_events(jobs, at(30), at(160));
  auto start = text.find(": Job <13[2]> START;\n"), epoch = text.find(": Job <12> EPOCH 4 -> 2");
  EXPECT_NE(start, std::string::npos) << text;
  EXPECT_NE(epoch, std::string::npos) << text;
  EXPECT_LT(start, epoch);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2) << "those of before and its end are left out";
  EXPECT_EQ(std::ranges::count(history_events(jobs, {}, {}), '\n'), 4);
}

TEST(history, long_form_lists_what_the_job_waited_for) {
  auto one = job();
  EXPECT_EQ(history_long(one, at(999)).find("PEND REASONS"), std::string::npos);
  one.events.push_back({.time = at(2), .event = "PEND_REASON", .reason = "slots: none left"});
  auto text = history_long(one, at(999));
  auto section = text.find("PEND REASONS:\n ");
  ASSERT_NE(section, std::string::npos);
  EXPECT_GT(text.find("slots: none left"), section);  // there, and not among the events
}

TEST(history, json_has_the_contracts_shape) {
  auto one = job();
  auto document = nlohmann::json::parse(history_json({&one, 1}));
  EXPECT_EQ(document["COMMAND"], "bhist");
  EXPECT_EQ(document["JOBS"], 1);
  auto& events = document["RECORDS"][0]["EVENTS"];
  EXPECT_EQ(events[0]["TIME"], 1795160000.25);
  EXPECT_EQ(events[0]["EVENT"], "SUBMIT");
  EXPECT_FALSE(events[0].contains("PAUSE_MS"));
  EXPECT_EQ(events[1]["FROM"], 4);
  EXPECT_EQ(events[1]["TO"], 2);
  EXPECT_EQ(events[1]["PAUSE_MS"], 1.5);
  EXPECT_EQ(events[1]["STEPS_LOST"], 0);
}

TEST(history, time_between_suspend_and_resume_counts_as_suspended) {
  auto stood = job();
  stood.events = {{.time = at(70), .event = "SUSPEND", .reason = "by u1"},
                  {.time = at(100), .event = "RESUME"},
                  {.time = at(150), .event = "SUSPEND", .reason = "by u1"},
                  {.time = at(160), .event = "END"}};
  // PEND PSUSP RUN USUSP SSUSP UNKWN TOTAL
  EXPECT_NE(history_table({&stood, 1}, at(500))
                .find("60      0       60      40      0       0       160"),
            std::string::npos)
      << history_table({&stood, 1}, at(500));
}

TEST(history, held_and_stopped_to_make_way_have_columns_of_their_own) {
  auto stood = job();
  stood.events = {{.time = at(5), .event = "HOLD", .reason = "by u1"},
                  {.time = at(20), .event = "RELEASE", .reason = "by u1"},
                  {.time = at(40), .event = "START"},
                  {.time = at(70), .event = "PARK", .reason = "by the time that job <7> ends"},
                  {.time = at(100), .event = "RESUME"},
                  {.time = at(120), .event = "SUSPEND", .reason = "by u1"},
                  {.time = at(125), .event = "RESUME"},
                  {.time = at(160), .event = "END"}};
  // PEND PSUSP RUN USUSP SSUSP UNKWN TOTAL
  auto text = history_table({&stood, 1}, at(500));
  EXPECT_NE(text.find(" 25      15      85      5       30      0       160"), std::string::npos)
      << text;
  stood.events.erase(stood.events.begin());  // held from the start
  text = history_table({&stood, 1}, at(500));
  EXPECT_NE(text.find(" 20      20      85      5       30      0       160"), std::string::npos)
      << text;
}

TEST(history, the_time_of_a_silent_host_is_unknown_and_then_it_is_what_it_was) {
  auto away = job();
  away.events = {{.time = at(10), .event = "START"},
                 {.time = at(40), .event = "UNKNOWN", .reason = "host <h1> is silent"},
                 {.time = at(100), .event = "KNOWN"},
                 {.time = at(160), .event = "END"}};
  // PEND PSUSP RUN USUSP SSUSP UNKWN TOTAL
  auto text = history_table({&away, 1}, at(500));
  EXPECT_NE(text.find(" 10      0       90      0       0       60      160"), std::string::npos)
      << text;
}

TEST(history, a_clock_that_was_set_changes_no_length) {
  auto set = job();
  set.submitted = at(3600), set.started = at(3610), set.ended = at(3660);
  set.events = {{.time = at(0), .event = "SUBMIT"},
                {.time = at(10), .event = "START"},
                {.time = at(3620), .event = "CLOCK", .to = 3600},
                {.time = at(3660), .event = "END"}};
  // PEND PSUSP RUN USUSP SSUSP UNKWN TOTAL
  auto text = history_table({&set, 1}, at(5000));
  EXPECT_NE(text.find(" 10      0       50      0       0       0       60"), std::string::npos)
      << text;
  text = history_long(set, at(5000));
  EXPECT_NE(text.find("CLOCK was set forward by 1h"), std::string::npos) << text;
}

TEST(history, one_that_was_queued_again_waits_from_then_on) {
  auto again = job();
  again.started = at(70), again.ended = WallTime{};
  again.events = {{.time = at(10), .event = "START"},
                  {.time = at(30), .event = "REQUEUE"},
                  {.time = at(70), .event = "START"},
                  {.time = at(75), .event = "REQUEUE"}};
  // PEND PSUSP RUN USUSP SSUSP UNKWN TOTAL
  auto text = history_table({&again, 1}, at(100));
  EXPECT_NE(text.find(" 75      0       25      0       0       0       100"), std::string::npos)
      << text;
}

TEST(history, one_that_made_way_waits_from_then_on) {
  auto again = job();
  again.events = {{.time = at(10), .event = "START"},
                  {.time = at(50), .event = "PREEMPT", .from = 2},
                  {.time = at(90), .event = "START"}};
  // PEND PSUSP RUN USUSP SSUSP UNKWN TOTAL
  auto text = history_table({&again, 1}, at(500));
  EXPECT_NE(text.find(" 50      0       110     0       0       0       160"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace wm::view
