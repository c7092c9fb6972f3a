// Hosts that serve are listened to more closely; what is given up when they are not heard.
#include "daemons/wmasterd/hosts/serving.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::master {
namespace {

using test::ClusterBuilder;
using test::SpecBuilder;

TaskGroup group(const std::string& name, Restart restart) {
  return {.name = name, .min_tasks = 1, .max_tasks = 3, .restart = restart};
}

SpecBuilder service(const std::string& name, std::uint32_t ptile = 0) {
  SpecBuilder builder;
  builder.spec.exec.service = name;
  builder.spec.span.ptile = ptile;
  builder.group(group("router", Restart::Independent));
  builder.group(group("kernel", Restart::Independent));
  return builder;
}

struct Serving : ::testing::Test {
  std::vector<std::pair<JobId, TaskNumber>> given_up(HostId host, bool all) {
    std::vector<std::pair<JobId, TaskNumber>> found;
    for (const auto& event : given_up_on(c.state, c.host_of(host), all)) {
      const auto& lost = std::get<TaskCondemned>(event);
      EXPECT_EQ(lost.term, Term::HostLost);
      found.emplace_back(lost.job, lost.task);
    }
    return found;
  }
  ClusterBuilder c;
  HostId h1 = c.host(8), h2 = c.host(8), h3 = c.host(8);
  JobId plain = c.submit({});
  JobId ping = c.submit(service("ping"));
  JobId router{ping.job, 1}, kernel{ping.job, 2};
};

TEST_F(Serving, hosts_with_a_router_or_a_kernel_serve) {
  c.run(plain, {h3});
  EXPECT_TRUE(serving_hosts(c.state).empty());
  c.run(router, {h1});
  c.run(kernel, {h2, h2});
  EXPECT_EQ(serving_hosts(c.state), (std::set{h1, h2}));
  c.step(TasksLeaving{kernel, Attempt{1}, {TaskNumber{1}, TaskNumber{2}}, test::at(9), ""});
  EXPECT_EQ(serving_hosts(c.state), std::set{h1});
}

TEST_F(Serving, a_host_that_serves_is_heard_every_second_in_however_large_a_cluster) {
  using namespace std::chrono_literals;
  Config large;
  large.hosts.resize(10000);
  EXPECT_EQ(beat_of(large, false), Duration{5s});
  EXPECT_EQ(beat_of(large, true), Duration{1s});
  large.cluster.times.heartbeat = 200ms;
  large.hosts.resize(10);
  EXPECT_EQ(beat_of(large, true), Duration{200ms});
}

TEST_F(Serving, only_what_serves_is_given_up_early_and_once) {
  auto servers = c.submit(SpecBuilder().group(group("ps", Restart::Independent)));
  c.run(plain, {h1});
  c.run({servers.job, 1}, {h1});
  c.run(kernel, {h2, h1, h1});
  auto expected = std::vector{std::pair{kernel, TaskNumber{2}}, std::pair{kernel, TaskNumber{3}}};
  EXPECT_EQ(given_up(h1, false), expected);
  expected.emplace_back(JobId{servers.job, 1}, TaskNumber{1});
  EXPECT_EQ(given_up(h1, true), expected);
  for (const auto& event : given_up_on(c.state, c.host_of(h1), true)) c.step(event);
  EXPECT_TRUE(given_up(h1, true).empty());
  EXPECT_EQ(serving_hosts(c.state), std::set{h2});
}

// Its host may only have started its daemon anew: nothing would be won.
TEST_F(Serving, what_can_go_nowhere_else_waits_for_its_host) {
  c.run(router, {h1});
  c.step(HostClosed{h2, "root", "", false});
  EXPECT_EQ(given_up(h1, true).size(), 1u) << "h3";
  c.step(HostSilent{h3});
  EXPECT_TRUE(given_up(h1, true).empty());
  c.step(HostOpened{h2});
  EXPECT_EQ(given_up(h1, true).size(), 1u);
}

TEST_F(Serving, routers_of_which_each_host_has_one_go_to_one_that_has_none) {
  auto id = c.submit(service("two", 1));
  JobId routers{id.job, 1};
  c.run(routers, {h1, h2, h3});
  EXPECT_TRUE(given_up(h1, true).empty());
  auto h4 = c.host(8);
  EXPECT_EQ(given_up(h1, true).size(), 1u) << h4.value;
}

TEST_F(Serving, a_kernel_makes_room_for_a_lost_router_where_nothing_else_is_free) {
  auto id = c.submit(service("two", 1));
  JobId routers{id.job, 1}, kernels{id.job, 2};
  auto small = c.host(2);
  c.run(routers, {h1});
  c.run(kernels, {small, small});
  for (HostId host : {h2, h3}) c.step(HostClosed{host, "root", "", false});
  EXPECT_TRUE(room_for_routers(c.state).empty());
  for (const auto& event : given_up_on(c.state, c.host_of(h1), false)) c.step(event, 5);
  auto events = room_for_routers(c.state);
  ASSERT_EQ(events.size(), 1u);
  const auto& ends = std::get<TaskCondemned>(events[0]);
  EXPECT_EQ(ends.job, kernels);
  EXPECT_EQ(ends.task, TaskNumber{2});
  EXPECT_NE(ends.term, Term::HostLost) << "its host is well";
  c.step(events[0], 6);
  EXPECT_TRUE(room_for_routers(c.state).empty()) << "it is on its way";
  c.step(HostOpened{h2, "root"}, 7);
  EXPECT_TRUE(room_for_routers(c.state).empty()) << "there is room now";
}

TEST_F(Serving, nothing_is_given_up_of_a_service_that_is_being_ended) {
  c.run(router, {h1});
  c.step(KillRequested{router, {}});
  EXPECT_TRUE(given_up(h1, true).empty());
  EXPECT_TRUE(serving_hosts(c.state).empty());
}

}  // namespace
}  // namespace wm::master
