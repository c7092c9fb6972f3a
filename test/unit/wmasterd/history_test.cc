// What accounting keeps: rows folded from events made by a real cluster. Every event is
// folded with the state it made, as the rebuild does.
#include "daemons/wmasterd/acct/history.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::master {
namespace {

using store::AcctRows;
using store::JobEventRow;
using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;

/// The state that `events` make, and all rows folded on the way.
struct FoldedRows {
  Cluster state;
  JobLines lines;
  std::vector<AcctRows> rows;

  explicit FoldedRows(const ClusterBuilder& cluster) { take(cluster.history); }
  void take(const std::vector<Event>& events) {
    for (const auto& event : events) {
      fsm::apply(state, event);
      rows.push_back(fold(lines, event, state));
    }
  }
  std::vector<JobEventRow> events_of(JobId id) const {
    std::vector<JobEventRow> found;
    for (const auto& some : rows)
      for (const auto& row : some.events)
        if (row.job == id) found.push_back(row);
    return found;
  }
  std::vector<JobEventRow> named(JobId id, const std::string& word) const {
    auto found = events_of(id);
    std::erase_if(found, [&](auto& row) { return row.event != word; });
    return found;
  }
  std::vector<store::JobRow> jobs_of(JobId id) const {
    std::vector<store::JobRow> found;
    for (const auto& some : rows)
      for (const auto& row : some.jobs)
        if (row.id == id) found.push_back(row);
    return found;
  }
  std::vector<store::UsageRow> usage() const {
    std::vector<store::UsageRow> found;
    for (const auto& some : rows) found.insert(found.end(), some.usage.begin(), some.usage.end());
    return found;
  }
};

/// A cluster with a history that begins with its configuration, as a master's does.
struct Office : ClusterBuilder {
  Office() { reconfigure(); }
  void end(JobId id, std::uint32_t task, std::int32_t status = 0, double seconds = 0) {
    step(TaskEnded{id, job(id).attempt, TaskNumber{task}, status, Term::None, {}, ""}, seconds);
  }
  EpochEntered epoch(JobId id, std::uint32_t number, std::vector<TaskNumber> members) {
    EpochFormed formed;
    formed.epoch = EpochNumber{number};
    formed.members = std::move(members);
    formed.reason = "grows";
    return {id, job(id).attempt, formed};
  }
  Task task(std::uint32_t number, HostId host) {
    Task made;
    made.number = TaskNumber{number};
    made.host = host;
    return made;
  }
};

TEST(history, a_job_from_submission_to_its_end) {
  Office c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().tasks(2, 2).app("training"));
  c.run(id, {host, host});
  c.end(id, 1, 0, 10);
  c.end(id, 2, 0, 12);
  FoldedRows books(c);
  std::vector<std::string> words;
  for (const auto& row : books.events_of(id)) words.push_back(row.event);
  EXPECT_EQ(words,
            (std::vector<std::string>{"SUBMIT", "DISPATCH", "START", "FREE", "USAGE", "END"}));
  EXPECT_EQ(books.named(id, "FREE")[0].from, 2);
  EXPECT_EQ(books.named(id, "FREE")[0].to, 1) << "the other half is others' from then on";
  EXPECT_EQ(books.named(id, "SUBMIT")[0].to, 2);
  EXPECT_EQ(books.named(id, "DISPATCH")[0].to, 2);
  EXPECT_TRUE(books.named(id, "DISPATCH")[0].reason.starts_with("on <"));
  EXPECT_EQ(books.named(id, "END")[0].reason, "finished");
  EXPECT_EQ(books.named(id, "END")[0].from, 2);
  auto last = books.jobs_of(id).back();
  EXPECT_EQ(last.state, "finished");
  EXPECT_EQ(last.user, "u1");
  EXPECT_EQ(last.exec_hosts, "h1 h1");
  EXPECT_EQ(last.slot_time, std::chrono::seconds(22));
  EXPECT_EQ(last.ended, at(12));
}

