// What mpirun of Open MPI 4 and of 5 find in a job's environment, and what a nested job does not.
#include "libwm/launch/mpi_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace wm::launch {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;
using Entries = std::vector<std::string>;

HostFacts here(const std::string& name, std::size_t cpus) {
  HostFacts host;
  host.name = name;
  host.run = "/run/" + name;
  host.bin_dir = "/opt/bin";
  host.cpus.resize(cpus);
  return host;
}

/// Job 12, attempt 1, of ann: two slots on host a, three on b.
HostOrder over_two_hosts() {
  HostOrder o;
  o.job = {12, 0};
  o.attempt = {1};
  o.resolved.owner = {1000, 100, "ann"};
  o.hosts = job_hosts_of(
      {{{1}, "a", ""}, {{2}, "a", ""}, {{3}, "b", ""}, {{4}, "b", ""}, {{5}, "b", ""}}, "a");
  OrderedTask task;
  task.task = {1};
  o.tasks = {task};
  return o;
}

HostOrder in_container(const std::string& driver) {
  auto o = over_two_hosts();
  o.app.container.driver = driver;
  o.app.container.image = "/images/x";
  return o;
}

VariableMap told(const HostOrder& order, const HostFacts& host, VariableMap vars = {}) {
  add_mpi(vars, order, host);
  return vars;
}

/// Variables of the task, as it starts, of a job submitted with these.
Entries started_with(const Entries& submitted, HostOrder order) {
  for (const auto& entry : submitted) order.blobs.env += entry + '\0';
  return task_environment(order, here("a", 8), order.tasks[0]);
}

TEST(mpi_env, both_runtimes_are_told_their_launcher_and_their_hosts) {
  auto vars = told(over_two_hosts(), here("a", 8));
  EXPECT_EQ(vars, (VariableMap{{"OMPI_MCA_hwloc_base_binding_policy", "none"},
                               {"OMPI_MCA_orte_default_hostfile", "/run/a/12-0.1.d/mpi-hosts"},
                               {"OMPI_MCA_plm_rsh_agent", "/opt/bin/blaunch"},
                               {"PRTE_MCA_hwloc_default_binding_policy", "none"},
                               {"PRTE_MCA_plm_ssh_agent", "/opt/bin/blaunch"},
                               {"PRTE_MCA_prte_default_hostfile", "/run/a/12-0.1.d/mpi-hosts"},
                               {"WM_HOSTFILE", "/run/a/12-0.1.d/mpi-hosts"}}));
  auto files = plan_attempt(over_two_hosts(), here("a", 8), {}, {}).files;
  auto hosts =
      std::find_if(files.begin(), files.end(), [](const auto& f) { return f.name == "mpi-hosts"; });
  ASSERT_NE(hosts, files.end());
  EXPECT_EQ(hosts->text, "a slots=2\nb slots=3\n");
}

TEST(mpi_env, what_the_user_set_stays_but_for_the_hosts) {
  auto vars = told(over_two_hosts(), here("b", 1),
                   {{"OMPI_MCA_hwloc_base_binding_policy", "core"},
                    {"PRTE_MCA_hwloc_default_binding_policy", "numa"},
                    {"PRTE_MCA_plm_ssh_agent", "/usr/bin/ssh"},
                    {"OMPI_MCA_mpi_yield_when_idle", "0"},
                    {"OMPI_MCA_orte_default_hostfile", "/of/another/job"},
                    {"PRTE_MCA_prte_default_hostfile", "/of/another/job"}});
  EXPECT_EQ(vars["OMPI_MCA_hwloc_base_binding_policy"], "core");
  EXPECT_EQ(vars["PRTE_MCA_hwloc_default_binding_policy"], "numa");
  EXPECT_EQ(vars["PRTE_MCA_plm_ssh_agent"], "/usr/bin/ssh");
  EXPECT_EQ(vars["OMPI_MCA_plm_rsh_agent"], "/opt/bin/blaunch");
  EXPECT_EQ(vars["OMPI_MCA_mpi_yield_when_idle"], "0");
  EXPECT_EQ(vars["OMPI_MCA_orte_default_hostfile"], "/run/b/12-0.1.d/mpi-hosts");
  EXPECT_EQ(vars["PRTE_MCA_prte_default_hostfile"], "/run/b/12-0.1.d/mpi-hosts");
}

TEST(mpi_env, ranks_yield_where_a_host_has_more_slots_than_cpus) {
  const auto* yields = "OMPI_MCA_mpi_yield_when_idle";
  EXPECT_FALSE(told(over_two_hosts(), here("a", 2)).contains(yields));
  EXPECT_FALSE(told(over_two_hosts(), here("b", 3)).contains(yields));
  EXPECT_EQ(told(over_two_hosts(), here("b", 2))[yields], "1");
  EXPECT_FALSE(told(over_two_hosts(), here("b", 0)).contains(yields)) << "its CPUs are not known";
}

