// The one writer of the state, on a simulated disk: what is published, what a failure of the
// disk does, what a start makes of events that do not fit.
#include "daemons/wmasterd/state/journal.h"

#include <gtest/gtest.h>

#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "test/support/builders.h"
#include "test/support/sim_env.h"

namespace wm::master {
namespace {

using test::SpecBuilder;

/// A journal with everything it told.
struct DiskDesk {
  explicit DiskDesk(std::uint64_t seed = 1) : sim(seed), env(sim, disk, {}) {
    static const bool quiet = (log::open("journal", "", log::Level::Error), true);
    static_cast<void>(quiet);
  }
  Proposal submission(std::uint32_t number) {
    Proposal proposal;
    proposal.events = {JobSubmitted{{number, 0}, SpecBuilder().sealed()}};
    proposal.replies = {{"key-" + std::to_string(number), "reply"}};
    proposal.done = [this](const Result<void>& done) {
      answers.push_back(done ? Code::Ok : done.error().code);
    };
    return proposal;
  }
  void run(int ms) { sim.run(sim.now() + std::chrono::milliseconds(ms)); }
  std::uint64_t on_disk() const { return disk.events.empty() ? 0 : disk.events.back().seq.value; }

  test::Sim sim;
  test::SimDisk disk;
  test::SimEnv env;
  std::vector<std::uint64_t> told;  // seq of the published state, at each telling
  std::vector<Event> events;
  std::vector<Code> answers;
  Journal journal{env, env, [this](const Journal::Published& published) {
                    EXPECT_LE(journal.published().seq.value, on_disk());
                    told.push_back(journal.published().seq.value);
                    events.insert(events.end(), published.events.begin(), published.events.end());
                  }};
};

// Accounting goes the same way after a crash: nothing is read or decoded for it again.
TEST(journal, a_start_tells_what_it_was_made_of) {
  DiskDesk desk;
  test::ClusterBuilder past;
  past.submit({});
  desk.disk.snapshot = codec::encode(past.state);
  desk.disk.snapshot_seq = past.state.seq;
  auto snapshot = past.state.seq;
  past.submit({});
  desk.disk.events = past.history;
  Journal::Began began;
  ASSERT_TRUE(desk.journal.start(&began));
  EXPECT_EQ(began.before.seq, snapshot);
  EXPECT_EQ(began.before.last_job, 1u);
  ASSERT_EQ(began.events.size(), past.state.seq.value - snapshot.value);
  for (const auto& event : began.events) fsm::apply(began.before, event);
  EXPECT_EQ(codec::encode(began.before), codec::encode(desk.journal.published()));
}

TEST(journal, nothing_is_published_before_it_is_durable) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    DiskDesk desk(seed);
    ASSERT_TRUE(desk.journal.start());
    desk.journal.propose(desk.submission(1));
    EXPECT_EQ(desk.journal.newest().last_job, 1u);
    EXPECT_EQ(desk.journal.published().last_job, 0u);
    EXPECT_TRUE(desk.answers.empty());
    for (int ms = 0; ms < 40; ++ms) {
      desk.run(1);
      EXPECT_LE(desk.journal.published().seq.value, desk.on_disk());
      EXPECT_LE(desk.answers.size(), desk.disk.replies.size());
      if (ms == 3) desk.journal.propose(desk.submission(2));
    }
    EXPECT_EQ(desk.journal.published().last_job, 2u);
    EXPECT_EQ(desk.answers, (std::vector<Code>{Code::Ok, Code::Ok}));
  }
}

TEST(journal, proposals_of_one_turn_become_durable_together) {
  DiskDesk desk;
  ASSERT_TRUE(desk.journal.start());
  for (std::uint32_t job = 1; job <= 3; ++job) desk.journal.propose(desk.submission(job));
  desk.run(50);
  EXPECT_EQ(desk.told, std::vector<std::uint64_t>{3});
  ASSERT_EQ(desk.events.size(), 3u);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(desk.events[i].seq, Seq{i + 1});
  EXPECT_EQ(desk.disk.replies.size(), 3u);
}

