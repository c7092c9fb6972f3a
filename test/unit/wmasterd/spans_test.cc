// Parts of holdings, attempts and standings as rows, folded from events that a real cluster made.
#include "daemons/wmasterd/acct/spans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemons/wmasterd/acct/acct_state.h"
#include "libwm/model/gpu_use.h"
#include "test/support/builders.h"

namespace wm::master {
namespace {

using store::AllocationRow;
using store::HoldClass;
using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;
using ::testing::ElementsAre;

/// A cluster with a history that begins with its configuration, as a master's does.
struct Site : ClusterBuilder {
  Site() { reconfigure(); }
  static Task task(std::uint32_t number, HostId host) {
    Task made;
    made.number = TaskNumber{number}, made.host = host;
    return made;
  }
  void start(JobId id, const std::vector<HostId>& hosts, double seconds) {
    const Job* known = find_job(state, id);
    Attempt attempt{known ? known->attempt.value + 1 : 1};
    std::vector<Task> tasks;
    for (HostId host : hosts)
      tasks.push_back(task(static_cast<std::uint32_t>(tasks.size() + 1), host));
    step(JobDispatched{id, attempt, tasks, std::string(32, 'k')}, seconds);
    for (const auto& made : job(id).tasks)
      if (made.has_process) step(TaskStarted{id, attempt, made.number, 100}, seconds);
  }
  void end(JobId id, std::uint32_t task, double seconds, Term term = Term::None) {
    step(TaskEnded{id, job(id).attempt, TaskNumber{task}, 0, term, {}, ""}, seconds);
  }
};

/// What acct.db would hold: the newest row of each key.
struct Ledger {
  std::map<std::tuple<JobId, Attempt, TaskNumber, std::uint32_t>, AllocationRow> parts;
  std::map<std::pair<JobId, Attempt>, store::AttemptRow> attempts;
  std::map<std::pair<std::string, WallTime>, store::HostSpanRow> hosts;
  std::map<std::tuple<std::string, std::string, WallTime>, store::GpuSpanRow> gpus;
  std::map<std::pair<std::string, WallTime>, store::PlanSpanRow> plans;
  bool operator==(const Ledger&) const = default;

  void put(const store::AcctRows& rows) {
    for (const auto& r : rows.allocations) parts[{r.job, r.attempt, r.task, r.part}] = r;
    for (const auto& r : rows.attempts) attempts[{r.job, r.attempt}] = r;
    for (const auto& r : rows.hosts) hosts[{r.host, r.since}] = r;
    for (const auto& r : rows.gpus) gpus[{r.host, r.uuid, r.since}] = r;
    for (const auto& r : rows.plans) plans[{r.path, r.since}] = r;
  }
  /// Its rows as a start reads them.
  store::AcctRows lasting(Seq seq) const {
    store::AcctRows rows;
    rows.seq = seq;
    for (const auto& [key, r] : parts)
      if (r.end == WallTime{}) rows.allocations.push_back(r);
    for (const auto& [key, r] : attempts)
      if (r.ended == WallTime{}) rows.attempts.push_back(r);
    for (const auto& [key, r] : hosts)
      if (r.until == WallTime{}) rows.hosts.push_back(r);
    for (const auto& [key, r] : gpus)
      if (r.until == WallTime{}) rows.gpus.push_back(r);
    for (const auto& [key, r] : plans)
      if (r.until == WallTime{}) rows.plans.push_back(r);
    return rows;
  }
  std::vector<AllocationRow> of(JobId id) const {
    std::vector<AllocationRow> found;
    for (const auto& [key, row] : parts)
      if (row.job == id) found.push_back(row);
    return found;
  }
};

/// Folds the history event by event.
struct Folded : Ledger {
  Cluster state;
  explicit Folded(const ClusterBuilder& cluster) {
    AcctState acct_state;
    for (const auto& event : cluster.history) {
      fsm::apply(state, event);
      put(fold(acct_state, event, state));
    }
  }
};

std::string told(const AllocationRow& row) {
  auto second = [](WallTime t) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(t - at(0)).count());
  };
  return row.host + " " + std::to_string(static_cast<int>(row.held)) + " " + second(row.start) +
         "-" + (row.end == WallTime{} ? "" : second(row.end));
}
std::vector<std::string> told(const std::vector<AllocationRow>& rows) {
  std::vector<std::string> words;
  for (const auto& row : rows) words.push_back(told(row));
  return words;
}

