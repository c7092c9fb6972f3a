/* Role: an MPI program for 046-mpi.bats: says of each rank whether it yields the CPU while it waits, and how
 * many CPUs it may use.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>

/* Open MPI's own parameter, as its launcher, its environment or it itself has set it. */
static int yields(void) {
  MPI_T_cvar_handle handle;
  int index = 0, count = 0, value = 0;
  if (MPI_T_cvar_get_index("mpi_yield_when_idle", &index) != MPI_SUCCESS) return -1;
  MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
  MPI_T_cvar_read(handle, &value);
  return value & 1; /* it is one byte of four */
}

int main(int argc, char** argv) {
  int rank = 0, size = 0, level = 0;
  cpu_set_t cpus;
  MPI_Init(&argc, &argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  sched_getaffinity(0, sizeof cpus, &cpus);
  printf("rank %d of %d yields %d on %d CPUs\n", rank, size, yields(), CPU_COUNT(&cpus));
  MPI_T_finalize();
  return MPI_Finalize();
}
