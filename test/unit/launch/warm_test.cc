#include "libwm/launch/warm.h"

#include <gtest/gtest.h>

namespace wm::launch {
namespace {

using Words = std::vector<std::string>;

HostFacts warm_host() {
  HostFacts host;
  host.name = "b";
  host.cluster = "c";
  host.lib_dir = "/opt/lib";
  host.run = "/run/b";
  return host;
}

HostOrder warm_order() {
  HostOrder o;
  o.job = {12, 0};
  o.attempt = {3};
  o.resolved.program.command = "python3 train.py --lr 0.1";
  o.resolved.program.cwd = "/w";
  o.app.type = AppType::Training;
  o.app.warm_imports = {"torch", "fabric_model"};
  o.team.elastic = true;
  return o;
}

TEST(warm, a_plain_python_command_is_taken_apart) {
  EXPECT_EQ(python_words("python3 train.py"), (Words{"python3", "train.py"}));
  EXPECT_EQ(python_words("/home/a/venv/bin/python train.py"),
            (Words{"/home/a/venv/bin/python", "train.py"}));
  EXPECT_EQ(python_words("exec python3 kernel.py"), (Words{"python3", "kernel.py"}));
  EXPECT_EQ(python_words("  /usr/bin/python3.11  a/b.py --n=3 x "),
            (Words{"/usr/bin/python3.11", "a/b.py", "--n=3", "x"}));
}

TEST(warm, whatever_a_shell_would_have_to_look_at_is_not_taken) {
  for (const char* command : {"python3 train.py > out", "python3 'my train.py'", "python3 $SCRIPT",
                              "python3 *.py", "cd x && python3 train.py", "python3 train.py; true",
                              "python3 ~/train.py", "python3 train.py # 1",
                              "A=/usr/bin/python3 train.py", "python3 a\nb", "(python3 train.py)"})
    EXPECT_EQ(python_words(command), Words{}) << command;
}

TEST(warm, other_programs_and_options_of_the_interpreter_are_not_taken) {
  for (const char* command :
       {"", "python3", "python3 -m train", "python3 -u train.py", "python3-config train.py",
        "pythonw train.py", "pypy3 train.py", "torchrun train.py"})
    EXPECT_EQ(python_words(command), Words{}) << command;
}

TEST(warm, the_parent_runs_the_jobs_interpreter_and_stands_for_its_tasks) {
  auto warm = plan_warm(warm_order(), warm_host());
  ASSERT_TRUE(warm);
  EXPECT_EQ(warm->argv, (Words{"python3", "/opt/lib/python/fabric_model/warm.py",
                               "torch,fabric_model", "python3", "train.py", "--lr", "0.1"}));
  OrderedTask task;
  task.task = {7};
  EXPECT_EQ(warm->command, plan_task(warm_order(), warm_host(), task).argv);
  EXPECT_GT(warm->after, Duration{});
}

TEST(warm, an_attempt_of_a_service_that_is_open_without_a_task_has_one_at_once) {
  auto kernels = warm_order();
  EXPECT_FALSE(is_standby(kernels)) << "of no service";
  kernels.resolved.exec.service = "digits";
  EXPECT_TRUE(is_standby(kernels));
  EXPECT_EQ(plan_warm(kernels, warm_host())->after, Duration{});
  kernels.tasks.resize(1);
  EXPECT_FALSE(is_standby(kernels));
  kernels.tasks.clear();
  kernels.control.end = true;
  EXPECT_FALSE(is_standby(kernels));
}

TEST(warm, jobs_that_do_not_grow_in_place_have_none) {
  auto rigid = warm_order();
  rigid.team.elastic = false;
  EXPECT_FALSE(plan_warm(rigid, warm_host()));
  auto restarted = warm_order();
  restarted.app.resize = ResizeMode::Restart;
  EXPECT_FALSE(plan_warm(restarted, warm_host()));
  auto script = warm_order();
  script.blobs.script = "#!/bin/sh\npython3 train.py\n";
  EXPECT_FALSE(plan_warm(script, warm_host()));
  auto off = warm_order();
  off.app.warm_imports.clear();
  EXPECT_FALSE(plan_warm(off, warm_host()));
}

}  // namespace
}  // namespace wm::launch
