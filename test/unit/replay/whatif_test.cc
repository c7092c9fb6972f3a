// Role: what a change would do to the jobs of a live cluster.
#include "libwm/replay/whatif.h"

#include "test/support/sched_cluster.h"

namespace wm::replay {
namespace {

using test::at;
using test::slots;
using test::SpecBuilder;

// One host of two slots, taken for 100 s; two jobs wait for both slots, 50 s each.
class WhatIf : public test::SchedCluster {
 protected:
  WhatIf() {
    run.host(2);
    first = submit(2, 100);
    second = submit(2, 50);
    third = submit(2, 50);
  }
  JobId submit(std::uint32_t tasks, int seconds, const std::string& queue = "normal") {
    SpecBuilder spec = slots("ann", tasks).queue(queue);
    spec.spec.run_limit = std::chrono::seconds(seconds);
    return submit_and_settle(spec);
  }
  std::vector<Foretold> told(const Change& change) {
    auto rows = foretell(run.state, change, at(10));
    EXPECT_TRUE(rows) << rows.error().text;
    return rows ? *rows : std::vector<Foretold>{};
  }
  std::string refusal(const Change& change) {
    auto rows = foretell(run.state, change, at(10));
    return rows ? "" : rows.error().text;
  }
  JobId first, second, third;
};

TEST_F(WhatIf, a_further_host_starts_jobs_earlier) {
  EXPECT_EQ(told({.hosts = 1}), (std::vector<Foretold>{{second, at(100), at(10), false},
                                                       {third, at(150), at(60), false}}));
}

TEST_F(WhatIf, a_host_less_starts_nobody_anew) {
  EXPECT_EQ(told({.hosts = -1}),
            (std::vector<Foretold>{{second, at(100), {}, true}, {third, at(150), {}, true}}));
}

TEST_F(WhatIf, in_a_higher_queue_a_job_overtakes_and_displaces) {
  EXPECT_EQ(
      told({.job = third, .queue = "high"}),
      (std::vector<Foretold>{{second, at(100), at(150), true}, {third, at(150), at(100), false}}));
}

TEST_F(WhatIf, a_running_job_that_makes_way_is_named) {
  for (JobId id : {first, second, third}) {
    run.end(id);
    ASSERT_GE(run.settle(), 0);
  }
  queue("high", [](QueueConf& conf) { conf.preempts = {"lower"}; });
  queue("normal", [](QueueConf& conf) { conf.preempt_by = PreemptBy::Requeue; });
  JobId endless = submit(2, 0), waiting = submit(2, 50);
  EXPECT_EQ(told({.job = waiting, .queue = "high"}),
            (std::vector<Foretold>{{endless, at(0), at(60), true}, {waiting, {}, at(10), false}}));
}

TEST_F(WhatIf, who_waits_for_a_job_without_a_limit_has_no_date) {
  JobId endless = submit(2, 0, "high"), last = submit(2, 10, "high");
  auto rows = told({.hosts = 1});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[2], (Foretold{endless, at(100), at(10), false}));
  EXPECT_EQ(rows[3], (Foretold{last, {}, at(100), false}));
}

TEST_F(WhatIf, a_plan_changes_who_may_start) {
  PlanConf small;
  small.path = "/small";
  small.limit = 1;
  plan(small);
  auto rows = told({.job = second, .plan = "/small"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (Foretold{second, at(100), {}, true}));
  EXPECT_EQ(rows[1], (Foretold{third, at(150), at(100), false}));
}

TEST_F(WhatIf, with_its_queue_a_job_changes_to_the_plan_of_that_queue) {
  PlanConf small;
  small.path = "/small";
  small.limit = 1;
  plan(small);
  queue("high", [](QueueConf& conf) { conf.plan = "/small"; });
  auto rows = told({.job = second, .queue = "high"});
  ASSERT_EQ(rows.front().job, second);
  EXPECT_EQ(rows.front().start_then, WallTime{}) << "it has 2 tasks, its plan 1 slot";
}

TEST_F(WhatIf, another_configuration_changes_who_goes_first) {
  auto next = std::make_shared<Config>(run.config);
  next->hosts.clear();
  JobId last = submit(2, 50, "low");
  for (QueueConf& queue : next->queues)
    if (queue.name == "low") queue.priority = 95;
  EXPECT_EQ(told({.config = next}), (std::vector<Foretold>{{second, at(100), at(150), true},
                                                           {third, at(150), at(200), true},
                                                           {last, at(200), at(100), false}}));
}

TEST_F(WhatIf, a_configuration_without_a_host_starts_nothing_there) {
  auto next = std::make_shared<Config>(run.config);
  next->hosts = {{.name = "elsewhere"}};
  EXPECT_EQ(told({.config = next}),
            (std::vector<Foretold>{{second, at(100), {}, true}, {third, at(150), {}, true}}));
}

TEST_F(WhatIf, the_configuration_in_force_moves_nobody) {
  auto same = std::make_shared<Config>(run.config);
  same->hosts.clear();
  EXPECT_EQ(told({.config = same}), (std::vector<Foretold>{{second, at(100), at(100), false},
                                                           {third, at(150), at(150), false}}));
}

TEST_F(WhatIf, who_has_no_patience_is_told_so) {
  auto rows = foretell(run.state, {.hosts = 1}, at(10), {}, [] { return false; });
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, Code::Timeout);
}

TEST_F(WhatIf, what_cannot_be_is_refused_by_name) {
  EXPECT_EQ(refusal({}), "nothing is to be changed");
  EXPECT_EQ(refusal({.job = second, .queue = "none"}), "queue <none> is not found");
  EXPECT_EQ(refusal({.job = second, .plan = "/none"}), "plan </none> is not found");
  EXPECT_EQ(refusal({.job = {99, 0}, .queue = "high"}), "Job <99> is not found");
  EXPECT_EQ(refusal({.job = first, .queue = "high"}), "Job <1> does not wait");
  EXPECT_EQ(refusal({.hosts = -2}), "the cluster has only 1 open hosts, 2 cannot be taken away");
}

TEST_F(WhatIf, the_live_cluster_stays_as_it_is) {
  told({.hosts = 3});
  told({.job = third, .queue = "high"});
  EXPECT_EQ(run.state.jobs.find(third.job)->spec().queue, "normal");
  EXPECT_EQ(run.size(second), 0u);
  EXPECT_EQ(run.size(first), 2u);
}

}  // namespace
}  // namespace wm::replay
