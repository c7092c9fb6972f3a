// nccl_train: elastic data-parallel training in C++ on GPUs, over NCCL: a small perceptron learns
// handwritten digits in float64. Workers come, go and die while it trains; the result is that of
// one process, which rank 0 checks itself at the end. Without a device it skips itself (status 77).
//
//   bsub -app training -ar -n 1,4 -gpu num=1 ./nccl_train --data DIR --passes 20
//
// Options and records are those of gloo_train; outside WM it trains alone, on the first device.
#include "libwm/trainer/groups/nccl/nccl_group.h"
#include "libwm/trainer/groups/store.h"
#include "test/examples/course.h"
#include "test/examples/cuda_mlp.cuh"

int main(int argc, char** argv) {
  wm::gpu::devices_or_skip("nccl_train");
  example::Program program;
  program.name = "nccl_train";
  program.backend = [](std::string& why) {
    return wm::groups::make_nccl(wm::groups::host_address(), 0, why);
  };
  program.model = [](const auto& train, const auto& test) {
    return std::make_unique<example::CudaMlp>(train, test);
  };
  return example::run_program(program, argc, argv);
}
