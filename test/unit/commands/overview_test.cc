#include "commands/common/overview.h"

#include <gtest/gtest.h>

namespace wm::cmd {
namespace {

JobView job(std::string user, JobState state) {
  auto sealed = std::make_shared<SealedSpec>();
  sealed->spec.owner.user = std::move(user);
  auto made = std::make_shared<Job>();
  made->sealed = sealed;
  made->state = state;
  JobView view;
  view.job = made;
  return view;
}

HostView host(HostState state, bool closed) {
  HostView view;
  view.host.state = state;
  view.host.closed = closed;
  view.host.capacity.slots = 4;
  return view;
}

TEST(status_text, counts_hosts_jobs_and_users) {
  std::vector<JobView> jobs = {job("ann", JobState::Running), job("ann", JobState::Finished),
                               job("bob", JobState::Failed), job("carol", JobState::Held)};
  std::vector<HostView> hosts = {host(HostState::Ok, false), host(HostState::Ok, true),
                                 host(HostState::Silent, true), host(HostState::Dead, false)};
  auto text = status_text(jobs, hosts);
  for (const char* line :
       {"    Number of servers:            4\n", "        Ok:                       1\n",
        "        Closed:                   1\n", "        Unreachable:              1\n",
        "    Number of slots:              16\n", "        Running:                  1\n",
        "        Suspended:                1\n", "        Finished:                 2\n",
        "    Number of users:              3\n", "    Number of active users:       2\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

}  // namespace
}  // namespace wm::cmd
