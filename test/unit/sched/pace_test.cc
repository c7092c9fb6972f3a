// Role: curves of live jobs from what they reported, and the sizes that follow; at last random
// clusters in which no model ever makes a job break a limit or a floor.
#include "libwm/sched/amounts/pace.h"

#include <algorithm>
#include <random>

#include "libwm/sched/amounts/speeds.h"
#include "test/support/claim_cluster.h"

namespace wm::sched {
namespace {

using namespace std::chrono_literals;
using test::elastic;
using test::rigid;

// A report with a step of so many milliseconds; `exchange_ms` negative: not measured.
StepReport report(std::uint32_t tasks, double local, int step_ms, int exchange_ms = -1) {
  Duration exchange =
      exchange_ms < 0 ? Duration(-1) : Duration(std::chrono::milliseconds(exchange_ms));
  return {tasks, tasks, local, std::chrono::milliseconds(step_ms), exchange};
}

Pace pace(std::vector<StepReport> reports) {
  Pace made;
  made.reports = std::move(reports);
  return made;
}

TEST(pace, without_a_report_there_is_no_curve) { EXPECT_TRUE(curve_of({}, 1, 8).packed.empty()); }

TEST(pace, half_the_batch_in_half_the_time_is_a_line) {
  auto curve = curve_of(pace({report(1, 24, 240), report(2, 12, 120)}), 1, 8).packed;
  ASSERT_EQ(curve.size(), 5u);  // twice the tasks seen
  for (std::uint32_t n = 1; n <= 4; ++n) EXPECT_NEAR(curve[n], n * 100, 0.02 * n * 100) << n;
}

TEST(pace, a_step_that_takes_as_long_with_half_the_batch_gains_nothing) {
  auto curve = curve_of(pace({report(4, 4, 25), report(2, 8, 25)}), 1, 8).packed;
  ASSERT_EQ(curve.size(), 9u);
  EXPECT_NEAR(curve[1], curve[8], 0.05 * curve[1]);
}

TEST(pace, a_measured_exchange_tells_it_from_one_report) {
  // At 4 tasks three quarters of the step are exchange: alone it would be as fast.
  auto curve = curve_of(pace({report(4, 4, 100, 75)}), 1, 8).packed;
  EXPECT_NEAR(curve[1], 160, 2);
  EXPECT_NEAR(curve[4], 160, 2);
  EXPECT_LT(curve[2], 1.1 * curve[1]);
}

TEST(pace, an_unmeasured_exchange_is_what_more_tasks_add_at_the_same_part_of_the_batch) {
  // Each task keeps its part: 100 ms alone, 150 ms together.
  auto curve =
      curve_of(pace({report(1, 8, 100), report(2, 8, 150), report(4, 8, 150)}), 1, 16).packed;
  EXPECT_NEAR(curve[1], 80, 1);
  EXPECT_NEAR(curve[2], 8 * 2 / 0.150, 3);
  EXPECT_NEAR(curve[8], 8 * 8 / 0.150, 10);
}

TEST(pace, a_batch_that_grows_with_the_tasks_counts_less_where_gradients_are_not_noisy) {
  Pace loud = pace({report(1, 8, 100), report(2, 8, 100)}), quiet = loud;
  loud.noise = 1e6;
  quiet.noise = 8;
  EXPECT_NEAR(curve_of(loud, 1, 4).packed[4] / curve_of(loud, 1, 4).packed[1], 4, 0.1);
  EXPECT_NEAR(curve_of(quiet, 1, 4).packed[4] / curve_of(quiet, 1, 4).packed[1], 4 * 16 / 40.0,
              0.1);
}

TEST(pace, a_training_that_may_choose_its_batch_is_worth_its_best) {
  Pace made = pace({report(4, 8, 100, 60), report(2, 16, 110, 30)});
  made.noise = 1e5;
  double fixed = curve_of(made, 1, 4).packed[4];
  made.batch = {32, 512, 128};
  EXPECT_GT(curve_of(made, 1, 4).packed[4], 1.5 * fixed);
}

// Jobs of one user in a queue that is told how to size them.
class LiveJobs : public test::ClaimCluster {
 protected:
  LiveJobs() {
    for (AppConf& app : run.config.apps) app.resize = ResizeMode::InPlace;
    run.config.cluster.times.restart_quiet = {};
    by("normal", SizeBy::Goodput);
  }
  void by(const std::string& name, SizeBy sizes) {
    queue(name, [&](QueueConf& q) { q.elastic = sizes; });
  }
  void says(JobId id, const StepReport& report) {
    run.step(StepsMeasured{id, run.job(id).attempt, report, -1, {}});
  }
  // On four GPUs `good`, which scales, comes beside `bad`, which does not. They settle, and each
  // tells of its size, six times.
  void live_in(const std::string& plan) {
    gpu_hosts(4);
    bad = submit_and_settle(elastic("ann", 1, 4).plan(plan));
    says(bad, report(4, 6, 100));
    good = run.submit(elastic("ann", 1, 4).plan(plan));
    for (int i = 0; i < 6; ++i) {
      ASSERT_GE(run.settle(), 0);
      run.now += 100;
      says(good, report(run.size(good), 24.0 / run.size(good), 240 / int(run.size(good))));
      says(bad, report(run.size(bad), 24.0 / run.size(bad), 100));
    }
    ASSERT_GE(run.settle(), 0);
  }
  JobId good, bad;
};

TEST_F(LiveJobs, who_makes_more_of_them_gets_more) {
  live_in("/");
  EXPECT_EQ(run.size(good), 3u);
  EXPECT_EQ(run.size(bad), 1u);
}

TEST_F(LiveJobs, in_a_queue_by_fairshare_what_they_say_changes_nothing) {
  by("normal", SizeBy::FairShare);
  live_in("/");
  EXPECT_EQ(run.size(good), 2u);
  EXPECT_EQ(run.size(bad), 2u);
}

TEST_F(LiveJobs, unless_tasks_must_be_worth_it_there_too) {
  by("normal", SizeBy::FairShare);
  run.config.cluster.sched.elastic_worth = 50;
  run.reconfigure();
  live_in("/");
  EXPECT_EQ(run.size(good), 3u);
  EXPECT_EQ(run.size(bad), 1u);
}

// Two tasks are 1.3 times as fast as one, four 1.5 times: 65 and 38 of 100.
TEST_F(LiveJobs, an_equal_share_is_a_jobs_own_even_if_it_makes_little_of_it) {
  by("normal", SizeBy::FairShare);
  run.config.cluster.sched.elastic_worth = 80;
  run.reconfigure();
  gpu_hosts(4);
  auto slow = submit_and_settle(elastic("ann", 1, 4));
  std::map<std::uint32_t, int> step = {{1, 150}, {2, 115}, {4, 100}};
  auto tells = [&] {
    ASSERT_GE(run.settle(), 0);
    run.now += 100;
    says(slow, report(run.size(slow), 24.0 / run.size(slow), step.at(run.size(slow))));
    ASSERT_GE(run.settle(), 0);
  };
  tells();
  EXPECT_EQ(run.size(slow), 4u) << "alone it has all";
  auto other = run.submit(elastic("ann", 1, 4));
  for (int i = 0; i < 3; ++i) tells();
  EXPECT_EQ(run.size(slow), 2u);
  EXPECT_EQ(run.size(other), 2u);
  run.submit(elastic("ann", 1, 4));
  run.submit(elastic("ann", 1, 4));
  for (int i = 0; i < 3; ++i) tells();
  EXPECT_EQ(run.size(slow), 1u);
}

// Four tasks for a day: the second half of eight GPUs counts a quarter of a newcomer's.
TEST_F(LiveJobs, what_has_held_much_counts_less_where_the_site_says_so) {
  by("normal", SizeBy::FairShare);
  gpu_hosts(8);
  auto old = submit_and_settle(elastic("ann", 1, 8));
  ASSERT_EQ(run.size(old), 8u);
  run.now += 24 * 3600;
  auto fresh = submit_and_settle(elastic("ann", 1, 8));
  EXPECT_EQ(run.size(old), 4u) << "all count alike";
  run.config.cluster.sched.elastic_least_weight = 25;
  run.reconfigure();
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(old), 2u);
  EXPECT_EQ(run.size(fresh), 6u);
}

TEST_F(LiveJobs, a_plan_says_otherwise_and_so_does_the_one_above_it) {
  plan({.path = "/a", .elastic = SizeBy::FairShare});
  plan({.path = "/a/b"});
  live_in("/a/b");
  EXPECT_EQ(run.size(good), 2u);
  EXPECT_EQ(run.size(bad), 2u);
}

TEST_F(LiveJobs, what_a_change_costs_is_what_was_measured) {
  gpu_hosts(2);
  auto job = submit_and_settle(elastic("ann", 1, 2));
  EXPECT_EQ(price_of(*run.state.config, run.job(job)), 1s);
  EpochFormed formed{EpochNumber{9}, {}, run.job(job).membership.members, 5};
  formed.cause = EpochCause::Resize;
  formed.pause = 40ms;
  formed.pause_known = true;
  run.step(EpochEntered{job, run.job(job).attempt, formed});
  EXPECT_EQ(price_of(*run.state.config, run.job(job)), 40ms);
}

TEST_F(LiveJobs, growth_that_does_not_pay_yet_is_looked_at_when_it_does) {
  gpu_hosts(4);
  auto job = run.submit(elastic("ann", 1, 4));
  auto other = run.submit(rigid("bob", 3).queue("high"));
  ASSERT_GE(run.settle(), 0);
  ASSERT_EQ(run.size(job), 1u);
  says(job, report(1, 24, 240));
  run.end(other);
  auto plan = run.plan();
  EXPECT_TRUE(plan.idle()) << "it has run for no time yet";
  EXPECT_EQ(plan.look_again, test::at(run.now + 1) + Duration(1));  // gains as much again: 1 s
  run.now += 2;
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(job), 2u);
}

