// Role: nccl_train with its model on the CPU: linked with the stub of NCCL, so that the rules of
// groups over NCCL run on machines without a GPU. Not a program for users.
#include "libwm/trainer/groups/nccl/nccl_group.h"
#include "libwm/trainer/groups/store.h"
#include "test/examples/course.h"
#include "test/examples/mlp.h"

int main(int argc, char** argv) {
  using namespace wm::groups;
  example::Program program{.name = "nccl_train"};
  program.backend = [](std::string& why) { return make_nccl(host_address(), 0, why); };
  program.model = example::make_mlp;
  return example::run_program(program, argc, argv);
}
