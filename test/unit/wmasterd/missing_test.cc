// Who has not come to where a job's processes meet, by the state of the cluster.
#include "daemons/wmasterd/hosts/missing.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::master {
namespace {

using std::chrono::seconds;
using test::ClusterBuilder;
using test::SpecBuilder;

class missing : public ::testing::Test {
 protected:
  JobId run(const std::string& command, const std::vector<HostId>& hosts) {
    auto tasks = static_cast<std::uint32_t>(hosts.size());
    SpecBuilder spec;
    spec.app("training").tasks(tasks, tasks);
    spec.spec.program.command = command;
    auto id = c_.submit(spec);
    std::vector<Task> made;
    bool per_host = launch_of(*c_.state.config, c_.job(id).spec()) == Launch::PerHost;
    for (HostId host : hosts) {
      Task task;
      task.number = TaskNumber{static_cast<std::uint32_t>(made.size() + 1)};
      task.host = host;
      task.has_process = !per_host || made.empty() || made.back().host != host;
      made.push_back(task);
    }
    c_.step(JobDispatched{id, Attempt{1}, made, std::string(32, 'k')});
    return id;
  }
  std::string text(JobId id, std::vector<Callers> callers) {
    return missing_text(c_.state, c_.job(id), {28001, seconds(30), std::move(callers)});
  }

  ClusterBuilder c_;
  HostId h1_ = c_.host(4), h2_ = c_.host(4);
};

TEST_F(missing, tasks_are_counted_by_host) {
  auto id = run("python3 train.py", {h1_, h1_, h2_, h2_});
  EXPECT_EQ(text(id, {{"127.0.0.1", 2}, {"127.0.0.2", 1}}),
            "3 of 4 tasks have met at h1:28001 after 30s; not connected: 1 of h2");
  EXPECT_EQ(text(id, {{"127.0.0.1", 2}, {"127.0.0.2", 2}}), "");
  EXPECT_EQ(missing_text(c_.state, c_.job(id), {}), "");
}

TEST_F(missing, a_task_that_has_ended_is_not_missed) {
  auto id = run("python3 train.py", {h1_, h1_, h2_});
  c_.step(TaskEnded{id, Attempt{1}, TaskNumber{3}});
  EXPECT_EQ(text(id, {{"127.0.0.1", 2}}), "");
}

TEST_F(missing,
       a_launcher_is_awaited_once_a_host_and_where_it_was_told_of_more_hosts_that_is_said) {
  auto id = run("torchrun train.py", {h1_, h1_, h2_, h2_});
  EXPECT_EQ(text(id, {{"127.0.0.1", 3}}),
            "1 of 2 hosts have met at h1:28001 after 30s; not connected: h2");
  auto other = run("torchrun --nnodes=3 train.py", {h1_, h2_});
  EXPECT_EQ(text(other, {{"127.0.0.1", 1}, {"127.0.0.2", 1}}),
            "2 of 3 hosts have met at h1:28001 after 30s; the command says --nnodes 3, but the job "
            "has 2 hosts");
}

}  // namespace
}  // namespace wm::master
