// Advance reservations in the scheduler: lent as far as run limits prove, kept otherwise, and used
// by their own jobs alone.
#include "libwm/sched/placement/advance.h"

#include "libwm/sched/admit.h"
#include "libwm/sched/capacity/set_aside.h"
#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::at;
using test::slots;
using test::SpecBuilder;

constexpr double kHour = 3600;

class advance : public test::SchedCluster {
 protected:
  void reserve(const std::string& name, double from, double to, std::uint32_t tasks,
               HostId host = HostId{1}) {
    Reservation made;
    made.name = name;
    made.users = {"ann"};
    made.begin = at(from);
    made.end = at(to);
    made.places = {{host, tasks}};
    run.step(ReservationSet{made, "root"});
  }
  static SpecBuilder limited(const std::string& user, std::uint32_t tasks, double hours) {
    auto spec = slots(user, tasks);
    spec.spec.run_limit =
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(hours * kHour));
    return spec;
  }
  static SpecBuilder within(const std::string& name, std::uint32_t tasks) {
    auto spec = slots("ann", tasks);
    spec.spec.reservation = name;
    return spec;
  }
};

TEST_F(advance, who_has_no_limit_does_not_get_what_is_kept_for_later) {
  run.host(4);
  reserve("r", kHour, 2 * kHour, 3);
  auto small = submit_and_settle(slots("bob", 1)), large = submit_and_settle(slots("bob", 2));
  EXPECT_EQ(run.size(small), 1u);
  EXPECT_EQ(run.size(large), 0u);
  EXPECT_NE(run.plan().why(large), nullptr);
  bool named = false;
  for (const auto& reason : *run.plan().why(large))
    named = named ||
            (reason.code == PendCode::Reserved && reason.text.find("<r>") != std::string::npos);
  EXPECT_TRUE(named);
}

TEST_F(advance, who_is_gone_in_time_is_lent_the_slots) {
  run.host(4);
  reserve("r", kHour, 2 * kHour, 3);
  EXPECT_EQ(run.size(submit_and_settle(limited("bob", 4, 0.9))), 4u);
  run.now = 10;
  EXPECT_EQ(run.size(submit_and_settle(limited("bob", 1, 0.9))), 0u);
}

TEST_F(advance, an_estimate_proves_nothing) {
  run.host(4);
  reserve("r", kHour, 2 * kHour, 3);
  auto spec = slots("bob", 2);
  spec.spec.run_estimate = std::chrono::minutes(5);
  EXPECT_EQ(run.size(submit_and_settle(spec)), 0u);
}

TEST_F(advance, its_jobs_start_in_its_window_and_nowhere_else) {
  run.host(4);
  run.host(4);
  reserve("r", kHour, 2 * kHour, 2);
  auto a = submit_and_settle(within("r", 1)), b = submit_and_settle(within("r", 2));
  EXPECT_EQ(run.code(a), PendCode::Reserved);
  EXPECT_EQ(run.plan().look_again, at(kHour));
  run.now = kHour;
  run.settle();
  EXPECT_EQ(run.size(a), 1u);
  EXPECT_EQ(run.job(a).tasks.front().host, HostId{1});
  EXPECT_EQ(run.size(b), 0u);  // one slot of the two is left
  EXPECT_EQ(run.code(b), PendCode::Reserved);
  run.end(a);
  run.settle();
  EXPECT_EQ(run.size(b), 2u);
}

TEST_F(advance, others_stay_out_while_it_is_active_and_idle) {
  run.host(4);
  reserve("r", 0, kHour, 3);
  EXPECT_EQ(run.size(submit_and_settle(limited("bob", 1, 0.1))), 1u);
  auto more = submit_and_settle(limited("bob", 1, 0.1));
  EXPECT_EQ(run.size(more), 0u);
  run.now = kHour;
  run.settle();
  EXPECT_EQ(run.size(more), 1u);
}

TEST_F(advance, what_its_jobs_gave_back_stays_its_own) {
  run.host(4);
  reserve("r", 0, kHour, 4);
  auto own = submit_and_settle(within("r", 4));
  EXPECT_EQ(run.size(own), 4u);
  auto other = submit_and_settle(limited("bob", 1, 0.1));
  run.end(own);
  run.settle();
  EXPECT_EQ(run.size(other), 0u);
  EXPECT_EQ(run.size(submit_and_settle(within("r", 4))), 4u);
}

TEST_F(advance, one_that_comes_again_is_kept_free_of_who_would_run_into_it) {
  run.host(2);
  Reservation weekly;
  weekly.name = "w";
  weekly.users = {"ann"};
  auto minute = week_minute({}, at(0));
  weekly.windows = {{(minute + 120) % kWeekMinutes, (minute + 180) % kWeekMinutes}};
  weekly.places = {{HostId{1}, 2}};
  run.step(ReservationSet{weekly, "root"});
  EXPECT_EQ(run.size(submit_and_settle(limited("bob", 1, 1.5))), 1u);
  EXPECT_EQ(run.size(submit_and_settle(limited("bob", 1, 24 * 9))), 0u);
}

TEST_F(advance, the_date_of_others_is_after_it) {
  run.host(4);
  reserve("r", kHour, 2 * kHour, 4);
  auto job = submit_and_settle(limited("bob", 4, 3));
  EXPECT_EQ(run.size(job), 0u);
  EXPECT_NEAR(run.promised(job), 2 * kHour, 1);
}

TEST_F(advance, a_plan_made_without_it_starts_nothing) {
  run.host(4);
  run.submit(slots("bob", 2));
  Cluster frozen = run.state.freeze();
  Plan plan = schedule(frozen, run.policy, at(0));
  ASSERT_EQ(plan.starts.size(), 1u);
  reserve("r", kHour, 2 * kHour, 3);
  EXPECT_TRUE(admit(run.state, plan).starts.empty());
}

TEST_F(advance, hosts_are_set_aside_as_others_leave_them) {
  auto a = run.host(4), b = run.host(2);
  reserve("r", kHour, 2 * kHour, 3, a);
  Reservation wanted;
  wanted.name = "x";
  wanted.begin = at(1.5 * kHour);
  wanted.end = at(3 * kHour);
  AsideWish wish{{a, b}, 3, false};
  auto places = set_aside(run.state, wanted, wish);
  ASSERT_TRUE(places);
  EXPECT_EQ(*places, (std::vector<PromisedPlace>{{a, 1}, {b, 2}}));
  wish.amount = 4;
  EXPECT_EQ(set_aside(run.state, wanted, wish).error().code, Code::Impossible);
  wish = {{a}, 0, false};
  EXPECT_EQ(set_aside(run.state, wanted, wish).error().code, Code::Conflict);
  wanted.begin = at(2 * kHour);
  EXPECT_EQ(*set_aside(run.state, wanted, wish), (std::vector<PromisedPlace>{{a, 4}}));
}

TEST_F(advance, who_may_still_be_there_is_named) {
  auto a = run.host(4);
  auto endless = submit_and_settle(slots("bob", 2));
  submit_and_settle(limited("bob", 1, 0.5));
  Reservation wanted;
  wanted.name = "x";
  wanted.begin = at(kHour);
  wanted.end = at(2 * kHour);
  wanted.places = {{a, 3}};
  EXPECT_EQ(in_the_way(run.state, wanted, at(0)), std::vector{endless});
  wanted.places = {{a, 2}};
  EXPECT_TRUE(in_the_way(run.state, wanted, at(0)).empty());
}

}  // namespace
}  // namespace wm::sched
