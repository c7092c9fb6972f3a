// Role: the virtual clock and the policies on workloads small enough to do by hand.
#include "libwm/replay/engine.h"

#include <gtest/gtest.h>

#include "libwm/replay/alone.h"
#include "libwm/replay/metrics.h"
#include "libwm/replay/report.h"
#include "test/unit/replay/small_jobs.h"

namespace wm::replay {
namespace {

Outcome run(const Workload& workload, const Setup& setup, const Options& options) {
  auto outcome = simulate(workload, setup, options);
  EXPECT_TRUE(outcome) << outcome.error().text;
  return outcome ? *outcome : Outcome{};
}

TEST(engine, a_rigid_job_waits_for_the_one_before_it) {
  Workload list{{job(0, 4, 100), job(10, 3, 50)}};
  auto outcome = run(list, kFour, {.policy = Policy::Fcfs});
  EXPECT_DOUBLE_EQ(outcome.jobs[0].end_s, 100);
  EXPECT_DOUBLE_EQ(outcome.jobs[1].start_s, 100);
  EXPECT_DOUBLE_EQ(outcome.jobs[1].end_s, 150);
}

// 2 of 4 run until 100; the next needs all 4, who comes then fits beside the first.
Workload with_a_wide_one() {
  return {{job(0, 2, 100), job(1, 4, 50), job(2, 2, 99), job(3, 2, 97)}};
}

TEST(engine, fcfs_lets_nobody_pass) {
  auto outcome = run(with_a_wide_one(), kFour, {.policy = Policy::Fcfs});
  EXPECT_DOUBLE_EQ(outcome.jobs[1].start_s, 100);
  EXPECT_DOUBLE_EQ(outcome.jobs[2].start_s, 150);
  EXPECT_DOUBLE_EQ(outcome.jobs[3].start_s, 150);
}

TEST(engine, easy_lets_pass_who_is_gone_when_the_first_can_start) {
  auto outcome = run(with_a_wide_one(), kFour, {.policy = Policy::Easy});
  EXPECT_DOUBLE_EQ(outcome.jobs[1].start_s, 100);
  EXPECT_DOUBLE_EQ(outcome.jobs[2].start_s, 150);
  EXPECT_DOUBLE_EQ(outcome.jobs[3].start_s, 3);
}

// Three wait: who comes last may delay the second under easy, not under conservative.
TEST(engine, conservative_delays_nobody_that_waits) {
  Workload list{{job(0, 2, 100), job(1, 3, 50), job(2, 4, 50), job(3, 1, 300)}};
  auto easy = run(list, kFour, {.policy = Policy::Easy});
  EXPECT_DOUBLE_EQ(easy.jobs[3].start_s, 3);
  EXPECT_DOUBLE_EQ(easy.jobs[2].start_s, 303);
  auto conservative = run(list, kFour, {.policy = Policy::Conservative});
  EXPECT_DOUBLE_EQ(conservative.jobs[2].start_s, 150);
  EXPECT_DOUBLE_EQ(conservative.jobs[3].start_s, 200);
}

TEST(engine, estimates_decide_who_may_pass) {
  Workload list = with_a_wide_one();
  for (TraceJob& each : list.jobs) each.estimate_s = 1000;
  Options options{.policy = Policy::Easy, .estimates = Estimates::User};
  EXPECT_DOUBLE_EQ(run(list, kFour, options).jobs[2].start_s, 150);
  list.jobs[0].estimate_s = 2000;
  EXPECT_DOUBLE_EQ(run(list, kFour, options).jobs[2].start_s, 2);
  // No end is known, so no date is: each job that fits starts.
  options.estimates = Estimates::None;
  EXPECT_DOUBLE_EQ(run(list, kFour, options).jobs[2].start_s, 2);
}

TEST(engine, elastic_policies_start_the_shorter_of_two_that_wait) {
  Workload list{{job(0, 4, 100), job(1, 4, 50), job(2, 4, 1000), job(3, 4, 10)}};
  auto outcome = run(list, kFour, {.policy = Policy::Fairshare});
  EXPECT_DOUBLE_EQ(outcome.jobs[1].start_s, 100) << "it was promised this before the last came";
  EXPECT_DOUBLE_EQ(outcome.jobs[3].start_s, 150);
  EXPECT_DOUBLE_EQ(run(list, kFour, {.policy = Policy::Easy}).jobs[3].start_s, 1150);
}

// Alone on 4 GPUs until 10, then 2 and 2: 80 s of work on 4 GPUs left are 160 s on 2.
TEST(engine, elastic_jobs_share_and_take_what_becomes_free) {
  Workload list{{job(0, 4, 90, true), job(10, 4, 20, true)}};
  auto outcome = run(list, kFour, {.policy = Policy::Fairshare});
  EXPECT_DOUBLE_EQ(outcome.jobs[1].start_s, 10);
  EXPECT_DOUBLE_EQ(outcome.jobs[1].end_s, 50);
  EXPECT_DOUBLE_EQ(outcome.jobs[0].end_s, 110);
  EXPECT_EQ(outcome.jobs[0].resizes, 2u);
  EXPECT_DOUBLE_EQ(outcome.jobs[0].attained, 10 * 4 + 40 * 2 + 60 * 4);
}

TEST(engine, every_start_and_change_costs) {
  Workload list{{job(0, 4, 90, true), job(10, 4, 20, true)}};
  auto outcome = run(list, kFour, {.policy = Policy::Fairshare, .resize_cost_s = 5});
  EXPECT_DOUBLE_EQ(outcome.jobs[1].end_s, 10 + 5 + 40);
  EXPECT_DOUBLE_EQ(outcome.jobs[0].paused_s, 15);
}

TEST(engine, with_an_interval_decisions_wait_for_the_tick) {
  Workload list{{job(10, 2, 30)}};
  auto outcome = run(list, kFour, {.policy = Policy::Fcfs, .interval_s = 60});
  EXPECT_DOUBLE_EQ(outcome.jobs[0].start_s, 60);
  EXPECT_DOUBLE_EQ(outcome.jobs[0].end_s, 90);
}

// 16 GPU-hours on 4 GPUs are 4 hours: after that the later job preempts it.
TEST(engine, tiresias_preempts_what_has_held_much) {
  Workload list{{job(0, 4, 20 * 3600), job(60, 4, 600)}};
  Options options{.policy = Policy::Tiresias, .interval_s = 60, .resize_cost_s = 30};
  auto outcome = run(list, kFour, options);
  EXPECT_NEAR(outcome.jobs[1].start_s, 4 * 3600, 130);
  EXPECT_EQ(outcome.jobs[0].resizes, 1u);
  EXPECT_NEAR(outcome.jobs[0].end_s, 20 * 3600 + 600 + 60 + 60, 65);
}

TEST(engine, a_job_larger_than_the_cluster_is_refused) {
  auto outcome = simulate({{job(0, 5, 10)}}, kFour, {.policy = Policy::Fcfs});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().text, "job 'job0' asks for 5 tasks; the cluster has room for 4");
}

TEST(engine, a_task_larger_than_every_host_is_refused_with_what_it_asks_for) {
  Workload list{{job(0, 1, 10)}};
  list.jobs[0].milli_cpus = 120'000;
  auto no_cpus = simulate(list, kFour, {.policy = Policy::Fcfs});
  ASSERT_FALSE(no_cpus);
  EXPECT_NE(no_cpus.error().text.find("asks for 120 CPU(s)"), std::string::npos)
      << no_cpus.error().text;
  list.jobs[0].milli_cpus = 1000;
  list.jobs[0].milli_gpus = 8000;
  auto no_gpus = simulate(list, {.hosts = 2, .gpus_per_host = 4}, {.policy = Policy::Fcfs});
  ASSERT_FALSE(no_gpus);
  EXPECT_EQ(no_gpus.error().text,
            "job 'job0' asks for 1 CPU(s) and 8 GPU(s) for a task; the largest host has 4 and 4");
}

TEST(engine, who_was_never_in_company_was_not_treated_unfairly) {
  Workload list;
  for (int i = 0; i < 40; ++i) list.jobs.push_back(job(i * 1000 + 0.1 * i, 1, 33.3 + 0.7 * i));
  Options options{.policy = Policy::Easy};
  auto metrics = metrics_of(run(list, kFour, options), kFour, options);
  EXPECT_EQ(metrics.ftf_unfair_fraction, 0);
  EXPECT_NEAR(metrics.ftf_worst, 1, 1e-6);
}

TEST(engine, the_same_input_gives_the_same_bytes) {
  Workload list;
  for (int i = 0; i < 40; ++i)
    list.jobs.push_back(job(i * 7, 1 + i % 4, 50 + i * 13 % 90, i % 3 > 0));
  for (Policy policy : {Policy::Easy, Policy::Fairshare, Policy::Tiresias}) {
    Options options{.policy = policy, .resize_cost_s = 3};
    auto once = to_json(run(list, kFour, options), kFour, options, 0);
    EXPECT_EQ(once, to_json(run(list, kFour, options), kFour, options, 0));
  }
}

TEST(metrics, a_job_that_is_alone_is_treated_fairly) {
  Workload list{{job(0, 2, 100)}};
  Options options{.policy = Policy::Fcfs};
  auto outcome = run(list, kFour, options);
  Metrics m = metrics_of(outcome, kFour, options);
  EXPECT_DOUBLE_EQ(m.ftf_worst, 1);
  EXPECT_DOUBLE_EQ(m.ftf_unfair_fraction, 0);
  EXPECT_DOUBLE_EQ(m.avg_jct_s, 100);
  EXPECT_DOUBLE_EQ(m.utilisation, 0.5);
  EXPECT_DOUBLE_EQ(m.bounded_slowdown, 1);
}

// What is in use are GPUs, not tasks.
TEST(metrics, a_task_of_two_gpus_counts_as_two) {
  TraceJob wide = job(0, 1, 100);
  wide.milli_gpus = 2000;
  Options options{.policy = Policy::Fcfs};
  auto outcome = run({{wide}}, kFour, options);
  EXPECT_EQ(outcome.samples.front().busy, 2u);
  EXPECT_DOUBLE_EQ(metrics_of(outcome, kFour, options).utilisation, 0.5);
}

// Two rigid jobs one after the other: the later one takes 200 s, on half of the cluster 200 s.
TEST(metrics, fairness_compares_with_a_share_of_the_cluster) {
  Workload list{{job(0, 4, 100, true), job(0, 4, 100, true)}};
  Options options{.policy = Policy::Fcfs};
  auto outcome = run(list, kFour, options);
  auto fairness = finish_time_fairness(outcome, kFour, options);
  EXPECT_DOUBLE_EQ(fairness[0], 0.5);
  EXPECT_DOUBLE_EQ(fairness[1], 200 / (100 / (1 / 1.5)));
}

// Each minute says how fast a size is; alone, it has to be tried out as in company.
class Trained : public WorkBySpeed {
 public:
  Trained() : WorkBySpeed(1000) {}
  Report report(double, const Shape& shape, Batch) const override {
    return {static_cast<std::uint32_t>(shape.size()), tasks_of(shape), 1, 1, 0, 1, 1};
  }
  BatchLimits limits() const override { return {4, 4, 4, 1, 4}; }

