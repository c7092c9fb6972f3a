// Role: models of step times from reports, and what follows from them for sizes.
#include "libwm/sched/plan/goodput.h"

#include <gtest/gtest.h>

#include <cmath>

#include "libwm/sched/amounts/speeds.h"
#include "test/support/sched_run.h"

namespace wm::sched {
namespace {

// compute 0.1 + 0.01 x local; exchange 0.2 on a host, 0.5 between hosts; nothing overlaps.
StepSample sample(std::uint32_t hosts, std::uint32_t tasks, double local) {
  double exchange = tasks == 1 ? 0 : hosts == 1 ? 0.2 : 0.5;
  return {hosts, tasks, local, 0.1 + 0.01 * local, exchange};
}

TEST(goodput, a_model_foretells_what_it_was_made_from) {
  std::vector<StepSample> seen = {sample(1, 1, 64), sample(1, 2, 32), sample(1, 4, 16),
                                  sample(2, 8, 8)};
  StepModel model = fit_steps(seen);
  for (const StepSample& s : seen) {
    double foretold = model.step_s(s.hosts, s.tasks, s.local_batch, 1);
    EXPECT_NEAR(foretold, s.compute_s + s.exchange_s, 0.02 * foretold);
  }
  EXPECT_NEAR(model.step_s(1, 1, 100, 1), 1.1, 0.02);
  EXPECT_NEAR(model.step_s(1, 1, 50, 2), 2 * 0.6, 0.02);
}

TEST(goodput, a_larger_batch_pays_only_when_gradients_are_noisy) {
  BatchTerms terms{64, 64, 1024, 8, 64};
  terms.noise = 10;
  EXPECT_DOUBLE_EQ(efficiency(terms, 64), 1);
  EXPECT_NEAR(efficiency(terms, 1024), 74.0 / 1034, 1e-12);
  StepModel model = fit_steps(std::vector{sample(1, 1, 64), sample(1, 1, 8), sample(1, 4, 16)});
  terms.may_choose = true;
  double quiet = best_goodput(model, terms, 1, 4);
  terms.noise = 1e6;
  EXPECT_GT(best_goodput(model, terms, 1, 4), 1.5 * quiet);
}

TEST(goodput, nothing_is_foretold_beyond_twice_what_was_seen) {
  Profile profile;
  BatchTerms terms{64, 64, 64, 1, 64};
  EXPECT_TRUE(profile.curve(terms, 4, 64).packed.empty());
  EXPECT_TRUE(profile.add(sample(1, 3, 22)));
  EXPECT_FALSE(profile.add(sample(1, 3, 22)));
  EXPECT_EQ(profile.curve(terms, 4, 64).packed.size(), 7u);
  EXPECT_EQ(profile.curve(terms, 4, 5).packed.size(), 6u);
}

TEST(goodput, a_size_that_was_seen_has_the_speed_it_showed) {
  Profile profile;
  BatchTerms terms{64, 64, 64, 1, 64};
  profile.add(sample(1, 1, 64));
  profile.add(sample(1, 2, 32));
  StepSample slow = sample(1, 3, 22);
  slow.exchange_s = 5;
  profile.add(slow);
  auto speeds = profile.curve(terms, 4, 8).packed;
  EXPECT_NEAR(speeds[3], 66 / 5.32, 0.1 * 66 / 5.32);
  EXPECT_GT(speeds[2], speeds[3]);
}

// Whatever the exchange hides behind: half a step more computed is half a step saved.
TEST(goodput, one_report_says_nothing_of_how_far_exchange_and_compute_overlap) {
  for (double compute : {3.7635, 0.5431, 1.0 / 3, 2.7}) {
    StepModel model = fit_steps(std::vector{StepSample{2, 4, 800, compute, 0.0251}});
    EXPECT_EQ(model.overlap, 1) << compute;
    EXPECT_NEAR(model.step_s(2, 8, 400, 1), compute / 2 + 0.0251, 1e-6) << compute;
  }
}

// Seen on 1 and 4, which is 1.7 times as fast; a model of both says that 2 are slower than 1.
TEST(goodput, between_two_sizes_seen_the_speed_is_not_below_their_line) {
  Profile profile;
  BatchTerms terms{32768, 32768, 32768, 1, 32768};
  profile.add({1, 1, 32768, 0.0292, 0.0003});
  profile.add({1, 3, 10922, 0.0134, 0.0140});
  profile.add({1, 4, 8192, 0.0121, 0.0057});
  auto speeds = profile.curve(terms, 4, 8).packed;
  EXPECT_GE(speeds[2], (speeds[1] + speeds[3]) / 2 - 1e-6);
  EXPECT_GT(speeds[2], speeds[1] * 0.99);
  EXPECT_NEAR(speeds[3], 32768 / 0.0274, 500);  // what was seen stays
  EXPECT_EQ(speeds[5], speeds[4]);
}

// A task alone is four times as fast as a line through all reports says.
TEST(goodput, a_model_that_errs_errs_alike_on_the_size_beside) {
  Profile profile;
  BatchTerms terms{64, 64, 64, 1, 64};
  auto fast = sample(1, 1, 64);
  fast.compute_s /= 4;
  profile.add(fast);
  profile.add(sample(1, 2, 32));
  profile.add(sample(1, 8, 8));
  auto speeds = profile.curve(terms, 8, 8).packed;
  EXPECT_NEAR(speeds[1], 64 / fast.compute_s, 0.1);
  for (std::size_t tasks = 3; tasks <= 8; ++tasks) {
    EXPECT_GT(speeds[tasks], speeds[tasks - 1]) << tasks;
    EXPECT_LT(speeds[tasks], 1.2 * speeds[tasks - 1]) << tasks;
  }
}

TEST(goodput, beyond_one_host_only_whole_ones_are_faster) {
  Profile profile;
  BatchTerms terms{512, 512, 512, 1, 64};
  profile.add(sample(1, 4, 64));
  profile.add(sample(2, 8, 64));
  auto speeds = profile.curve(terms, 4, 16).packed;
  ASSERT_EQ(speeds.size(), 17u);
  EXPECT_GT(speeds[4], speeds[3]);
  for (int tasks : {5, 6, 7}) EXPECT_EQ(speeds[tasks], speeds[4]);
  EXPECT_GT(speeds[8], speeds[7]);
}

TEST(goodput, tasks_apart_are_known_once_they_were_seen_so) {
  Profile profile;
  BatchTerms terms{64, 64, 64, 1, 64};
  profile.add(sample(1, 1, 64));
  profile.add(sample(1, 4, 16));
  EXPECT_TRUE(profile.curve(terms, 4, 8).apart.empty());
  profile.add(sample(2, 3, 22));
  Curve curve = profile.curve(terms, 4, 8);
  ASSERT_EQ(curve.apart.size(), 5u);  // as many as one host takes
  for (std::size_t tasks : {2, 3, 4}) {
    double step = 0.1 + 0.01 * std::ceil(64.0 / tasks) + 0.5;
    EXPECT_NEAR(curve.apart[tasks], 64 / step, 0.05 * 64 / step) << tasks;
    EXPECT_LT(curve.apart[tasks], 0.8 * curve.packed[tasks]) << tasks;
  }
}

// Two elastic jobs on 8 GPUs; curves decide.
class TwoJobs : public test::SchedRun {
 public:
  TwoJobs() {
    for (AppConf& app : config.apps) app.resize = ResizeMode::Tasks;
    reconfigure();
    for (int i = 0; i < 2; ++i) host(4, 4);
    for (JobId& id : ids) id = submit(test::SpecBuilder().elastic().gpus(1).tasks(1, 8));
  }
  void curves(std::vector<double> first, std::vector<double> second) {
    policy.speed.speeds = std::make_shared<const Speeds>(
        Speeds{{ids[0], {std::move(first), {}}}, {ids[1], {std::move(second), {}}}});
  }
  JobId ids[2];
};

const std::vector<double> kLinear = {0, 1, 2, 3, 4, 5, 6, 7, 8};

TEST(speeds, tasks_beyond_the_useful_go_to_who_can_use_them) {
  TwoJobs run;
  run.curves({0, 1, 1.9, 2, 2, 2, 2, 2, 2}, kLinear);
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(run.ids[0]), 3u);
  EXPECT_EQ(run.size(run.ids[1]), 5u);
}

TEST(speeds, a_size_slower_than_a_smaller_one_is_never_a_target) {
  TwoJobs run;
  run.curves({0, 1, 2, 1.5, 3, 1, 1, 1, 1}, kLinear);
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(run.ids[0]), 4u);
  run.curves({0, 1, 2, 1.5, 1, 1, 1, 1, 1}, kLinear);
  ASSERT_EQ(run.plan().shrinks.size(), 1u);
  EXPECT_EQ(run.plan().shrinks[0].reason, "no faster with more tasks");
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(run.ids[0]), 2u);
  EXPECT_EQ(run.size(run.ids[1]), 6u);
}

