// Begin times and dependency conditions, of plain jobs and of arrays' elements.
#include "libwm/sched/demand/eligible.h"

#include <gtest/gtest.h>

#include "libwm/sched/schedule.h"
#include "test/support/builders.h"

namespace wm::sched {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;

SpecBuilder after(const std::string& condition) {
  SpecBuilder builder;
  builder.spec.when.depend = condition;
  return builder;
}

void end(ClusterBuilder& c, JobId id, std::int32_t status) {
  const Job& job = c.job(id);
  c.step(TaskEnded{id, job.attempt, job.tasks.front().number, status, Term::None, {}, ""});
}

std::optional<PendCode> code_of(const ClusterBuilder& c, JobId id, double now = 100) {
  auto why = not_eligible(c.state, c.job(id), at(now));
  return why ? std::optional(why->code) : std::nullopt;
}

bool starts(const ClusterBuilder& c, JobId id, double now = 100) {
  auto plan = schedule(c.state, SchedPolicy{}, at(now));
  return std::any_of(plan.starts.begin(), plan.starts.end(),
                     [&](const auto& start) { return start.job.job == id.job; });
}

TEST(eligible, a_job_without_conditions_is) {
  ClusterBuilder c;
  c.host(2);
  auto id = c.submit({});
  EXPECT_EQ(code_of(c, id), std::nullopt);
  EXPECT_TRUE(starts(c, id));
}

void fail_pre_exec(ClusterBuilder& c, JobId id, HostId host, double seconds) {
  c.run(id, {host});
  const Job& job = c.job(id);
  c.step(TaskEnded{id,
                   job.attempt,
                   job.tasks.front().number,
                   1 << 8,
                   Term::PreExecFail,
                   {},
                   "pre-execution command exited with 1"},
         seconds);
}

std::optional<HostId> starts_on(const ClusterBuilder& c, double now) {
  auto plan = schedule(c.state, SchedPolicy{}, at(now));
  if (plan.starts.size() != 1) return {};
  return plan.starts[0].tasks.at(0).host;
}

TEST(eligible, a_failed_pre_execution_command_is_tried_again_after_pauses_that_double) {
  ClusterBuilder c;
  auto host = c.host(2);
  auto id = c.submit({});
  fail_pre_exec(c, id, host, 100);
  EXPECT_EQ(code_of(c, id, 101.9), PendCode::StartFailed);
  EXPECT_FALSE(starts(c, id, 101.9));
  EXPECT_EQ(not_eligible(c.state, c.job(id), at(101))->text,
            "Pre-execution command failed on host " + c.host_of(host).name +
                ": pre-execution command exited with 1; try 2 of 11 follows after a pause");
  EXPECT_TRUE(starts(c, id, 102)) << "no other host would do";
  fail_pre_exec(c, id, host, 200);
  EXPECT_FALSE(starts(c, id, 203.9));
  EXPECT_TRUE(starts(c, id, 204));
  for (int i = 0; i < 8; ++i) fail_pre_exec(c, id, host, 1000);
  EXPECT_EQ(retry_of(c.job(id))->at, at(1000 + 300)) << "five minutes at most";
}

TEST(eligible, the_pass_says_when_a_failed_pre_execution_command_is_to_be_tried_again) {
  ClusterBuilder c;
  auto host = c.host(2);
  fail_pre_exec(c, c.submit({}), host, 100);
  EXPECT_EQ(schedule(c.state, SchedPolicy{}, at(100)).look_again, at(102));
}

TEST(eligible, after_a_failed_pre_execution_command_other_hosts_come_first) {
  ClusterBuilder c;
  auto first = c.host(1), second = c.host(1);
  auto id = c.submit({});
  fail_pre_exec(c, id, first, 100);
  EXPECT_EQ(starts_on(c, 102), second);
  c.run(c.submit({}), {second});
  EXPECT_EQ(starts_on(c, 102), std::nullopt) << "another host would do, and may be free soon";
  EXPECT_EQ(starts_on(c, 163), first) << "but not for ever";
}

TEST(eligible, a_begin_time_is_waited_for) {
  ClusterBuilder c;
  c.host(2);
  SpecBuilder later;
  later.spec.when.begin = at(500);
  auto id = c.submit(later);
  EXPECT_EQ(code_of(c, id, 499), PendCode::BeginTime);
  EXPECT_FALSE(starts(c, id, 499));
  EXPECT_EQ(code_of(c, id, 500), std::nullopt);
  EXPECT_TRUE(starts(c, id, 500));
}

TEST(eligible, waits_for_the_end_of_another_and_says_what_for) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto first = c.submit({});
  auto second = c.submit(after("done(1) && ended(1)"));
  auto why = not_eligible(c.state, c.job(second), at(100));
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, PendCode::Dependency);
  EXPECT_EQ(why->text, "Job dependency condition not satisfied: done(1), ended(1)");
  c.run(first, {host});
  EXPECT_FALSE(starts(c, second));
  end(c, first, 0);
  EXPECT_EQ(code_of(c, second), std::nullopt);
  EXPECT_TRUE(starts(c, second));
}

TEST(eligible, what_can_never_be_met_is_said_so_in_the_pass) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto first = c.submit({});
  auto second = c.submit(after("done(1)"));
  c.run(first, {host});
  end(c, first, 3 << 8);
  EXPECT_EQ(code_of(c, second), PendCode::NeverMet);
  auto plan = schedule(c.state, SchedPolicy{}, at(100));
  ASSERT_EQ(plan.waiting.size(), 1u);
  EXPECT_EQ(plan.waiting[0].reasons->front().code, PendCode::NeverMet);
  EXPECT_EQ(plan.waiting[0].reasons->front().text,
            "Dependency condition invalid or never satisfied: done(1)");
  EXPECT_EQ(code_of(c, c.submit(after("exit(1, 3)"))), std::nullopt);
  EXPECT_EQ(code_of(c, c.submit(after("exit(1, > 3)"))), PendCode::NeverMet);
}

