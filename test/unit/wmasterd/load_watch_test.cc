// Load thresholds of queues against what hosts measure: jobs are stopped, go on and end.
#include "daemons/wmasterd/hosts/load_watch.h"

#include <gtest/gtest.h>

#include "libwm/model/config/calendar.h"
#include "libwm/model/stoppers.h"
#include "test/support/builders.h"

namespace wm::master {
namespace {

using test::SpecBuilder;

class load_watch : public ::testing::Test {
 protected:
  load_watch() {
    for (auto& queue : past.config.queues)
      if (queue.name == "normal") queue.load = {{"r1m", 0.7, 2.0}};
    past.reconfigure();
    host = past.host(4), other = past.host(4);
    measure(0.1);
    standings.set(other.value, {true, 0.1, {}, {}, {}});
  }
  void measure(double r1m, bool connected = true) {
    standings.set(host.value, {connected, r1m, {}, {}, {}});
  }
  JobId runs(std::vector<HostId> hosts) {
    auto id = past.submit(SpecBuilder().tasks(static_cast<std::uint32_t>(hosts.size()), 0));
    past.run(id, hosts);
    return id;
  }
  std::vector<EventBody> look() {
    auto events = watch.look(past.state, standings.freeze(), test::at(0));
    for (const auto& event : events) past.step(event);
    return events;
  }

