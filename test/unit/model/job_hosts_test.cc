#include "libwm/model/job_hosts.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

std::vector<HostTasks> each_with(std::uint32_t tasks, const std::vector<std::string>& names) {
  std::vector<HostTasks> hosts;
  for (const auto& name : names) hosts.push_back({name, tasks});
  return hosts;
}

TEST(job_hosts, neighbours_with_as_many_tasks_are_one_run) {
  auto hosts = each_with(4, {"n08", "n09", "n10", "n11"});
  auto runs = folded(hosts);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0], (HostRun{"n", "", 8, 2, 4, 4}));
  EXPECT_EQ(unfolded(runs), hosts);
}

TEST(job_hosts, names_come_back_as_they_were) {
  std::vector<std::vector<std::string>> lists = {
      {},
      {"login"},
      {"n9", "n10", "n11"},
      {"n09", "n010"},              // one digit more than there is room for
      {"n2", "n1", "n3"},           // their order counts
      {"n1", "n1"},                 // and so does each
      {"n1.a4", "n2.a4", "n2.a5"},  // the domain's number is not the host's
      {"gpu-1-a", "gpu-2-a", "gpu-2-b"},
      {"", ".", "7", "8", "09"},
      {"n999999999", "n1000000000", "n99999999999999999999"},
  };
  for (const auto& names : lists)
    EXPECT_EQ(unfolded(folded(each_with(2, names))), each_with(2, names));
  EXPECT_EQ(folded(each_with(2, {"n1.a4", "n2.a4"})).size(), 1u);
  EXPECT_EQ(folded({{"n1", 1}, {"n2", 2}}).size(), 2u);
}

TEST(job_hosts, a_host_knows_what_comes_before_it) {
  std::vector<PlacedTask> tasks = {{{5}, "c", "3"}, {{1}, "b", "2"}, {{2}, "a", "1"},
                                   {{3}, "b", "2"}, {{4}, "a", "1"}, {{6}, "c", "3"}};
  auto job = job_hosts_of(tasks, "c");
  EXPECT_EQ(unfolded(job.runs), (std::vector<HostTasks>{{"b", 2}, {"a", 2}, {"c", 2}}));
  EXPECT_EQ(job.first_address, "2");
  EXPECT_EQ(job.here, (std::vector<TaskNumber>{{5}, {6}}));
  EXPECT_EQ(job.hosts_before, 2u);
  EXPECT_EQ(job.tasks_before, 4u);
  EXPECT_EQ(task_count(job), 6u);
  EXPECT_EQ(host_count(job), 3u);
  EXPECT_TRUE(job_hosts_of(tasks, "d").here.empty());
}

}  // namespace
}  // namespace wm
