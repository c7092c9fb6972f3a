/* Role: an MPI program for 046-mpi.bats and 047-pmix.bats: all ranks together spawn as many workers as
 * argv[1] says, which run this program, too; both sides add up their ranks over the merged world.
 * The spawning side fails unless the sum is right.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int joined_sum(MPI_Comm between, int high) {
  MPI_Comm all;
  int rank = 0, sum = 0;
  MPI_Intercomm_merge(between, high, &all);
  MPI_Comm_rank(all, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&between);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Comm parent = MPI_COMM_NULL, workers = MPI_COMM_NULL;
  int rank = 0, size = 0, count = argc > 1 ? atoi(argv[1]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (parent != MPI_COMM_NULL) {
    joined_sum(parent, 1);
    return MPI_Finalize();
  }
  MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, count, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &workers, MPI_ERRCODES_IGNORE);
  int all = size + count, sum = joined_sum(workers, 0);
  if (rank == 0) printf("%d spawned %d: %s\n", size, count, sum == all * (all - 1) / 2 ? "ok" : "wrong");
  MPI_Finalize();
  return sum == all * (all - 1) / 2 ? 0 : 3;
}
