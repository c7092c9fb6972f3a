/* Role: an MPI program for 046-mpi.bats: says where each rank is, sums the ranks over all. With
 * "abort" rank 1 aborts the job while the others wait for it; with "wait" all wait for ever. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank = 0, size = 0, sum = 0;
  const char* host = getenv("WM_HOST");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d of %d on %s sum %d\n", rank, size, host ? host : "nowhere", sum);
  fflush(stdout);
  if (argc > 1 && strcmp(argv[1], "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
  if (argc > 1) sleep(31602);
  MPI_Finalize();
  return 0;
}
