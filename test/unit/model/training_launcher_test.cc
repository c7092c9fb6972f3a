#include "libwm/model/training_launcher.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

using enum TrainingLauncher;

TEST(training_launcher, is_found_behind_programs_that_only_run_another) {
  for (const char* command :
       {"uv run torchrun train.py", "bin/uv run bin/torchrun train.py",
        "uv --directory x run --with torch --python 3.12 -- torchrun train.py",
        "poetry run torchrun train.py", "poetry -C here run torchrun train.py",
        "conda run -n torch torchrun train.py",
        "conda run --no-capture-output --name torch python -m torch.distributed.run train.py",
        "nsys profile -o report --trace=cuda,nvtx -f true torchrun train.py",
        "A=1 exec env -u B C=2 numactl -N 0 nice -n 5 torchrun train.py",
        "timeout -k 5 3600 torchrun train.py", "uv run poetry run torchrun train.py",
        "python3 -X dev -W ignore -m torch.distributed.launch train.py"})
    EXPECT_EQ(training_launcher_of(command).launcher, Torchrun) << command;
  for (const char* command : {"accelerate-launch train.py", "conda run -n x accelerate launch t.py",
                              "/opt/bin/accelerate-launch --cpu train.py"})
    EXPECT_EQ(training_launcher_of(command).launcher, Accelerate) << command;
  EXPECT_EQ(training_launcher_of("uv run deepspeed --no_ssh train.py").launcher, DeepSpeed);
}

TEST(training_launcher, is_not_what_another_program_is_told_of) {
  for (const char* command :
       {"uv run train.py torchrun", "uv pip install torchrun", "conda run -n torchrun python t.py",
        "nsys stats torchrun", "nsys profile -o torchrun python3 train.py", "timeout torchrun",
        "uv run", "env", "nice -n", "numactl -N", "python3 -X", "uv run --with torchrun t.py"})
    EXPECT_EQ(training_launcher_of(command).launcher, None) << command;
}

TEST(training_launcher, options_are_its_own_up_to_its_script) {
  auto found = training_launcher_of("accelerate launch --cpu --num_processes 2 train.py --no_ssh");
  EXPECT_TRUE(found.has_option("--cpu"));
  EXPECT_FALSE(found.has_option("--no_ssh"));
  EXPECT_FALSE(FoundLauncher{}.has_option("--cpu"));
}

}  // namespace
}  // namespace wm