TEST(mpi_env, root_alone_may_run_mpirun_as_root) {
  const Entries names{"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                      "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"};
  auto of_root = over_two_hosts();
  of_root.resolved.owner.uid = 0;
  auto of_one_task = of_root;
  of_one_task.hosts = job_hosts_of({{{1}, "a", ""}}, "a");
  for (const auto& name : names) {
    EXPECT_EQ(told(of_one_task, here("a", 8))[name], "1") << "it may start ranks of its own";
    EXPECT_EQ(told(of_root, here("a", 8))[name], "1") << name;
    EXPECT_EQ(told(in_container("podman"), here("a", 8))[name], "1") << "root inside: " << name;
    EXPECT_FALSE(told(over_two_hosts(), here("a", 8)).contains(name)) << name;
  }
}

TEST(mpi_env, an_elastic_job_that_is_down_to_one_slot_tells_so) {
  auto order = over_two_hosts();
  order.hosts = job_hosts_of({{{1}, "a", ""}}, "a");
  EXPECT_TRUE(told(order, here("a", 8)).empty());
  EXPECT_EQ(mpi_host_file(order), "");
  order.team.elastic = true;
  EXPECT_TRUE(told(order, here("a", 8)).contains("PRTE_MCA_prte_default_hostfile"));
  EXPECT_EQ(mpi_host_file(order), "a slots=1\n");
}

TEST(mpi_env, ranks_in_containers_do_not_read_each_others_memory) {
  const std::map<std::string, std::string> off{{"OMPI_MCA_btl_vader_single_copy_mechanism", "none"},
                                               {"OMPI_MCA_smsc", "^cma"}};
  auto o = in_container("charliecloud");
  for (const auto& [name, value] : off)
    EXPECT_FALSE(told(o, here("a", 8)).contains(name)) << "mpirun's are in one container";
  o.resolved.mpi = Mpi::Pmix;
  for (const auto& [name, value] : off) {
    EXPECT_EQ(told(o, here("a", 8))[name], value);
    EXPECT_EQ(told(o, here("a", 8), {{name, "mine"}})[name], "mine");
  }
}

TEST(mpi_env, the_daemons_of_mpirun_keep_their_files_in_the_attempts_folder) {
  VariableMap vars;
  add_mpi_daemon(vars, over_two_hosts(), here("b", 8));
  EXPECT_EQ(vars, (VariableMap{{"OMPI_MCA_orte_tmpdir_base", "/run/b/12-0.1.d"},
                               {"PRTE_MCA_prte_tmpdir_base", "/run/b/12-0.1.d"}}));
  EXPECT_THAT(agent_environment(over_two_hosts(), here("b", 8)),
              IsSupersetOf({"PRTE_MCA_prte_tmpdir_base=/run/b/12-0.1.d",
                            "PRTE_MCA_prte_default_hostfile=/run/b/12-0.1.d/mpi-hosts"}));
}

TEST(mpi_env, a_job_submitted_inside_another_one_has_its_own_hosts_or_none) {
  const Entries outer{"WM_HOSTFILE=/run/a/3-0.1.d/mpi-hosts",
                      "OMPI_MCA_orte_default_hostfile=/run/a/3-0.1.d/mpi-hosts",
                      "PRTE_MCA_prte_default_hostfile=/run/a/3-0.1.d/mpi-hosts"};
  EXPECT_THAT(started_with(outer, over_two_hosts()),
              Contains("PRTE_MCA_prte_default_hostfile=/run/a/12-0.1.d/mpi-hosts"));
  auto alone = over_two_hosts();
  alone.hosts = job_hosts_of({{{1}, "a", ""}}, "a");
  for (const auto& entry : outer) EXPECT_THAT(started_with(outer, alone), Not(Contains(entry)));
  const Entries own{"OMPI_MCA_orte_default_hostfile=/home/ann/hosts"};
  EXPECT_THAT(started_with(own, alone), Contains(own[0])) << "nobody else has set it";
}

TEST(mpi_env, a_job_that_a_rank_submits_is_none_of_its_world) {
  const Entries words{"PMIX_NAMESPACE=w",
                      "PMIX_SERVER_URI41=u",
                      "OMPI_COMM_WORLD_SIZE=4",
                      "OMPI_MCA_ess_base_vpid=0",
                      "OMPI_MCA_orte_hnp_uri=h",
                      "OMPI_MCA_pmix=^s1",
                      "OMPI_MCA_PREFIXES=mca,opal",
                      "OMPI_TOOL_NAME=mpirun",
                      "OMPI_WORLD_SIZE=4",
                      "PRTE_LAUNCHED=1",
                      "PMI_FD=6",
                      "PMI_SIZE=4",
                      "HYDI_CONTROL_FD=7",
                      "JSM_JSRUN_PORT=1"};
  const Entries users{"PMIX_MCA_gds=hash", "OMPI_MCA_pml=ob1", "PRTE_MCA_rmaps_verbose=1"};
  for (const char* number : {"OMPI_COMM_WORLD_RANK=0", "PMIX_RANK=0", "PMI_RANK=0"}) {
    auto all = words;
    all.insert(all.end(), users.begin(), users.end());
    all.emplace_back(number);
    auto env = started_with(all, over_two_hosts());
    for (const auto& entry : words) EXPECT_THAT(env, Not(Contains(entry))) << number;
    EXPECT_THAT(env, Not(Contains(number)));
    EXPECT_THAT(env, IsSupersetOf(users));
  }
  EXPECT_THAT(started_with(words, over_two_hosts()), IsSupersetOf(words)) << "of no rank";
}

}  // namespace
}  // namespace wm::launch
