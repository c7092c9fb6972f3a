// Role: requests are told apart and shared; what can never run is said at once, with the
// nearest miss.
#include "libwm/sched/feasible.h"

#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::rigid;
using test::slots;

// No hosts are configured: those that register are all there are.
class Feasible : public test::SchedCluster {
 protected:
  Feasible() {
    run.config.hosts.clear();
    run.reconfigure();
  }
};

std::string never(const Cluster& cluster, const JobSpec& spec) {
  auto result = check_feasible_ever(cluster, spec);
  if (result) return "";
  EXPECT_EQ(result.error().code, Code::Impossible);
  return result.error().text;
}

std::vector<Room> rooms_of(const Cluster& cluster) {
  std::vector<Room> rooms;
  cluster.hosts.each([&](std::uint32_t, const Host& host) { rooms.push_back(room_of(host)); });
  return rooms;
}

TEST_F(Feasible, alike_jobs_share_a_request) {
  gpu_hosts(2);
  auto rooms = rooms_of(run.state);
  Requests requests(*run.state.config);
  auto a = slots("ann", 1).spec, b = slots("bob", 4).spec, c = rigid("ann", 1).spec;
  EXPECT_EQ(requests.intern(a, rooms), requests.intern(b, rooms));  // size does not matter
  EXPECT_NE(requests.intern(a, rooms), requests.intern(c, rooms));
  EXPECT_EQ(requests.size(), 2u);
}

TEST_F(Feasible, whatever_decides_on_hosts_makes_another_request) {
  gpu_hosts(1);
  auto rooms = rooms_of(run.state);
  Requests requests(*run.state.config);
  std::vector<JobSpec> specs(8, slots("ann", 1).spec);
  specs[1].queue = "low";
  specs[2].select = "slots>1";
  specs[3].task.mem = Bytes{1};
  specs[4].task.gpu_model = "A";
  specs[5].span.ptile = 2;
  specs[6].exclusive = true;
  specs[7].ask_hosts = {"h1"};
  for (auto& spec : specs) requests.intern(spec, rooms);
  EXPECT_EQ(requests.size(), specs.size());
}

