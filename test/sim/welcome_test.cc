// The real master core in its first moments, before anything it decided is durable.
#include <gtest/gtest.h>

#include "daemons/wmasterd/state/core.h"
#include "libwm/codec/codec.h"
#include "libwm/conf/load.h"
#include "libwm/model/node/node.h"
#include "test/support/sim_env.h"

namespace wm {
namespace {

using test::Sim;
using test::SimDisk;
using test::SimEnv;
using test::SimPeer;

/// A host that keeps the Welcome it gets.
struct Newcomer final : SimPeer {
  void on_frame(std::uint16_t type, const std::string& payload) override {
    if (type == static_cast<std::uint16_t>(NodeVerb::Welcome))
      welcome = *codec::decode<HostWelcome>(payload);
  }
  void on_closed() override {}
  std::optional<HostWelcome> welcome;
};

TEST(Welcome, TellsTheConfigurationEvenBeforeThatIsDurable) {
  Sim sim(1);
  SimDisk disk;
  Config config = *conf::parse({});
  config.hosts.clear();
  config.cluster.dirs.results = "/shared/results";
  SimEnv env(sim, disk, config);
  master::Core core(
      env, master::Rights{{0}}, [](const AcctRequest&) { return HistoryReply{}; },
      [](const std::vector<Event>&, const Cluster&) {});
  ASSERT_TRUE(core.start());

  Newcomer host;
  auto peer = env.connect(host);
  HostRegister card;
  card.name = "n1";
  core.hosts().on_frame(peer, static_cast<std::uint16_t>(NodeVerb::Register), codec::encode(card));
  ASSERT_TRUE(disk.events.empty());  // nothing is durable yet
  sim.run(std::chrono::seconds(1));

  ASSERT_TRUE(host.welcome);
  EXPECT_EQ(host.welcome->dirs.results, "/shared/results");
}

}  // namespace
}  // namespace wm
