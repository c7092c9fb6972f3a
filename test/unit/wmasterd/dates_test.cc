// What is due by the clock or by other jobs: begin and termination times, dependencies from
// their submission on, orphans; and that jobs which others wait for stay known.
#include "daemons/wmasterd/state/dates.h"

#include <gtest/gtest.h>

#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;
using namespace std::chrono_literals;

SpecBuilder after(const std::string& condition) {
  SpecBuilder builder;
  builder.spec.when.depend = condition;
  return builder;
}
SpecBuilder called(const std::string& name, const std::string& condition = "") {
  auto builder = after(condition);
  builder.spec.name = name;
  return builder;
}

struct Clock : Desk {
  void pass(Duration time) { sim.run(sim.now() + time); }
  /// A host that is connected and never called silent.
  void host(std::uint32_t slots) {
    past.config.cluster.times.silent_after = std::chrono::hours(1);
    past.reconfigure();
    start();
    host_peer.id = env->connect(host_peer);
    HostRegister words;
    words.name = "n1";
    words.capacity.slots = slots;
    words.capacity.milli_cpus = slots * 1000;
    core->hosts().on_frame(host_peer.id, static_cast<std::uint16_t>(NodeVerb::Register),
                           codec::encode(words));
    settle();
  }
  Asker host_peer;
  const Job& job(JobId id) const { return *find_job(state(), id); }
  std::string condition_of(JobId id) const { return job(id).spec().when.depend; }
};

TEST(dates, names_in_a_dependency_become_the_numbers_of_own_jobs) {
  Clock desk;
  desk.start();
  auto one = desk.submit("1", called("train")), two = desk.submit("2", called("train-2"));
  auto id = desk.submit("3", called("end", "ended(\"train*\") && done(train)"));
  EXPECT_EQ(desk.condition_of(id), "((ended(" + to_string(one) + ") && ended(" + to_string(two) +
                                       ")) && done(" + to_string(one) + "))");
  desk.ask(Verb::Submit, desk.submission("4", called("x", "done(train)"), "1002"), kOther);
  EXPECT_EQ(desk.first.refusal(),
            (VerbError{number(Code::NotFound), "train: No matching job found"}))
      << "of another user";
}

TEST(dates, a_dependency_that_names_nothing_is_refused_with_the_name) {
  Clock desk;
  desk.start();
  desk.submit("1", SpecBuilder().array(1, 3));
  EXPECT_EQ(desk.refused(after("done(99)")).text, "99: No matching job found");
  EXPECT_EQ(desk.refused(after("done(1[4])")).text, "1[4]: No matching job found");
  EXPECT_EQ(desk.refused(after("done(nobody)")).text, "nobody: No matching job found");
  EXPECT_TRUE(desk.refused(after("done(")).text.starts_with("Dependency condition syntax error"));
  auto array = SpecBuilder().array(1, 4);
  array.spec.when.depend = "done(1[*])";
  EXPECT_EQ(desk.refused(array).text, "Dependent arrays do not have the same size");
  EXPECT_EQ(desk.jobs(), 1u);
}

TEST(dates, a_job_starts_when_what_it_waits_for_has_ended_without_anything_else_happening) {
  Clock desk;
  desk.host(4);
  auto first = SpecBuilder();
  first.spec.when.hold = true;
  auto one = desk.submit("1", first);
  auto two = desk.submit("2", after("ended(1)"));
  desk.pass(5s);
  EXPECT_EQ(desk.job(two).state, JobState::Pending);
  desk.ask(Verb::Kill, desk.kill(one));
  desk.pass(200ms);
  EXPECT_EQ(desk.job(two).state, JobState::Launching);
}

TEST(dates, a_job_starts_at_its_begin_time_and_not_before) {
  Clock desk;
  desk.host(4);
  SpecBuilder later;
  later.spec.when.begin = desk.env->wall() + 60s;
  auto id = desk.submit("1", later);
  desk.pass(58s);
  EXPECT_EQ(desk.job(id).state, JobState::Pending);
  desk.pass(4s);
  EXPECT_EQ(desk.job(id).state, JobState::Launching);
}