 private:
  double speed(std::uint32_t tasks) const override { return tasks; }
};

TEST(metrics, a_job_that_reports_is_compared_with_its_simulation_alone) {
  TraceJob trace = job(0, 4, 1, true);
  trace.work = std::make_shared<Trained>();
  trace.program = "trained";
  Options options{.policy = Policy::Fairshare, .resize_cost_s = 30};
  Workload list{{trace}};
  auto outcome = run(list, kFour, options);
  EXPECT_DOUBLE_EQ(finish_time_fairness(outcome, kFour, options)[0], 1);
  Alone alone(kFour, options);
  EXPECT_DOUBLE_EQ(alone.time_on(outcome.jobs[0], 4), outcome.jobs[0].end_s);
  // half a GPU: twice as long as one
  double one = alone.time_on(outcome.jobs[0], 1);
  EXPECT_GE(one, 1030);
  EXPECT_DOUBLE_EQ(alone.time_on(outcome.jobs[0], 0.5), 2 * one);
  // between two sizes its times are on a line
  double two = alone.time_on(outcome.jobs[0], 2);
  EXPECT_DOUBLE_EQ(alone.time_on(outcome.jobs[0], 1.5), (one + two) / 2);
  EXPECT_DOUBLE_EQ(alone.known(outcome.jobs[0], 2), 530);
}

TEST(report, pictures_are_whole_svg_files) {
  Workload list{{job(0, 2, 100), job(5, 4, 10)}};
  Options options{.policy = Policy::Fcfs};
  auto pictures = to_pictures(run(list, kFour, options), kFour);
  ASSERT_EQ(pictures.size(), 3u);
  for (auto& [name, svg] : pictures) {
    EXPECT_TRUE(svg.starts_with("<svg") && svg.ends_with("</svg>\n")) << name;
    EXPECT_NE(svg.find("<path"), svg.npos) << name;
  }
}

TEST(report, the_table_is_at_most_80_columns_wide) {
  Workload list{{job(0, 2, 1e7)}};
  Options options{.policy = Policy::Fcfs};
  std::string table = to_table(run(list, kFour, options), kFour, options);
  for (std::size_t from = 0, end; (end = table.find('\n', from)) != table.npos; from = end + 1) {
    EXPECT_LE(end - from, 80u);
  }
}

}  // namespace
}  // namespace wm::replay
