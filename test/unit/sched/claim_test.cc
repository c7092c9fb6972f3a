// Role: how jobs become claims, and what rooms they leave.
#include "libwm/sched/demand/claim.h"

#include <set>

#include "libwm/sched/demand/order.h"
#include "libwm/sched/memory.h"
#include "test/support/claim_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::rigid;
using test::slots;
using Collect = test::ClaimCluster;

TEST_F(Collect, a_running_rigid_job_is_fixed_at_its_size) {
  gpu_hosts(2);
  auto id = submit_and_settle(rigid("ann", 2));
  collect();
  Claim& c = *claim(id);
  EXPECT_EQ(c.kind, ClaimKind::Fixed);
  EXPECT_EQ(c.floor, 2u);
  EXPECT_EQ(c.max, 2u);
  EXPECT_EQ(c.now, 2u);
}

TEST_F(Collect, a_running_elastic_job_may_have_from_min_to_its_cap) {
  gpu_hosts(4);
  auto id = submit_and_settle(elastic("ann", 2, 8));
  run.step(CapChanged{id, 6, false, "ann"});
  collect();
  Claim& c = *claim(id);
  EXPECT_EQ(c.kind, ClaimKind::Elastic);
  EXPECT_EQ(c.floor, 2u);
  EXPECT_EQ(c.max, 6u);
  EXPECT_EQ(c.now, 4u);
}

TEST_F(Collect, a_script_that_can_use_less_is_believed) {
  gpu_hosts(4);
  auto id = submit_and_settle(elastic("ann", 1, 8));
  run.step(CapChanged{id, 3, true, "ann"});
  collect();
  EXPECT_EQ(claim(id)->max, 3u);
}

TEST_F(Collect, a_launching_elastic_job_takes_part_already) {
  gpu_hosts(4);
  auto id = run.submit(elastic("ann"));
  run.dispatch(id, {HostId{1}, HostId{2}});
  collect();
  EXPECT_EQ(claim(id)->kind, ClaimKind::Elastic);
  EXPECT_EQ(claim(id)->floor, 1u);
  EXPECT_EQ(claim(id)->now, 2u);
}

TEST_F(Collect, an_elastic_job_that_cannot_be_told_of_a_new_size_is_fixed) {
  for (auto& app : run.config.apps) {
    if (app.name == "training") app.resize = ResizeMode::Notify;  // and no command to run
  }
  run.reconfigure();
  gpu_hosts(4);
  auto id = run.submit(elastic("ann"));
  collect();
  EXPECT_FALSE(claim(id)->resizes);
  run.run(id, {HostId{1}, HostId{2}});
  collect();
  EXPECT_EQ(claim(id)->kind, ClaimKind::Fixed);
  EXPECT_EQ(claim(id)->floor, 2u);
}

TEST_F(Collect, a_job_resized_within_the_quiet_time_is_fixed) {
  run.config.cluster.times.resize_quiet = std::chrono::seconds(60);
  run.reconfigure();
  gpu_hosts(2);
  auto id = submit_and_settle(elastic("ann", 1, 3));
  gpu_hosts(1);
  run.step(TasksAdded{id, Attempt{1}, {Task{TaskNumber{3}, HostId{3}, {0}}}, ""}, 100);
  run.step(TaskStarted{id, Attempt{1}, TaskNumber{3}, 7}, 100);
  auto soon = sched::collect(run.state, test::at(130), 10);
  auto late = sched::collect(run.state, test::at(170), 10);
  EXPECT_EQ(soon.all[0].kind, ClaimKind::Fixed);
  EXPECT_EQ(late.all[0].kind, ClaimKind::Elastic);
}