TEST(dates, a_begin_time_that_comes_during_a_look_is_not_missed) {
  for (auto more = 0ms; more < 10s; more += 500ms) {
    Clock desk;
    desk.host(4);
    SpecBuilder later;
    later.spec.when.begin = desk.env->wall() + 100s + more;
    auto id = desk.submit("1", later);
    desk.env->wall_step = 1s;
    desk.pass(120s);
    EXPECT_EQ(desk.job(id).state, JobState::Launching) << more.count();
  }
}

TEST(dates, a_job_ends_at_its_termination_time_wherever_it_is) {
  Clock desk;
  desk.host(1);
  SpecBuilder limited;
  limited.spec.when.deadline = desk.env->wall() + 60s;
  auto runs = desk.submit("1", limited), waits = desk.submit("2", limited);
  desk.pass(58s);
  EXPECT_EQ(desk.job(runs).state, JobState::Launching);
  EXPECT_EQ(desk.job(waits).state, JobState::Pending);
  desk.pass(4s);
  EXPECT_EQ(desk.job(waits).state, JobState::Killed);
  EXPECT_EQ(desk.job(waits).outcome.term, Term::Deadline);
  ASSERT_TRUE(desk.job(runs).kill);
  EXPECT_EQ(desk.job(runs).kill->term, Term::Deadline);
  auto events = desk.disk.events.size();
  desk.pass(10s);
  EXPECT_EQ(desk.disk.events.size(), events) << "it is asked once";
}

/// A job with a termination time in an hour and one of a reservation that lasts as long, both
/// running; then the clock is set a day forward.
struct SetClock : Clock {
  JobId limited;
  SetClock() {
    host(4);
    SpecBuilder spec;
    spec.spec.when.deadline = env->wall() + 1h;
    limited = submit("1", spec);
    pass(2s);
    disk.clock_set += 24h;
  }
  bool is_killed() const { return job(limited).kill.has_value(); }
  std::size_t steps() const {
    return static_cast<std::size_t>(std::ranges::count_if(disk.events, [](const Event& event) {
      return std::holds_alternative<ClockStepped>(event.body);
    }));
  }
};

TEST(dates, a_clock_that_is_a_day_ahead_for_six_seconds_ends_no_job) {
  SetClock desk;
  desk.pass(6s);
  EXPECT_EQ(desk.steps(), 1u);
  desk.disk.clock_set -= 24h;
  desk.pass(50min);
  EXPECT_FALSE(desk.is_killed());
  EXPECT_EQ(desk.steps(), 2u);
  desk.pass(15min);
  EXPECT_TRUE(desk.is_killed()) << "its time has come";
}

TEST(dates, a_clock_that_stays_ahead_ends_the_job_after_five_minutes) {
  SetClock desk;
  desk.pass(5min - 2s);
  EXPECT_FALSE(desk.is_killed());
  desk.pass(4s);
  EXPECT_TRUE(desk.is_killed());
  EXPECT_EQ(desk.state().clock_doubt, 0s);
}

TEST(dates, an_administrator_who_trusts_the_clock_ends_the_wait) {
  SetClock desk;
  desk.pass(6s);
  AdminRequest trust{key("trust"), AdminRequest::Act::ClockTrust, {}, "it was wrong for days"};
  desk.ask(Verb::Admin, trust, kUser);
  EXPECT_EQ(desk.first.refusal().code, number(Code::Denied));
  desk.ask(Verb::Admin, trust, kBoss);
  desk.pass(2s);
  EXPECT_TRUE(desk.is_killed());
}

TEST(dates, a_master_that_was_down_while_the_clock_was_set_does_not_wait) {
  SetClock desk;
  desk.restart();
  desk.pass(2s);
  EXPECT_TRUE(desk.is_killed());
}

