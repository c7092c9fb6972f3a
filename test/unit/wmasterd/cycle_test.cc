// When passes run and what becomes of their plans: on the newest state, whatever happened
// between the view of a pass and its end.
#include "daemons/wmasterd/state/cycle.h"

#include <gtest/gtest.h>

#include "test/support/journal_desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;
using namespace std::chrono_literals;

struct CycleDesk : test::JournalDesk {
  std::unique_ptr<Cycle> cycle;

  void start() {
    open();
    cycle = std::make_unique<Cycle>(*env, *journal);
  }
  std::size_t dispatches() const {
    return static_cast<std::size_t>(std::count_if(
        disk.events.begin(), disk.events.end(),
        [](const Event& e) { return std::holds_alternative<JobDispatched>(e.body); }));
  }
};

TEST(cycle, a_wake_starts_what_fits_and_says_why_the_rest_waits) {
  CycleDesk desk;
  desk.past.host(1);
  auto first = desk.past.submit({}), second = desk.past.submit({});
  desk.start();
  desk.pass();
  EXPECT_EQ(desk.dispatches(), 0u) << "nobody has woken it";
  desk.cycle->wake();
  desk.pass();
  auto reasons = desk.cycle->reasons();
  EXPECT_EQ(desk.job(first).state, JobState::Launching)
      << (find_reasons(*reasons, first) ? find_reasons(*reasons, first)->front().text
                                        : "no reason");
  EXPECT_EQ(desk.job(second).state, JobState::Pending);
  ASSERT_TRUE(find_reasons(*reasons, second));
  EXPECT_FALSE(find_reasons(*reasons, second)->empty());
  EXPECT_FALSE(find_reasons(*reasons, first));
}

TEST(cycle, what_jobs_wait_for_is_written_when_it_changes) {
  CycleDesk desk;
  desk.past.host(1);
  auto runs = desk.past.submit({});
  auto a = desk.past.submit({}), b = desk.past.submit({}), c = desk.past.submit({});
  desk.start();
  auto look = [&] {
    desk.pass();
    desk.cycle->wake();
    desk.pass(2s);
    desk.disk.events.clear();
    desk.cycle->record_waits();
    desk.pass();
    std::vector<JobId> told;
    for (const auto& event : desk.disk.events)
      if (auto* wait = std::get_if<WaitRecorded>(&event.body))
        told.insert(told.end(), wait->jobs.begin(), wait->jobs.end());
    return told;
  };
  EXPECT_EQ(look(), (std::vector<JobId>{a, b, c}));
  EXPECT_EQ(look(), (std::vector<JobId>{})) << "as before";
  desk.journal->propose({{KillRequested{b, {Term::Owner, "ann", "", {}}}}, {}, {}, nullptr});
  EXPECT_EQ(look(), (std::vector<JobId>{})) << "the others wait as before";
  desk.journal->propose(
      {{HostClosed{desk.job(runs).tasks.front().host, "ann", ""}}, {}, {}, nullptr});
  EXPECT_EQ(look(), (std::vector<JobId>{a, c}));
}

// A host that is closed and opened all day: its jobs wait for it, then for slots.
TEST(cycle, reasons_that_flip_all_day_are_written_a_few_times_a_job) {
  CycleDesk desk;
  desk.past.host(1);
  auto runs = desk.past.submit({});
  for (int i = 0; i < 50; ++i) desk.past.submit({});
  desk.start();
  desk.pass();
  desk.cycle->wake();
  desk.pass(2s);
  auto host = desk.job(runs).tasks.front().host;
  std::size_t rows = 0;
  for (int minute = 0; minute < 24 * 60; ++minute) {
    desk.disk.events.clear();
    if (minute % 2) desk.journal->propose({{HostOpened{host, "ann"}}, {}, {}, nullptr});
    else desk.journal->propose({{HostClosed{host, "ann", ""}}, {}, {}, nullptr});
    desk.cycle->wake();
    desk.pass(60s);
    desk.cycle->record_waits();
    desk.pass();
    for (const auto& event : desk.disk.events)
      if (auto* wait = std::get_if<WaitRecorded>(&event.body)) rows += wait->jobs.size();
  }
  EXPECT_LE(rows, 50u * 40);
  EXPECT_GE(rows, 50u * 10);
}

TEST(cycle, many_wakes_dispatch_a_job_once) {
  CycleDesk desk;
  desk.past.host(4);
  auto id = desk.past.submit({});
  desk.start();
  for (int i = 0; i < 50; ++i) desk.cycle->wake();
  desk.pass();
  for (int i = 0; i < 50; ++i) desk.cycle->wake();
  desk.pass();
  EXPECT_EQ(desk.dispatches(), 1u);
  EXPECT_EQ(desk.job(id).attempt, Attempt{1});
}

TEST(cycle, a_wake_during_a_pass_makes_another) {
  CycleDesk desk;
  desk.past.host(4);
  desk.start();
  desk.cycle->wake();
  desk.journal->propose({{JobSubmitted{{1, 0}, SpecBuilder().sealed()}}, {}, {}, nullptr});
  desk.cycle->wake();  // the pass under way does not know the job
  desk.pass();
  EXPECT_EQ(desk.job({1, 0}).state, JobState::Launching);
}

TEST(cycle, what_is_killed_before_its_plan_comes_is_not_started) {
  CycleDesk desk;
  desk.past.host(4);
  auto id = desk.past.submit({});
  desk.start();
  desk.cycle->wake();
  desk.journal->propose(
      {{KillRequested{id, {Term::Owner, "u1", "", test::at(1)}}}, {}, {}, nullptr});
  desk.pass();
  EXPECT_EQ(desk.dispatches(), 0u);
  EXPECT_EQ(desk.job(id).state, JobState::Killed);
}

TEST(cycle, every_attempt_has_a_key_of_its_own_and_a_batch_job_one_process) {
  CycleDesk desk;
  desk.past.host(4);
  auto batch = desk.past.submit(SpecBuilder().tasks(2, 2));
  auto training = desk.past.submit(SpecBuilder().app("training").tasks(2, 2));
  desk.start();
  desk.cycle->wake();
  desk.pass();
  EXPECT_EQ(desk.job(batch).key.size(), 32u);
  EXPECT_NE(desk.job(batch).key, desk.job(training).key);
  auto processes = [&](JobId id) {
    const auto& tasks = desk.job(id).tasks;
    return std::count_if(tasks.begin(), tasks.end(), [](const Task& t) { return t.has_process; });
  };
  EXPECT_EQ(processes(batch), 1);
  EXPECT_EQ(processes(training), 2);
}

}  // namespace
}  // namespace wm::master