TEST(journal, an_illegal_event_is_left_out_and_the_others_stand) {
  DiskDesk desk;
  ASSERT_TRUE(desk.journal.start());
  auto proposal = desk.submission(1);
  proposal.events = {proposal.events[0], JobReleased{{9, 0}, "u1"}, JobHeld{{1, 0}, "u1"}};
  auto results = desk.journal.propose(std::move(proposal));
  ASSERT_EQ(results.size(), 3u);
  EXPECT_TRUE(results[0]);
  ASSERT_FALSE(results[1]);
  EXPECT_EQ(results[1].error().code, Code::NotFound);
  EXPECT_TRUE(results[2]);
  desk.run(50);
  EXPECT_EQ(desk.answers, std::vector<Code>{Code::Ok});
  EXPECT_EQ(desk.disk.events.size(), 2u);
  EXPECT_EQ(desk.journal.published().jobs.find(1)->state, JobState::Held);
}

TEST(journal, a_proposal_of_nothing_is_answered_too_and_never_from_inside) {
  DiskDesk desk;
  ASSERT_TRUE(desk.journal.start());
  auto proposal = desk.submission(1);
  proposal.events.clear();
  proposal.replies.clear();
  desk.journal.propose(std::move(proposal));
  EXPECT_TRUE(desk.answers.empty());
  desk.run(1);
  EXPECT_EQ(desk.answers, std::vector<Code>{Code::Ok});
  EXPECT_TRUE(desk.told.empty());
}

TEST(journal, a_failed_commit_fails_all_who_wait) {
  DiskDesk desk;
  ASSERT_TRUE(desk.journal.start());
  desk.journal.propose(desk.submission(1));
  desk.run(50);
  desk.disk.failing = true;
  desk.journal.propose(desk.submission(2));
  desk.sim.run(desk.sim.now());  // it is on its way to the disk
  desk.journal.propose(desk.submission(3));
  desk.run(50);
  EXPECT_EQ(desk.answers, (std::vector<Code>{Code::Ok, Code::Store, Code::Store}));
  EXPECT_FALSE(desk.journal.works());
  EXPECT_EQ(desk.journal.published().last_job, 1u);
  auto results = desk.journal.propose(desk.submission(4));
  ASSERT_EQ(results.size(), 1u);
  ASSERT_FALSE(results[0]);
  EXPECT_EQ(results[0].error().code, Code::Store);
  EXPECT_EQ(desk.answers.size(), 3u) << "never from inside";
  desk.run(1);
  EXPECT_EQ(desk.answers.back(), Code::Store);
}

TEST(journal, after_a_failure_the_state_is_the_disks_and_goes_on) {
  DiskDesk desk;
  ASSERT_TRUE(desk.journal.start());
  desk.journal.propose(desk.submission(1));
  desk.run(50);
  desk.disk.failing = true;
  desk.journal.propose(desk.submission(2));
  desk.run(5000);
  EXPECT_FALSE(desk.journal.works());
  desk.disk.failing = false;
  desk.told.clear();
  desk.run(1500);
  EXPECT_TRUE(desk.journal.works());
  EXPECT_EQ(desk.told, std::vector<std::uint64_t>{1}) << "everything is looked at again";
  EXPECT_EQ(desk.journal.newest().last_job, 1u);
  EXPECT_TRUE(desk.journal.propose(desk.submission(2))[0]);
  desk.run(50);
  EXPECT_EQ(desk.answers, (std::vector<Code>{Code::Ok, Code::Store, Code::Ok}));
  EXPECT_EQ(desk.on_disk(), 2u);
}

