#include "daemons/wshepherd/rim/loop.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>

#include "daemons/wshepherd/rim/real_env.h"
#include "daemons/wshepherd/rim/title.h"
#include "daemons/wshepherd/shepherd.h"

namespace wm::shepherd {
namespace {

using std::chrono::milliseconds;

void wait(const Shepherd& shepherd, const NodeLink& link, const Fd& signals, TimePoint now) {
  std::vector<pollfd> fds{{signals.get(), POLLIN, 0}, {link.listener(), POLLIN, 0}};
  short link_events = link.wants_write() ? POLLIN | POLLOUT : POLLIN;
  fds.push_back({link.connection(), link_events, 0});
  for (int fd : shepherd.descriptors()) fds.push_back({fd, POLLIN, 0});
  auto left = std::chrono::ceil<milliseconds>(shepherd.next() - now).count();
  ::poll(fds.data(), fds.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
}

void take_signals(Shepherd& shepherd, const Fd& signals) {
  signalfd_siginfo info{};
  while (::read(signals.get(), &info, sizeof(info)) == sizeof(info))
    if (info.ssi_signo == SIGTERM) shepherd.terminate();
}

/// The last words are of the end: they are worth a second.
void say_all(NodeLink& link) {
  for (int i = 0; i < 20 && link.wants_write(); ++i) {
    pollfd fd{link.connection(), POLLOUT, 0};
    ::poll(&fd, 1, 50);
    link.flush();
  }
}

}  // namespace

void run_loop(const Place& place, launch::AttemptSpec spec, NodeLink link, const Fd& signals) {
  set_title(place, "wshepherd " + to_string(spec.key) + " " + place.node);
  RealEnv env(place, spec, link);
  Shepherd shepherd(env.parts(), place, std::move(spec));
  shepherd.begin();
  while (!shepherd.over()) {
    wait(shepherd, link, signals, env.now());
    link.flush();
    shepherd.hear();
    take_signals(shepherd, signals);
    if (link.connection() >= 0)
      for (auto& order : link.take_orders()) shepherd.obey(std::move(order));
    if (link.accept()) link.say(shepherd.who_i_am());
    shepherd.turn();
  }
  say_all(link);
  link.unlisten();
  env.remove_group();
}

}  // namespace wm::shepherd