TEST_F(Feasible, whatever_decides_on_gpus_makes_another_request) {
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

TEST_F(Feasible, each_rule_counts_the_hosts_that_it_removes) {
  run.host(1);
  run.host(4);
  auto closed = run.host(4), silent = run.host(4);
  run.host(4);
  run.step(HostClosed{closed, "admin", ""});
  run.step(HostSilent{silent});
  auto spec = slots("ann", 1).spec;
  spec.select = "slots>2";
  spec.ask_hosts = {"h1", "h2", "h3", "h4"};
  auto rooms = rooms_of(run.state);
  Requests requests(*run.state.config);
  const Request& request = requests[requests.intern(spec, rooms)];
  EXPECT_EQ(request.hosts, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(request.removed.not_asked, 1u);
  EXPECT_EQ(request.removed.requirement, 1u);
  EXPECT_EQ(request.removed.closed, 1u);
  EXPECT_EQ(request.removed.silent, 1u);
}

TEST_F(Feasible, hosts_that_a_job_may_not_return_to_are_counted_apart) {
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

TEST_F(Feasible, hosts_of_a_queue_may_be_named_by_group) {
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

TEST_F(Feasible, what_an_empty_cluster_could_run_is_accepted) {
  gpu_hosts(4);
  submit_and_settle(rigid("ann", 4));  // full now
  EXPECT_EQ(never(run.state, rigid("bob", 4).spec), "");
  EXPECT_EQ(never(run.state, elastic("bob", 1, 99).spec), "");
}

TEST_F(Feasible, closed_and_silent_hosts_may_come_back) {
  auto h = run.host(2);
  run.step(HostClosed{h, "admin", ""});
  EXPECT_EQ(never(run.state, slots("ann", 2).spec), "");
}

TEST_F(Feasible, too_many_tasks_are_refused_with_the_nearest_miss) {
  gpu_hosts(4);
  EXPECT_EQ(never(run.state, rigid("ann", 5).spec),
            "no host is able to run it: 5 tasks with 1 GPU each asked; 4 hosts would do, at most "
            "4 tasks on all together if nothing else ran");
}

TEST_F(Feasible, tasks_that_must_lie_on_one_host_are_refused) {
  gpu_hosts(4);
  auto spec = rigid("ann", 2).spec;
  spec.span.one_host = true;
  EXPECT_EQ(never(run.state, spec),
            "no host is able to run it: 2 tasks with 1 GPU each, all on one host asked; 4 hosts "
            "would do, at most 1 task on the largest if nothing else ran");
}

TEST_F(Feasible, a_task_larger_than_every_host_is_refused) {
  run.host(2);
  auto spec = slots("ann", 1).spec;
  spec.task.mem = Bytes{std::int64_t{99} << 30};
  EXPECT_EQ(never(run.state, spec),
            "no host is able to run it: 1 task, 99G of memory each asked; none of the hosts would "
            "do, nearest is host <h1>: 99G of memory asked, it has 16G (83G short)");
}

TEST_F(Feasible, the_nearest_miss_names_host_term_and_by_how_much) {
  run.host(2);
  run.host(8, 1);
  run.host(4);
  auto spec = slots("ann", 1).spec;
  auto says = [&](const std::string& text) {
    EXPECT_NE(never(run.state, spec).find(text), std::string::npos) << never(run.state, spec);
  };
  spec.select = "(ncpus>=16) && slots>0";
  says("nearest is host <h1>: select ncpus>=16 (ncpus=2)");
  spec.select = "";
  spec.task.milli_gpus = 4000;
  says("nearest is host <h2>: 4 GPUs asked, it has 1 (3 short)");
  spec.task.milli_cpus = 10000;  // two lacks are further away than one
  spec.task.milli_gpus = 0;
  says("host <h2>: 10 CPUs asked, it has 8 (2 short)");
}

TEST_F(Feasible, rules_between_hosts_that_can_never_be_kept_are_refused) {
  for (const char* name : {"h1", "h2"}) {
    HostConf conf;
    conf.name = name;
    conf.switches = std::string("row/") + name;
    run.config.hosts.push_back(conf);
  }
  run.config.cluster.unit_types = {"rack", "row"};
  run.reconfigure();
  run.host(2);
  run.host(2);
  auto spec = slots("ann", 4).spec;
  spec.resreq = "cu[type=rack:maxcus=1]";
  EXPECT_NE(never(run.state, spec).find("at most 2 tasks"), std::string::npos);
  spec.resreq = "cu[type=row:maxcus=1]";
  EXPECT_EQ(never(run.state, spec), "");
  spec.resreq = "cu[type=hall]";
  EXPECT_EQ(never(run.state, spec), "cu[type=hall]: no such type of compute unit");
  spec.resreq = "same[hname]";
  EXPECT_NE(never(run.state, spec), "");
}

TEST_F(Feasible, preferred_hosts_come_first_then_order) {
  run.host(1);
  run.host(3);
  run.host(2);
  auto rooms = rooms_of(run.state);
  auto spec = slots("ann", 1).spec;
  auto hosts = [&] {
    Requests requests(*run.state.config);
    return requests[requests.intern(spec, rooms)].hosts;
  };
  spec.ask_hosts = {"h3+2", "others"};
  spec.resreq = "order[-slots]";
  EXPECT_EQ(hosts(), (std::vector<std::uint32_t>{2, 1, 0}));
  spec.ask_hosts = {};
  spec.resreq = "order[slots]";
  EXPECT_EQ(hosts(), (std::vector<std::uint32_t>{0, 2, 1}));
  spec.ask_hosts = {"~h2"};
  EXPECT_EQ(hosts(), (std::vector<std::uint32_t>{0, 2}));
}

TEST_F(Feasible, place_is_the_profiles_else_the_queues) {
  queue("low", [](QueueConf& q) { q.place = "spread"; });
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
    if (app.name == spec.app) app.place = "topology";
  run.reconfigure();
  EXPECT_EQ(placing(spec), Placing::Topology);
}

TEST_F(Feasible, a_ptile_that_no_host_holds_is_refused) {
  run.host(2);
  run.host(2);
  auto spec = slots("ann", 3).spec;
  spec.span.ptile = 3;
  EXPECT_NE(never(run.state, spec), "");
  spec.span.ptile = 2;
  EXPECT_EQ(never(run.state, spec), "");
}

TEST_F(Feasible, limits_that_can_never_be_met_are_named) {
  queue("low", [](QueueConf& q) { q.max_slots = 2; });
  user_limit("ann", 3);
  plan({.path = "/a", .limit = 1});
  run.host(8);
  EXPECT_EQ(never(run.state, slots("bob", 3).queue("low").spec),
            "3 slots asked: queue <low> never has more than 2");
  EXPECT_EQ(never(run.state, slots("ann", 4).spec),
            "4 slots asked: user <ann> never has more than 3");
  EXPECT_EQ(never(run.state, slots("bob", 2).plan("/a").spec),
            "2 slots asked: plan </a> never has more than 1");
}

TEST_F(Feasible, a_broken_expression_is_a_bad_argument) {
  run.host(1);
  auto spec = slots("ann", 1).spec;
  spec.select = "slots >";
  auto result = check_feasible_ever(run.state, spec);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::BadArgument);
}

TEST_F(Feasible, nothing_is_refused_while_hosts_are_still_to_come) {
  EXPECT_EQ(never(run.state, slots("ann", 9).spec), "");
  HostConf conf;
  conf.name = "h2";
  run.config.hosts = {conf};
  run.reconfigure();
  run.host(1);
  EXPECT_EQ(never(run.state, slots("ann", 9).spec), "");
  run.host(1);
  EXPECT_NE(never(run.state, slots("ann", 9).spec), "");
}

}  // namespace
}  // namespace wm::sched
