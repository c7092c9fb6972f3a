#include <gtest/gtest.h>

#include "libwm/submit/job_environment.h"
#include "libwm/submit/submission.h"

namespace wm::cmd {
namespace {

Surroundings here() {
  Surroundings made;
  made.who = {1001, 1001, "ann"};
  made.cwd = made.home = "/home/ann";
  made.host = "h1";
  made.environment = {"PATH=/usr/bin", "WM_RESUME_FROM=7"};
  return made;
}

Result<JobSpec> by_words(const std::vector<std::string>& words, const std::string& command) {
  auto options = parse_options(submit_options(), words, Words::Last).value();
  auto spec = make_spec(options, {command, ""}, here());
  if (spec) spec->queue = asked_queues(options, here()).front();
  return spec;
}

// What each field says is what bsub's option of that name says.
TEST(request_spec, a_request_is_the_same_job_as_the_words_that_ask_for_it) {
  JobRequest job;
  job.app = "training";
  job.name = "sweep[1-4]%2";
  job.queue = "gpu";
  job.plan = "lab/ann";
  job.cwd = "code";
  job.out_file = "/results/%J/job.out";
  job.command = "python3 train.py";
  job.min_tasks = 1;
  job.max_tasks = 4;
  job.elastic = job.rerunnable = job.hold = job.orphan_kill = true;
  job.gpu = "num=2";
  job.resreqs = {"affinity[core(2)]", "span[ptile=1]"};
  job.priority = 12;
  job.memory = "4G";
  job.run_limit = std::chrono::minutes(90);
  job.depend = "done(12)";
  auto said = by_words({"-app",  "training",
                        "-J",    "sweep[1-4]%2",
                        "-q",    "gpu",
                        "-plan", "lab/ann",
                        "-cwd",  "code",
                        "-o",    "/results/%J/job.out",
                        "-n",    "1,4",
                        "-ar",   "-r",
                        "-H",    "-ti",
                        "-gpu",  "num=2",
                        "-R",    "affinity[core(2)]",
                        "-R",    "span[ptile=1]",
                        "-sp",   "12",
                        "-M",    "4G",
                        "-W",    "90",
                        "-w",    "done(12)"},
                       "python3 train.py");
  ASSERT_TRUE(said) << said.error().text;
  auto made = make_spec(job, here());
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(*made, *said);
}

TEST(request_spec, what_is_not_said_is_as_without_the_option) {
  JobRequest job;
  job.command = "true";
  // A request always says how many tasks: 1 are not left to the queue.
  EXPECT_EQ(make_spec(job, here()).value(), by_words({"-n", "1"}, "true").value());
}

TEST(request_spec, a_value_that_does_not_read_is_refused_in_bsubs_words) {
  auto refusal = [](auto set) {
    JobRequest job;
    set(job);
    auto made = make_spec(job, here());
    return made ? std::string("taken") : made.error().text;
  };
  EXPECT_EQ(refusal([](auto& job) { job.memory = "much"; }),
            "-M much: Bad argument, a size such as 4G is wanted");
  EXPECT_NE(refusal([](auto& job) { job.gpu = "num=x"; }), "taken");
  EXPECT_NE(refusal([](auto& job) { job.name = "a[3-1]"; }), "taken");
  EXPECT_NE(refusal([](auto& job) { job.depend = "done("; }), "taken");
  EXPECT_NE(refusal([](auto& job) { job.resreqs = {"select[mem>"}; }), "taken");
  EXPECT_NE(refusal([](auto& job) {
              job.cwd = std::string(5000, 'x');
            }).find("at most 4095 bytes are taken"),
            std::string::npos);
}

TEST(request_spec, the_default_queue_is_that_of_where_it_is_made) {
  auto there = here();
  there.environment.emplace_back("LSB_DEFAULTQUEUE=night day");
  EXPECT_EQ(make_spec(JobRequest{}, there).value().queue, "night");
}

TEST(request_spec, a_request_adds_its_variables_to_the_submitters) {
  JobRequest job;
  job.environment = {{"DATA_DIR", "/data, all"}, {"PATH", "/opt/bin"}};
  auto made = make_environment(job, here());
  ASSERT_TRUE(made);
  EXPECT_EQ(made->block, std::string("DATA_DIR=/data, all\0PATH=/opt/bin\0", 34))
      << "and nothing of a job that it is submitted from";
  job.environment = {{"", "x"}};
  EXPECT_FALSE(make_environment(job, here()));
  job.environment = {{"A B", "x"}};
  EXPECT_FALSE(make_environment(job, here()));
}

}  // namespace
}  // namespace wm::cmd
