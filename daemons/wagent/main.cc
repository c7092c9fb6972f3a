// wagent: the agent of one job on one host: lets blaunch, the job's other hosts and its owner
// in, and for an elastic job decides with the others who is a member. Constructs and wires; its
// place comes from the environment (libwm/elastic/PROTOCOL.md, libwm/launch/part_env.h). Started
// by wshepherd as the job's user.
#include <unistd.h>

#include <boost/asio/signal_set.hpp>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "daemons/wagent/elastic/elastic_body.h"
#include "daemons/wagent/launch/launch_port.h"
#include "daemons/wagent/launch/part_settings.h"
#include "daemons/wagent/output/host_output.h"
#include "daemons/wagent/plain_body.h"
#include "daemons/wagent/trials/trial_files.h"
#include "daemons/wagent/trials/trial_watch.h"
#include "libwm/base/log.h"

namespace wm::wagent {
namespace {

int complain(const Error& error) {
  std::fprintf(stderr, "wagent: %s\n", error.text.c_str());
  return 1;
}

/// What has to come to its end before the agent may.
struct Ports {
  LaunchPort& launch;
  RankPort& ranks;
  HostOutput& output;
};

/// On SIGTERM what was launched is ended, consoles, ranks and launchers are read to their end; then
/// we go.
void end_on_signal(boost::asio::signal_set& ending, const Ports& ports,
                   boost::asio::io_context& loop) {
  ending.async_wait([&ports, &loop](const auto& error, int) {
    if (error) return;
    ports.launch.end([&] { ports.ranks.end([&] { ports.output.end([&] { loop.stop(); }); }); });
  });
  // It was held back until somebody would take it: the job may be over by now.
  sigset_t held;
  ::sigemptyset(&held);
  ::sigaddset(&held, SIGTERM);
  ::sigprocmask(SIG_UNBLOCK, &held, nullptr);
}

int run(const Settings& settings, const PartSettings& part) {
  boost::asio::io_context loop;
  boost::asio::signal_set ending(loop, SIGTERM, SIGINT);
  LaunchPort launch(loop, settings, part);
  auto doors = launch.listen();
  if (!doors) return complain(doors.error());
  RankPort ranks(loop, launch.doors().transport(), launch.doors().by_key(), settings);
  HostOutput output(loop, launch.doors().transport(), launch.doors().by_key(), settings,
                    part.output);
  launch.pass_orders([&](const AgentOrder& order) { output.on_order(order); });
  Ports ports{launch, ranks, output};
  end_on_signal(ending, ports, loop);
  if (auto open = output.start(); !open) return complain(open.error());
  std::optional<ElasticBody> body;
  std::optional<PlainBody> plain;
  bool has_ranks = !part.rank_hosts.empty();
  launch.pass_rank_links([&](auto link, const auto& first) {
    if (has_ranks) ranks.admit(std::move(link), first);
    else output.admit(std::move(link), first);
  });
  if (settings.elastic_socket.empty()) {
    plain.emplace(loop, settings, launch, *doors, has_ranks ? &ranks : nullptr).start();
    RankSettings about{part.rank_hosts, part.host, part.rank_socket, part.tag, part.tag_err};
    auto broken = [&](TaskNumber task, const std::string& why) { plain->report(task, why); };
    auto started = has_ranks ? ranks.start(about, broken) : Result<void>{};
    if (!started) return complain(started.error());
  } else {
    body.emplace(loop, settings);
    if (auto started = body->start(&launch, *doors); !started) return complain(started.error());
  }
  TrialWatch trial(loop, settings.results,
                   {[&] { return body ? body->connection() : plain->connection(); },
                    [&](const std::string& report) {
                      return body ? body->say(TrialSaid{report}) : plain->say(TrialSaid{report});
                    }});
  if (!settings.results.empty()) trial.start();
  loop.run();
  return 0;
}

}  // namespace
}  // namespace wm::wagent

// "wagent --report RESULT_DIR" is asked at a trial's end: what it has to report.
int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--report") {
    std::fputs(wm::wagent::report_in(argv[2]).c_str(), stdout);
    return std::fflush(stdout) == 0 ? 0 : 1;
  }
  auto lookup = [](const char* name) { return std::getenv(name); };
  auto settings = wm::wagent::read_settings(lookup);
  if (!settings) {
    std::fprintf(stderr, "wagent: %s\n", settings.error().text.c_str());
    return 2;
  }
  wm::log::open("wagent", "", wm::log::Level::Info);
  auto part = wm::wagent::read_part_settings(lookup, environ);
  ::unsetenv("WM_AGENT_KEY");
  ::signal(SIGPIPE, SIG_IGN);
  return wm::wagent::run(*settings, part);
}
