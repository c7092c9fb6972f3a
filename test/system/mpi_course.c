/* Role: an MPI program for 047-pmix.bats: a reduction, a token around a ring and an all-to-all
 * over all ranks, and a megabyte for the next one; rank 0 says what came out, every rank fails
 * unless it is right. An argument
 * names what rank 1 does instead of going on:
 *   leave   returns before MPI_Init      quit   exits 0 after MPI_Init, without MPI_Finalize
 *   abort   MPI_Abort with 7             fail   exits 5 after MPI_Init
 *   read    rank 0 adds up the numbers on its standard input
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(int argc, char** argv, const char* word) {
  return argc > 1 && strcmp(argv[1], word) == 0;
}

/* The token is passed on by every rank, which counts itself. */
static int ring(int rank, int size) {
  int token = 0, next = (rank + 1) % size, before = (rank + size - 1) % size;
  if (size == 1) return 1;
  if (rank == 0) {
    token = 1;
    MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&token, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ++token;
    MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
  }
  MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return token;
}

static int pairs(int rank, int size) {
  int *out = malloc(sizeof(int) * size), *in = malloc(sizeof(int) * size), good = 1;
  for (int i = 0; i < size; ++i) out[i] = rank * 1000 + i;
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) good = good && in[i] == i * 1000 + rank;
  free(out), free(in);
  return good;
}

/* Long enough that ranks of a host read each other's memory where they may. */
static int large(int rank, int size) {
  enum { kBytes = 1 << 20 };
  char *out = malloc(kBytes), *in = malloc(kBytes), good = 1;
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int i = 0; i < kBytes; ++i) out[i] = (char)(7 * i + rank);
  MPI_Sendrecv(out, kBytes, MPI_CHAR, next, 1, in, kBytes, MPI_CHAR, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < kBytes; ++i) good = good && in[i] == (char)(7 * i + before);
  free(out), free(in);
  return good;
}

static int sum_of_input(void) {
  int sum = 0, number = 0;
  while (scanf("%d", &number) == 1) sum += number;
  return sum;
}

int main(int argc, char** argv) {
  const char* text = getenv("PMIX_RANK");
  int odd = text && strcmp(text, "1") == 0;
  if (odd && is(argc, argv, "leave")) return 0;
  int rank = 0, size = 0, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 1 && is(argc, argv, "quit")) _exit(0);
  if (rank == 1 && is(argc, argv, "fail")) _exit(5);
  if (rank == 1 && is(argc, argv, "abort")) MPI_Abort(MPI_COMM_WORLD, 7);
  int given = rank == 0 && is(argc, argv, "read") ? sum_of_input() : 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int token = ring(rank, size), good = pairs(rank, size) & large(rank, size);
  if (rank == 0) printf("course of %d: sum %d ring %d pairs %s\n", size, sum, token, good ? "ok" : "wrong");
  if (is(argc, argv, "read") && rank == 0) printf("input %d\n", given);
  if (is(argc, argv, "wait")) {
    fflush(stdout);
    sleep(31603);
  }
  MPI_Finalize();
  return good && token == size && sum == size * (size - 1) / 2 ? 0 : 3;
}
