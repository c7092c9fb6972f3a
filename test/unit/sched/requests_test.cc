// Role: requests are told apart and shared; which hosts each may use, and in which order.
#include "libwm/sched/capacity/requests.h"

#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::rigid;
using test::slots;

// No hosts are configured: those that register are all there are.
class Asking : public test::SchedCluster {
 protected:
  Asking() {
    run.config.hosts.clear();
    run.reconfigure();
  }
};

std::vector<HostCapacity> rooms_of(const Cluster& cluster) {
  std::vector<HostCapacity> rooms;
  cluster.hosts.each([&](std::uint32_t, const Host& host) { rooms.push_back(room_of(host)); });
  return rooms;
}

TEST_F(Asking, alike_jobs_share_a_request) {
  gpu_hosts(2);
  auto rooms = rooms_of(run.state);
  Requests requests(*run.state.config);
  auto a = slots("ann", 1).spec, b = slots("bob", 4).spec, c = rigid("ann", 1).spec;
  EXPECT_EQ(requests.intern(a, rooms), requests.intern(b, rooms));  // size does not matter
  EXPECT_NE(requests.intern(a, rooms), requests.intern(c, rooms));
  EXPECT_EQ(requests.size(), 2u);
}

TEST_F(Asking, whatever_decides_on_hosts_makes_another_request) {
  gpu_hosts(1);
  auto rooms = rooms_of(run.state);
  Requests requests(*run.state.config);
  std::vector<JobSpec> specs(8, slots("ann", 1).spec);
  specs[1].queue = "low";
  specs[2].asked.select = "slots>1";
  specs[3].task.mem = Bytes{1};
  specs[4].task.gpu_model = "A";
  specs[5].span.ptile = 2;
  specs[6].exclusive = true;
  specs[7].asked.hosts = {"h1"};
  for (auto& spec : specs) requests.intern(spec, rooms);
  EXPECT_EQ(requests.size(), specs.size());
}

TEST_F(Asking, whatever_decides_on_gpus_makes_another_request) {
  gpu_hosts(1);
  auto rooms = rooms_of(run.state);
  Requests requests(*run.state.config);
  std::vector<JobSpec> specs(9, rigid("ann", 1).spec);
  specs[1].task.gpu_shared = true;
  specs[2].task.gpu_mem = Bytes{1};
  specs[3].task.gpu_vendor = "amd";
  specs[4].task.gpu_mig = "1g.10gb";
  specs[5].task.gpu_linked = true;
  specs[6].task.gpu_pack = true;
  specs[7].task.gpu_tile = 1;
  specs[8].task.mps_uid = 0;
  for (auto& spec : specs) requests.intern(spec, rooms);
  EXPECT_EQ(requests.size(), specs.size());
}

TEST_F(Asking, each_rule_counts_the_hosts_that_it_removes) {
  run.host(1);
  run.host(4);
  auto closed = run.host(4), silent = run.host(4);
  run.host(4);
  run.step(HostClosed{closed, "admin", ""});
  run.step(HostSilent{silent});
  auto spec = slots("ann", 1).spec;
  spec.asked.select = "slots>2";
  spec.asked.hosts = {"h1", "h2", "h3", "h4"};
  auto rooms = rooms_of(run.state);
  Requests requests(*run.state.config);
  const Request& request = requests[requests.intern(spec, rooms)];
  EXPECT_EQ(request.hosts, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(request.removed.not_asked, 1u);
  EXPECT_EQ(request.removed.requirement, 1u);
  EXPECT_EQ(request.removed.closed, 1u);
  EXPECT_EQ(request.removed.silent, 1u);
}

TEST_F(Asking, hosts_that_a_job_may_not_return_to_are_counted_apart) {
  for (int i = 0; i < 3; ++i) run.host(1);
  run.step(HostClosed{HostId{2}, "admin", ""});
  auto rooms = rooms_of(run.state);
  Requests requests(*run.state.config);
  auto spec = slots("ann", 1).spec;
  auto plain = requests.intern(spec, rooms), some = requests.intern(spec, rooms, {HostId{1}});
  auto more = requests.intern(spec, rooms, {HostId{1}, HostId{2}});
  EXPECT_EQ(requests.intern(spec, rooms, {HostId{1}}), some);
  EXPECT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[plain].hosts, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(requests[some].hosts, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(requests[some].removed.excluded, 1u);
  EXPECT_EQ(requests[some].removed.closed, 1u);
  EXPECT_EQ(requests[more].removed.excluded, 2u) << "opening it would not help";
  EXPECT_EQ(requests[more].removed.closed, 0u);
}

TEST_F(Asking, hosts_of_a_queue_may_be_named_by_group) {
  HostConf conf;
  conf.name = "h2";
  conf.groups = {"fast"};
  run.config.hosts = {conf};
  queue("low", [](QueueConf& q) { q.hosts = {"fast"}; });
  run.host(1);
  run.host(1);
  auto rooms = rooms_of(run.state);
  Requests requests(*run.state.config);
  auto spec = slots("ann", 1).queue("low").spec;
  EXPECT_EQ(requests[requests.intern(spec, rooms)].hosts, (std::vector<std::uint32_t>{1}));
}

TEST_F(Asking, preferred_hosts_come_first_then_order) {
  run.host(1);
  run.host(3);
  run.host(2);
  auto rooms = rooms_of(run.state);
  auto spec = slots("ann", 1).spec;
  auto hosts = [&] {
    Requests requests(*run.state.config);
    return requests[requests.intern(spec, rooms)].hosts;
  };
  spec.asked.hosts = {"h3+2", "others"};
  spec.asked.resreq = "order[-slots]";
  EXPECT_EQ(hosts(), (std::vector<std::uint32_t>{2, 1, 0}));
  spec.asked.hosts = {};
  spec.asked.resreq = "order[slots]";
  EXPECT_EQ(hosts(), (std::vector<std::uint32_t>{0, 2, 1}));
  spec.asked.hosts = {"~h2"};
  EXPECT_EQ(hosts(), (std::vector<std::uint32_t>{0, 2}));
}

TEST_F(Asking, place_is_the_profiles_else_the_queues) {
  queue("low", [](QueueConf& q) { q.place = PlaceBy::Spread; });
  run.host(1);
  auto placing = [&](const JobSpec& spec) {
    auto rooms = rooms_of(run.state);
    Requests requests(*run.state.config);
    return requests[requests.intern(spec, rooms)].placing;
  };
  auto spec = slots("ann", 1).spec;
  EXPECT_EQ(placing(spec), Placing::Pack);
  spec.queue = "low";
  EXPECT_EQ(placing(spec), Placing::Spread);
  for (auto& app : run.config.apps)
    if (app.name == spec.app) app.place = PlaceBy::Topology;
  run.reconfigure();
  EXPECT_EQ(placing(spec), Placing::Topology);
}

}  // namespace
}  // namespace wm::sched