TEST_F(LiveJobs, a_job_that_is_restarted_for_it_is_left_alone_for_a_while) {
  for (AppConf& app : run.config.apps) app.resize = ResizeMode::Restart;
  run.config.cluster.times.restart_quiet = 30s;
  run.reconfigure();
  gpu_hosts(4);
  run.agents = false;
  auto ann = submit_and_settle(elastic("ann", 1, 4));
  ASSERT_EQ(run.size(ann), 4u);
  run.now = 100;
  auto bob = run.submit(elastic("bob", 1, 4));
  run.pass();
  run.let_leave();
  run.pass();
  ASSERT_EQ(run.size(ann), 2u);
  run.catch_up();
  run.end(bob);
  auto plan = run.plan();
  EXPECT_TRUE(plan.grows.empty());
  EXPECT_EQ(plan.look_again, test::at(130));
  run.now = 131;
  EXPECT_EQ(run.plan().grows.size(), 1u);
}

TEST_F(LiveJobs, useful_sizes_only_where_the_job_says_so) {
  by("normal", SizeBy::FairShare);
  gpu_hosts(6);
  auto powers = elastic("ann", 1, 6);
  powers.spec.sizes = UsefulSizes::PowersOfTwo;
  auto ann = submit_and_settle(powers);
  EXPECT_EQ(run.size(ann), 4u);
  auto bob = submit_and_settle(elastic("bob", 1, 6));
  EXPECT_EQ(run.size(ann), 2u);
  EXPECT_EQ(run.size(bob), 4u);
}

