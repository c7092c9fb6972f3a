/* Role: an MPI program for 047-pmix.bats: the lower and the upper half of the ranks find each other
 * by a published name, join by MPI_Comm_accept and MPI_Comm_connect, add up their ranks over all,
 * part, and do it again. Every rank fails unless the sums are right.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char* kName = "halves";

/* The published port; it may come later. */
static void look_up(char* port) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (MPI_Lookup_name(kName, MPI_INFO_NULL, port) != MPI_SUCCESS) usleep(20000);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Joins with the other half; the sum of all ranks. */
static int joined_sum(const char* port, int upper, int rank, MPI_Comm half) {
  MPI_Comm other, all;
  int sum = 0;
  if (upper) MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &other);
  else MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &other);
  MPI_Intercomm_merge(other, upper, &all);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&other);
  return sum;
}

int main(int argc, char** argv) {
  int rank = 0, size = 0, good = 1;
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int upper = rank >= size / 2, head = rank == 0 || rank == size / 2;
  MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Publish_name(kName, MPI_INFO_NULL, port);
  } else if (head) {
    look_up(port);
  }
  for (int round = 0; round < 2; ++round)
    good = good && joined_sum(port, upper, rank, half) == size * (size - 1) / 2;
  if (rank == 0) {
    MPI_Unpublish_name(kName, MPI_INFO_NULL, port);
    MPI_Close_port(port);
    printf("joined twice: %s\n", good ? "ok" : "wrong");
  }
  MPI_Finalize();
  return good ? 0 : 3;
}