// Its slots are others' while its host still writes what it leaves: a figure over time must not
// count them twice.
TEST(history, slots_are_free_before_what_a_job_leaves_is_written) {
  Office c;
  auto host = c.host(2);
  auto id = c.submit(SpecBuilder().tasks(2, 2).app("training"));
  c.run(id, {host, host});
  TaskEnded last{id, c.job(id).attempt, TaskNumber{1}, 0, Term::None, {}, ""};
  c.step(last, 10);
  last.task = TaskNumber{2}, last.delivers = true;
  c.step(last, 10.2);
  c.step(JobDelivered{id, c.job(id).attempt, ""}, 15);
  FoldedRows books(c);
  auto free = books.named(id, "FREE");
  ASSERT_EQ(free.size(), 2u);
  EXPECT_EQ(free[1].from, 1);
  EXPECT_EQ(free[1].to, 0) << "that nothing runs is told at once";
  EXPECT_LT(free[1].time, books.named(id, "END")[0].time);
}

TEST(history, a_command_that_runs_once_frees_all_of_its_slots) {
  Office c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().tasks(4, 4));
  c.run(id, std::vector(4, host));
  TaskEnded last{id, c.job(id).attempt, TaskNumber{1}, 0, Term::None, {}, ""};
  last.delivers = true;
  c.step(last, 10);
  c.step(JobDelivered{id, c.job(id).attempt, ""}, 15);
  FoldedRows books(c);
  ASSERT_EQ(books.named(id, "FREE").size(), 1u);
  EXPECT_EQ(books.named(id, "FREE")[0].from, 4);
  EXPECT_EQ(books.named(id, "FREE")[0].to, 0);
}

TEST(history, many_ends_are_told_once_a_second) {
  Office c;
  auto host = c.host(8);
  auto id = c.submit(SpecBuilder().tasks(8, 8).app("training"));
  c.run(id, std::vector(8, host));
  for (std::uint32_t n = 1; n <= 8; ++n) c.end(id, n, 0, 10 + n * 0.1);
  FoldedRows books(c);
  EXPECT_EQ(books.named(id, "FREE").size(), 1u) << "and with the last one it ends";
}

TEST(history, a_job_that_runs_again_says_why) {
  Office c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().tasks(1, 2).app("training").elastic());
  c.run(id, {host, host});
  c.enter_epoch(id, 1);
  c.end(id, 1, 9);
  c.end(id, 2, 9);
  c.run(id, {host});
  FoldedRows books(c);
  auto rows = books.named(id, "REQUEUE");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].reason, "all members were lost; goes on from the newest checkpoint");
  EXPECT_EQ(books.named(id, "DISPATCH").size(), 2u);
  EXPECT_EQ(books.named(id, "START").size(), 2u);
}

TEST(history, a_job_that_may_not_return_says_to_which_hosts) {
  Office c;
  auto h1 = c.host(4), h2 = c.host(4);
  SpecBuilder spec;
  spec.spec.requeue_exits = {{3}, {3}};
  auto id = c.submit(spec);
  for (auto host : {h2, h1}) {
    c.run(id, {host});
    c.end(id, 1, 3 << 8);
  }
  auto rows = FoldedRows(c).named(id, "REQUEUE");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].reason, "not again on <h1> <h2>");
}

TEST(history, a_silent_host_is_told_in_the_history_of_its_jobs) {
  Office c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder());
  c.run(id, {host});
  c.step(HostSilent{host}, 5);
  c.step(HostHeard{host}, 9);
  FoldedRows books(c);
  auto unknown = books.named(id, "UNKNOWN"), known = books.named(id, "KNOWN");
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(unknown[0].time, at(5));
  EXPECT_EQ(unknown[0].reason, "host <h1> is silent");
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known[0].time, at(9));
}

TEST(history, what_is_queued_again_after_its_end_has_a_second_life) {
  Office c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder());
  for (int life : {1, 2}) {
    c.run(id, {host});
    c.end(id, 1);
    if (life == 1) c.step(JobRequeued{id, "u1", false}, 20);
  }
  FoldedRows books(c);
  EXPECT_EQ(books.named(id, "REQUEUE").size(), 1u);
  EXPECT_EQ(books.named(id, "START").size(), 2u);
  EXPECT_EQ(books.named(id, "END").size(), 2u);
  EXPECT_EQ(books.usage().size(), 2u);
}

TEST(history, what_jobs_waited_for_is_kept_of_each) {
  Office c;
  c.host(4);
  auto a = c.submit(SpecBuilder()), b = c.submit(SpecBuilder());
  c.step(WaitRecorded{{a, b},
                      {{PendCode::Slots, "Not enough job slot(s)", 1, "wait"},
                       {PendCode::HostsClosed, "Closed by LSF administrator: 2 hosts", 2, ""}}},
         5);
  FoldedRows books(c);
  for (JobId id : {a, b}) {
    auto rows = books.named(id, "PEND_REASON");
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].time, at(5));
    EXPECT_EQ(rows[0].reason,
              "slots: Not enough job slot(s); hosts_closed: Closed by LSF administrator: 2 hosts");
  }
}

