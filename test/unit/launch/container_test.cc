// The command lines of containers, from the order alone.
#include "libwm/launch/container.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "libwm/base/single_quoted.h"
#include "test/support/folder.h"

namespace wm::launch {
namespace {

using List = std::vector<std::string>;

HostFacts gpu_host() {
  HostFacts host;
  host.name = "a";
  host.run = "/run/wm";
  host.bin_dir = "/usr/bin";
  host.lib_dir = "/usr/lib/wm";
  host.conf_dir = "/etc/wm";
  host.gpu_files = {"/dev/nvidia0", "/usr/lib/libcuda.so.1"};
  return host;
}

OrderedTask task() {
  OrderedTask t;
  t.task = {1};
  return t;
}

HostOrder boxed(const std::string& driver) {
  HostOrder o;
  o.job = {12, 0};
  o.attempt = {1};
  o.resolved.owner = {1000, 100, "ann"};
  o.resolved.program.command = "run me";
  o.resolved.program.cwd = "/scratch/ann";
  o.first_host = true;
  o.hosts = job_hosts_of({{{1}, "a", "10.0.0.1"}}, "a");
  o.tasks = {task()};
  o.app.container = {driver, "/images/x", {"/data", "/opt/mine:/opt/yours"}, "--extra  -k"};
  return o;
}

List words(const HostOrder& o, const OrderedTask& t = task()) {
  return contained(o, gpu_host(), t, {"prog", "arg"});
}

bool has(const List& list, const List& run) {
  return std::search(list.begin(), list.end(), run.begin(), run.end()) != list.end();
}

TEST(container, no_driver_changes_nothing) {
  EXPECT_EQ(words(boxed("none")), (List{"prog", "arg"}));
  EXPECT_FALSE(image_check(boxed("none"), gpu_host()));
}

TEST(container, charliecloud_sees_the_jobs_folders_and_what_the_profile_names) {
  EXPECT_EQ(words(boxed("charliecloud")), (List{"env",
                                                "-u",
                                                "TMPDIR",
                                                "ch-run",
                                                "--set-env=WM_CONTAINER=charliecloud",
                                                "--cd",
                                                "/scratch/ann",
                                                "-b",
                                                "/data:/data",
                                                "-b",
                                                "/opt/mine:/opt/yours",
                                                "-b",
                                                "/scratch/ann:/scratch/ann",
                                                "-b",
                                                "/usr/bin:/usr/bin",
                                                "-b",
                                                "/usr/lib/wm:/usr/lib/wm",
                                                "-b",
                                                "/etc/wm:/etc/wm",
                                                "-b",
                                                "/run/wm/12-0.1.d:/run/wm/12-0.1.d",
                                                "--extra",
                                                "-k",
                                                "/images/x",
                                                "--",
                                                "prog",
                                                "arg"}));
}

TEST(container, the_attempts_folder_with_its_host_file_is_seen) {
  auto binds = binds_of(boxed("podman"), gpu_host(), task());
  EXPECT_EQ(std::ranges::count(binds, Bind{"/run/wm/12-0.1.d", "/run/wm/12-0.1.d"}), 1);
}

TEST(container, charliecloud_has_the_hosts_tmp_and_dev_anyway) {
  auto o = boxed("charliecloud");
  o.resolved.program.cwd = "/tmp/here";
  auto t = task();
  t.gpu_uuids = {"GPU-1"};
  auto argv = words(o, t);
  EXPECT_FALSE(has(argv, {"/tmp/here:/tmp/here"}));
  EXPECT_FALSE(has(argv, {"/dev/nvidia0:/dev/nvidia0"}));
  EXPECT_TRUE(has(argv, {"-b", "/usr/lib/libcuda.so.1:/usr/lib/libcuda.so.1"}));
}

TEST(container, podman_is_on_the_hosts_network_with_the_tasks_environment) {
  auto argv = words(boxed("podman"));
  EXPECT_TRUE(has(
      argv, {"podman", "run", "--rm", "-i", "-v", "/dev/shm:/dev/shm", "--network=host",
             "--pid=host", "--env-host", "--env", "WM_CONTAINER=podman", "-w", "/scratch/ann"}));
  EXPECT_TRUE(has(argv, {"-v", "/opt/mine:/opt/yours"}));
  EXPECT_TRUE(has(argv, {"--extra", "-k", "/images/x", "prog", "arg"}));
  EXPECT_FALSE(has(argv, {"-t"}));
  auto o = boxed("podman");
  o.resolved.console.streams = Streams::Terminal;
  EXPECT_TRUE(has(words(o), {"-t"}));
}

TEST(container, of_several_tasks_only_the_first_has_the_terminal) {
  auto o = boxed("podman");
  o.resolved.console.streams = Streams::Shell;
  o.hosts = job_hosts_of({{{1}, "a", "10.0.0.1"}, {{2}, "a", "10.0.0.1"}}, "a");
  EXPECT_TRUE(has(words(o), {"-t"}));
  auto second = task();
  second.task = {2};
  EXPECT_FALSE(has(words(o, second), {"-t"}));
  EXPECT_FALSE(has(container_of_part(o, gpu_host()), {"-t"}));
}

TEST(container, ranks_that_the_hosts_start_keep_their_uid_inside) {
  auto o = boxed("podman");
  EXPECT_FALSE(has(words(o), {"--userns=keep-id"}));
  o.resolved.mpi = Mpi::Pmix;
  EXPECT_TRUE(has(words(o), {"--userns=keep-id"}));
  o.resolved.owner.uid = 0;  // has it anyway
  EXPECT_FALSE(has(words(o), {"--userns=keep-id"}));
}

TEST(container, what_is_launched_in_a_part_sees_the_gpus_of_all_its_tasks) {
  auto o = boxed("podman");
  auto t = task();
  t.task = {2};
  t.has_process = false;
  t.gpu_uuids = {"GPU-1"};
  o.tasks.push_back(t);
  auto argv = container_of_part(o, gpu_host());
  EXPECT_EQ(argv.front(), "podman");
  EXPECT_EQ(argv.back(), "/images/x");
  EXPECT_TRUE(has(argv, {"--device", "/dev/nvidia0:/dev/nvidia0"}));
  EXPECT_TRUE(container_of_part(boxed("none"), gpu_host()).empty());
}

TEST(container, a_folder_in_the_hosts_memory_is_a_bind_and_no_device) {
  auto at = boxed("podman");
  at.resolved.program.cwd = "/dev/shm/mine";
  EXPECT_TRUE(has(words(at), {"-v", "/dev/shm/mine:/dev/shm/mine"}));
  at.app.container.driver = "apptainer";
  EXPECT_TRUE(has(words(at), {"--bind", "/dev/shm/mine:/dev/shm/mine"}));
}

TEST(container, podman_gets_the_gpus_as_devices_when_the_task_has_any) {
  EXPECT_FALSE(has(words(boxed("podman")), {"--device"}));
  auto t = task();
  t.gpu_uuids = {"GPU-1"};
  auto argv = words(boxed("podman"), t);
  EXPECT_TRUE(has(argv, {"--device", "/dev/nvidia0:/dev/nvidia0"}));
  EXPECT_TRUE(has(argv, {"-v", "/usr/lib/libcuda.so.1:/usr/lib/libcuda.so.1"}));
}

TEST(container, apptainer_executes_in_the_jobs_folder) {
  auto argv = words(boxed("apptainer"));
  EXPECT_TRUE(has(argv, {"apptainer", "exec", "--env", "WM_CONTAINER=apptainer", "--pwd",
                         "/scratch/ann", "--bind", "/data:/data"}));
  EXPECT_TRUE(has(argv, {"/images/x", "prog", "arg"}));
}

TEST(container, a_folder_below_another_is_bound_once) {
  auto o = boxed("podman");
  o.resolved.program.cwd = "/data/ann";
  auto binds = binds_of(o, gpu_host(), task());
  EXPECT_EQ(std::count(binds.begin(), binds.end(), Bind{"/data/ann", "/data/ann"}), 0);
  EXPECT_EQ(std::count(binds.begin(), binds.end(), Bind{"/data", "/data"}), 1);
  o.app.container.binds = {"/data:/elsewhere"};  // does not show it under its own name
  binds = binds_of(o, gpu_host(), task());
  EXPECT_EQ(std::count(binds.begin(), binds.end(), Bind{"/data/ann", "/data/ann"}), 1);
}

TEST(container, results_are_seen_by_jobs_that_have_some) {
  auto o = boxed("podman");
  o.app.type = AppType::Training;
  auto host = gpu_host();
  host.dirs.results = "/results";
  auto binds = binds_of(o, host, task());
  auto path = result_dir(o, host);
  EXPECT_EQ(std::count(binds.begin(), binds.end(), Bind{path, path}), 1);
}

TEST(container, kernels_of_a_service_see_its_folder_and_its_router_is_outside) {
  auto kernel = boxed("charliecloud");
  kernel.resolved.exec.service = "digits";
  kernel.resolved.exec.image = "/images/own";
  kernel.resolved.group = 2;
  auto host = gpu_host();
  host.dirs.results = "/results";
  auto binds = binds_of(kernel, host, task());
  Bind folder{"/results/ann/services/digits", "/results/ann/services/digits"};
  EXPECT_NE(std::find(binds.begin(), binds.end(), folder), binds.end());
  EXPECT_TRUE(has(words(kernel), {"/images/own", "--"}));
  auto router = kernel;
  router.resolved.group = 1;
  EXPECT_EQ(words(router), (List{"prog", "arg"}));
  EXPECT_FALSE(image_check(router, gpu_host()));
}

TEST(container, the_job_may_name_the_image_where_the_profile_lets_it) {
  auto o = boxed("podman");
  o.blobs.env = std::string("A=1\0LSB_CONTAINER_IMAGE=mine\0", 29);
  EXPECT_EQ(image_of(o), "/images/x");
  o.app.container.image = "reg/$LSB_CONTAINER_IMAGE:1";
  EXPECT_EQ(image_of(o), "reg/mine:1");
  o.blobs.env.clear();
  EXPECT_EQ(image_of(o), "reg/:1");
}

TEST(container, an_execution_names_its_image_and_how_it_is_fetched) {
  auto o = boxed("podman");
  o.resolved.exec.image = "reg.example/ann/train:2";
  o.resolved.exec.image_policy = "always";
  o.resolved.exec.image_secret = "/home/ann/.config/wm/registries/reg.json";
  EXPECT_EQ(image_of(o), "reg.example/ann/train:2");
  auto look = image_check(o, gpu_host());
  ASSERT_TRUE(look);
  EXPECT_TRUE(has(look->argv, {"sh", "always", "/home/ann/.config/wm/registries/reg.json",
                               "reg.example/ann/train:2"}));
}

// The code that came with an execution is where its processes start, inside as outside.
TEST(container, every_driver_starts_in_the_code_that_came_along) {
  for (const char* driver : {"podman", "apptainer", "charliecloud"}) {
    auto o = boxed(driver);
    o.app.type = AppType::Training;
    o.resolved.exec.bundle = "b1";
    o.resolved.exec.bundle_dir = "mnist";
    auto host = gpu_host();
    host.dirs.results = "/results";
    auto where = "/results/ann/batchworkdir/12/_submitted_code/mnist";
    EXPECT_EQ(work_dir(o, host), where);
    auto argv = contained(o, host, task(), {"prog"});
    EXPECT_TRUE(has(argv, {"-w", where}) || has(argv, {"--pwd", where}) ||
                has(argv, {"--cd", where}))
        << driver;
    o.app.type = AppType::Batch;  // bsub -bundle: its results are no folder that every job sees
    auto binds = binds_of(o, host, task());
    EXPECT_EQ(std::ranges::count(binds, Bind{where, where}), 1) << driver;
  }
}

TEST(container, apptainer_fetches_what_names_a_registry) {
  auto o = boxed("apptainer");
  o.resolved.program.home = "/home/ann";
  o.resolved.exec.image = "reg.example/ann/train:2";
  o.resolved.exec.image_policy = "always";
  o.resolved.exec.image_secret = "/home/ann/s.json";
  auto look = image_check(o, gpu_host());
  ASSERT_TRUE(look);
  ASSERT_GE(look->argv.size(), 4u);
  EXPECT_TRUE(
      has(look->argv, {"sh", "always", "/home/ann/s.json", "docker://reg.example/ann/train:2"}));
  auto file = look->argv.back();
  EXPECT_TRUE(file.starts_with("/home/ann/.cache/wm/images/") && file.ends_with(".sif")) << file;
  EXPECT_TRUE(has(words(o), {file, "prog", "arg"}));
  for (const char* own : {"/images/x", "./x", "x.sif"}) {
    o.resolved.exec.image = own;
    EXPECT_TRUE(has(words(o), {own, "prog", "arg"})) << own;
    EXPECT_EQ(image_check(o, gpu_host())->argv.back(), "") << own;
  }
}

// The look is a program of the shell: it is run here with an apptainer of the test's own.
class ApptainerLook : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(dir + "/bin");
    std::ofstream(dir + "/bin/apptainer")
        << "#!/bin/sh\necho \"$*\" >>" << dir << "/said\n"
        << "for w in \"$@\"; do case $w in */images/*) echo fetched >\"$w\";; esac; done\n";
    std::filesystem::permissions(dir + "/bin/apptainer", std::filesystem::perms::owner_all);
    std::ofstream(dir + "/secret") << "{}";
    ::chmod((dir + "/secret").c_str(), 0600);
  }

