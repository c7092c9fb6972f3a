// What users are told to change, and who is left alone.
#include "libwm/report/advice.h"

#include <gtest/gtest.h>

#include "test/support/golden_day.h"

namespace wm::report {
namespace {

// Ran an hour on four CPUs, used them and the memory it asked for.
JobFacts good() {
  JobFacts job;
  job.id = "7", job.name = "sim", job.state = "finished", job.command = "./sim";
  job.ended = test::kGoldenDay + 3600, job.run_s = 3600;
  job.allocated = {3'600'000, 4'000LL * 3'600'000, 0, 0, 64LL * 1024 * 3600};
  job.cpu_us = 13'000'000'000, job.cpu_mms = 4'000LL * 3'600'000;
  job.mem_asked = 64 * 1024, job.mem_peak = 60 * 1024;
  return job;
}

Facts week(std::vector<JobFacts> jobs) {
  Facts f;
  f.zone = test::berlin(), f.about = "ann";
  for (const auto& job : jobs) f.total[Use::Held] += job.allocated;
  f.jobs = std::move(jobs);
  return f;
}

std::vector<std::string> rules(const Facts& facts) {
  std::vector<std::string> found;
  for (const auto& advice : advise(facts, {})) found.push_back(advice.rule);
  return found;
}
using Rules = std::vector<std::string>;

TEST(advice, who_did_nothing_wrong_gets_none) {
  EXPECT_EQ(rules(week(std::vector<JobFacts>(100, good()))), Rules{});
  EXPECT_EQ(rules(week({})), Rules{});
}

TEST(advice, memory_asked_for_and_not_touched_is_named_with_what_to_ask) {
  auto job = good();
  job.mem_peak = 6 * 1024;
  auto facts = week(std::vector<JobFacts>(9, job));
  auto found = advise(facts, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "mem_over");
  EXPECT_NE(found[0].text.find("job 7 (sim) and 8 alike asked for 64 GB a task and touched 6.0"),
            std::string::npos)
      << found[0].text;
  EXPECT_NE(found[0].text.find("rusage[mem=8GB]"), std::string::npos) << found[0].text;
}

TEST(advice, little_memory_short_runs_and_a_few_peaks_are_left_alone) {
  auto little = good();
  little.mem_asked = 4096, little.mem_peak = 100;
  EXPECT_EQ(rules(week({little})), Rules{});
  auto brief = good();
  brief.mem_peak = 1, brief.run_s = 300;
  EXPECT_EQ(rules(week({brief})), Rules{});
  auto low = good();
  low.mem_peak = 1024;
  EXPECT_EQ(rules(week({low, good(), good(), good(), good()})), Rules{});
}

TEST(advice, cpus_that_did_nothing_are_named_but_not_beside_gpus) {
  auto idle = good();
  idle.cpu_us = 3'600'000'000;  // one CPU of four
  EXPECT_EQ(rules(week(std::vector<JobFacts>(20, idle))), Rules{"cpu_low"});
  EXPECT_EQ(rules(week(std::vector<JobFacts>(5, idle))), Rules{});  // 20 CPU hours
  auto gpu = idle;
  gpu.allocated.gpu_mms = 1000;
  EXPECT_EQ(rules(week(std::vector<JobFacts>(20, gpu))), Rules{});
}

TEST(advice, a_swarm_of_short_jobs_would_be_an_array) {
  auto brief = good();
  brief.run_s = 5;
  EXPECT_EQ(rules(week(std::vector<JobFacts>(499, brief))), Rules{});
  EXPECT_EQ(rules(week(std::vector<JobFacts>(500, brief))), Rules{"short_jobs"});
  brief.element = true;
  EXPECT_EQ(rules(week(std::vector<JobFacts>(500, brief))), Rules{});
}

TEST(advice, failing_again_in_the_same_way_is_named_not_kills_and_not_others) {
  std::vector<JobFacts> jobs;
  for (int i = 0; i < 5; ++i) {
    auto job = good();
    job.state = "failed", job.exit_status = 1 << 8, job.ended += i * 600;
    jobs.push_back(job);
  }
  EXPECT_EQ(rules(week(jobs)), Rules{"fails_again"});
  auto other = jobs;
  other[2].exit_status = 2 << 8;
  EXPECT_EQ(rules(week(other)), Rules{});
  for (auto& job : jobs) job.state = "killed";
  EXPECT_EQ(rules(week(jobs)), Rules{});
}

TEST(advice, three_things_at_the_most_the_costliest_first) {
  std::vector<JobFacts> jobs;
  for (int i = 0; i < 600; ++i) {
    auto job = good();
    job.run_s = i < 100 ? 3600 : 5, job.cpu_us = 1, job.mem_peak = 1;
    job.state = "failed", job.exit_status = 256, job.ended += i;
    jobs.push_back(job);
  }
  auto found = advise(week(jobs), {});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_GE(found[0].cost, found[1].cost);
  EXPECT_GE(found[1].cost, found[2].cost);
}

// Four GPUs for ten hours, looked at all the time and busy.
JobFacts on_gpus() {
  auto job = good();
  job.run_s = 36'000;
  job.allocated.gpu_mms = 4'000LL * 36'000'000;
  job.gpu_seen_us = job.allocated.gpu_mms;
  job.gpu_busy_us = job.gpu_seen_us / 10 * 9;
  return job;
}

TEST(advice, gpus_held_without_any_work_are_told_of_while_the_job_runs) {
  auto job = on_gpus();
  job.ended = 0;
  job.gpu_idle_us = 3'600'000'000LL * 12;
  auto found = advise(week({job, on_gpus()}), {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "gpu_idle");
  EXPECT_NE(found[0].text.find("job 7 (sim) held GPUs for 12 GPU hours in which none"),
            std::string::npos);
  EXPECT_NE(found[0].text.find("bkill 7 frees them"), std::string::npos);
  EXPECT_DOUBLE_EQ(found[0].cost, 12);
}

TEST(advice, gpus_that_were_not_looked_at_are_not_told_of) {
  auto job = on_gpus();
  job.gpu_idle_us = 3'600'000'000LL * 12;
  job.gpu_seen_us = job.allocated.gpu_mms / 2;
  job.gpu_busy_us = 0;
  EXPECT_EQ(rules(week({job, job, job})), Rules{});
}

TEST(advice, gpus_that_are_hardly_busy_are_told_of_when_they_are_many_hours) {
  auto job = on_gpus();
  job.gpu_busy_us = job.gpu_seen_us / 10;
  EXPECT_EQ(rules(week({job})), Rules{});
  EXPECT_EQ(rules(week({job, job})), Rules{"gpu_low"});
  job.gpu_busy_us = job.gpu_seen_us / 2;
  EXPECT_EQ(rules(week({job, job})), Rules{});
}

TEST(advice, run_limits_far_beyond_what_ran_are_told_of_unless_the_job_failed) {
  auto job = good();
  job.ask_run_s = 3600 * 96;
  EXPECT_EQ(rules(week({job, job})), Rules{});
  auto found = advise(week(std::vector<JobFacts>(12, job)), {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "time_over");
  EXPECT_NE(found[0].text.find("asked for 96.0 hours and ran 1.0"), std::string::npos);
  EXPECT_NE(found[0].text.find("bsub -W 2:00"), std::string::npos) << found[0].text;
  job.state = "killed";
  EXPECT_EQ(rules(week(std::vector<JobFacts>(12, job))), Rules{});
}

// Kept two GPUs for three days, of which next to nothing was done.
JobFacts kept() {
  auto job = good();
  job.ended = 0, job.run_s = 3 * 86'400;
  job.allocated.gpu_mms = job.allocated.gpueq_mms = 2'000LL * 3 * 86'400'000;
  job.gpu_seen_us = job.allocated.gpu_mms, job.gpu_busy_us = job.gpu_seen_us / 50;
  job.gpu_idle_us = job.gpu_seen_us / 2;
  return job;
}

TEST(advice, services_that_nobody_asks_and_minima_that_do_nothing_are_told_once) {
  auto service = kept();
  service.command = "while :; do \"$LSF_SERVERDIR/wrouter\" s; sleep 0.2; done";
  auto found = advise(week({service}), {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "idle_minimum");
  EXPECT_NE(found[0].text.find("kept 144 GPU hours and worked 2.0 % of them"), std::string::npos)
      << found[0].text;
  EXPECT_NE(found[0].text.find("kernel_min 0"), std::string::npos) << found[0].text;
  auto elastic = kept();
  elastic.elastic = true, elastic.min_tasks = 2, elastic.max_tasks = 8;
  EXPECT_EQ(rules(week({elastic})), Rules{"idle_minimum"});
}

TEST(advice, services_that_work_and_those_nobody_measured_are_left_alone) {
  auto busy = kept();
  busy.command = "\"$LSF_SERVERDIR/wrouter\" s";
  busy.gpu_busy_us = busy.gpu_seen_us / 2, busy.gpu_idle_us = 0;
  EXPECT_EQ(rules(week({busy})), Rules{});
  auto unseen = kept();
  unseen.command = busy.command, unseen.gpu_seen_us = unseen.gpu_idle_us = 0;
  EXPECT_EQ(rules(week({unseen})), Rules{});
}

TEST(advice, elastic_jobs_of_one_size_are_told_of) {
  auto job = good();
  job.elastic = true, job.min_tasks = job.max_tasks = 4;
  EXPECT_EQ(rules(week(std::vector<JobFacts>(60, job))), Rules{"no_elastic"});
  job.min_tasks = 2;
  EXPECT_EQ(rules(week(std::vector<JobFacts>(60, job))), Rules{});
}

}  // namespace
}  // namespace wm::report