// As above, with a service that has no kernels and wants one.
TEST_F(Collect, for_a_services_first_kernel_a_job_may_shrink_within_the_quiet_time) {
  run.config.cluster.times.resize_quiet = std::chrono::seconds(60);
  run.reconfigure();
  gpu_hosts(2);
  auto id = submit_and_settle(elastic("ann", 1, 3));
  gpu_hosts(1);
  TaskGroup kernels{.name = "k", .command = "true", .min_tasks = 0, .max_tasks = 9};
  kernels.restart = Restart::Independent;
  auto spec = slots("bob", 1);
  spec.spec.exec.service = "digits";
  auto service = run.submit(spec.group({.name = "router"}).group(kernels));
  run.run({service.job, 1}, {run.host(1)});
  run.step(TasksAdded{id, Attempt{1}, {Task{TaskNumber{3}, HostId{3}, {0}}}, ""}, 100);
  run.step(TaskStarted{id, Attempt{1}, TaskNumber{3}, 7}, 100);
  auto kind = [&](bool wanted) {
    run.step(CapChanged{{service.job, 2}, wanted, false, "bob", "", !wanted}, 110);
    auto claims = sched::collect(run.state, test::at(130), 10);
    for (auto& c : claims.all)
      if (c.id == id) return std::tuple(c.kind, c.floor, c.max);
    return std::tuple(ClaimKind::Pending, 0u, 0u);
  };
  EXPECT_EQ(kind(false), std::tuple(ClaimKind::Fixed, 3u, 3u));
  EXPECT_EQ(kind(true), std::tuple(ClaimKind::Elastic, 1u, 3u)) << "it gives, and takes nothing";
}

struct Failing : Collect {
  JobId id;
  /// Its task 3, on host 3, ends before it joins.
  void fail_once() {
    run.now = 100;
    run.step(TasksAdded{id, Attempt{1}, {Task{TaskNumber{3}, HostId{3}, {0}}}, ""});
    run.step(TaskEnded{id, Attempt{1}, TaskNumber{3}, 256, Term::None, {}, "import failed"});
  }
  std::set<HostId> grows_on(double now) {
    run.now = now;
    std::set<HostId> hosts;
    for (const auto& grow : run.plan().grows)
      for (const auto& spot : grow.tasks) hosts.insert(spot.host);
    return hosts;
  }
};

TEST_F(Failing, a_job_whose_growth_is_blocked_may_only_shrink_until_that_is_over) {
  run.config.cluster.limits.newcomer_tries = 1;
  run.reconfigure();
  gpu_hosts(4);
  id = submit_and_settle(elastic("ann", 1, 2));
  run.step(CapChanged{id, 0, false, "ann"});
  fail_once();
  ASSERT_NE(run.job(id).size.grow_blocked, "");
  auto soon = sched::collect(run.state, test::at(109), 10);
  EXPECT_EQ(soon.all[0].max, 2u);
  EXPECT_EQ(soon.quiet_until, test::at(110)) << "a pass is due";
  EXPECT_EQ(grows_on(109), (std::set<HostId>{}));
}

TEST_F(Failing, a_job_grows_on_other_hosts_than_the_one_where_its_new_task_failed) {
  gpu_hosts(2);
  id = submit_and_settle(elastic("ann", 1, 4));
  gpu_hosts(2);
  fail_once();
  EXPECT_EQ(grows_on(105), (std::set<HostId>{HostId{4}}));
  EXPECT_EQ(grows_on(111), (std::set<HostId>{HostId{3}, HostId{4}}));
}

TEST_F(Collect, a_pending_job_has_no_floor) {
  run.host(4);
  auto id = run.submit(slots("ann", 3));
  collect();
  Claim& c = *claim(id);
  EXPECT_TRUE(c.pending());
  EXPECT_EQ(c.floor, 0u);
  EXPECT_EQ(c.min, 3u);
  EXPECT_EQ(c.max, 3u);
}

