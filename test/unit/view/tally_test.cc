#include "libwm/view/tally.h"

#include <gtest/gtest.h>

#include "test/unit/view/listings.h"

namespace wm::view {
namespace {

// A job of so many tasks; those of a pending one hold no slot.
JobView job(std::string user, std::string queue, JobState state, std::uint32_t tasks) {
  auto sealed = std::make_shared<SealedSpec>();
  sealed->spec.owner.user = std::move(user);
  sealed->spec.queue = std::move(queue);
  sealed->spec.min_tasks = sealed->spec.max_tasks = tasks;
  auto made = std::make_shared<Job>();
  made->sealed = sealed;
  made->state = state;
  JobView view;
  if (state == JobState::Running || state == JobState::Suspended)
    for (std::uint32_t n = 1; n <= tasks; ++n) {
      made->tasks.push_back(
          {.number = TaskNumber{n}, .host = HostId{1}, .state = TaskState::Running});
      view.task_hosts.push_back("h" + std::to_string(n % 2));
    }
  view.job = made;
  return view;
}

std::vector<JobView> some() {
  return {job("ann", "day", JobState::Running, 3), job("ann", "night", JobState::Pending, 2),
          job("bob", "day", JobState::Suspended, 1), job("bob", "day", JobState::Held, 4),
          job("bob", "day", JobState::Finished, 7)};
}

std::string user_of(const JobView& view) { return view.job->spec().owner.user; }

TEST(tallies, count_slots_of_unfinished_jobs_by_name_and_know_who_has_none) {
  auto users = tallies(some(), user_of, std::vector<std::string>{"carol"});
  ASSERT_EQ(users.size(), 3u);
  EXPECT_EQ(users[0], (Tally{"ann", 0, 5, 2, 3, 0, 0, 1}));
  EXPECT_EQ(users[1], (Tally{"bob", 0, 5, 4, 0, 0, 1, 1}));
  EXPECT_EQ(users[2], (Tally{"carol"}));
  EXPECT_EQ(tally(some()).jobs, 10u);
}

TEST(user_table, columns_stand_where_lsf_puts_them) {
  auto users = tallies(some(), user_of);
  users[0].max = 40;
  EXPECT_EQ(user_table(users, false, true),
            "USER/GROUP          JL/P    MAX  NJOBS   PEND    RUN  SSUSP  USUSP    RSV\n"
            "ann                    -     40      5      2      3      0      0      0\n"
            "bob                    -      -      5      4      0      0      1      0\n");
  EXPECT_NE(user_table(users, true, true).find("RSV  MPEND  PJOBS MPJOBS\n"), std::string::npos);
}

TEST(app_table, columns_stand_where_lsf_puts_them) {
  auto apps = tallies(some(), [](const JobView&) { return std::string("batch"); });
  EXPECT_EQ(app_table(apps, true),
            "APP_NAME            NJOBS     PEND      RUN     SUSP\n"
            "batch                  10        6        3        1\n");
}

TEST(limit_rows, name_each_limit_that_binds_somebody_with_what_is_used) {
  Config config;
  config.queues = {{.name = "day", .max_slots = 9, .user_slots = 3, .host_slots = 2}};
  config.users = {{.name = "ann", .max_slots = 8}, {.name = "default", .max_slots = 20}};
  PlanView plan;
  plan.path = "/a";
  plan.limit = 6;
  plan.used = 1;
  auto jobs = some();
  std::string text;
  for (const auto& row : limit_rows(config, jobs, std::vector{plan}))
    text += row.name + " " + row.users + row.queues + row.hosts + row.plans + " " +
            std::to_string(row.used) + "/" + std::to_string(row.limit) + "\n";
  EXPECT_EQ(text,
            "queue_slots day 4/9\n"
            "queue_user_slots annday 3/3\n"
            "queue_user_slots bobday 1/3\n"
            "queue_host_slots dayh0 1/2\n"
            "queue_host_slots dayh1 3/2\n"
            "user_slots ann 3/8\n"
            "user_slots bob 1/20\n"
            "plan_limit /a 1/6\n");
}

TEST(app_long_text, says_what_the_profile_sets) {
  AppConf app;
  app.name = "train";
  app.gpu = "num=1";
  auto text = app_long_text(app, {});
  EXPECT_NE(text.find("APPLICATION NAME: train\n"), std::string::npos);
  EXPECT_NE(text.find("GPU_REQ: num=1\n"), std::string::npos);
  EXPECT_EQ(text.find("PRE_EXEC"), std::string::npos);
}

}  // namespace
}  // namespace wm::view
