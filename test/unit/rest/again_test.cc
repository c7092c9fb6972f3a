// Role: the words of a run that is begun once more.
#include "libwm/rest/again.h"

#include <gtest/gtest.h>

#include "libwm/model/job.h"

namespace wm::rest {
namespace {

TEST(again_args, a_run_goes_on_from_another) {
  EXPECT_EQ(again_args("--exec-start PyTorch --model-main main.py -- --lr 0.1", "12"),
            "--exec-start PyTorch --msd-env WM_RESUME_FROM=12 --model-main main.py -- --lr 0.1");
  EXPECT_EQ(again_args("--exec-start PyTorch", "12"),
            "--exec-start PyTorch --msd-env WM_RESUME_FROM=12");
}

TEST(again_args, what_it_went_on_from_itself_is_another) {
  auto once = again_args("--exec-start PyTorch --msd-env A=1 -- x", "12");
  EXPECT_EQ(again_args(once, "15"),
            "--exec-start PyTorch --msd-env WM_RESUME_FROM=15 --msd-env A=1 -- x");
  EXPECT_EQ(again_args(once, ""), "--exec-start PyTorch --msd-env A=1 -- x");
}

TEST(again_args, words_of_the_script_are_not_touched) {
  const std::string args = "--exec-start PyTorch -- --msd-env WM_RESUME_FROM=3";
  EXPECT_EQ(again_args(args, ""), args);
  EXPECT_EQ(again_args("", ""), "");
  EXPECT_EQ(again_args("--exec-start PyTorch --msd-env", ""), "--exec-start PyTorch --msd-env");
}

TEST(again_args, what_is_made_reads) {
  auto request = parse_exec(again_args("--exec-start PyTorch --model-main m.py -- --lr 0.1", "12"));
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->env,
            (std::vector<std::pair<std::string, std::string>>{{"WM_RESUME_FROM", "12"}}));
  EXPECT_EQ(request->words, (std::vector<std::string>{"--lr", "0.1"}));
}

TEST(request_again, hardware_that_the_words_do_not_say_is_as_it_was) {
  JobSpec spec;
  spec.task.milli_gpus = 2000;
  spec.task.gpu_mig = "1g.10gb";
  spec.exec.labels = {{"experiment", "e"}};
  auto request = request_again(spec, "--exec-start PyTorch --model-main m.py");
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->device, Device::Gpu);
  EXPECT_EQ(request->devices, 2u);
  EXPECT_EQ(request->mig, "1g.10gb");
  EXPECT_EQ(request->labels.at("experiment"), "e");
  auto said = request_again(spec, "--exec-start PyTorch --workerDeviceType cpu --model-main m.py");
  EXPECT_EQ(said->device, Device::Cpu);
  EXPECT_EQ(said->mig, "");
}

TEST(request_again, data_comes_along) {
  JobSpec spec;
  spec.exec.data = {R"({"type":"fs","fs":{"location":"digits"}})"};
  auto with = request_again(spec, "--exec-start PyTorch --model-main m.py");
  ASSERT_TRUE(with) << with.error().text;
  ASSERT_EQ(with->sources.size(), 1u);
  EXPECT_NE(with->sources[0].find("digits"), std::string::npos);
}

}  // namespace
}  // namespace wm::rest
