// Role: backfill: a job that was promised a date starts by then, even if others could be faster.
#include "libwm/sched/placement/reserve.h"

#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::slots;
using test::SpecBuilder;

SpecBuilder lasting(SpecBuilder spec, int seconds) {
  spec.spec.run_limit = std::chrono::seconds(seconds);
  return spec;
}

// Two hosts of two slots; one of them is busy for 100 s.
class Backfilling : public test::SchedCluster {
 protected:
  Backfilling() {
    run.host(2);
    run.host(2);
    first = submit_and_settle(lasting(slots("ann", 2), 100));
  }
  JobId submit(std::uint32_t tasks, int seconds, const std::string& user = "ann") {
    return submit_and_settle(lasting(slots(user, tasks), seconds));
  }
  bool runs(JobId id) const { return run.size(id) > 0; }
  JobId first;
};

TEST_F(Backfilling, the_first_that_waits_is_promised_the_end_of_what_it_waits_for) {
  JobId wide = submit(4, 50);
  EXPECT_FALSE(runs(wide));
  EXPECT_EQ(run.promised(wide), 100);
}

TEST_F(Backfilling, easy_starts_who_is_gone_by_then_and_nobody_else) {
  submit(4, 50);
  EXPECT_FALSE(runs(submit(1, 101)));
  EXPECT_FALSE(runs(submit(1, 0)));
  EXPECT_TRUE(runs(submit(1, 100)));
}

TEST_F(Backfilling, easy_starts_who_fits_beside_the_promised_one) {
  JobId wide = submit(3, 50);
  EXPECT_TRUE(runs(submit(1, 1000)));
  EXPECT_EQ(run.promised(wide), 100);
  EXPECT_FALSE(runs(submit(1, 1000)));
}

// Each round of a pass could only rule out the next two of them.
TEST_F(Backfilling, easy_finds_who_is_gone_by_then_far_down_the_queue) {
  run.submit(lasting(slots("ann", 4), 50));
  for (int i = 0; i < 40; ++i) run.submit(lasting(slots("ann", 1), 101 + i));
  JobId a = run.submit(lasting(slots("ann", 1), 100)), b = run.submit(lasting(slots("ann", 1), 99));
  JobId late = run.submit(lasting(slots("ann", 1), 98));
  EXPECT_GE(run.settle(), 0);
  EXPECT_TRUE(runs(a) && runs(b));
  EXPECT_FALSE(runs(late));
}

// What the first is given and cannot use goes to the second, for which others give way.
TEST_F(Backfilling, easy_makes_elastic_jobs_give_way_to_one_far_down_the_queue) {
  run.end(first);
  JobId pool = submit_and_settle(lasting(elastic("ann", 1, 4), 0).gpus(0));
  EXPECT_EQ(run.size(pool), 4u);
  for (int i = 0; i < 40; ++i) run.submit(lasting(slots("ann", 4), 50));
  JobId small = run.submit(lasting(slots("ann", 1), 10));
  EXPECT_GE(run.settle(), 0);
  EXPECT_TRUE(runs(small));
  EXPECT_EQ(run.size(pool), 3u);
}

// Its minimum it would never give back.
TEST_F(Backfilling, a_waiting_elastic_job_without_limit_does_not_start_in_what_is_held) {
  for (auto backfill : {SchedPolicy::Backfill::Easy, SchedPolicy::Backfill::Conservative}) {
    run.policy.backfill = backfill;
    JobId wide = submit(4, 50);
    JobId pool = submit_and_settle(lasting(elastic("bob", 1, 4), 0).gpus(0));
    EXPECT_FALSE(runs(pool));
    EXPECT_EQ(run.promised(wide), 100);
    for (JobId id : {wide, pool}) run.step(KillRequested{id, {}});
  }
}

