// Hosts that cannot start jobs by their own fault: the jobs run elsewhere, or wait with words; the
// host is closed; what users do wrong closes none.
#include <gtest/gtest.h>

#include <functional>

#include "test/support/sched_run.h"

namespace wm {
namespace {

using test::SchedRun;
using test::SpecBuilder;

class HostFaultsRun : public testing::Test {
 protected:
  /// What becomes of a job's task on that host; none: it runs and ends well.
  using Way = std::function<std::optional<TaskEnded>(const Job&, const Task&)>;

  HostFaultsRun() { c.slow = true; }

  void submit(int jobs, int users = 2) {
    for (int n = 0; n < jobs; ++n) {
      auto uid = static_cast<std::uint32_t>(1001 + n % users);
      jobs_.push_back(c.submit(SpecBuilder().user("u" + std::to_string(uid), uid)));
    }
  }
  TaskEnded end(const Job& job, const Task& task, std::int32_t status, Term term) {
    return {job.id, job.attempt, task.number, status, term, {}, "munged does not answer"};
  }
  void answer(JobId id, const Way& way) {
    const Job job = c.job(id);
    if (job.state != JobState::Launching) return;
    for (const Task& task : job.tasks) {
      auto bad = way(job, task);
      if (!bad || bad->term != Term::LaunchFailed)
        c.step(TaskStarted{id, job.attempt, task.number, 4711});
      c.step(bad ? *bad : end(job, task, 0, Term::None));
    }
  }
  /// A pass a second.
  void run(int seconds, const Way& way) {
    for (int n = 0; n < seconds; ++n, ++c.now) {
      c.pass();
      for (auto id : jobs_) answer(id, way);
    }
  }
  std::size_t in(JobState state) const {
    return static_cast<std::size_t>(std::count_if(
        jobs_.begin(), jobs_.end(), [&](JobId id) { return c.job(id).state == state; }));
  }

  SchedRun c;
  HostId sick = c.host(10), well = c.host(10);
  std::vector<JobId> jobs_;
};

TEST_F(HostFaultsRun, one_sick_host_of_two_ends_no_job_and_is_closed) {
  submit(200);
  run(60, [&](const Job& job, const Task& task) -> std::optional<TaskEnded> {
    if (task.host == sick) return end(job, task, 9, Term::LaunchFailed);
    return {};
  });
  EXPECT_EQ(in(JobState::Finished), 200u);
  for (auto id : jobs_) {
    EXPECT_EQ(c.job(id).tasks.front().host, well);
    EXPECT_EQ(c.job(id).returns.requeues, 0u) << "no try of the job's";
  }
  const Host& host = c.host_of(sick);
  EXPECT_TRUE(host.closed && host.faults.closed);
  EXPECT_NE(host.closed_why.find("munged does not answer"), std::string::npos) << host.closed_why;
}

TEST_F(HostFaultsRun, jobs_of_one_owner_go_elsewhere_and_close_no_host) {
  submit(200, 1);
  run(60, [&](const Job& job, const Task& task) -> std::optional<TaskEnded> {
    if (task.host == sick) return end(job, task, 9, Term::LaunchFailed);
    return {};
  });
  EXPECT_EQ(in(JobState::Finished), 200u);
  EXPECT_FALSE(c.host_of(sick).closed);
}

TEST_F(HostFaultsRun, a_gap_of_configuration_sets_aside_the_profile_there_alone) {
  submit(200);
  run(60, [&](const Job& job, const Task& task) -> std::optional<TaskEnded> {
    if (task.host == sick) return end(job, task, 9, Term::ConfigGap);
    return {};
  });
  EXPECT_EQ(in(JobState::Finished), 200u);
  EXPECT_FALSE(c.host_of(sick).closed);
  auto notebook = c.submit(SpecBuilder().app("notebook"));
  c.step(HostClosed{well, "admin", "for the test"});
  c.pass();
  EXPECT_EQ(c.job(notebook).state, JobState::Launching) << "another profile";
}

TEST_F(HostFaultsRun, where_all_hosts_are_sick_jobs_wait_with_words_and_none_ends) {
  submit(20);
  auto all = [&](const Job& job, const Task& task) -> std::optional<TaskEnded> {
    return end(job, task, 9, Term::LaunchFailed);
  };
  run(5, all);
  EXPECT_TRUE(c.host_of(sick).closed != c.host_of(well).closed) << "one at least, and one at most";
  for (auto id : jobs_) EXPECT_EQ(c.job(id).state, JobState::Pending);
  EXPECT_NE(c.why(jobs_[0]).find("munged does not answer"), std::string::npos) << c.why(jobs_[0]);
  run(3000, all);
  EXPECT_EQ(in(JobState::Held), 20u);
  EXPECT_NE(c.why(jobs_[0]).find("munged does not answer"), std::string::npos) << c.why(jobs_[0]);
  c.step(JobReleased{jobs_[0], "u1001"});
  EXPECT_TRUE(c.job(jobs_[0]).size.setbacks.empty()) << "it is tried anew";
}

TEST_F(HostFaultsRun, a_good_end_between_and_what_users_do_wrong_close_no_host) {
  submit(100);
  int n = 0;
  run(60, [&](const Job& job, const Task& task) -> std::optional<TaskEnded> {
    if (++n % 4 == 0) return {};
    if (task.host == well) return end(job, task, 2 << 8, Term::OwnFault);
    return end(job, task, 9, Term::LaunchFailed);
  });
  EXPECT_FALSE(c.host_of(well).closed);
  EXPECT_EQ(c.host_of(well).faults.in_row, 0u);
}

TEST_F(HostFaultsRun, its_own_job_opens_it_and_its_jobs_are_tried_there_at_once) {
  submit(20);
  run(2, [&](const Job& job, const Task& task) -> std::optional<TaskEnded> {
    if (task.host == sick) return end(job, task, 9, Term::LaunchFailed);
    return {};
  });
  ASSERT_TRUE(c.host_of(sick).closed);
  c.step(HostOpened{sick, "wm"});
  EXPECT_EQ(c.host_of(sick).faults, HostFaults{});
  EXPECT_TRUE(c.state.indexes.set_back->empty());
}

}  // namespace
}  // namespace wm