TEST(speeds, by_gain_the_better_user_of_tasks_gets_more) {
  TwoJobs run;
  run.policy.speed.share = ElasticShare::Gain;
  run.curves({0, 1, 1.3, 1.5, 1.6, 1.7, 1.75, 1.8, 1.85}, kLinear);
  ASSERT_GE(run.settle(), 0);
  EXPECT_LT(run.size(run.ids[0]), run.size(run.ids[1]));
  EXPECT_EQ(run.size(run.ids[0]) + run.size(run.ids[1]), 8u);
}

// The fourth task of the second gains it log(4 / 3) = 0.29.
TEST(speeds, a_size_is_kept_against_who_would_gain_a_little_more) {
  TwoJobs run;
  run.policy.speed.share = ElasticShare::Gain;
  run.curves(kLinear, kLinear);
  ASSERT_GE(run.settle(), 0);
  run.curves({0, 1, 2, 3, 4, 4 * std::exp(0.31)}, kLinear);
  EXPECT_TRUE(run.plan().idle());
  run.curves({0, 1, 2, 3, 4, 4 * std::exp(0.40)}, kLinear);
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(run.ids[0]), 5u);
  EXPECT_EQ(run.size(run.ids[1]), 3u);
}

TEST(speeds, a_change_that_costs_more_than_it_brings_is_left) {
  TwoJobs run;
  run.curves(kLinear, kLinear);
  ASSERT_GE(run.settle(), 0);
  run.end(run.ids[0]);
  run.policy.speed.cost = std::chrono::seconds(30);
  EXPECT_TRUE(run.plan().idle()) << "it started in this very instant";
  run.policy.speed.cost = {};
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(run.ids[1]), 8u);
}

