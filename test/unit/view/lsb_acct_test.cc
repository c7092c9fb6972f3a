// Jobs from a log as LSF writes it.
#include "libwm/view/lsb_acct.h"

#include <gtest/gtest.h>

namespace wm::view {
namespace {

// As LSF and WM write it: 64 done, 32 exited; 19 numbers of usage.
std::string line(int job, const std::string& user, int state, const std::string& name) {
  std::string text = "\"JOB_FINISH\" \"10.1\" 1790000100 " + std::to_string(job) +
                     " 1001 33554434 2 1790000000 0 0 1790000010 \"" + user +
                     "\" \"normal\" \"\" \"\" \"\" \"login1\" \"/home/x\" \"\" \"\" \"\" \"\" 0 2 "
                     "\"h1\" \"h1\" " +
                     std::to_string(state) + " 1.0 \"" + name + "\" \"echo \"\"hi\"\"\" 50.5 9.5";
  for (int i = 0; i < 17; ++i) text += " -1";
  return text + " \"\" \"p\" 256 2 \"\" \"\" 3 2048 0 \"\" \"\" \"\" \"\" 0 \"\" 0\n";
}

TEST(lsb_acct, a_finish_becomes_a_job) {
  auto jobs = jobs_of_lsb("f", "\"JOB_NEW\" \"10.1\" 1 2\n" + line(7, "ann", 64, "sim"));
  ASSERT_TRUE(jobs) << jobs.error().text;
  ASSERT_EQ(jobs->size(), 1u);
  const auto& job = jobs->front();
  EXPECT_EQ(job.id, (JobId{7, 3}));
  EXPECT_EQ(job.user, "ann");
  EXPECT_EQ(job.name, "sim");
  EXPECT_EQ(job.command, "echo \"hi\"");
  EXPECT_EQ(job.project, "p");
  EXPECT_EQ(job.exec_hosts, "h1 h1");
  EXPECT_EQ(job.cpu, std::chrono::seconds(60));
  EXPECT_EQ(job.slot_time, std::chrono::seconds(180));
  EXPECT_EQ(job.started - job.submitted, std::chrono::seconds(10));
  EXPECT_EQ(job.state, state_name(JobState::Finished));
  EXPECT_EQ(job.max_mem, Bytes{2048 << 10});
}

TEST(lsb_acct, a_line_that_is_cut_off_is_named_with_its_number) {
  auto text = line(7, "ann", 64, "sim");
  auto jobs = jobs_of_lsb("lsb.acct", text + text.substr(0, 200));
  ASSERT_FALSE(jobs);
  EXPECT_EQ(jobs.error().text, "lsb.acct:2: a JOB_FINISH that is cut off");
  EXPECT_FALSE(jobs_of_lsb("f", "\"JOB_FINISH\" \"10.1\" \"no end"));
}

TEST(lsb_acct, those_that_are_asked_for_are_chosen_by_what_the_log_tells) {
  auto jobs = *jobs_of_lsb("f", line(7, "ann", 64, "sim-1") + line(8, "bob", 32, "x"));
  auto count = [&](const AcctRequest& request) {
    return std::count_if(jobs.begin(), jobs.end(),
                         [&](const auto& job) { return is_asked(request, job); });
  };
  AcctRequest request;
  request.jobs.user = "all";
  EXPECT_EQ(count(request), 2);
  request.done = false;
  EXPECT_EQ(count(request), 1);
  request.done = true, request.jobs.name = "sim*";
  EXPECT_EQ(count(request), 1);
  request.jobs.name = "*-1", request.jobs.user = "bob";
  EXPECT_EQ(count(request), 0);
  request = {};
  request.jobs.ids = {{8, 0}};
  EXPECT_EQ(count(request), 1);
  request.jobs.ids.clear(), request.jobs.host = "h2";
  EXPECT_EQ(count(request), 0);
  request.jobs.host = "h1", request.ended_from = WallTime(std::chrono::seconds(1790000101));
  EXPECT_EQ(count(request), 0);
}

}  // namespace
}  // namespace wm::view