TEST(history, a_preemption_names_who_it_was_for) {
  Office c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder());
  c.run(id, {host});
  c.step(JobPreempted{id, Attempt{1}, {JobId{9, 0}, at(30), true, "preempted by job <9>"}});
  c.end(id, 1, 15);
  FoldedRows books(c);
  ASSERT_EQ(books.named(id, "PREEMPT").size(), 1u);
  EXPECT_EQ(books.named(id, "PREEMPT")[0].reason, "preempted by job <9>");
  EXPECT_TRUE(books.named(id, "END").empty());
}

TEST(history, an_end_counts_once_for_its_user) {
  Office c;
  auto host = c.host(4);
  auto good = c.submit(SpecBuilder());
  auto bad = c.submit(SpecBuilder().tasks(2, 2).app("training"));
  c.run(good, {host});
  c.run(bad, {host, host});
  c.end(good, 1);
  c.end(bad, 1, 3 << 8);
  c.end(bad, 2, 9);
  auto usage = FoldedRows(c).usage();
  ASSERT_EQ(usage.size(), 2u);
  EXPECT_EQ(usage[0].jobs_done, 1u);
  EXPECT_EQ(usage[0].jobs_exited, 0u);
  EXPECT_EQ(usage[1].jobs_done, 0u);
  EXPECT_EQ(usage[1].jobs_exited, 1u);
  EXPECT_EQ(usage[1].user, "u1");
}

TEST(history, what_comes_after_the_end_is_no_second_end) {
  Office c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder());
  c.run(id, {host});
  c.step(TaskStuck{id, Attempt{1}, TaskNumber{1}, "zombie"});
  c.end(id, 1);
  FoldedRows books(c);
  EXPECT_EQ(books.named(id, "END").size(), 1u);
  EXPECT_EQ(books.usage().size(), 1u);
}

TEST(history, what_was_held_counts_in_all_attempts_at_all_sizes) {
  Office c;
  auto host = c.host(4, 4);
  auto id = c.submit(SpecBuilder().tasks(1, 4).gpus(1).app("training").elastic());
  c.run(id, {host, host});
  c.enter_epoch(id, 1);
  auto third = c.task(3, host);
  third.gpus = {2};
  c.step(TasksAdded{id, Attempt{1}, {third}, "free slots"}, 10);
  for (std::uint32_t n : {1, 2, 3}) c.end(id, n, 9, 20);  // it runs again, with one task
  auto first = c.task(1, host);
  first.gpus = {0};
  c.step(JobDispatched{id, Attempt{2}, {first}, std::string(32, 'k')}, 100);
  c.end(id, 1, 0, 105);
  FoldedRows books(c);
  auto last = books.jobs_of(id).back();
  EXPECT_EQ(last.slots, 3u);
  EXPECT_EQ(last.gpus, 3000);
  EXPECT_EQ(last.slot_time, std::chrono::seconds(2 * 20 + 10 + 5));
  EXPECT_EQ(last.gpu_time, last.slot_time);
  ASSERT_EQ(books.usage().size(), 1u);
  EXPECT_EQ(books.usage()[0].slot_time, last.slot_time);
  EXPECT_EQ(books.usage()[0].gpu_time, last.gpu_time);
}

TEST(history, a_resize_names_both_sizes) {
  Office c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().tasks(1, 4).elastic());
  c.run(id, {host, host});
  c.enter_epoch(id, 1);
  c.step(TasksAdded{id, Attempt{1}, {c.task(3, host), c.task(4, host)}, "free slots"});
  c.step(TasksLeaving{id, Attempt{1}, {TaskNumber{2}}, at(60), "reclaimed"});
  auto rows = FoldedRows(c).named(id, "RESIZE");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].from, 2);
  EXPECT_EQ(rows[0].to, 4);
  EXPECT_EQ(rows[0].reason, "free slots");
  EXPECT_EQ(rows[1].from, 4);
  EXPECT_EQ(rows[1].to, 3);
  EXPECT_EQ(rows[1].reason, "reclaimed");
}