std::string told(const store::AttemptRow& row) {
  return to_string(row.job) + " " + row.outcome + " " + std::to_string(row.term) + " on " +
         row.host + ", " + std::to_string(row.slot_ms) + " slot ms, " +
         std::to_string(row.gpu_mms) + " GPU mms, own " + std::to_string(row.own_wait.count()) +
         " queue " + std::to_string(row.queue_wait.count()) + " us, started " +
         std::to_string((row.started - at(0)).count());
}

TEST(spans, a_part_ends_where_something_of_the_holding_changes) {
  Site c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder());
  c.run(id, {host});
  c.step(JobSuspended{id, "ann"}, 10);
  c.step(JobResumed{id, "ann"}, 20);
  c.step(HostSilent{host}, 30);
  c.step(HostHeard{host}, 40);
  c.step(TaskStuck{id, Attempt{1}, TaskNumber{1}, "zombie"}, 50);
  c.end(id, 1, 60);
  EXPECT_THAT(told(Folded(c).of(id)), ElementsAre("h1 0 0-10", "h1 2 10-20", "h1 0 20-30",
                                                  "h1 4 30-40", "h1 0 40-50", "h1 5 50-60"));
}

TEST(spans, the_first_part_says_what_is_held) {
  Site c;
  auto host = c.host(4, 2);
  SpecBuilder spec;
  spec.gpus(2);
  spec.spec.task.milli_cpus = 3000, spec.spec.task.mem = Bytes{1 << 30};
  auto id = c.submit(spec);
  c.run(id, {host});
  c.step(MemoryReleased{id, Attempt{1}}, 5);
  auto parts = Folded(c).of(id);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].slots, 1000);
  EXPECT_EQ(parts[0].milli_cpus, 3000);
  EXPECT_EQ(parts[0].gpus, 2000);
  EXPECT_EQ(parts[0].gpueq, 2000);
  EXPECT_EQ(parts[0].mem, Bytes{1 << 30});
  EXPECT_EQ(parts[1].mem, Bytes{0});
}

TEST(spans, a_shared_gpu_counts_by_its_share) {
  Site c;
  auto host = c.host(4, 1);
  SpecBuilder spec;
  spec.spec.task.gpu_shared = true, spec.spec.task.milli_gpus = 500;
  auto id = c.submit(spec);
  c.dispatch(id, {host});
  auto parts = Folded(c).of(id);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].gpus, 500 * static_cast<int>(c.job(id).tasks[0].gpus.size()));
}

TEST(spans, slices_of_a_gpu_are_parts_of_a_whole_one) {
  auto slice = [](std::string profile) {
    Gpu gpu;
    gpu.uuid = profile, gpu.mig = std::move(profile), gpu.parent = "GPU-0";
    return gpu;
  };
  std::vector<Gpu> gpus = {slice("3g.40gb"), slice("2g.20gb"), slice("2g.20gb"), Gpu{}};
  EXPECT_EQ(whole_gpu_part(gpus, 0), 428);
  EXPECT_EQ(whole_gpu_part(gpus, 1), 714 - 428);
  EXPECT_EQ(whole_gpu_part(gpus, 2), 1000 - 714);
  EXPECT_EQ(whole_gpu_part(gpus, 3), 1000);
}

TEST(spans, those_that_leave_are_told_apart_from_those_that_stay) {
  Site c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().tasks(1, 3).app("training").elastic());
  c.run(id, {host, host});
  c.enter_epoch(id, 1);
  c.step(TasksLeaving{id, Attempt{1}, {TaskNumber{2}}, at(20), "reclaim"}, 10);
  c.end(id, 2, 13, Term::Left);
  c.end(id, 1, 30);
  Folded folded(c);
  EXPECT_THAT(told(folded.of(id)), ElementsAre("h1 0 0-30", "h1 0 0-10", "h1 1 10-13"));
  EXPECT_EQ(folded.of(id)[0].member_at, at(0));
}

TEST(spans, each_attempt_has_a_row_with_its_outcome) {
  Site c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().rerunnable());
  c.run(id, {host});
  c.step(HostSilent{host}, 10);
  c.step(HostDied{host, "root", "smoke"}, 20);
  c.end(id, 1, 20, Term::HostLost);
  c.step(HostRegistered{host, "h1", "", "boot2", "", "", {}}, 20);
  c.start(id, {host}, 30);
  c.end(id, 1, 50);
  Folded folded(c);
  ASSERT_EQ(folded.attempts.size(), 2u);
  const auto& first = folded.attempts.at({id, Attempt{1}});
  EXPECT_EQ(first.outcome, "lost");
  EXPECT_EQ(first.host, "h1");
  EXPECT_EQ(first.ended, at(20));
  const auto& second = folded.attempts.at({id, Attempt{2}});
  EXPECT_EQ(second.outcome, "finished");
  EXPECT_EQ(second.user, "u1");
}

