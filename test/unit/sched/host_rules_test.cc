// Role: what one job asks of a host by itself.
#include "libwm/sched/capacity/host_rules.h"

#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::slots;

class Rules : public test::SchedCluster {
 protected:
  const Host& host(std::uint32_t number) { return *run.state.hosts.find(number); }
};

TEST_F(Rules, a_host_is_named_by_itself_by_its_groups_and_by_all) {
  HostConf conf;
  conf.name = "h1";
  conf.groups = {"fast"};
  run.config.hosts = {conf};
  run.reconfigure();
  run.host(1);
  run.host(1);
  auto named = [&](const std::string& name, std::uint32_t number) {
    return names_host({"other", name}, *run.state.config, host(number));
  };
  EXPECT_TRUE(named("h1", 1));
  EXPECT_TRUE(named("fast", 1));
  EXPECT_TRUE(named("all", 2));
  EXPECT_FALSE(named("fast", 2));
}

TEST_F(Rules, what_runs_on_a_host_counts_for_a_select_now_and_not_for_one_when_it_is_empty) {
  run.host(2);
  run.dispatch(run.submit(slots("ann", 1)), {HostId{1}});
  auto spec = slots("bob", 1).spec;
  spec.asked.select = "slots>1";
  HostRules rules(spec, *run.state.config);
  EXPECT_FALSE(rules.meet(host(1)));
  EXPECT_TRUE(rules.meet_empty(host(1)));
  spec.task.milli_cpus = 3000;
  EXPECT_FALSE(HostRules(spec, *run.state.config).meet_empty(host(1)));
}

}  // namespace
}  // namespace wm::sched