TEST(journal, an_event_that_does_not_fit_is_skipped_at_the_start) {
  DiskDesk desk;
  auto at = [](double s) { return test::at(s); };
  desk.disk.events = {{Seq{1}, at(1), JobSubmitted{{1, 0}, SpecBuilder().sealed()}},
                      {Seq{2}, at(2), TaskStarted{{7, 0}, Attempt{1}, TaskNumber{1}, 50}},
                      {Seq{3}, at(3), JobSubmitted{{2, 0}, SpecBuilder().sealed()}},
                      {Seq{4}, at(4), JobReleased{{2, 0}, "u1"}}};
  desk.disk.clock_set = std::chrono::seconds(5);
  ASSERT_TRUE(desk.journal.start());
  EXPECT_NE(desk.journal.published().jobs.find(1), nullptr);
  EXPECT_NE(desk.journal.published().jobs.find(2), nullptr);
  desk.journal.propose(desk.submission(3));
  desk.run(50);
  EXPECT_EQ(desk.on_disk(), 5u) << "a number is never used twice";
  EXPECT_EQ(desk.journal.published().seq, Seq{5});
}

/// A journal that has started on a clock that people set.
struct ClockDesk : DiskDesk {
  ClockDesk() {
    EXPECT_TRUE(journal.start());
    submit();
  }
  void submit() {
    journal.propose(submission(++last));
    run(50);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& event : disk.events) list.emplace_back(event_name(event.body));
    return list;
  }
  std::uint32_t last = 0;
};

TEST(journal, events_bear_what_the_clock_says_also_after_a_step_back) {
  ClockDesk desk;
  desk.disk.clock_set += std::chrono::hours(24);
  desk.submit();
  desk.disk.clock_set -= std::chrono::hours(24);
  desk.submit();
  EXPECT_EQ(desk.names(),
            (std::vector<std::string>{"job_submitted", "clock_stepped", "job_submitted",
                                      "clock_stepped", "job_submitted"}));
  const auto& events = desk.disk.events;
  EXPECT_GT(events[2].time, events[0].time + std::chrono::hours(23));
  EXPECT_LT(events[4].time, events[0].time + std::chrono::seconds(1));
  EXPECT_EQ(desk.journal.clock_steps_s(), 2 * 86400);
}

TEST(journal, a_step_that_the_disk_did_not_take_is_an_event_once_it_works) {
  ClockDesk desk;
  desk.disk.failing = true;
  desk.disk.clock_set += std::chrono::hours(24);
  desk.journal.propose(desk.submission(7));
  desk.run(500);
  EXPECT_EQ(desk.names().back(), "job_submitted");
  desk.disk.failing = false;
  desk.run(3000);
  EXPECT_EQ(desk.names().back(), "clock_stepped");
  EXPECT_EQ(find_job(desk.journal.published(), {1, 0})->times.submitted,
            desk.disk.events[0].time + std::chrono::hours(24));
}

TEST(journal, a_start_with_a_clock_before_the_last_event_moves_what_lasts_and_holds_nothing) {
  ClockDesk desk;
  DiskDesk next;
  next.disk = desk.disk;
  next.disk.clock_set = -std::chrono::hours(24);
  ASSERT_TRUE(next.journal.start());
  ASSERT_TRUE(next.journal.deed_time());
  EXPECT_FALSE(next.journal.deeds_wait());
  next.run(50);
  const auto& state = next.journal.published();
  EXPECT_LE(find_job(state, {1, 0})->times.submitted, next.env.wall());
}

TEST(journal, a_start_ends_the_doubt_of_the_master_before) {
  ClockDesk desk;
  desk.disk.clock_set += std::chrono::hours(24);
  desk.submit();
  EXPECT_NE(desk.journal.published().clock_doubt, Duration{});
  DiskDesk next;
  next.disk = desk.disk;
  ASSERT_TRUE(next.journal.start());
  EXPECT_TRUE(next.journal.deed_time());
  next.run(50);
  EXPECT_EQ(next.journal.published().clock_doubt, Duration{});
}

}  // namespace
}  // namespace wm::master
