// Which hosts another configuration closes, and which it opens.
#include "libwm/fsm/reconfig.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::fsm {
namespace {

// A cluster of the hosts h1 and h2, and a configuration that lists those named.
struct TwoHosts : test::ClusterBuilder {
  HostId first = host(1), second = host(1);
  void reload(const std::vector<std::string>& names) {
    auto next = std::make_shared<Config>(config);
    next->hosts.clear();
    for (const auto& name : names) next->hosts.push_back({.name = name});
    for (const auto& event : reconfigured(state, next)) step(event);
  }
  bool closed(HostId id) { return host_of(id).closed; }
};

TEST(reconfig, a_host_that_is_not_listed_gets_no_jobs_until_it_is_again) {
  TwoHosts c;
  auto id = c.submit({});
  c.run(id, {c.second});
  c.reload({"h1"});
  EXPECT_FALSE(c.closed(c.first));
  EXPECT_TRUE(c.closed(c.second));
  EXPECT_EQ(c.host_of(c.second).closed_why, "it is not in hosts.conf");
  EXPECT_EQ(c.job(id).state, JobState::Running);
  c.reload({"h1", "h2"});
  EXPECT_FALSE(c.closed(c.second));
}

TEST(reconfig, what_an_administrator_has_closed_stays_closed) {
  TwoHosts c;
  c.step(HostClosed{c.second, "admin", "disks"});
  c.reload({"h1"});
  EXPECT_EQ(c.host_of(c.second).closed_why, "disks");
  c.reload({"h1", "h2"});
  EXPECT_TRUE(c.closed(c.second));
}

}  // namespace
}  // namespace wm::fsm