TEST_F(LiveJobs, whole_hosts_are_what_the_largest_host_takes) {
  gpu_hosts(3, 2);
  auto whole = elastic("ann", 1, 5);
  whole.spec.sizes = UsefulSizes::WholeHosts;
  EXPECT_EQ(run.size(submit_and_settle(whole)), 4u);
}

// ---- whatever they say ---------------------------------------------------------------------

class RandomLife : public test::SchedRun {
 public:
  explicit RandomLife(unsigned seed) : random_(seed) {
    for (AppConf& app : config.apps)
      app.resize = pick(2) ? ResizeMode::InPlace : ResizeMode::Restart;
    config.cluster.times.restart_quiet = std::chrono::seconds(pick(40));
    config.cluster.sched.elastic_worth = 50 * pick(2);
    for (QueueConf& queue : config.queues) {
      queue.elastic = pick(4) ? SizeBy::Goodput : SizeBy::FairShare;
      queue.max_slots = pick(3) ? 0 : 3 + pick(6);
    }
    PlanConf small;
    small.path = "/small";
    small.limit = 2 + pick(4);
    std::optional<SizeBy> as_queue;
    small.elastic = std::vector{as_queue, {SizeBy::Goodput}, {SizeBy::FairShare}}[pick(3)];
    config.plans.push_back(small);
    reconfigure();
    for (std::uint32_t n = 2 + pick(4); n > 0; --n) host(4, pick(5));
  }
  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  void act() {
    now += pick(60);
    std::uint32_t what = pick(6);
    if (jobs.empty() || what == 0) return add();
    JobId id = jobs[pick(static_cast<std::uint32_t>(jobs.size()))];
    if (is_over(job(id).state)) return;
    if (what == 1) return end(id);
    if (what == 2 && size(id) > 0)
      return (void)step(CapChanged{id, job(id).spec().min_tasks + pick(4), false, "u"});
    if (job(id).state == JobState::Running && size(id) > 0) tell(id);
  }

