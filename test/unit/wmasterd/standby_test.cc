// Which hosts hold the next attempt of a service's kernels ready, in every state of the service.
#include "daemons/wmasterd/hosts/standby.h"

#include <gtest/gtest.h>

#include "daemons/wmasterd/hosts/orders.h"
#include "libwm/launch/warm.h"
#include "test/support/builders.h"

namespace wm::master {
namespace {

using test::ClusterBuilder;
using test::SpecBuilder;

struct ServedCluster : ClusterBuilder {
  JobId base, router, kernels;
  std::vector<HostId> hosts;
  Standby standby;

  explicit ServedCluster(std::uint32_t warm, std::uint32_t count = 3) {
    for (std::uint32_t n = 0; n < count; ++n) hosts.push_back(host(2));
    SpecBuilder spec;
    spec.spec.exec.service = "digits";
    spec.spec.exec.profile = "{\"policy\":{\"kernel_warm\":" + std::to_string(warm) + "}}";
    TaskGroup more{.name = "kernel", .min_tasks = 0, .max_tasks = 4};
    more.restart = Restart::Independent;
    base = submit(spec.app("inference").group({.name = "router"}).group(more));
    router = {base.job, 1}, kernels = {base.job, 2};
    step(CapChanged{kernels, 0, false, "ann", "", true});
  }
  std::set<HostId> ready() { return standby_hosts(state, job(kernels)); }
  std::vector<Standby::Word> words(bool hear = true) {
    standby.reload(state);
    return standby.words(state, [=](HostId) { return hear; });
  }
};

TEST(standby, begins_when_the_router_runs_on_as_many_hosts_as_the_profile_says) {
  ServedCluster s(2);
  EXPECT_TRUE(s.ready().empty());
  s.run(s.router, {s.hosts[0]});
  EXPECT_EQ(s.ready(), (std::set<HostId>{s.hosts[0], s.hosts[1]}));
  EXPECT_EQ(standby_attempt(s.state, s.job(s.kernels)), Attempt{1});
}

TEST(standby, a_profile_without_it_has_none) {
  ServedCluster s(0);
  s.run(s.router, {s.hosts[0]});
  EXPECT_TRUE(s.ready().empty());
  EXPECT_TRUE(s.words().empty());
}

TEST(standby, goes_where_the_kernels_were_and_not_to_closed_hosts) {
  ServedCluster s(1);
  s.run(s.router, {s.hosts[0]});
  s.step(CapChanged{s.kernels, 1, false, "ann", "", false});
  s.run(s.kernels, {s.hosts[2]});
  EXPECT_EQ(standby_attempt(s.state, s.job(s.kernels)), Attempt{1}) << "for more of the same";
  EXPECT_EQ(s.ready(), std::set<HostId>{s.hosts[2]});
  s.step(HostClosed{s.hosts[2], "admin", ""});
  EXPECT_EQ(s.ready(), std::set<HostId>{s.hosts[0]});
}

TEST(standby, kernels_that_were_sent_away_are_awaited_again) {
  ServedCluster s(1);
  s.run(s.router, {s.hosts[0]});
  s.step(CapChanged{s.kernels, 1, false, "ann", "", false});
  s.run(s.kernels, {s.hosts[1]});
  s.step(CapChanged{s.kernels, 0, false, "ann", "", true});
  s.step(JobPreempted{s.kernels, Attempt{1}, {}});
  EXPECT_EQ(standby_attempt(s.state, s.job(s.kernels)), Attempt{1}) << "until they are gone";
  s.step(TaskEnded{s.kernels, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""});
  EXPECT_EQ(standby_attempt(s.state, s.job(s.kernels)), Attempt{2});
  EXPECT_EQ(s.ready(), std::set<HostId>{s.hosts[1]});
  auto order = standby_order(s.state, s.job(s.kernels), Attempt{2}, s.hosts[1], test::at(1));
  EXPECT_FALSE(order.control.preempt);
}

TEST(standby, a_host_is_told_once_and_again_in_its_next_session) {
  ServedCluster s(1);
  s.run(s.router, {s.hosts[0]});
  EXPECT_TRUE(s.words(false).empty()) << "nobody hears";
  ASSERT_EQ(s.words().size(), 1u);
  EXPECT_TRUE(s.words().empty());
  s.standby.forget_told(s.hosts[0]);
  ASSERT_EQ(s.words().size(), 1u);
  EXPECT_EQ(s.words(), std::vector<Standby::Word>());
}

TEST(standby, of_a_service_that_is_killed_the_job_is_to_be_forgotten) {
  ServedCluster s(1);
  s.run(s.router, {s.hosts[0]});
  ASSERT_EQ(s.words().size(), 1u);
  EXPECT_TRUE(s.standby.wanted(s.state, s.kernels, s.hosts[0]));
  s.step(KillRequested{s.kernels, {}});
  EXPECT_FALSE(s.standby.wanted(s.state, s.kernels, s.hosts[0]));
  auto words = s.words();
  ASSERT_EQ(words.size(), 1u);
  EXPECT_FALSE(words[0].attempt);
  EXPECT_TRUE(s.words().empty());
}

TEST(standby, its_order_is_of_the_next_attempt_without_a_task_and_older_than_any_with_one) {
  ServedCluster s(1);
  s.run(s.router, {s.hosts[0]});
  auto order = standby_order(s.state, s.job(s.kernels), Attempt{1}, s.hosts[0], test::at(1));
  EXPECT_EQ(order.attempt, Attempt{1});
  EXPECT_EQ(order.generation, 0u);
  EXPECT_TRUE(launch::is_standby(order));
  s.step(CapChanged{s.kernels, 1, false, "ann", "", false});
  s.run(s.kernels, {s.hosts[0]});
  EXPECT_FALSE(launch::is_standby(order_for(s.state, s.job(s.kernels), s.hosts[0], test::at(2))));
}

}  // namespace
}  // namespace wm::master
