// Another configuration: only hosts of jobs that it concerns are told something.
#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::fsm {
namespace {

using test::ClusterBuilder;
using test::SpecBuilder;

class reconfig_of_running_jobs : public testing::Test {
 protected:
  reconfig_of_running_jobs() {
    host_ = c.host(8);
    for (int i = 0; i < 3; ++i) c.run(c.submit(SpecBuilder()), {host_});
    training_ = c.submit(SpecBuilder().app("training"));
    c.run(training_, {host_});
  }
  std::size_t orders_after_reload() {
    auto actions = c.step(ConfigLoaded{std::make_shared<const Config>(c.config)});
    return static_cast<std::size_t>(std::count_if(actions.begin(), actions.end(), [](auto& action) {
      return std::holds_alternative<OrderHost>(action);
    }));
  }
  ClusterBuilder c;
  HostId host_;
  JobId training_;
};

TEST_F(reconfig_of_running_jobs, that_concerns_none_orders_nothing) {
  c.config.cluster.limits.max_pend_jobs = 17;
  c.config.cluster.log_level = "debug";
  EXPECT_EQ(orders_after_reload(), 0u);
}

TEST_F(reconfig_of_running_jobs, of_a_profile_orders_its_jobs_alone) {
  for (auto& app : c.config.apps)
    if (app.name == "training") app.reclaim_grace = std::chrono::seconds(77);
  EXPECT_EQ(orders_after_reload(), 1u);
}

TEST_F(reconfig_of_running_jobs, of_their_queue_or_of_the_clusters_times_orders_all) {
  for (auto& queue : c.config.queues) queue.description += "another";
  EXPECT_EQ(orders_after_reload(), 4u);
  c.config.cluster.times.reclaim_grace = std::chrono::seconds(77);
  EXPECT_EQ(orders_after_reload(), 4u);
}

}  // namespace
}  // namespace wm::fsm