  int look(const std::string& policy, const std::string& secret = "") {
    auto o = boxed("apptainer");
    o.resolved.program.home = dir;
    o.resolved.exec.image = "reg.example/train";
    o.resolved.exec.image_policy = policy;
    o.resolved.exec.image_secret = secret;
    auto argv = image_check(o, gpu_host())->argv;
    std::string line = "PATH=" + single_quoted(dir + "/bin") + ":$PATH";
    for (const auto& word : argv) line += " " + single_quoted(word);
    return WEXITSTATUS(std::system((line + " 2>/dev/null").c_str()));
  }
  std::string said() {
    std::stringstream text;
    text << std::ifstream(dir + "/said").rdbuf();
    return text.str();
  }

  test::OwnFolder folder;
  std::string dir = folder.path();
};

TEST_F(ApptainerLook, fetches_once_always_or_never_as_the_job_says) {
  EXPECT_EQ(look("never"), 2);
  EXPECT_EQ(said(), "");
  EXPECT_EQ(look(""), 0);
  EXPECT_EQ(look(""), 0);
  EXPECT_EQ(look("never"), 0);
  auto once = said();
  EXPECT_EQ(std::ranges::count(once, '\n'), 1) << once;
  EXPECT_EQ(look("always", dir + "/secret"), 0);
  EXPECT_NE(said().find("--authfile " + dir + "/secret "), std::string::npos) << said();
}

