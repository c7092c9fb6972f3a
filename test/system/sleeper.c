/* Role: a task of an elastic job that only sleeps, for same_list.py. The tasks share a file with two
 * doubles: what is left to sleep, and how many sleep. Each takes off what it slept; nothing left: all
 * end. So the job is as fast as it has tasks. Asked to leave (SIGTERM), it goes at once, having done
 * what it slept.
 * usage: sleeper FILE */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static const double kStep = 0.1, kEnd = 0.002; /* seconds slept at a time: most, least */
static volatile sig_atomic_t asked;

static void leave(int number) { asked = number; }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct sum {
  double left, tasks;
};

static struct sum change(int fd, double slept, int tasks) {
  struct sum sum = {0, 0};
  flock(fd, LOCK_EX);
  if (pread(fd, &sum, sizeof sum, 0) != sizeof sum) perror("sleeper: read");
  sum.left -= slept;
  sum.tasks += tasks;
  if (pwrite(fd, &sum, sizeof sum, 0) != sizeof sum) perror("sleeper: write");
  flock(fd, LOCK_UN);
  return sum;
}

int main(int argc, char** argv) {
  double last = now();
  struct sigaction action = {.sa_handler = leave};
  sigset_t held, open;
  sigemptyset(&held);
  sigaddset(&held, SIGTERM);
  sigprocmask(SIG_BLOCK, &held, &open); /* delivered only while it sleeps */
  sigaction(SIGTERM, &action, NULL);
  int fd = argc == 2 ? open64(argv[1], O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return perror("sleeper"), 1;
  struct sum sum = change(fd, 0, 1);
  while (sum.left > 0 && !asked) {
    double part = sum.left / (sum.tasks > 1 ? sum.tasks : 1);
    double length = part > kStep ? kStep : part < kEnd ? kEnd : part;
    struct timespec wait = {0, (long)(1e9 * length)};
    sigdelset(&open, SIGTERM);
    pselect(0, NULL, NULL, NULL, &wait, &open);
    double at = now();
    sum = change(fd, at - last, 0);
    last = at;
  }
  change(fd, 0, -1);
  return 0;
}