TEST_F(Backfilling, conservative_starts_an_elastic_job_in_what_is_held_if_it_ends_by_the_date) {
  run.policy.backfill = SchedPolicy::Backfill::Conservative;
  JobId wide = submit(4, 50);
  JobId late = submit_and_settle(lasting(elastic("bob", 2, 4), 200).gpus(0));
  EXPECT_FALSE(runs(late));
  JobId in_time = submit_and_settle(lasting(elastic("eve", 2, 4), 90).gpus(0));
  EXPECT_TRUE(runs(in_time));
  EXPECT_EQ(run.promised(wide), 100);
}

TEST_F(Backfilling, strict_order_starts_nobody_early) {
  run.policy.backfill = SchedPolicy::Backfill::None;
  submit(4, 50);
  JobId small = submit(1, 10);
  EXPECT_FALSE(runs(small));
  EXPECT_EQ(run.promised(small), -1);
}

TEST_F(Backfilling, easy_delays_the_second_that_waits_conservative_does_not) {
  JobId wide = submit(4, 50), other = submit(3, 50);
  EXPECT_EQ(run.promised(wide), 100);
  EXPECT_EQ(run.promised(other), 150);
  // Beside `wide` from 100 on there is no room; before, there is for two.
  run.policy.backfill = SchedPolicy::Backfill::Conservative;
  EXPECT_TRUE(runs(submit(1, 100)));
  EXPECT_EQ(run.promised(other), 150);
}

// Its own places at its date are no bar to it before.
TEST_F(Backfilling, conservative_starts_early_whoever_has_room_for_all_its_time) {
  run.policy.backfill = SchedPolicy::Backfill::Conservative;
  JobId wide = submit(4, 50), next = submit(4, 50), last = submit(1, 600);
  EXPECT_EQ(run.promised(last), 200);
  run.end(first);
  run.settle();
  EXPECT_TRUE(runs(wide));
  run.now = 10;
  run.end(wide);
  run.settle();
  EXPECT_TRUE(runs(next));
  run.now = 20;
  run.end(next);
  run.settle();
  EXPECT_TRUE(runs(last));
}

TEST_F(Backfilling, the_promised_one_starts_when_its_date_has_come) {
  JobId wide = submit(4, 50, "bob");
  submit(1, 1000, "ann");
  run.now = 100;
  run.end(first);
  run.settle();
  EXPECT_TRUE(runs(wide));
}

// Passed by once, it would meet those that are promised its places after it: nobody could start.
TEST_F(Backfilling, conservative_starts_one_at_its_date_though_a_higher_queue_waits) {
  run.policy.backfill = SchedPolicy::Backfill::Conservative;
  run.policy.promise_tolerance = Duration{};
  auto waits = [&](const std::string& queue, std::uint32_t tasks, int seconds) {
    return submit_and_settle(lasting(slots("bob", tasks).queue(queue), seconds));
  };
  JobId low = waits("low", 4, 10), next = waits("low", 3, 100);
  JobId wide = submit_and_settle(lasting(slots("eve", 4).queue("high"), 50));
  run.now = 85;
  JobId small = waits("high", 1, 20);  // beside `next`
  EXPECT_EQ(run.promised(low), 100);
  EXPECT_EQ(run.promised(next), 110);
  EXPECT_EQ(run.promised(wide), 210);
  EXPECT_EQ(run.promised(small), 110);
  run.now = 95;
  run.end(first);
  run.settle();
  EXPECT_TRUE(runs(low));
  run.now = 105;
  run.end(low);
  run.settle();
  EXPECT_TRUE(runs(next) && runs(small));
}

TEST_F(Backfilling, it_starts_earlier_when_others_end_early) {
  JobId wide = submit(4, 50, "bob");
  run.now = 20;
  run.end(first);
  run.settle();
  EXPECT_TRUE(runs(wide));
}

TEST_F(Backfilling, without_run_limits_there_is_no_date_and_nobody_waits_for_it) {
  run.end(first);
  JobId endless = submit(2, 0);
  JobId wide = submit(4, 50), small = submit(1, 0);
  EXPECT_TRUE(runs(endless));
  EXPECT_EQ(run.promised(wide), -1);
  EXPECT_TRUE(runs(small));
}

