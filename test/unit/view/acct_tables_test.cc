#include "libwm/view/acct_tables.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <nlohmann/json.hpp>

namespace wm::view {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

WallTime after_midnight(int s) { return WallTime(seconds(1'795'132'800 + s)); }

// Waited 10 s, ran 30 s.
AcctJob finished() {
  AcctJob job;
  job.id = {12, 0};
  job.user = "u1";
  job.name = "train";
  job.command = "python3 train.py";
  job.queue = "normal";
  job.project = "p";
  job.submit_host = "login";
  job.cwd = "/home/u1";
  job.exec_hosts = "h1 h1 h2";
  job.state = "finished";
  job.submitted = after_midnight(0);
  job.dispatched = job.started = after_midnight(10);
  job.ended = after_midnight(40);
  job.cpu = seconds(20);
  job.max_mem = Bytes{300 << 20};
  job.slots = 3, job.attempt = 2;
  job.slot_time = seconds(90);
  return job;
}

AcctJob killed_while_pending() {
  auto job = finished();
  job.id = {13, 4};
  job.state = "killed";
  job.term = Term::Owner;
  job.dispatched = job.started = WallTime{};
  job.exec_hosts.clear();
  job.ended = after_midnight(3640);
  job.cpu = job.slot_time = {};
  return job;
}

class acct_tables : public ::testing::Test {
 protected:
  acct_tables() {
    ::setenv("TZ", "UTC0", 1);
    ::tzset();
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
  }
};

TEST_F(acct_tables, an_instant_is_no_throughput) {
  auto one = finished(), other = finished();
  other.ended += milliseconds(3);
  std::vector<AcctJob> jobs{one, other};
  auto text = acct_summary(acct_sum_of(jobs));
  EXPECT_TRUE(has(text, " Total throughput:              0.00 (jobs/hour)  during    0.00 hours\n"))
      << text;
}

TEST_F(acct_tables, the_summary_is_the_arithmetic_of_the_jobs) {
  std::vector<AcctJob> jobs{finished(), killed_while_pending()};
  auto text = acct_summary(acct_sum_of(jobs));
  for (auto part :
       {"SUMMARY:      ( time unit: second ) \n",
        " Total number of done jobs:        1      Total number of exited jobs:     1\n",
        " Total CPU time consumed:       20.0      Average CPU time consumed:    10.0\n",
        " Maximum CPU time of a job:     20.0      Minimum CPU time of a job:     0.0\n",
        " Total wait time in queues:   3650.0\n", " Average wait time in queue:  1825.0\n",
        " Average turnaround time:       1840 (seconds/job)\n",
        " Maximum hog factor of a job:   0.50      Minimum hog factor of a job:  0.00\n",
        " Average expansion factor of a job:   1.33 ( turnaround time / run time )\n",
        " Total Run time consumed:         30      Average Run time consumed:      15\n",
        " Total slot time held:            90      Average slot time held:        45\n",
        " Total throughput:              2.00 (jobs/hour)  during    1.00 hours\n",
        " Beginning time:       Nov 20 00:00      Ending time:          Nov 20 01:00\n"})
    EXPECT_TRUE(has(text, part)) << part << "not in\n" << text;
  EXPECT_FALSE(has(text, "PROMISES"));
  EXPECT_FALSE(has(text, "GPU"));  // nobody had one
  EXPECT_EQ(acct_summary(AcctSum{}), "");
}

TEST_F(acct_tables, gpu_time_is_told_where_somebody_had_gpus) {
  std::vector<AcctJob> jobs{finished(), finished()};
  jobs[0].milli_gpus = 1500, jobs[0].gpu_time = seconds(44);
  EXPECT_TRUE(has(acct_summary(acct_sum_of(jobs)),
                  " Total GPU time held:             44      "
                  "Average GPU time held:         22\n"));
  EXPECT_TRUE(has(acct_long(jobs[0]),
                  "     SLOTS     GPUS      SLOT_TIME       GPU_TIME    RESIZES   ATTEMPTS\n"
                  "         3      1.5             90             44          0          2\n"));
}

TEST_F(acct_tables, the_energy_of_gpus_is_told_where_a_driver_told_it) {
  std::vector<AcctJob> jobs{finished(), finished()};
  EXPECT_FALSE(has(acct_long(jobs[0]), "Energy"));
  jobs[0].milli_gpus = 1000;
  EXPECT_TRUE(has(acct_long(jobs[0]), "\nGPU Energy Consumed: -\n")) << acct_long(jobs[0]);
  EXPECT_FALSE(has(acct_summary(acct_sum_of(jobs)), "energy"));
  jobs[0].gpu_energy_mj = 7'200'250;
  EXPECT_TRUE(has(acct_long(jobs[0]), "\nGPU Energy Consumed: 7200.2 Joules\n"))
      << acct_long(jobs[0]);
  EXPECT_TRUE(has(acct_summary(acct_sum_of(jobs)),
                  " Total GPU energy (J):          7200      Average GPU energy (J):      3600\n"))
      << acct_summary(acct_sum_of(jobs));
  auto json = nlohmann::json::parse(acct_json(jobs));
  EXPECT_EQ(json["RECORDS"][0]["GPU_ENERGY"], "7200.250");
  EXPECT_EQ(json["RECORDS"][1]["GPU_ENERGY"], "");
  auto sums = acct_sums(acct_key_sums(jobs, AcctBy::User), AcctBy::User);
  EXPECT_TRUE(has(sums, " AVG_WAIT    GPU_KWH\n")) << sums;
  EXPECT_TRUE(has(sums, "      0.002\nTOTAL")) << sums;
}

TEST_F(acct_tables, a_large_job_shows_its_gpus_in_digits) {
  auto job = finished();
  job.slots = 12'345, job.milli_gpus = 12'345'500;
  EXPECT_TRUE(has(acct_long(job), "     12345  12345.5             90 ")) << acct_long(job);
}

TEST_F(acct_tables, promised_starts_are_counted_by_how_far_they_were_off) {
  std::vector<AcctJob> jobs(4, finished());
  jobs[0].promise_error = milliseconds(300);
  jobs[1].promise_error = seconds(-30);
  jobs[2].promise_error = seconds(7200);
  auto text = acct_summary(acct_sum_of(jobs));
  EXPECT_TRUE(has(text, "START PROMISES: 3\n")) << text;
  EXPECT_TRUE(has(text, " within 1 s                     1   33.3 %\n")) << text;
  EXPECT_TRUE(has(text, " 1 s to 1 minute early          1   33.3 %\n")) << text;
  EXPECT_TRUE(has(text, " over 1 hour late               1   33.3 %\n")) << text;
  EXPECT_TRUE(has(text, " 1 minute to 1 hour late        0    0.0 %\n")) << text;
}

TEST_F(acct_tables, a_job_is_told_with_its_hosts_and_its_end) {
  auto text = acct_long(finished());
  for (auto part : {"\nJob <12>, Job Name <train>, User <u1>,", "Status <DONE>, Queue <normal>",
                    "Fri Nov 20 00:00:10: Dispatched to <h1> <h1> <h2>;\n",
                    "Fri Nov 20 00:00:40: Completed <done>.\n",
                    "     CPU_T     WAIT     TURNAROUND   STATUS     HOG_FACTOR    MEM    SWAP\n",
                    "     20.00       10             40     done         0.5000   300M      0M\n"})
    EXPECT_TRUE(has(text, part)) << part << "not in\n" << text;
  auto killed = acct_long(killed_while_pending());
  EXPECT_TRUE(has(killed, "Job <13[4]>")) << killed;
  EXPECT_TRUE(has(killed, ": Completed <exit>; TERM_OWNER: job killed by owner.\n")) << killed;
  EXPECT_FALSE(has(killed, "ispatched")) << killed;
}

TEST_F(acct_tables, the_heading_says_what_was_asked) {
  AcctRequest request;
  request.exited = false;
  request.jobs.queue = "night";
  auto text = acct_heading(request, "u1");
  for (auto part : {"Accounting information about jobs that are:\n", "  - submitted by users u1,\n",
                    "  - completed normally\n", "  - submitted to queues night,\n"})
    EXPECT_TRUE(has(text, part)) << part << "not in\n" << text;
}

TEST(acct_sums, sums_are_told_by_user_and_by_host) {
  auto other = finished();
  other.user = "u2", other.exec_hosts = "h2", other.slot_time = seconds(3600);
  std::vector<AcctJob> jobs = {finished(), other};
  auto by_user = acct_sums(acct_key_sums(jobs, AcctBy::User), AcctBy::User);
  EXPECT_LT(by_user.find("\nu2 "), by_user.find("\nu1 "));  // the most first
  EXPECT_NE(by_user.find("\nTOTAL             2        2        0         40.0         1.02"),
            by_user.npos)
      << by_user;
  auto by_host = acct_sums(acct_key_sums(jobs, AcctBy::Host), AcctBy::Host);
  EXPECT_NE(by_host.find("\nh1                1        1        0         13.3         0.02"),
            by_host.npos)
      << by_host;
  EXPECT_NE(acct_sums(acct_key_sums(jobs, AcctBy::Month), AcctBy::Month).find("\n2026-11 "),
            std::string::npos);
  EXPECT_FALSE(acct_by_named("planet"));
}

TEST(acct_sums, a_plan_has_the_jobs_of_those_below_it) {
  auto job = finished();
  job.plan = "/a/b";
  EXPECT_TRUE(is_of_plan(job, "/a"));
  EXPECT_TRUE(is_of_plan(job, "/"));
  EXPECT_FALSE(is_of_plan(job, "/a/bc"));
}

TEST_F(acct_tables, json_records_add_up_to_the_summary) {
  auto one = finished(), other = killed_while_pending();
  one.cpu = milliseconds(1'234);
  other.cpu = milliseconds(1);
  other.name = "a \"name\"\n\xff";
  std::vector<AcctJob> jobs = {one, other};
  auto json = nlohmann::json::parse(acct_json(jobs));
  EXPECT_EQ(json["COMMAND"], "bacct");
  EXPECT_EQ(json["JOBS"], 2);
  double cpu = 0, wait = 0;
  for (const auto& record : json["RECORDS"]) {
    cpu += std::stod(record["CPU_T"].get<std::string>());
    wait += std::stod(record["WAIT"].get<std::string>());
  }
  auto sum = acct_sum_of(jobs);
  EXPECT_NEAR(cpu * 1e6, static_cast<double>(sum.cpu.sum), 1e-3);
  EXPECT_NEAR(wait * 1e6, static_cast<double>(sum.wait.sum), 1e-3);
  const auto& first = json["RECORDS"][0];
  EXPECT_EQ(first["JOBID"], "12");
  EXPECT_EQ(first["STAT"], "DONE");
  EXPECT_EQ(first["SUBMIT_TIME"], "1795132800.000");
  EXPECT_EQ(first["MEM"], std::to_string(300 << 20));
  EXPECT_EQ(json["RECORDS"][1]["STAT"], "EXIT");
  EXPECT_EQ(json["RECORDS"][1]["START_TIME"], "");
  EXPECT_EQ(nlohmann::json::parse(acct_json({}))["JOBS"], 0);
}

}  // namespace
}  // namespace wm::view
