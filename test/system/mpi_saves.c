/* Role: an MPI program for 052-elastic-mpi.bats that saves its work at SIGTERM, which takes it longer than a runtime
 * that is told to end gives it: mpi_saves FOLDER. FOLDER/step has the step where it goes on; FOLDER/course gets
 * "from STEP of SIZE" at each start and "saved STEP of SIZE" when every rank has; FOLDER/hurry ends it.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t told;
static void on_term(int signal) { told = signal; }

static char path[4096];
static const char* in(const char* folder, const char* name) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void say(const char* folder, const char* what, int step, int size) {
  FILE* file = fopen(in(folder, "course"), "a");
  if (!file) return;
  fprintf(file, "%s %d of %d\n", what, step, size);
  fclose(file);
}

static int read_step(const char* folder) {
  int step = 0;
  FILE* file = fopen(in(folder, "step"), "r");
  if (!file) return 0;
  if (fscanf(file, "%d", &step) != 1) step = 0;
  fclose(file);
  return step;
}

static void write_step(const char* folder, int step) {
  FILE* file = fopen(in(folder, "step"), "w");
  if (!file) return;
  fprintf(file, "%d\n", step);
  fclose(file);
}

int main(int argc, char** argv) {
  enum { kSaveSeconds = 2, kStepMicroseconds = 20000 };
  int rank = 0, size = 0, step = 0, mine = 0, any = 0;
  if (argc != 2) return 2;
  signal(SIGTERM, on_term);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) say(argv[1], "from", step = read_step(argv[1]), size);
  MPI_Bcast(&step, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (; !any; ++step) {
    usleep(kStepMicroseconds);
    mine = told ? 2 : access(in(argv[1], "hurry"), F_OK) == 0;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  if (any == 2) {
    for (unsigned left = kSaveSeconds; left > 0;) left = sleep(left); /* a signal ends a sleep */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) write_step(argv[1], step), say(argv[1], "saved", step, size);
  }
  MPI_Finalize();
  return 0;
}
