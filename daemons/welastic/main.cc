// welastic: the agent of one elastic job on one host. Constructs and wires; its place comes
// from the environment (libwm/elastic/PROTOCOL.md). Started by wshepherd as the job's user.
#include <boost/asio/signal_set.hpp>
#include <cstdio>
#include <cstdlib>

#include "daemons/welastic/rim.h"
#include "libwm/base/log.h"

int main() {
  auto settings = wm::welastic::read_settings([](const char* name) { return std::getenv(name); });
  if (!settings) {
    std::fprintf(stderr, "welastic: %s\n", settings.error().text.c_str());
    return 2;
  }
  wm::log::open("welastic", "", wm::log::Level::Info);
  ::unsetenv("WM_AGENT_KEY");
  boost::asio::io_context loop;
  boost::asio::signal_set ending(loop, SIGTERM, SIGINT);
  ending.async_wait([&](const auto&, int) { loop.stop(); });
  ::signal(SIGPIPE, SIG_IGN);
  wm::welastic::Rim rim(loop, *settings);
  if (auto started = rim.start(); !started) {
    std::fprintf(stderr, "welastic: %s\n", started.error().text.c_str());
    return 1;
  }
  loop.run();
  return 0;
}