TEST(spans, what_has_no_process_goes_with_the_attempt) {
  Site c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().tasks(3, 3));
  c.run(id, {host, host, host});
  c.end(id, 1, 10);
  Folded folded(c);
  for (const auto& row : folded.of(id)) EXPECT_EQ(row.end, at(10));
  EXPECT_EQ(folded.of(id).size(), 3u);
}

TEST(waits, a_hold_a_begin_time_and_an_arrays_limit_are_the_users_own) {
  Site c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().array(1, 3, 2).hold());
  c.step(JobReleased{id, "ann"}, 100);
  for (std::uint32_t i : {1, 2}) c.start({id.job, i}, {host}, 104);
  c.step(TaskEnded{{id.job, 1}, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""}, 700);
  c.start({id.job, 3}, {host}, 702);
  Folded folded(c);
  const auto& second = folded.attempts.at({{id.job, 2}, Attempt{1}});
  EXPECT_EQ(second.own_wait, std::chrono::seconds(100));
  EXPECT_EQ(second.queue_wait, std::chrono::seconds(4));
  const auto& third = folded.attempts.at({{id.job, 3}, Attempt{1}});
  EXPECT_EQ(third.own_wait, std::chrono::seconds(700));
  EXPECT_EQ(third.queue_wait, std::chrono::seconds(2));
}

TEST(waits, a_predecessor_is_not_the_queue) {
  Site c;
  auto host = c.host(4);
  auto first = c.submit(SpecBuilder());
  SpecBuilder after;
  after.spec.when.depend = "done(" + std::to_string(first.job) + ")";
  auto id = c.submit(after);
  c.run(first, {host});
  c.end(first, 1, 500);
  c.start(id, {host}, 503);
  Folded folded(c);
  const auto& row = folded.attempts.at({id, Attempt{1}});
  EXPECT_EQ(row.own_wait, std::chrono::seconds(500));
  EXPECT_EQ(row.own_wait + row.queue_wait, row.dispatched - at(0));
}

TEST(standings, hosts_and_gpus_have_a_row_for_each_way_they_stood) {
  Site c;
  auto host = c.host(4, 2);
  c.step(HostClosed{host, "ann", "repair"}, 10);
  c.step(HostOpened{host, "ann"}, 20);
  c.step(HostSilent{host}, 30);
  c.step(HostDied{host, "ann", "smoke"}, 40);
  GpuMark sick;
  sick.sick = true, sick.sick_why = "XID 79";
  c.step(GpuMarked{host, c.host_of(host).capacity.gpus[1].uuid, sick}, 50);
  Folded folded(c);
  std::vector<std::string> states;
  for (const auto& [key, row] : folded.hosts)
    if (row.host == "h1") states.push_back(row.state);
  EXPECT_THAT(states, ElementsAre("ok", "closed", "ok", "silent", "dead"));
  std::vector<std::string> gpus;
  for (const auto& [key, row] : folded.gpus) gpus.push_back(row.state);
  EXPECT_THAT(gpus, ElementsAre("ok", "ok", "sick"));
  EXPECT_EQ((folded.hosts.at({"h1", at(40)}).slots), 4000);
  EXPECT_EQ((folded.hosts.at({"h1", at(40)}).why), "smoke");
}

TEST(standings, a_plan_has_a_row_for_each_configuration_that_changed_it) {
  Site c;
  PlanConf vision;
  vision.path = "/vision", vision.owns = 8;
  c.config.plans.push_back(vision);
  c.step(ConfigLoaded{std::make_shared<Config>(c.config)}, 10);
  c.config.plans.back().owns = 9;
  c.step(ConfigLoaded{std::make_shared<Config>(c.config)}, 20);
  std::vector<std::int64_t> owns;
  for (const auto& [key, row] : Folded(c).plans)
    if (row.path == "/vision") owns.push_back(row.owns);
  EXPECT_THAT(owns, ElementsAre(8, 9));
}

