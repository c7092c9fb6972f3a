// Role: what can never run is said at once, with the nearest miss.
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

TEST_F(Feasible, more_tasks_than_slots_are_too_many_processors) {
  run.host(2);
  EXPECT_TRUE(
      never(run.state, slots("ann", 3).spec)
          .starts_with("Too many processors requested: no host is able to run it: 3 tasks"));
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
  spec.asked.select = "(ncpus>=16) && slots>0";
  says("nearest is host <h1>: select ncpus>=16 (ncpus=2)");
  spec.asked.select = "";
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
  spec.asked.resreq = "cu[type=rack:maxcus=1]";
  EXPECT_NE(never(run.state, spec).find("at most 2 tasks"), std::string::npos);
  spec.asked.resreq = "cu[type=row:maxcus=1]";
  EXPECT_EQ(never(run.state, spec), "");
  spec.asked.resreq = "cu[type=hall]";
  EXPECT_EQ(never(run.state, spec), "cu[type=hall]: no such type of compute unit");
  spec.asked.resreq = "same[hname]";
  EXPECT_NE(never(run.state, spec), "");
}

TEST_F(Feasible, a_host_that_is_asked_for_is_known_and_of_the_queue) {
  queue("low", [](QueueConf& q) { q.hosts = {"h1"}; });
  run.host(1);
  run.host(1);
  auto spec = slots("ann", 1).spec;
  auto said = [&] {
    auto result = check_feasible_ever(run.state, spec);
    return result ? "" : result.error().text;
  };
  spec.asked.hosts = {"h1", "h7+2"};
  EXPECT_EQ(said(), "h7: Bad host name, host group name or cluster name");
  spec.asked.hosts = {"~h7"};
  EXPECT_EQ(said(), "h7: Bad host name, host group name or cluster name");
  spec.asked.hosts = {"h1", "others"};
  EXPECT_EQ(said(), "");
  spec.queue = "low";
  spec.asked.hosts = {"h1", "h2"};
  EXPECT_EQ(said(), "h2: Host or host group is not used by the queue");
  spec.asked.hosts = {"h1", "~h2"};
  EXPECT_EQ(said(), "");
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

TEST_F(Feasible, a_plans_limit_counts_gpus_and_holds_for_all_below_it) {
  plan({.path = "/a", .limit = 2});
  run.host(16, 8);
  EXPECT_EQ(never(run.state, slots("bob", 3).plan("/a/b/c").spec),
            "3 slots asked: plan </a> never has more than 2");
  auto wide = rigid("bob", 1).gpus(4).plan("/a/b").spec;
  EXPECT_EQ(never(run.state, wide), "4 GPUs asked: plan </a> never has more than 2");
  auto per_host = rigid("bob", 4).gpus(2).plan("/a").spec;
  per_host.task.gpus_per_host = true;
  EXPECT_EQ(never(run.state, per_host), "") << "four tasks share two GPUs of a host";
  per_host.span.ptile = 2;
  EXPECT_EQ(never(run.state, per_host), "4 GPUs asked: plan </a> never has more than 2");
}

TEST_F(Feasible, a_broken_expression_is_a_bad_argument) {
  run.host(1);
  auto spec = slots("ann", 1).spec;
  spec.asked.select = "slots >";
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
