#include "libwm/launch/launch_env.h"

#include <gtest/gtest.h>

#include <map>

#include "test/unit/launch/launch_rig.h"

namespace wm::launch {
namespace {

using namespace std::string_literals;

TEST(launch_env, devices_are_named_by_uuid_and_counters_by_index) {
  auto o = two_tasks();
  EXPECT_EQ(env_of_task(o, 1)["CUDA_VISIBLE_DEVICES"], "1,3");
  o.tasks[1].gpu_uuids = {"GPU-a", "MIG-b"};
  EXPECT_EQ(env_of_task(o, 1)["CUDA_VISIBLE_DEVICES"], "GPU-a,MIG-b");
  EXPECT_EQ(env_of_task(o, 0)["CUDA_VISIBLE_DEVICES"], "");
}

TEST(launch_env, gpus_are_checked_first_where_the_profile_says_so) {
  auto o = two_tasks();
  o.resolved.program.command = "train";
  o.tasks[1].gpu_uuids = {"GPU-a", "GPU-b"};
  o.app.gpu_check = true;
  auto argv = plan_task(o, own_host(), o.tasks[1]).argv;
  ASSERT_GT(argv.size(), 4u);
  EXPECT_TRUE(argv[0].ends_with("/wm-ncclcheck"));
  EXPECT_EQ(argv[1], "-r");
  EXPECT_EQ(argv[3], "--");
  EXPECT_EQ(argv.back(), "train");
  EXPECT_EQ(plan_task(o, own_host(), o.tasks[0]).argv[0], "/bin/sh") << "no GPU";
  o.team.elastic = true;
  EXPECT_EQ(plan_task(o, own_host(), o.tasks[1]).argv[0], "/bin/sh") << "newcomers cannot wait";
  o.team.elastic = false;
  o.tasks[1].gpu_uuids = {"n-gpu0"};
  EXPECT_EQ(plan_task(o, own_host(), o.tasks[1]).argv[0], "/bin/sh") << "no device";
}

TEST(launch_env, ranks_go_host_by_host) {
  auto o = two_tasks();
  EXPECT_EQ(place_of(o, {2}), (Place{2, 4, 0, 2, 1, 2}));
  EXPECT_EQ(place_of(o, {4}), (Place{3, 4, 1, 2, 1, 2}));
  o.hosts = job_hosts_of({{{1}, "a", ""}, {{2}, "b", ""}, {{3}, "a", ""}, {{4}, "b", ""}}, "a");
  EXPECT_EQ(place_of(o, {1}), (Place{0, 4, 0, 2, 0, 2}));
  EXPECT_EQ(place_of(o, {3}), (Place{1, 4, 1, 2, 0, 2}));
}

TEST(launch_env, a_start_of_the_command_has_its_number_in_the_attempt) {
  auto o = two_tasks();
  EXPECT_EQ(env_of_task(o, 0)["WM_START"], "1");
  o.control.relaunches = 2;
  EXPECT_EQ(env_of_task(o, 0)["WM_START"], "3");
}

TEST(launch_env, a_training_task_has_torchruns_complete_set) {
  auto env = env_of_task(two_tasks(), 1);
  std::map<std::string, std::string> expected = {{"RANK", "3"},
                                                 {"WORLD_SIZE", "4"},
                                                 {"LOCAL_RANK", "0"},
                                                 {"WM_LOCAL_RANK", "1"},
                                                 {"LOCAL_WORLD_SIZE", "2"},
                                                 {"GROUP_RANK", "1"},
                                                 {"GROUP_WORLD_SIZE", "2"},
                                                 {"ROLE_RANK", "3"},
                                                 {"ROLE_WORLD_SIZE", "4"},
                                                 {"ROLE_NAME", "default"},
                                                 {"MASTER_ADDR", "10.0.0.1"},
                                                 {"TORCHELASTIC_RUN_ID", "12"},
                                                 {"TORCHELASTIC_RESTART_COUNT", "2"},
                                                 {"TORCHELASTIC_USE_AGENT_STORE", "False"},
                                                 {"OMP_NUM_THREADS", "2"},
                                                 {"CUDA_VISIBLE_DEVICES", "1,3"},
                                                 {"GLOO_SOCKET_IFNAME", "eth0"},
                                                 {"NCCL_SOCKET_IFNAME", "eth0"},
                                                 {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "1"},
                                                 {"WM_TASK", "4"},
                                                 {"WM_ATTEMPT", "c@b:12.3"},
                                                 {"WM_NODE", "b"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(env[name], value) << name;
  for (const char* name : {"TORCHELASTIC_MAX_RESTARTS", "TORCHELASTIC_ERROR_FILE"})
    EXPECT_FALSE(env[name].empty()) << name;
}

// Later ones warn of the old name.
TEST(launch_env, the_old_name_of_a_variable_is_for_a_torch_before_2_2_alone) {
  auto o = two_tasks();
  auto has = [&](const std::string& version) {
    o.blobs.env = "WM_TORCH=" + version + '\0';
    return env_of_task(o, 1).count("NCCL_ASYNC_ERROR_HANDLING") > 0;
  };
  for (const char* old : {"1.13.1", "2.0.0", "2.1.2"}) EXPECT_TRUE(has(old)) << old;
  for (const char* young : {"2.2.0", "2.10.0", "3.0.1", "", "x", "2", "2.", "-"})
    EXPECT_FALSE(has(young)) << young;
  o.blobs.env.clear();
  EXPECT_EQ(env_of_task(o, 1).count("NCCL_ASYNC_ERROR_HANDLING"), 0u) << "not known";
  o.blobs.env = std::string("NCCL_ASYNC_ERROR_HANDLING=0\0", 28);
  EXPECT_EQ(env_of_task(o, 1)["NCCL_ASYNC_ERROR_HANDLING"], "0") << "its owner's word";
}

TEST(launch_env, a_launcher_has_our_modules_whatever_the_profile) {
  auto o = two_tasks();
  o.app.type = AppType::Batch;
  o.resolved.program.command = "uv run torchrun train.py";
  EXPECT_EQ(env_of_task(o, 0)["PYTHONPATH"], "/opt/lib/python:/mine:/opt/lib/python/last");
  EXPECT_EQ(env_of_task(o, 0).count("RESULT_DIR"), 0u);
  o.resolved.program.command = "./solve";
  EXPECT_EQ(env_of_task(o, 0)["PYTHONPATH"], "/mine");
}

TEST(launch_env, each_task_of_a_launcher_that_starts_one_process_is_one_of_its_ranks) {
  auto o = two_tasks();
  o.app.type = AppType::Batch;
  o.launch = Launch::PerSlot;
  o.resolved.program.command = "accelerate launch --cpu train.py";
  auto env = env_of_task(o, 1);
  EXPECT_EQ(env["RANK"], "3");
  EXPECT_EQ(env["WORLD_SIZE"], "4");
  EXPECT_EQ(env["NNODES"], "2") << "of its own command line";
  o.resolved.program.command = "./solve";
  EXPECT_EQ(env_of_task(o, 1).count("RANK"), 0u);
}

TEST(launch_env, local_rank_is_a_number_of_what_a_task_sees) {
  auto o = two_tasks();
  for (auto& task : o.tasks) task.gpus.clear();
  EXPECT_EQ(env_of_task(o, 1)["LOCAL_RANK"], "1") << "without GPUs it counts the host's tasks";
  EXPECT_EQ(env_of_task(o, 1)["WM_LOCAL_RANK"], "1");
}

TEST(launch_env, every_task_has_the_job_variables_and_the_submitters_own) {
  auto env = env_of_task(two_tasks(), 0);
  EXPECT_EQ(env["LSB_JOBID"], "12");
  EXPECT_EQ(env["LSB_JOBINDEX"], "0");
  EXPECT_EQ(env["LSB_HOSTS"], "a a b b");
  EXPECT_EQ(env["LSB_MCPU_HOSTS"], "a 2 b 2");
  EXPECT_EQ(env["LSB_DJOB_HOSTFILE"], "/run/b/12-0.3.d/hosts");
  EXPECT_EQ(env["LSB_DJOB_NUMPROC"], "4");
  EXPECT_EQ(env["FOO"], "a=b");
  EXPECT_EQ(env["HOME"], "/h/ann");
  EXPECT_EQ(env["PATH"], "/opt/bin:/usr/bin");
  EXPECT_EQ(env.count("BAD"), 0u);
}

TEST(launch_env, commands_among_the_systems_programs_come_behind_the_submitters_python) {
  auto host = own_host();
  auto o = two_tasks();
  o.blobs.env = "PATH=/home/ann/venv/bin\0"s;
  EXPECT_EQ(env_of_task(o, 0, host)["PATH"], "/opt/bin:/home/ann/venv/bin");
  for (const char* folder : {"/bin", "/usr/bin", "/usr/local/bin"}) {
    host.bin_dir = folder;
    EXPECT_EQ(env_of_task(o, 0, host)["PATH"], "/home/ann/venv/bin:"s + folder);
  }
}

TEST(launch_env, a_preloaded_name_wrapper_stays_with_the_submitter) {
  auto o = two_tasks();
  o.blobs.env = std::string("LD_PRELOAD=/lib/libmine.so:/lib/libnss_wrapper.so\0", 50);
  EXPECT_EQ(env_of_task(o, 0)["LD_PRELOAD"], "/lib/libmine.so");
  o.blobs.env = std::string("LD_PRELOAD=/lib/libnss_wrapper.so\0", 34);
  EXPECT_EQ(env_of_task(o, 0).count("LD_PRELOAD"), 0u);
}

TEST(launch_env, result_directories_fit_together_as_wmla_scripts_expect) {
  auto env = env_of_task(two_tasks(), 0);
  EXPECT_EQ(env["RESULT_DIR"], "/r/ann/batchworkdir/12");
  EXPECT_EQ(env["RESULT_DIR"],
            env["DLI_RESULT_FS"] + "/" + env["USER"] + "/batchworkdir/" + env["DLI_EXECID"]);
  EXPECT_EQ(env["LOG_DIR"], env["RESULT_DIR"] + "/log/2");
  EXPECT_EQ(env["DATA_DIR"], "/d");
  EXPECT_EQ(env["PYTHONPATH"], "/opt/lib/python:/mine:/opt/lib/python/last");
  EXPECT_EQ(env["FABRIC_HOME"], "/opt/fabric");
}

// Scripts put the path of their results together by these three, and rely on its being RESULT_DIR.
TEST(launch_env, an_execution_knows_itself_by_its_exec_id) {
  auto o = two_tasks();
  o.resolved.exec.bundle = "b";
  auto host = own_host();
  host.cluster = "lab";
  auto env = env_of_task(o, 0, host);
  EXPECT_EQ(env["APP_ID"], "lab-12");
  EXPECT_EQ(env["DLI_EXECID"], "lab-12");
  EXPECT_EQ(env["RESULT_DIR"],
            env["DLI_RESULT_FS"] + "/" + env["USER"] + "/batchworkdir/" + env["DLI_EXECID"]);
  EXPECT_EQ(result_dir(o, host), "/r/ann/batchworkdir/12");
  o.job.index = 4;
  EXPECT_EQ(env_of_task(o, 0, host)["APP_ID"], "lab-12-4");
}

TEST(launch_env, the_root_of_the_data_is_told_beside_the_jobs_part_of_it) {
  auto o = two_tasks();
  EXPECT_EQ(env_of_task(o, 0)["DLI_DATA_FS"], "/d");
  o.blobs.env = "DATA_DIR=/d/mnist\0"s;
  EXPECT_EQ(env_of_task(o, 0)["DATA_DIR"], "/d/mnist");
  EXPECT_EQ(env_of_task(o, 0)["DLI_DATA_FS"], "/d");
  o.blobs.env = "DATA_DIR=/data/mine\0"s;
  EXPECT_EQ(env_of_task(o, 0)["DLI_DATA_FS"], "/data/mine");
  o.blobs.env = "DATA_DIR=/vol/mnist\0DLI_DATA_FS=/vol\0"s;
  EXPECT_EQ(env_of_task(o, 0)["DLI_DATA_FS"], "/vol");
}

/// WMLA_NWORKER, NODE_RANK, WMLA_WORKER_NDEVICE of each of our tasks that has a process.
std::vector<std::string> torchrun_sizes(const HostOrder& o) {
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i < o.tasks.size(); ++i) {
    auto env = env_of_task(o, static_cast<int>(i));
    sizes.push_back(env["WMLA_NWORKER"] + " " + env["NODE_RANK"] + " " +
                    env["WMLA_WORKER_NDEVICE"]);
  }
  return sizes;
}

TEST(launch_env, workers_ranks_and_devices_fit_each_other_as_torchruns_options) {
  auto o = two_tasks();
  EXPECT_EQ(torchrun_sizes(o), (std::vector<std::string>{"4 2 1", "4 3 2"})) << "one a task";
  o.launch = Launch::PerHost;
  EXPECT_EQ(torchrun_sizes(o)[0], "2 1 2") << "one a host, with the GPUs of all its slots";
  o.tasks[1].gpus.clear();
  EXPECT_EQ(torchrun_sizes(o)[0], "2 1 2") << "without GPUs as many processes as slots";
  o.launch = Launch::Once;
  EXPECT_EQ(torchrun_sizes(o)[0], "1 0 2") << "the command is all there is";
}

TEST(launch_env, a_job_is_told_from_all_that_ever_had_its_number) {
  auto o = two_tasks();
  o.submitted = WallTime(std::chrono::microseconds(7));
  EXPECT_EQ(env_of_task(o, 0)["WM_JOB"], "c:12:7");
  o.attempt = {4};
  EXPECT_EQ(env_of_task(o, 0)["WM_JOB"], "c:12:7");
  o.job.index = 2;
  EXPECT_EQ(env_of_task(o, 0)["WM_JOB"], "c:12.2:7");
}

TEST(launch_env, the_job_to_go_on_from_is_given_as_its_results) {
  auto o = two_tasks();
  o.blobs.env = std::string("WM_RESUME_FROM=9[4]\0", 20);
  EXPECT_EQ(env_of_task(o, 0)["WM_RESUME_FROM"], "/r/ann/batchworkdir/9.4");
  o.blobs.env = std::string("WM_RESUME_FROM=/another/job's\0", 30);
  EXPECT_EQ(env_of_task(o, 0).count("WM_RESUME_FROM"), 0u);
}

TEST(launch_env, a_batch_task_is_no_member_of_a_torch_group) {
  auto o = two_tasks();
  o.app.type = AppType::Batch;
  auto env = env_of_task(o, 0);
  EXPECT_EQ(env.count("WORLD_SIZE"), 0u);
  EXPECT_EQ(env.count("RESULT_DIR"), 0u);
  EXPECT_EQ(env["LSB_MCPU_HOSTS"], "a 2 b 2");
}

TEST(launch_env, what_a_command_started_once_starts_is_no_worker_of_ours) {
  auto o = two_tasks();
  o.launch = Launch::Once;
  auto env = env_of_task(o, 0);
  EXPECT_EQ(env.count("RANK"), 0u);
  EXPECT_EQ(env.count("MASTER_ADDR"), 0u);
}

TEST(launch_env, a_task_is_told_of_the_leased_port_and_of_none_before) {
  auto o = two_tasks();
  EXPECT_EQ(env_of_task(o, 0).count("MASTER_PORT"), 0u);
  o.team.port = 20444;
  EXPECT_EQ(env_of_task(o, 0)["MASTER_PORT"], "20444");
}

// Debian 13's torch has no libuv, which it would ask for by itself.
TEST(launch_env, torch_does_without_libuv_unless_the_job_says_otherwise) {
  auto o = two_tasks();
  EXPECT_EQ(env_of_task(o, 0)["USE_LIBUV"], "0");
  o.blobs.env = std::string("USE_LIBUV=1\0", 12);
  EXPECT_EQ(env_of_task(o, 0)["USE_LIBUV"], "1");
}

TEST(launch_env, the_agent_knows_its_job_and_its_key) {
  auto o = two_tasks();
  o.team.elastic = true;
  o.key = std::string("\x01\xab", 2);
  auto env = as_map(agent_environment(o, own_host()));
  EXPECT_EQ(env["WM_AGENT_JOB"], "12");
  EXPECT_EQ(env["WM_AGENT_ATTEMPT"], "3");
  EXPECT_EQ(env["WM_AGENT_HOST"], "2");
  EXPECT_EQ(env["WM_AGENT_ADDRESS"], "10.0.0.2");
  EXPECT_EQ(env["WM_AGENT_KEY"], "01ab");
  EXPECT_EQ(env["WM_NODE_SOCKET"], "/run/b/node.sock");
  EXPECT_EQ(env["WM_ELASTIC_SOCKET"], env_of_task(o, 0)["WM_ELASTIC_SOCKET"]);
  auto spec = plan_attempt(o, own_host(), {}, {});
  EXPECT_EQ(spec.agent_argv, std::vector<std::string>{"/opt/sbin/wagent"});
  EXPECT_FALSE(spec.ends_with_last_task);
}

TEST(launch_env, a_trial_that_goes_on_finds_what_the_earlier_one_left) {
  auto o = two_tasks();
  o.job = {12, 7};
  EXPECT_FALSE(env_of_task(o, 0).contains("WM_ELEMENT_DATA"));
  o.blobs.data = R"({"lr":0.1,"wm_resume":3})";
  EXPECT_EQ(env_of_task(o, 0)["WM_RESUME_DIR"], "/r/ann/batchworkdir/12.3");
  for (const char* data : {R"({"lr":0.1})", R"({"wm_resume":"x"})", R"({"wm_resume":)"}) {
    o.blobs.data = data;
    EXPECT_FALSE(env_of_task(o, 0).contains("WM_RESUME_DIR")) << data;
  }
}

}  // namespace
}  // namespace wm::launch
