#include "libwm/submit/selection.h"

#include <gtest/gtest.h>

namespace wm::cmd {
namespace {

JobView submitted(JobId id, int second) {
  auto job = std::make_shared<Job>();
  job->id = id;
  job->times.submitted = WallTime(std::chrono::seconds(second));
  JobView view;
  view.job = job;
  view.id = id;
  return view;
}

TEST(selection, a_state_is_one_of_three_in_any_case) {
  JobSelection selection;
  EXPECT_TRUE(select_state("RUN", selection));
  EXPECT_TRUE(selection.running_only && !selection.pending_only && !selection.suspended_only);
  EXPECT_TRUE(select_state("pend", selection) && selection.pending_only);
  EXPECT_TRUE(select_state("Susp", selection) && selection.suspended_only);
  selection = {};
  for (auto text : {"running", "", "done", "ru"}) EXPECT_FALSE(select_state(text, selection));
  EXPECT_EQ(selection, JobSelection{});
  EXPECT_EQ(select_state("done", selection).error().text,
            "-stat done: Bad argument, run, pend or susp is wanted");
}

TEST(selection, the_newest_job_is_the_one_submitted_last) {
  EXPECT_EQ(newest_of({}), std::nullopt);
  std::vector<JobView> jobs = {submitted({7, 0}, 10), submitted({2, 0}, 30), submitted({9, 0}, 20)};
  EXPECT_EQ(newest_of(jobs), (JobId{2, 0})) << "numbers begin anew one day";
  jobs.push_back(submitted({3, 4}, 30));
  EXPECT_EQ(newest_of(jobs), (JobId{3, 0})) << "an array as a whole";
}

TEST(selection, signals_have_names_and_numbers) {
  EXPECT_EQ(parse_signal("SIGUSR1").value(), 10);
  EXPECT_EQ(parse_signal("usr1").value(), 10);
  EXPECT_EQ(parse_signal("9").value(), 9);
  EXPECT_EQ(parse_signal("NOPE").error().text, "NOPE: Signal not supported");
  EXPECT_FALSE(parse_signal("0"));
  EXPECT_FALSE(parse_signal("99"));
}

TEST(selection, zero_is_everything_of_mine) {
  Parsed options;
  options.words = {"0"};
  EXPECT_TRUE(selects(options));
  EXPECT_TRUE(select_jobs(options)->ids.empty());
  options.words = {"0", "x"};
  EXPECT_FALSE(select_jobs(options));
  EXPECT_FALSE(selects(Parsed()));
}

}  // namespace
}  // namespace wm::cmd
