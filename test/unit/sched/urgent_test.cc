// A rigid job of a higher queue that starts from what elastic jobs give: who pays while it waits is
// who pays once it runs, so no job gives tasks only to get them back.
#include <gtest/gtest.h>

#include <random>

#include "libwm/sched/schedule.h"
#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::rigid;
using test::slots;
using test::SpecBuilder;
using Sizes = std::vector<std::uint32_t>;

class Urgent : public test::SchedCluster {
 protected:
  Sizes sizes() const {
    Sizes now;
    for (JobId job : jobs) now.push_back(run.size(job));
    return now;
  }
  /// Passes, and leaving one by one, until nothing changes: the sizes after each, changes only.
  std::vector<Sizes> walk() {
    std::vector<Sizes> seen{sizes()};
    for (int turn = 0; turn < 100; ++turn) {
      auto plan = run.pass();
      check_reasons(plan);
      if (auto now = sizes(); now != seen.back()) seen.push_back(now);
      if (plan.idle() && !run.let_one_leave()) return seen;
    }
    ADD_FAILURE() << "does not come to rest";
    return seen;
  }
  /// Who grows has as many tasks then as the reason says.
  void check_reasons(const Plan& plan) {
    for (const Grow& grow : plan.grows) {
      auto words = "fair share: " + std::to_string(run.size(grow.job)) + " of ";
      EXPECT_TRUE(grow.reason.starts_with(words)) << grow.reason << ", it has " << words;
    }
  }
  /// Did the size of any job turn on the way?
  static bool turns(const std::vector<Sizes>& seen) {
    for (std::size_t job = 0; job < seen.front().size(); ++job) {
      bool rose = false, fell = false;
      for (std::size_t i = 1; i < seen.size(); ++i) {
        rose = rose || seen[i][job] > seen[i - 1][job];
        fell = fell || seen[i][job] < seen[i - 1][job];
      }
      if (rose && fell) return true;
    }
    return false;
  }
  std::vector<JobId> jobs;
};

TEST_F(Urgent, its_users_own_job_gives_first_up_to_the_users_share) {
  gpu_hosts(6);
  jobs = {submit_and_settle(elastic("bob", 1, 7)), submit_and_settle(elastic("eve", 1, 3))};
  ASSERT_EQ(sizes(), (Sizes{3, 3}));
  run.submit(rigid("bob", 3).queue("high"));
  EXPECT_EQ(walk(), (std::vector<Sizes>{{3, 3}, {1, 2}}));
}

TEST_F(Urgent, it_takes_equal_parts_of_others) {
  gpu_hosts(8);
  jobs = {submit_and_settle(elastic("ann", 1, 8)), submit_and_settle(elastic("bob", 1, 8))};
  auto job = run.submit(rigid("eve", 2).queue("high"));
  EXPECT_EQ(walk(), (std::vector<Sizes>{{4, 4}, {3, 3}}));
  run.end(job);
  EXPECT_EQ(walk(), (std::vector<Sizes>{{3, 3}, {4, 4}}));
}

TEST_F(Urgent, beyond_its_users_share_the_lowest_queue_pays) {
  gpu_hosts(8);
  jobs = {submit_and_settle(elastic("ann", 1, 8)),
          submit_and_settle(elastic("bob", 1, 8).queue("low"))};
  run.submit(rigid("eve", 4).queue("high"));
  EXPECT_EQ(walk(), (std::vector<Sizes>{{4, 4}, {3, 1}}));
}

/// Any cluster and up to three elastic jobs, at rest; one that goes first comes, and ends.
class AnyUrgent : public Urgent, public testing::WithParamInterface<unsigned> {
 protected:
  std::uint32_t pick(std::uint32_t most) { return 1 + static_cast<std::uint32_t>(random() % most); }
  bool maybe() { return random() % 2 == 0; }
  SpecBuilder of_kind(SpecBuilder gpus, SpecBuilder plain) const { return gpu ? gpus : plain; }

  void submit_elastic() {
    auto user = users[random() % 3];
    auto most = 1 + pick(8);
    auto plain = SpecBuilder().elastic().tasks(1, most).user(user, 1001);
    auto spec = of_kind(elastic(user, 1, most), plain);
    jobs.push_back(submit_and_settle(maybe() ? spec.queue("low") : spec));
  }
  SpecBuilder urgent() {
    auto user = users[random() % 3];
    auto tasks = pick(4);
    return of_kind(rigid(user, tasks), slots(user, tasks)).queue("high");
  }

  std::mt19937 random{GetParam()};
  bool gpu = maybe();
  const char* users[3] = {"ann", "bob", "eve"};
};

TEST_P(AnyUrgent, sizes_go_one_way_when_it_comes_and_when_it_ends) {
  auto hosts = pick(4), each = pick(4);
  for (std::uint32_t i = 0; i < hosts; ++i) run.host(gpu ? 2 * each : each, gpu ? each : 0);
  for (auto left = pick(3); left > 0; --left) submit_elastic();
  auto job = run.submit(urgent());
  EXPECT_FALSE(turns(walk())) << "as it comes";
  if (run.job(job).state == JobState::Pending) return;
  run.end(job);
  EXPECT_FALSE(turns(walk())) << "as it ends";
}

INSTANTIATE_TEST_SUITE_P(seeds, AnyUrgent, testing::Range(1u, 401u));

}  // namespace
}  // namespace wm::sched
