// mpi_train: data-parallel training in C++ over MPI that is resized by a restart: a small
// perceptron learns handwritten digits. A signal to stop, at any rank, stops all ranks at one step
// boundary; rank 0 writes the state, and the next start, at whatever size, goes on from there. The
// result is that of one process, which rank 0 checks itself at the end.
//
//   bsub -app mpi -ar -n 1,4 mpirun ./mpi_train --data DIR      (apps.conf: [mpi] resize = restart)
//   bsub -mpi pmix -n 4 ./mpi_train --data DIR                  (one size)
//
// Options and records are those of gloo_train; each rank's records are named by $LOG_DIR/rank.N.
#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "libwm/trainer/groups/mpi/mpi_group.h"
#include "test/examples/course.h"
#include "test/examples/mlp.h"

namespace {

// Ranks on one host share what WM gives to the task that started them.
void own_records(int rank) {
  const char* folder = std::getenv("LOG_DIR");
  if (!folder) return;
  auto own = std::string(folder) + "/rank." + std::to_string(rank);
  ::mkdir(own.c_str(), 0755);
  ::setenv("LOG_DIR", own.c_str(), 1);
}

}  // namespace

int main(int argc, char** argv) {
  wm::groups::MpiWorld mpi;
  auto world = mpi.group();
  own_records(world->plan.rank);
  ::unsetenv("WM_ELASTIC_SOCKET");  // the size changes by restarts
  example::Program program{.name = "mpi_train"};
  program.model = example::make_mlp;
  program.world = [&] { return world; };
  program.end = [&] { mpi.finalize(); };
  return example::run_program(program, argc, argv);
}
