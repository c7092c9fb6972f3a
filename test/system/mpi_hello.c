/* Role: an MPI program for 046-mpi.bats: says where each rank is, sums the ranks over all. With
 * "abort" rank 1 aborts the job while the others wait for it; with "wait" all wait for ever.
 * Where a rank is stands in the environment of its launcher's daemon: Hydra gives all ranks
 * that of the first host. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* host_of_parent(void) {
  static char text[1 << 16];
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/environ", (int)getppid());
  FILE* file = fopen(path, "r");
  if (!file) return "nowhere";
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  for (const char* at = text; at < text + size; at += strlen(at) + 1)
    if (strncmp(at, "WM_HOST=", 8) == 0) return at + 8;
  return "nowhere";
}

int main(int argc, char** argv) {
  int rank = 0, size = 0, sum = 0;
  const char* host = host_of_parent();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d of %d on %s sum %d\n", rank, size, host, sum);
  fflush(stdout);
  if (argc > 1 && strcmp(argv[1], "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
  if (argc > 1) sleep(31602);
  MPI_Finalize();
  return 0;
}