TEST(eligible, each_waiting_job_has_its_own_reason) {
  ClusterBuilder c;
  c.host(4);
  c.submit({});
  c.submit(after("done(1)"));
  c.submit(after("ended(1)"));
  auto plan = schedule(c.state, SchedPolicy{}, at(100));
  ASSERT_EQ(plan.waiting.size(), 2u);
  EXPECT_NE(plan.waiting[0].reasons->front().text, plan.waiting[1].reasons->front().text);
}

TEST(eligible, a_killed_pending_job_has_ended_and_is_not_done) {
  ClusterBuilder c;
  c.host(1);
  auto first = c.submit({});
  auto ended = c.submit(after("ended(1)")), done = c.submit(after("done(1)"));
  c.step(KillRequested{first, {Term::Owner, "u1", "", at(1)}});
  EXPECT_EQ(code_of(c, ended), std::nullopt);
  EXPECT_EQ(code_of(c, done), PendCode::NeverMet);
}

TEST(eligible, an_array_is_counted_with_the_elements_it_still_stands_for) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto base = c.submit(SpecBuilder().array(1, 3));
  auto one = c.submit(after("numdone(1, 1)")), all = c.submit(after("done(1)"));
  JobId element{base.job, 1};
  c.run(element, {host});
  EXPECT_EQ(code_of(c, one), PendCode::Dependency);
  end(c, element, 0);
  EXPECT_EQ(code_of(c, one), std::nullopt);
  EXPECT_EQ(code_of(c, all), PendCode::Dependency);
  c.step(KillRequested{base, {Term::Owner, "u1", "", at(1)}});
  EXPECT_EQ(code_of(c, all), PendCode::NeverMet);
}

TEST(eligible, an_array_is_done_with_its_last_element_and_the_next_array_is_not_its) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto base = c.submit(SpecBuilder().array(1, 2)), next = c.submit(SpecBuilder().array(1, 2));
  auto all = c.submit(after("done(1)"));
  for (std::uint32_t index : {1, 2}) {
    EXPECT_EQ(code_of(c, all), PendCode::Dependency);
    c.run({base.job, index}, {host});
    end(c, {base.job, index}, 0);
  }
  EXPECT_EQ(code_of(c, all), std::nullopt);
  c.run({next.job, 1}, {host});
  EXPECT_EQ(code_of(c, all), std::nullopt);
}

TEST(eligible, elements_start_when_their_like_has_ended) {
  ClusterBuilder c;
  auto host = c.host(8);
  auto first = c.submit(SpecBuilder().array(1, 3));
  auto waits = SpecBuilder().array(1, 3);
  waits.spec.when.depend = "done(1[*])";
  auto second = c.submit(waits);
  using Indexes = std::vector<std::uint32_t>;
  EXPECT_EQ(eligible_elements(c.state, c.job(first)), std::nullopt);
  EXPECT_EQ(eligible_elements(c.state, c.job(second)), Indexes());
  EXPECT_EQ(code_of(c, second), PendCode::Dependency);
  for (std::uint32_t i : {1u, 2u}) {
    c.run({first.job, i}, {host});
    end(c, {first.job, i}, 0);
  }
  EXPECT_EQ(eligible_elements(c.state, c.job(second)), (Indexes{1, 2}));
  auto plan = schedule(c.state, SchedPolicy{}, at(100));
  EXPECT_EQ(std::count_if(plan.starts.begin(), plan.starts.end(),
                          [&](const auto& start) { return start.job.job == second.job; }),
            2);
}

TEST(eligible, an_element_whose_like_has_failed_holds_back_no_other) {
  ClusterBuilder c;
  auto host = c.host(8);
  auto first = c.submit(SpecBuilder().array(1, 4));
  auto waits = SpecBuilder().array(1, 4);
  waits.spec.when.depend = "done(1[*])";
  auto second = c.submit(waits);
  for (std::uint32_t i : {1u, 2u, 3u}) c.run({first.job, i}, {host});
  end(c, {first.job, 1}, 3 << 8);
  EXPECT_EQ(code_of(c, second), PendCode::Dependency) << "others may yet start";
  end(c, {first.job, 3}, 0);
  EXPECT_EQ(code_of(c, second), std::nullopt);
  EXPECT_EQ(lost_elements(c.state, c.job(second)), std::vector<std::uint32_t>{1});
  auto plan = schedule(c.state, SchedPolicy{}, at(100));
  std::vector<JobId> started;
  for (const auto& start : plan.starts)
    if (start.job.job == second.job) started.push_back(start.job);
  EXPECT_EQ(started, (std::vector<JobId>{{second.job, 3}}));
}

TEST(eligible, an_array_none_of_whose_elements_can_ever_start_says_so) {
  ClusterBuilder c;
  auto host = c.host(8);
  auto first = c.submit(SpecBuilder().array(1, 2));
  auto waits = SpecBuilder().array(1, 2);
  waits.spec.when.depend = "done(1[*])";
  auto second = c.submit(waits);
  for (std::uint32_t i : {1u, 2u}) {
    c.run({first.job, i}, {host});
    end(c, {first.job, i}, 3 << 8);
  }
  EXPECT_EQ(code_of(c, second), PendCode::NeverMet);
}

}  // namespace
}  // namespace wm::sched