TEST(dates, a_clock_that_is_a_day_ahead_purges_no_job) {
  Clock desk;
  desk.host(4);
  auto id = desk.submit("1", SpecBuilder().hold());
  desk.ask(Verb::Kill, desk.kill(id));
  desk.pass(2s);
  ASSERT_EQ(desk.job(id).state, JobState::Killed);
  desk.disk.clock_set += 24h;
  desk.pass(1min);
  EXPECT_TRUE(find_job(desk.state(), id));
  desk.disk.clock_set -= 24h;
  desk.pass(50min);
  EXPECT_TRUE(find_job(desk.state(), id));
  desk.pass(15min);
  EXPECT_FALSE(find_job(desk.state(), id)) << "its hour is over";
}

TEST(dates, times_that_make_no_sense_are_refused) {
  Clock desk;
  desk.start();
  SpecBuilder over;
  over.spec.when.deadline = desk.env->wall() - 1s;
  EXPECT_TRUE(desk.refused(over).text.starts_with("Bad time specification"));
  SpecBuilder crossed;
  crossed.spec.when.deadline = desk.env->wall() + 60s;
  crossed.spec.when.begin = desk.env->wall() + 120s;
  EXPECT_EQ(desk.refused(crossed).text, "Start time is later than termination time");
}

TEST(dates, an_orphan_is_ended_only_when_it_asked_for_it) {
  Clock desk;
  desk.host(4);
  SpecBuilder first;
  first.spec.when.hold = true;
  auto one = desk.submit("1", first);
  auto orphan = after("done(1)");
  auto stays = desk.submit("2", orphan);
  orphan.spec.when.orphan_kill = true;
  auto goes = desk.submit("3", orphan);
  desk.pass(3s);
  EXPECT_EQ(desk.job(goes).state, JobState::Pending);
  desk.ask(Verb::Kill, desk.kill(one));
  desk.pass(3s);
  EXPECT_EQ(desk.job(goes).state, JobState::Killed);
  EXPECT_EQ(desk.job(stays).state, JobState::Pending);
}

TEST(dates, of_an_array_only_the_elements_that_wait_in_vain_are_orphans) {
  Clock desk;
  desk.host(4);
  auto held = SpecBuilder().array(1, 3);
  held.spec.when.hold = true;
  auto first = desk.submit("1", held);
  auto waits = SpecBuilder().array(1, 3);
  waits.spec.when.depend = "done(1[*])";
  waits.spec.when.orphan_kill = true;
  auto second = desk.submit("2", waits);
  desk.ask(Verb::Kill, desk.kill({first.job, 2}));
  desk.pass(3s);
  EXPECT_EQ(desk.job({second.job, 2}).state, JobState::Killed);
  EXPECT_FALSE(desk.job(second).kill);
  EXPECT_EQ(find_job(desk.state(), {second.job, 1}), nullptr) << "still waits";
}

TEST(dates, a_job_that_others_wait_for_stays_known) {
  Clock desk;
  desk.past.config.cluster.times.clean_period = 60s;
  desk.past.reconfigure();
  desk.start();
  auto needed = desk.submit("1"), other = desk.submit("2");
  auto waits = after("done(1)");
  waits.spec.when.hold = true;
  desk.submit("3", waits);
  desk.ask(Verb::Kill, desk.kill(needed, "k1"));
  desk.ask(Verb::Kill, desk.kill(other, "k2"));
  desk.pass(120s);
  EXPECT_TRUE(find_job(desk.state(), needed));
  EXPECT_FALSE(find_job(desk.state(), other));
  desk.ask(Verb::Kill, desk.kill({3, 0}, "k3"));
  desk.pass(120s);
  EXPECT_FALSE(find_job(desk.state(), needed));
}

}  // namespace
}  // namespace wm::master