TEST_F(ApptainerLook, a_secret_that_others_may_read_is_refused) {
  ::chmod((dir + "/secret").c_str(), 0644);
  EXPECT_EQ(look("always", dir + "/secret"), 4);
  EXPECT_EQ(said(), "");
}

TEST(container, a_profile_without_an_image_puts_only_those_inside_that_name_one) {
  auto o = boxed("podman");
  o.app.container.image.clear();
  EXPECT_EQ(words(o), (List{"prog", "arg"}));
  EXPECT_FALSE(image_check(o, gpu_host()));
  o.resolved.exec.image = "mine";
  EXPECT_TRUE(has(words(o), {"mine", "prog", "arg"}));
  EXPECT_TRUE(image_check(o, gpu_host()));
}

TEST(container, the_image_is_looked_for_on_each_host_before_the_users_commands) {
  auto o = boxed("podman");
  o.queue_side.pre = "q";
  auto host = gpu_host();
  host.scripts.prolog = "p";
  auto before = plan_attempt(o, host, {}, {}).before;
  ASSERT_EQ(before.size(), 3u);
  EXPECT_EQ(before[1].what, "the look for container image '/images/x'");
  EXPECT_FALSE(before[1].privileged);
  EXPECT_EQ(before[1].argv.back(), "/images/x");
  o.first_host = false;
  EXPECT_EQ(plan_attempt(o, host, {}, {}).before.size(), 2u);
}

TEST(container, the_image_is_looked_for_where_others_commands_will_run_too) {
  auto o = boxed("podman");
  o.hosts = job_hosts_of({{{1}, "a", "10.0.0.1"}, {{2}, "b", "10.0.0.2"}}, "a");
  o.tasks[0].has_process = false;
  auto spec = plan_attempt(o, gpu_host(), {}, {});
  ASSERT_EQ(spec.before.size(), 1u);
  EXPECT_EQ(spec.before[0].what, "the look for container image '/images/x'");
}

TEST(container, the_task_is_what_runs_inside) {
  auto argv = plan_attempt(boxed("charliecloud"), gpu_host(), {}, {}).tasks.at(0).argv;
  EXPECT_TRUE(has(argv, {"ch-run"}));
  EXPECT_TRUE(has(argv, {"--", "/bin/sh", "-c", "run me"}));
}

}  // namespace
}  // namespace wm::launch