TEST(history, a_resize_does_not_count_the_dead) {
  Office c;
  auto host = c.host(6);
  auto id = c.submit(SpecBuilder().tasks(1, 6).elastic());
  c.run(id, {host, host, host});
  c.enter_epoch(id, 1);
  c.end(id, 3, 9, 50);
  c.step(TasksLeaving{id, Attempt{1}, {TaskNumber{2}}, at(60), "reclaimed"});
  c.end(id, 2, 0, 61);
  c.step(TasksAdded{id, Attempt{1}, {c.task(4, host), c.task(5, host)}, "free slots"});
  auto rows = FoldedRows(c).named(id, "RESIZE");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].from, 2);
  EXPECT_EQ(rows[0].to, 1);
  EXPECT_EQ(rows[1].from, 1);
  EXPECT_EQ(rows[1].to, 3);
}

TEST(history, the_pause_rewrites_the_row_of_its_epoch) {
  Office c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().tasks(1, 4).elastic());
  c.run(id, {host, host});
  c.enter_epoch(id, 1);
  auto next = c.epoch(id, 2, {TaskNumber{1}});
  c.step(next);
  next.epoch.pause_known = true;
  next.epoch.pause = std::chrono::milliseconds(37);
  c.step(next);
  auto rows = FoldedRows(c).named(id, "EPOCH");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].from, 2);
  EXPECT_EQ(rows[1].to, 1);
  EXPECT_EQ(rows[1].reason, "grows");
  EXPECT_LT(rows[1].pause.count(), 0);
  auto whole = rows[1];
  whole.pause = std::chrono::milliseconds(37);
  EXPECT_EQ(rows[2], whole) << "same seq and part: the store replaces the row";
}

TEST(history, a_pause_after_a_restart_makes_no_row_of_nothing) {
  Office c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().tasks(1, 4).elastic());
  c.run(id, {host, host});
  c.enter_epoch(id, 1);
  JobLines lines{{id, line_of(c.job(id))}};
  auto again = c.epoch(id, 1, {TaskNumber{1}, TaskNumber{2}});
  c.step(again);
  EXPECT_TRUE(fold(lines, c.history.back(), c.state).events.empty());
}

TEST(history, a_restart_goes_on_from_the_state) {
  Office c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().tasks(1, 4).elastic());
  c.run(id, {host, host});
  c.enter_epoch(id, 1);
  JobLines lines{{id, line_of(c.job(id))}};
  c.step(TasksAdded{id, Attempt{1}, {c.task(3, host)}, "free slots"});
  auto rows = fold(lines, c.history.back(), c.state);
  ASSERT_EQ(rows.events.size(), 1u) << "no second START";
  EXPECT_EQ(rows.events[0].from, 2);
  EXPECT_EQ(rows.events[0].to, 3);
}

TEST(history, an_element_has_rows_of_its_own) {
  Office c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().array(1, 3));
  c.run({id.job, 2}, {host});
  c.end({id.job, 2}, 1);
  FoldedRows books(c);
  EXPECT_EQ(books.events_of(id).size(), 1u) << "the base was submitted, nothing else";
  EXPECT_TRUE(books.jobs_of(id).empty());
  EXPECT_EQ(books.named({id.job, 2}, "START").size(), 1u);
  EXPECT_EQ(books.named({id.job, 2}, "END").size(), 1u);
  EXPECT_EQ(books.jobs_of({id.job, 2}).back().state, "finished");
  ASSERT_EQ(books.jobs_of({id.job, 1}).size(), 1u);
  EXPECT_EQ(books.jobs_of({id.job, 1})[0].state, "pending");
  EXPECT_EQ(name_of(books.jobs_of({id.job, 1})[0]), "sleep 1[1]");
}

TEST(history, what_happens_to_an_array_is_in_the_rows_of_elements_that_have_not_begun) {
  Office c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().hold().array(1, 3));
  auto states = [&](const FoldedRows& books) {
    std::vector<std::string> found;
    for (std::uint32_t i : {1, 2, 3}) found.push_back(books.jobs_of({id.job, i}).back().state);
    return found;
  };
  EXPECT_EQ(states(FoldedRows(c)), (std::vector<std::string>{"held", "held", "held"}));
  c.step(JobReleased{id, "u1"});
  EXPECT_EQ(states(FoldedRows(c)), (std::vector<std::string>{"pending", "pending", "pending"}));
  c.run({id.job, 2}, {host});
  c.step(KillRequested{id, {Term::Owner, "u1", "", at(500)}}, 500);
  FoldedRows books(c);
  EXPECT_EQ(states(books), (std::vector<std::string>{"killed", "running", "killed"}));
  EXPECT_EQ(books.named({id.job, 1}, "END").size(), 1u);
  EXPECT_EQ(books.named({id.job, 2}, "END").size(), 0u);
  EXPECT_EQ(books.jobs_of({id.job, 3}).back().ended, at(500));
  ASSERT_EQ(books.usage().size(), 1u);
  EXPECT_EQ(books.usage()[0].jobs_exited, 2u);
}

