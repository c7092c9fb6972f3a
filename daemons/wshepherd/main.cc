// Role: sbin/wshepherd, the zygote: started once by wnoded, it waits for sockets and forks,
// for each, a process that reads its first order there: an attempt's shepherd, a sweeper or a
// reader. Small, single-threaded, without network and without libraries; ends with wnoded,
// while its shepherds live on.
//
//   wshepherd --zygote FD --run DIR --exits FILE --node NAME [--cgroup CONTROLLER=DIR,…]
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "daemons/wshepherd/rim/loop.h"
#include "daemons/wshepherd/rim/sweep.h"
#include "libwm/base/options.h"
#include "libwm/frames/blocking.h"
#include "libwm/proc/spawn.h"

namespace wm::shepherd {

namespace {

/// Signals a shepherd wants to read from a descriptor; the others that end programs are
/// ignored: only SIGTERM (and SIGKILL) ends a shepherd.
Fd signals_to_read() {
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2}) ::signal(signal, SIG_IGN);
  ::signal(SIGCHLD, SIG_DFL);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCHLD);
  ::sigaddset(&set, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  return Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

void run_attempt(const Place& place, launch::AttemptSpec spec, Fd connection) {
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  auto path = place.run + "/" + to_string(spec.key) + "." + std::to_string(::getpid()) + ".sock";
  auto signals = signals_to_read();
  auto link = NodeLink::open(std::move(connection), path);
  if (!link) {
    std::fprintf(stderr, "wshepherd %s: %s\n", to_string(spec.key).c_str(),
                 link.error().text.c_str());
    return;
  }
  run_loop(place, std::move(spec), *std::move(link), signals);
}

/// The life of one forked process.
void serve(const Place& place, Fd connection) {
  proc::close_all_but({connection.get()});
  auto bytes = frames::read_frame(connection.get());
  if (!bytes || !*bytes) return;
  auto order = launch::order_from_bytes(**bytes);
  if (!order) return;
  if (auto* spec = std::get_if<launch::AttemptSpec>(&*order))
    run_attempt(place, std::move(*spec), std::move(connection));
  else if (auto* sweep = std::get_if<launch::Sweep>(&*order))
    run_sweep(place, *sweep, connection.get());
  else if (auto* file = std::get_if<launch::ReadFile>(&*order)) run_reader(*file, connection.get());
}

int run_zygote(const Place& place, int zygote) {
  ::signal(SIGCHLD, SIG_IGN);  // the kernel reaps shepherds
  for (int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
  while (true) {
    auto fd = proc::receive_fd(zygote);
    if (!fd) continue;
    if (!*fd) return 0;  // wnoded has ended
    auto pid = ::fork();
    if (pid == 0) {
      serve(place, std::move(**fd));
      ::_exit(0);
    }
    // wnoded learns of it by its socket, which nobody holds any more
    if (pid < 0) std::fprintf(stderr, "wshepherd: fork: %s\n", std::strerror(errno));
  }
}

}  // namespace
}  // namespace wm::shepherd

int main(int argc, char** argv) {
  wm::shepherd::Place place;
  std::string zygote, cgroups;
  const wm::OptionRow rows[] = {{"--zygote", &zygote},
                                {"--run", &place.run},
                                {"--exits", &place.exits},
                                {"--node", &place.node},
                                {"--cgroup", &cgroups}};
  auto read = wm::read_options(argc, argv, rows);
  if (!read || zygote.empty() || place.run.empty() || place.exits.empty()) {
    std::fprintf(stderr,
                 "wshepherd is started by wnoded: --zygote FD --run DIR --exits FILE "
                 "--node NAME [--cgroup CONTROLLER=DIR,...]\n%s\n",
                 read ? "" : read.error().text.c_str());
    return 2;
  }
  if (!cgroups.empty()) place.cgroups = wm::proc::parse_cgroup_roots(cgroups);
  place.title = argv[0];
  place.title_size =
      static_cast<std::size_t>(argv[argc - 1] + std::strlen(argv[argc - 1]) - argv[0]);
  return wm::shepherd::run_zygote(place, std::atoi(zygote.c_str()));
}