  std::vector<JobId> jobs;

 private:
  void add() {
    std::uint32_t min = 1 + pick(2);
    auto spec = test::SpecBuilder().elastic().tasks(min, min + pick(7)).gpus(1);
    spec.user("u" + std::to_string(pick(2)), 1000).plan(pick(2) ? "/" : "/small");
    spec.spec.sizes = static_cast<UsefulSizes>(pick(3));
    jobs.push_back(submit(spec));
  }
  // Anything at all: steps from a microsecond to years, parts that do not fit together.
  void tell(JobId id) {
    auto log = [&](double most) { return std::exp(most * (pick(1001) / 1000.0)); };
    StepReport said{1 + pick(3), pick(2) ? size(id) : 1 + pick(9), log(20) / 1000,
                    Duration(1 + std::int64_t(log(30))), Duration(std::int64_t(log(30)) - 1000)};
    BatchRange batch;
    if (pick(3) == 0) batch = {1 + pick(100), pick(10000), pick(200)};
    step(StepsMeasured{id, job(id).attempt, said, pick(2) ? -1 : log(25), batch});
  }
  std::mt19937 random_;
};

void expect_within(const RandomLife& life) {
  std::uint32_t small = 0, all = 0;
  for (JobId id : life.jobs) {
    const Job& job = life.job(id);
    std::uint32_t size = life.size(id);
    if (size == 0) continue;
    EXPECT_GE(size, job.spec().min_tasks) << to_string(id);
    all += size;
    if (job.spec().plan == "/small") small += size;
  }
  const auto& config = *life.state.config;
  EXPECT_LE(small, *config.plan("/small")->limit);
  std::uint32_t limit = config.queue("normal")->max_slots;
  EXPECT_LE(all, limit ? limit : ~0u);
}

TEST(pace_prop, no_model_makes_a_job_exceed_a_limit_or_fall_below_its_floor) {
  for (unsigned seed = 0; seed < 150 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomLife life(seed);
    for (int i = 0; i < 40 && !testing::Test::HasFailure(); ++i) {
      life.act();
      Plan plan = life.pass();
      // A size is raised only up to the job's own cap.
      for (const Grow& grow : plan.grows)
        EXPECT_LE(life.size(grow.job),
                  std::max(task_cap(life.job(grow.job)), life.job(grow.job).spec().min_tasks));
      life.let_leave();
      ASSERT_GE(life.settle(80), 0) << "does not come to rest";
      expect_within(life);
    }
  }
}

}  // namespace
}  // namespace wm::sched
