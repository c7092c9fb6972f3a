// gloo_train: elastic data-parallel training in C++ on CPUs: a small perceptron learns handwritten
// digits. Workers come, go and die while it trains; the result is that of one process, which rank 0
// checks itself at the end.
//
//   bsub -app training -ar -n 1,4 ./gloo_train --data DIR --passes 20
//
// DIR holds MNIST/raw/*-ubyte (scripts/demo.d/digits.py writes such a folder). Outside WM it trains
// alone. --step-ms stands for more work in each step, until there is a file `hurry` in the working
// directory. Beside steps.csv and ledger.csv it keeps hashes of its weights.
#include "libwm/trainer/groups/gloo_group.h"
#include "libwm/trainer/groups/store.h"
#include "test/examples/course.h"
#include "test/examples/mlp.h"

int main(int argc, char** argv) {
  using namespace wm::groups;
  example::Program program{.name = "gloo_train"};
  program.backend = [](std::string& why) { return make_gloo(host_address(), why); };
  program.model = example::make_mlp;
  return example::run_program(program, argc, argv);
}
