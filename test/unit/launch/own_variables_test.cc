#include "libwm/launch/own_variables.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "libwm/launch/launch_env.h"
#include "libwm/model/inheritance.h"

namespace wm::launch {
namespace {

HostFacts host_of_all() {
  HostFacts host;
  host.name = "b";
  host.address = "10.0.0.2";
  host.interface = "eth0";
  host.cluster = "c";
  host.run = "/run/b";
  host.bin_dir = "/opt/bin";
  host.passed_on = {"WM_NODE=b", "WM_CLUSTER_DIR=/c"};
  return host;
}

/// Job 12 of two tasks on this host and one elsewhere, with all that makes it have more variables.
HostOrder order_of_all() {
  HostOrder o;
  o.job = {12, 1};
  o.attempt = {3};
  o.resolved.owner = {1000, 100, "ann"};
  o.resolved.files.out = "o";
  o.resolved.files.err = "e";
  o.resolved.files.outdir = "/out";
  o.resolved.program.script_hash = "x";
  o.resolved.checkpoint.dir = "/ckpt";
  o.resolved.console.streams = Streams::Pipes;
  o.resolved.open = true;
  o.resolved.exec.service = "s";
  o.app.container.driver = "apptainer";
  o.team.elastic = true;
  o.team.restarts = 1;
  o.team.groups = {{"near", "worker", {"a:25002", "b:25000"}, {}}};
  o.blobs.data = R"({"wm_resume": 2})";
  o.blobs.env = std::string("MINE=1\0TASK_JOB_ID=x\0WM_RESUME_FROM=7\0WM_TORCH=2.1.0\0", 53);
  o.hosts = job_hosts_of({{{1}, "a", "10.0.0.1"}, {{2}, "b", "10.0.0.2"}}, "b");
  o.first_host = true;
  OrderedTask task;
  task.task = {2};
  task.gpus = {1};
  o.tasks = {task};
  return o;
}

std::set<std::string> names_in(const std::vector<std::string>& environment) {
  std::set<std::string> names;
  for (const auto& entry : environment) names.insert(entry.substr(0, entry.find('=')));
  return names;
}

std::set<std::string> set_by_wm() {
  std::set<std::string> all;
  for (auto type : {AppType::Batch, AppType::Training, AppType::Notebook})
    for (auto launch : {Launch::PerSlot, Launch::PerHost, Launch::Once})
      for (auto mpi : {Mpi::None, Mpi::Pmix}) {
        auto order = order_of_all();
        order.app.type = type;
        order.launch = launch;
        order.resolved.mpi = mpi;
        all.merge(names_in(task_environment(order, host_of_all(), order.tasks[0])));
        all.merge(names_in(agent_environment(order, host_of_all())));
      }
  all.erase("MINE");
  all.erase("TASK_JOB_ID");
  return all;
}

TEST(own_variables, whatever_a_task_or_its_agent_is_told_is_in_the_table) {
  for (const auto& name : set_by_wm()) EXPECT_NE(own_variable(name), nullptr) << name;
  EXPECT_EQ(own_variable("MINE"), nullptr);
}

TEST(own_variables, names_are_there_once_in_order) {
  std::string_view before;
  for (const OwnVariable& own : own_variables()) {
    EXPECT_LT(before, own.name);
    before = own.name;
  }
}

TEST(own_variables, those_that_are_kept_are_the_submitters_where_there_are_any) {
  auto order = order_of_all();
  order.app.type = AppType::Training;
  for (const OwnVariable& own : own_variables())
    if (own.kept) order.blobs.env += std::string(own.name) + "=mine" + '\0';
  for (const auto& entry : task_environment(order, host_of_all(), order.tasks[0])) {
    const auto* own = own_variable(entry.substr(0, entry.find('=')));
    EXPECT_TRUE(!own || !own->kept || entry.ends_with("=mine")) << entry;
  }
}

TEST(own_variables, a_row_for_a_family_means_its_members) {
  ASSERT_NE(own_variable("WM_GROUP_FAR_OFF"), nullptr);
  EXPECT_EQ(own_variable("WM_GROUP_FAR_OFF")->when, SetWhen::Grouped);
  EXPECT_EQ(own_variable("LSB_JOBID")->by, SetBy::LaunchEnv);
}

TEST(own_variables, a_job_inside_a_job_inherits_what_its_submitter_has_set_and_no_more) {
  auto order = order_of_all();
  order.app.type = AppType::Training;
  order.app.env["OF_PROFILE"] = "1";
  order.blobs.env += std::string("OMP_NUM_THREADS=7\0PATH=/mine\0", 31);
  std::map<std::string, std::string> inner;
  for (const auto& entry : task_environment(order, host_of_all(), order.tasks[0]))
    inner[entry.substr(0, entry.find('='))] = entry.substr(entry.find('=') + 1);
  inner["CUDA_MPS_PIPE_DIRECTORY"] = "/set/by/wnoded";
  inner["MASTER_PORT"] = "1234";  // its script's own
  leave_out_own(inner);
  std::set<std::string> names;
  for (const auto& [name, value] : inner) names.insert(name);
  const std::set<std::string> session{"HOME", "HOSTNAME",   "LOGNAME", "PATH",
                                      "PWD",  "PYTHONPATH", "SHELL",   "USER"};
  names.erase("TASK_JOB_ID");
  for (const auto& name : session) names.erase(name);
  EXPECT_EQ(names, (std::set<std::string>{"MASTER_PORT", "MINE", "OMP_NUM_THREADS"}));
}

}  // namespace
}  // namespace wm::launch
