// Variables of translated jobs.
#include "libwm/launch/slurm_env.h"

#include <gtest/gtest.h>

namespace wm::launch {
namespace {

HostFacts slurm_host() {
  HostFacts host;
  host.name = "b";
  host.cluster = "c";
  host.run = "/run/b";
  return host;
}

/// Job 12, element 3: two tasks on a, two on b, where it is asked; the second of them.
HostOrder slurm_order(const std::string& mark) {
  HostOrder o;
  o.job = {12, 3};
  o.attempt = {1};
  o.resolved.owner = {1000, 100, "ann"};
  o.resolved.name = "my[1-9]";
  o.resolved.queue = "batch";
  o.resolved.project = "p";
  o.blobs.env = "WM_SBATCH=" + mark + '\0' + "OMPI_MCA_plm=mine" + '\0';
  if (mark.empty()) o.blobs.env.clear();
  o.hosts = job_hosts_of({{{1}, "a", "10.0.0.1"},
                          {{2}, "a", "10.0.0.1"},
                          {{3}, "b", "10.0.0.2"},
                          {{4}, "b", "10.0.0.2"}},
                         "b");
  OrderedTask task;
  task.task = {4};
  task.gpus = {0, 1};
  o.tasks = {task};
  return o;
}

std::map<std::string, std::string> environment(const HostOrder& o) {
  std::map<std::string, std::string> vars;
  for (const auto& entry : task_environment(o, slurm_host(), o.tasks[0]))
    vars[entry.substr(0, entry.find('='))] = entry.substr(entry.find('=') + 1);
  return vars;
}

TEST(slurm_env, a_translated_job_has_its_number_hosts_and_place) {
  auto vars = environment(slurm_order("0"));
  for (auto [name, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"SLURM_JOB_ID", "12"},
                                                                  {"SLURM_JOBID", "12"},
                                                                  {"SLURM_ARRAY_JOB_ID", "12"},
                                                                  {"SLURM_ARRAY_TASK_ID", "3"},
                                                                  {"SLURM_JOB_NAME", "my"},
                                                                  {"SLURM_JOB_PARTITION", "batch"},
                                                                  {"SLURM_JOB_NODELIST", "a,b"},
                                                                  {"SLURM_JOB_NUM_NODES", "2"},
                                                                  {"SLURM_TASKS_PER_NODE", "2(x2)"},
                                                                  {"SLURM_CPUS_ON_NODE", "2"},
                                                                  {"SLURM_PROCID", "3"},
                                                                  {"SLURM_LOCALID", "1"},
                                                                  {"SLURM_NODEID", "1"},
                                                                  {"SLURMD_NODENAME", "b"},
                                                                  {"SLURM_JOB_USER", "ann"},
                                                                  {"SLURM_JOB_ACCOUNT", "p"},
                                                                  {"SLURM_GPUS_ON_NODE", "2"},
                                                                  {"HYDRA_BOOTSTRAP", "lsf"},
                                                                  {"OMPI_MCA_plm", "mine"}})
    EXPECT_EQ(vars[name], value) << name;
}

TEST(slurm_env, indices_that_bsub_has_raised_are_slurms_again) {
  EXPECT_EQ(environment(slurm_order("1"))["SLURM_ARRAY_TASK_ID"], "2");
  EXPECT_EQ(expand_output("%J_%Z %I", slurm_order("1"), "b"), "12_2 3");
}

TEST(slurm_env, other_jobs_have_none_of_it) {
  for (const auto& [name, value] : environment(slurm_order("")))
    EXPECT_FALSE(name.starts_with("SLURM") || name == "HYDRA_BOOTSTRAP") << name << value;
}

TEST(slurm_env, a_job_that_is_no_element_has_no_array) {
  auto o = slurm_order("0");
  o.job.index = 0;
  EXPECT_FALSE(environment(o).contains("SLURM_ARRAY_TASK_ID"));
}

}  // namespace
}  // namespace wm::launch