TEST_F(Collect, gpus_are_what_a_gpu_task_costs) {
  gpu_hosts(2, 4);
  auto two = run.submit(rigid("ann", 3).gpus(2)), none = run.submit(slots("ann", 3));
  auto spec = slots("ann", 4);
  spec.spec.task.milli_gpus = 2000;
  spec.spec.task.gpus_per_host = true;
  auto per_host = run.submit(spec);
  spec.spec.span.ptile = 2;
  auto spread = run.submit(spec);
  collect();
  EXPECT_EQ(claim(two)->price.cost(3), 6);
  EXPECT_EQ(claim(none)->price.cost(3), 3);
  EXPECT_FALSE(claim(none)->price.gpu);
  EXPECT_EQ(claim(per_host)->price.cost(4), 2);  // all on one host, for all it knows
  EXPECT_EQ(claim(spread)->price.cost(4), 4);    // two hosts
}

TEST_F(Collect, leaving_tasks_are_coming_and_stuck_ones_are_not) {
  gpu_hosts(2);
  auto a = submit_and_settle(elastic("ann", 1, 2));
  run.step(TasksLeaving{a, Attempt{1}, {TaskNumber{2}}, test::at(9), ""});
  collect();
  EXPECT_EQ(claims->rooms[1].coming.slots, 1);
  EXPECT_EQ(claims->rooms[1].gpus[0], GpuUse::Coming);
  EXPECT_EQ(claims->rooms[1].leaving, (std::vector<JobId>{a}));
  EXPECT_EQ(claim(a)->now, 1u);
  run.step(TaskStuck{a, Attempt{1}, TaskNumber{2}, "zombie"});
  collect();
  EXPECT_EQ(claims->rooms[1].coming.slots, 0);
  EXPECT_EQ(claims->stuck_gpus, 1);
}

TEST_F(Collect, nothing_is_coming_on_a_closed_host) {
  gpu_hosts(1);
  auto a = submit_and_settle(rigid("ann", 1));
  run.step(KillRequested{a, {}});
  run.step(HostClosed{HostId{1}, "admin", ""});
  collect();
  EXPECT_EQ(claims->rooms[0].coming.slots, 0);
  EXPECT_EQ(claim(a), nullptr);
}

TEST_F(Collect, an_array_is_one_claim_of_as_many_copies_as_may_start) {
  run.host(8);
  auto base = run.submit(slots("ann", 1).array(1, 10, 4));
  collect();
  EXPECT_EQ(claim(base)->copies, 4u);
  EXPECT_EQ(claim(base)->asked, 10u);
  run.run({base.job, 1}, {HostId{1}});
  collect();
  EXPECT_EQ(claim(base)->copies, 3u);
  EXPECT_EQ(claim(base)->asked, 9u);
  EXPECT_EQ(claim({base.job, 1})->kind, ClaimKind::Fixed);
}

TEST_F(Collect, claims_stand_by_queue_then_by_age) {
  run.host(8);
  auto a = run.submit(slots("ann", 1)), low = run.submit(slots("ann", 1).queue("low"));
  auto b = run.submit(slots("ann", 1)), high = run.submit(slots("ann", 1).queue("high"));
  collect();
  std::vector<JobId> order;
  for (auto& c : claims->all) order.push_back(c.id);
  EXPECT_EQ(order, (std::vector<JobId>{high, a, b, low}));
  EXPECT_TRUE(goes_before(claims->all[1], claims->all[2]));
  EXPECT_FALSE(goes_before(claims->all[2], claims->all[1]));
}

TEST_F(Collect, the_first_task_is_rank_zeros) {
  gpu_hosts(3);
  auto a = submit_and_settle(elastic("ann", 1, 3));
  EXPECT_EQ(first_task(run.job(a)), TaskNumber{1});
  run.step(TaskEnded{a, Attempt{1}, TaskNumber{1}, 9, Term::None, {}, ""});
  run.enter_epoch(a, 9);
  EXPECT_EQ(first_task(run.job(a)), TaskNumber{2});
}

TEST_F(Collect, before_an_epoch_the_first_task_is_the_lowest_number) {
  gpu_hosts(3);
  auto a = run.submit(elastic("ann"));
  run.run(a, {HostId{1}, HostId{2}});
  EXPECT_EQ(first_task(run.job(a)), TaskNumber{1});
}

}  // namespace
}  // namespace wm::sched