TEST(history, an_element_killed_while_it_waits_has_an_end) {
  Office c;
  auto id = c.submit(SpecBuilder().array(1, 3));
  c.step(KillRequested{{id.job, 3}, {Term::Owner, "u1", "", at(0)}});
  FoldedRows books(c);
  EXPECT_EQ(books.named({id.job, 3}, "KILL").size(), 1u);
  ASSERT_EQ(books.named({id.job, 3}, "END").size(), 1u);
  EXPECT_EQ(books.named({id.job, 3}, "END")[0].reason, "killed");
  ASSERT_EQ(books.usage().size(), 1u);
  EXPECT_EQ(books.usage()[0].jobs_exited, 1u);
}

TEST(history, a_job_submitted_and_killed_in_one_group_ends_once) {
  Office c;
  auto id = c.submit(SpecBuilder());
  c.step(KillRequested{id, {Term::Owner, "u1", "", at(0)}});
  JobLines lines;
  std::size_t ends = 0;
  for (const auto& event : c.history)
    for (const auto& row : fold(lines, event, c.state).events) ends += row.event == "END";
  EXPECT_EQ(ends, 1u);
}

TEST(history, nothing_is_kept_of_jobs_that_are_over) {
  Office c;
  auto host = c.host(4);
  auto plain = c.submit(SpecBuilder());
  auto array = c.submit(SpecBuilder().array(1, 1));
  for (auto id : {plain, JobId{array.job, 1}}) {
    c.run(id, {host});
    c.end(id, 1);
  }
  c.step(JobPurged{plain});
  c.step(JobPurged{array});
  EXPECT_TRUE(FoldedRows(c).lines.empty());
}

TEST(history, folding_again_gives_the_same_rows) {
  Office c;
  auto host = c.host(4);
  auto id = c.submit(SpecBuilder().tasks(1, 4).elastic());
  c.run(id, {host, host});
  c.enter_epoch(id, 1);
  auto array = c.submit(SpecBuilder().array(1, 2));
  c.run({array.job, 1}, {host});
  c.end({array.job, 1}, 1, 3 << 8);
  FoldedRows once(c), again(c);
  ASSERT_EQ(once.rows.size(), c.history.size());
  for (std::size_t i = 0; i < once.rows.size(); ++i) {
    EXPECT_EQ(once.rows[i].seq, c.history[i].seq);
    EXPECT_EQ(once.rows[i].events, again.rows[i].events);
    EXPECT_EQ(once.rows[i].jobs, again.rows[i].jobs);
    EXPECT_EQ(once.rows[i].usage, again.rows[i].usage);
  }
}

TEST(history, a_job_is_told_with_its_pauses_and_the_name_of_its_end) {
  store::JobRow row;
  row.id = {7, 2};
  row.user = "u1";
  row.state = "killed";
  row.term = static_cast<std::int32_t>(Term::Owner);
  row.exit_status = 9;
  JobEventRow known, unknown;
  known.event = "EPOCH";
  known.from = 2;
  known.to = 3;
  known.pause = std::chrono::microseconds(1500);
  known.steps_lost = 4;
  unknown.event = "END";
  auto job = history_of(row, {known, unknown});
  EXPECT_EQ(job.id, (JobId{7, 2}));
  EXPECT_EQ(job.term, "TERM_OWNER");
  EXPECT_EQ(job.exit_status, 9);
  ASSERT_EQ(job.events.size(), 2u);
  EXPECT_EQ(job.events[0].pause_ms, 1.5);
  EXPECT_EQ(job.events[0].steps_lost, 4);
  EXPECT_EQ(job.events[0].to, 3);
  EXPECT_EQ(job.events[1].pause_ms, -1);
}

}  // namespace
}  // namespace wm::master