  test::ClusterBuilder past;
  Table<HostStanding> standings;
  HostId host, other;
  LoadWatch watch;
};

TEST_F(load_watch, what_runs_is_stopped_beyond_stop_and_goes_on_below_sched) {
  auto job = runs({host}), elsewhere = runs({other});
  EXPECT_TRUE(look().empty());
  measure(1);  // none starts, those that run go on
  EXPECT_TRUE(look().empty());
  EXPECT_EQ(watch.loaded()->at("normal").at(host), "r1m 1 (0.7)");
  measure(2.5);
  EXPECT_EQ(look().size(), 1u);
  EXPECT_EQ(lsf_state(past.job(job)), "SSUSP");
  EXPECT_EQ(past.job(job).suspension.by, load_stopper("h1"));
  EXPECT_EQ(lsf_state(past.job(elsewhere)), "RUN");
  measure(1);
  EXPECT_TRUE(look().empty());
  measure(0.5);
  EXPECT_EQ(look().size(), 1u);
  EXPECT_EQ(lsf_state(past.job(job)), "RUN");
  EXPECT_TRUE(watch.loaded()->empty());
}

TEST_F(load_watch, a_job_on_several_hosts_goes_on_when_none_is_loaded) {
  auto job = runs({host, other});
  measure(3);
  standings.set(other.value, {true, 3, {}, {}, {}});
  EXPECT_EQ(look().size(), 1u);
  measure(0);
  EXPECT_TRUE(look().empty());
  standings.set(other.value, {true, 0, {}, {}, {}});
  look();
  EXPECT_EQ(lsf_state(past.job(job)), "RUN");
}

TEST_F(load_watch, whom_its_owner_has_stopped_or_let_go_on_is_left_alone) {
  auto stopped = runs({host}), job = runs({host});
  past.step(JobSuspended{stopped, "u1"});
  measure(3);
  EXPECT_EQ(look().size(), 1u);
  past.step(JobResumed{job, "u1"});
  EXPECT_TRUE(look().empty());
  measure(0);
  EXPECT_TRUE(look().empty());
  EXPECT_EQ(past.job(stopped).suspension.by, "u1");
  measure(3);
  EXPECT_EQ(look().size(), 1u);  // the load has been gone meanwhile
}

TEST_F(load_watch, a_host_that_is_not_heard_changes_nothing) {
  auto job = runs({host});
  measure(3);
  look();
  measure(0, false);
  EXPECT_TRUE(look().empty());
  EXPECT_EQ(watch.loaded()->size(), 1u);
  LoadWatch started_anew;
  EXPECT_TRUE(started_anew.look(past.state, standings.freeze(), test::at(0)).empty());
  measure(0);
  auto events = started_anew.look(past.state, standings.freeze(), test::at(0));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<JobResumed>(events[0]).job, job);
}

TEST_F(load_watch, nothing_goes_on_while_the_run_window_is_closed) {
  auto job = runs({host});
  measure(3);
  look();
  auto minute = week_minute({}, test::at(0));
  auto window = [&](std::uint32_t from) {
    for (auto& queue : past.config.queues)
      queue.run_window = {{(minute + from) % kWeekMinutes, (minute + from + 60) % kWeekMinutes}};
    past.reconfigure();
  };
  window(60);
  measure(0);
  EXPECT_TRUE(look().empty());
  window(0);
  look();
  EXPECT_EQ(lsf_state(past.job(job)), "RUN");
}

TEST_F(load_watch, jobs_end_where_the_queue_says_so) {
  for (auto& queue : past.config.queues) queue.terminate_when.load = true;
  past.reconfigure();
  auto job = runs({host});
  measure(3);
  auto events = look();
  ASSERT_EQ(events.size(), 1u);
  const auto& kill = std::get<KillRequested>(events[0]);
  EXPECT_EQ(kill.job, job);
  EXPECT_EQ(term_name(kill.wish.term), "TERM_LOAD");
  EXPECT_EQ(kill.wish.text, "load of host <h1>: r1m 3 (2)");
}

TEST_F(load_watch, the_same_hosts_are_the_same_object) {
  measure(1);
  look();
  auto before = watch.loaded();
  measure(1.5);
  look();
  EXPECT_EQ(watch.loaded(), before);
  EXPECT_EQ(watch.why_busy(host), "r1m 1 (0.7), queue normal");
  EXPECT_EQ(watch.why_busy(other), "");
}

TEST_F(load_watch, a_hosts_own_limits_hold_for_every_queue_beside_the_queues) {
  for (auto& queue : past.config.queues) queue.load.clear();
  past.config.hosts = {{.name = "h1", .load = {{"r1m", 0.5, 2.0}}}};
  past.reconfigure();
  auto job = runs({host});
  EXPECT_FALSE(watch.idle(*past.state.config));
  measure(0.6);
  standings.set(other.value, {true, 9, {}, {}, {}});
  EXPECT_TRUE(look().empty());
  for (const auto& queue : past.config.queues)
    EXPECT_EQ(watch.loaded()->at(queue.name).at(host), "r1m 0.6 (0.5)") << queue.name;
  EXPECT_EQ(watch.why_busy(other), "");
  measure(2.5);
  EXPECT_EQ(look().size(), 1u);
  EXPECT_EQ(lsf_state(past.job(job)), "SSUSP");
}

TEST_F(load_watch, outside_of_a_hosts_dispatch_window_none_starts_and_what_runs_goes_on) {
  auto minute = week_minute({}, test::at(0));
  past.config.hosts = {
      {.name = "h1",
       .dispatch_window = {{(minute + 1) % kWeekMinutes, (minute + 60) % kWeekMinutes}}}};
  past.reconfigure();
  auto job = runs({host});
  EXPECT_TRUE(look().empty());
  EXPECT_EQ(watch.loaded()->at("normal").at(host), "dispatch window of host <h1> is closed");
  EXPECT_EQ(lsf_state(past.job(job)), "RUN");
  EXPECT_EQ(watch.why_busy(other), "");
  watch.look(past.state, standings.freeze(), test::at(60));
  EXPECT_TRUE(watch.loaded()->empty());
}

TEST_F(load_watch, it_is_idle_without_thresholds) {
  EXPECT_FALSE(watch.idle(*past.state.config));
  for (auto& queue : past.config.queues) queue.load.clear();
  past.reconfigure();
  EXPECT_FALSE(watch.idle(*past.state.config));  // some job may be stopped from before
  look();
  EXPECT_TRUE(watch.idle(*past.state.config));
}

}  // namespace
}  // namespace wm::master