// A course with everything in it.
struct Course : Site {
  Course() {
    auto h1 = host(8, 2), h2 = host(4);
    auto a = submit(SpecBuilder().tasks(1, 4).app("training").elastic());
    run(a, {h1, h2});
    enter_epoch(a, 1);
    auto b = submit(SpecBuilder().rerunnable());
    auto parked = submit(SpecBuilder());
    run(b, {h2});
    step(JobSuspended{a, "ann"}, 3);
    step(HostSilent{h2}, 4);
    step(JobResumed{a, "ann"}, 5);
    step(HostDied{h2, "ann", "smoke"}, 6);
    end(b, 1, 6, Term::HostLost);
    end(a, 2, 6, Term::HostLost);
    start(b, {h1}, 6);
    start(parked, {h1}, 6);
    step(JobParked{parked, Attempt{1}, {b, "for others"}}, 7);
    step(JobUnparked{parked, Attempt{1}}, 9);
    end(b, 1, 11);
  }
};

TEST(spans, slots_of_all_parts_are_the_slot_time_of_the_job) {
  Course c;
  Folded folded(c);
  std::map<JobId, Duration> sums;
  for (const auto& [key, row] : folded.parts) {
    auto end = row.end == WallTime{} ? c.state.time : row.end;
    sums[row.job] += (end - row.start) * row.slots / 1000;
  }
  each_job(c.state, [&](const Job& job) {
    auto holding = job.holding;
    charge(holding, {}, c.state.time);
    EXPECT_EQ(sums[job.id], holding.slot_time) << to_string(job.id);
  });
}

TEST(spans, a_start_in_the_middle_gives_the_same_rows) {
  Course c;
  Folded whole(c);
  for (std::size_t cut = 0; cut <= c.history.size(); ++cut) {
    Cluster state;
    Ledger ledger;
    AcctState acct_state;
    for (std::size_t i = 0; i < c.history.size(); ++i) {
      if (i == cut) acct_state = acct_state_of(state, ledger.lasting(state.seq));
      fsm::apply(state, c.history[i]);
      ledger.put(fold(acct_state, c.history[i], state));
    }
    SCOPED_TRACE("started at event " + std::to_string(cut));
    for (const auto& [key, row] : whole.parts)
      EXPECT_TRUE(ledger.parts[key] == row) << told(row) << " is " << told(ledger.parts[key]);
    for (const auto& [key, row] : whole.attempts)
      EXPECT_TRUE(ledger.attempts[key] == row) << told(row) << " is " << told(ledger.attempts[key]);
    EXPECT_EQ(ledger, static_cast<const Ledger&>(whole));
  }
}

TEST(spans, events_that_became_durable_together_give_the_same_rows) {
  Course c;
  Folded whole(c);
  for (std::size_t size : {2, 3, 7}) {
    Cluster state;
    Ledger ledger;
    AcctState acct_state;
    for (std::size_t i = 0; i < c.history.size(); i += size) {
      auto end = std::min(i + size, c.history.size());
      for (std::size_t k = i; k < end; ++k) fsm::apply(state, c.history[k]);
      for (std::size_t k = i; k < end; ++k) ledger.put(fold(acct_state, c.history[k], state));
    }
    EXPECT_EQ(ledger.parts, whole.parts) << size;
    EXPECT_EQ(ledger.attempts, whole.attempts) << size;
  }
}

TEST(spans, a_clock_that_is_set_cuts_parts_and_changes_no_length) {
  for (auto by : {std::chrono::hours(24), std::chrono::hours(-24)}) {
    double set = std::chrono::duration<double>(by).count();
    Site c;
    auto host = c.host(2);
    auto id = c.submit({});
    c.start(id, {host}, 10);
    c.step(ClockStepped{by}, set + 30);
    c.end(id, 1, set + 45);
    Folded ledger(c);
    auto parts = ledger.of(id);
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].start, at(10));
    EXPECT_EQ(parts[0].end, at(30));
    EXPECT_EQ(parts[1].start, at(set + 30));
    EXPECT_EQ(parts[1].end, at(set + 45));
    const auto& attempt = ledger.attempts.at({id, Attempt{1}});
    EXPECT_EQ(attempt.slot_ms, 35'000);
    EXPECT_EQ(attempt.ended - attempt.started, std::chrono::seconds(35));
    for (const auto& [key, row] : ledger.hosts) {
      if (row.until != WallTime{}) {
        EXPECT_LT(row.since, row.until);
      }
    }
  }
}

}  // namespace
}  // namespace wm::master
