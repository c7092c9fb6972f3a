// Role: a group over MPI: the ranks of MPI_COMM_WORLD, as mpirun or `bsub -mpi pmix` started them.
// It is one world from start to end: Open MPI 4.1 cannot lose a rank, and a world that is joined to
// another one (MPI_Comm_accept) ends with it. So an elastic MPI job is resized by starting it again
// at the new size (`resize = restart` of its application profile): all ranks stop at one step
// boundary, rank 0 writes the state, the next world goes on from there. Built where configure
// finds mpicxx, as its own library (libwmgroups_mpi.a).
#pragma once

#include <memory>

#include "libwm/trainer/groups/group.h"

namespace wm::groups {

/// This process in MPI: begins with MPI_Init, ends with MPI_Finalize. One a process.
/// @thread the one that made it   @errors of MPI end all ranks, in MPI's words
class MpiWorld {
 public:
  MpiWorld();
  ~MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  /// All ranks as a group, for Trainer; its calls are those of the thread that made the world.
  std::shared_ptr<Group> group();
  /// Waits for all ranks and ends MPI, before the destructor does.
  void finalize();
};

}  // namespace wm::groups