// Its run limit is as much longer as it was stopped.
TEST_F(Backfilling, a_job_that_was_stopped_ends_later_and_leaves_no_date_meanwhile) {
  run.step(JobSuspended{first, "ann"}, 10);
  run.now = 20;
  JobId wide = submit(4, 50);
  EXPECT_EQ(run.promised(wide), -1);
  run.now = 300;
  EXPECT_TRUE(runs(submit(1, 1000))) << "there is no date that it could delay";
  run.end(submit(1, 1000));
  run.step(JobResumed{first, "ann"}, 310);
  run.now = 310;
  EXPECT_GE(run.settle(), 0);
  EXPECT_EQ(run.promised(wide), 1300);
}

TEST_F(Backfilling, a_date_comes_later_when_what_it_waits_for_was_stopped) {
  run.step(JobSuspended{first, "ann"}, 10);
  run.step(JobResumed{first, "ann"}, 250);
  run.now = 250;
  EXPECT_EQ(run.promised(submit(4, 50)), 340);
  EXPECT_FALSE(runs(submit(1, 91)));
  EXPECT_TRUE(runs(submit(1, 90)));
}

TEST_F(Backfilling, a_small_move_of_the_date_is_no_news) {
  JobId wide = submit(4, 50);
  run.now = 30;
  EXPECT_TRUE(run.plan().promises.empty());
  queue("high", [](QueueConf& conf) { conf.priority = 95; });
  JobId earlier = run.submit(lasting(slots("ann", 2), 30).queue("high"));
  run.settle();  // delays it to 130 at most: it ends before 100
  EXPECT_TRUE(runs(earlier));
  EXPECT_EQ(run.promised(wide), 100);
}

TEST_F(Backfilling, elastic_jobs_grow_into_what_is_held_and_give_it_back) {
  run.end(first);
  JobId rigid = submit(2, 100);
  JobId grown = submit_and_settle(
      lasting(SpecBuilder().app("training").elastic().tasks(1, 4).user("eve", 9), 1000));
  EXPECT_EQ(run.size(grown), 2u);
  JobId wide = submit(3, 50, "bob");
  EXPECT_EQ(run.promised(wide), 100);
  EXPECT_EQ(run.size(grown), 2u);
  run.now = 100;
  run.end(rigid);
  run.settle();
  EXPECT_EQ(run.size(wide), 3u);
  EXPECT_EQ(run.size(grown), 1u);
}

using Dates = test::SchedCluster;

// For whom others make way starts elsewhere, and earlier; until then its date is what it was.
TEST_F(Dates, nobody_starts_in_the_places_of_one_that_others_make_way_for) {
  run.policy.backfill = SchedPolicy::Backfill::Conservative;
  run.policy.promise_tolerance = Duration{};
  queue("high", [](QueueConf& conf) { conf.preempts = {"lower"}; });
  queue("low", [](QueueConf& conf) { conf.preempt_by = PreemptBy::Requeue; });
  run.host(4);
  run.host(2);
  auto submit = [&](const std::string& user, const std::string& queue, int tasks, int seconds) {
    return submit_and_settle(lasting(slots(user, tasks).queue(queue), seconds));
  };
  submit("ann", "high", 3, 100);
  JobId until_50 = submit("ann", "high", 2, 50);
  JobId low = submit("bob", "low", 2, 1000), high = submit("eve", "high", 2, 50);
  JobId wide = submit("gus", "low", 4, 100), beside = submit("dan", "low", 2, 50);
  run.now = 40;
  JobId small = submit("fay", "low", 1, 95);
  EXPECT_EQ(run.promised(high), 100);
  EXPECT_EQ(run.promised(wide), 150);
  EXPECT_EQ(run.promised(beside), 100);
  EXPECT_EQ(run.promised(small), 250);
  run.now = 50;
  run.end(until_50);
  for (int i = 0; i < 3; ++i) {
    run.pass();
    run.end_preempted();
  }
  EXPECT_GT(run.size(high), 0u);
  EXPECT_EQ(run.size(low), 0u);
  EXPECT_EQ(run.promised(beside), 100);
}

}  // namespace
}  // namespace wm::sched