TEST(speeds, who_has_just_paid_for_a_change_is_left_alone_first) {
  Job paid, settled;
  paid.tasks = {{.number = TaskNumber{1}, .since = test::at(1000)}};
  settled.tasks = {{.number = TaskNumber{1}, .since = test::at(100)}};
  auto claim_of = [](const Job& job, std::uint32_t number) {
    Claim claim;
    claim.id = {number, 0};
    claim.job = &job;
    claim.kind = ClaimKind::Elastic;
    claim.resizes = true;
    claim.gain.resize_cost = std::chrono::seconds(30);
    claim.min = claim.target = 1;
    claim.max = claim.now = 4;
    return claim;
  };
  std::vector<Claim> claims = {claim_of(settled, 1), claim_of(paid, 2)};
  weigh_claims(claims, {}, test::at(1030));
  EXPECT_NEAR(claims[0].gain.kept, 1.2 + 30 / 930.0, 1e-9);
  EXPECT_NEAR(claims[1].gain.kept, 1.2 + 1, 1e-9);
  EXPECT_EQ(share_by_speed({&claims[0], &claims[1]}, 4, ElasticShare::Equal), 0);
  EXPECT_EQ(claims[0].target, 2u);
  EXPECT_EQ(claims[1].target, 4u);
}

// One elastic job, with so many tasks a host (0: any); on each of two hosts one GPU is left for it.
class TwoHalves : public test::SchedRun {
 public:
  explicit TwoHalves(std::uint32_t ptile = 0) {
    for (AppConf& app : config.apps) app.resize = ResizeMode::Tasks;
    reconfigure();
    for (int i = 0; i < 2; ++i) host(4, 4);
    for (int i = 0; i < 2; ++i) submit(test::SpecBuilder().gpus(3).tasks(1, 1));
    EXPECT_GE(settle(), 0);
    auto spec = test::SpecBuilder().elastic().gpus(1).tasks(1, 4);
    spec.spec.span.ptile = ptile;
    job = submit(spec);
  }
  void is_apart(std::vector<double> speeds) {
    policy.speed.speeds =
        std::make_shared<const Speeds>(Speeds{{job, {{0, 1, 1.9, 2.8, 3.6}, std::move(speeds)}}});
  }
  JobId job;
};

TEST(speeds, a_further_host_is_taken_where_it_is_faster) {
  TwoHalves run;
  run.is_apart({0, 1, 1.4, 1.5, 1.6});
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(run.job), 2u);
}

TEST(speeds, a_further_host_is_left_to_others_where_it_is_not_faster) {
  TwoHalves run;
  run.is_apart({0, 1, 1.02, 1.5, 1.6});
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(run.job), 1u);
  JobId other = run.submit(test::SpecBuilder().gpus(1).tasks(1, 1));
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(other), 1u);
}

TEST(speeds, what_makes_a_job_slower_on_a_further_host_leaves_it) {
  TwoHalves run;
  ASSERT_GE(run.settle(), 0);
  ASSERT_EQ(run.size(run.job), 2u) << "nothing is known of it yet";
  run.is_apart({0, 1, 0.7, 0.7, 0.7});
  auto plan = run.plan();
  ASSERT_EQ(plan.shrinks.size(), 1u);
  EXPECT_EQ(plan.shrinks[0].tasks, std::vector{TaskNumber{2}});
  EXPECT_EQ(plan.shrinks[0].reason, "faster on fewer hosts");
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(run.job), 1u);
}

TEST(speeds, who_asks_for_a_task_per_host_keeps_its_hosts) {
  TwoHalves run(1);
  ASSERT_GE(run.settle(), 0);
  run.is_apart({0, 1, 0.7, 0.7, 0.7});
  EXPECT_TRUE(run.plan().idle());
  EXPECT_EQ(run.size(run.job), 2u);
}

// It gains 1 / 0.7 - 1 = 0.43 of the time for which it has run so.
TEST(speeds, a_further_host_is_left_once_that_pays) {
  TwoHalves run;
  ASSERT_GE(run.settle(), 0);
  run.is_apart({0, 1, 0.7, 0.7, 0.7});
  run.policy.speed.cost = std::chrono::seconds(30);
  run.now += 60;
  EXPECT_TRUE(run.plan().idle());
  run.now += 20;
  EXPECT_EQ(run.plan().shrinks.size(), 1u);
}

}  // namespace
}  // namespace wm::sched
