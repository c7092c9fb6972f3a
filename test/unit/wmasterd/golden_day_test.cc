// From events to the sums of a report: a day with numbers that are known to the unit.
#include "test/support/golden_day.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemons/wmasterd/acct/acct_state.h"
#include "libwm/report/tell.h"
#include "libwm/store/report/report_facts.h"
#include "libwm/store/report/roll.h"
#include "test/support/store_files.h"

namespace wm::master {
namespace {

using report::Amounts;
using report::Use;
using test::kGoldenDay;

constexpr std::int64_t kFrom = kGoldenDay * 1000, kTo = kFrom + 90'000'000;

class golden_day : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new test::ScratchDir;
    auto acct = store::AcctDb::open({dir_->path(), ""});
    ASSERT_TRUE(acct) << acct.error().text;
    AcctState acct_state;
    test::GoldenDay day;
    store::AcctRows all;
    test::follow(day.history, [&](const Event& event, const Cluster& after) {
      store::join(all, fold(acct_state, event, after));
    });
    ASSERT_TRUE((*acct)->apply(all));
  }
  static void TearDownTestSuite() { delete dir_; }
  void SetUp() override {
    acct_ = std::move(*store::AcctScan::open({dir_->path(), ""}));
    auto made = store::ReportDb::open(dir_->path(), "Europe/Berlin");
    ASSERT_TRUE(made) << made.error().text;
    reports_ = std::move(*made);
    roll(kGoldenDay);
  }
  store::Rolled roll(std::optional<std::int64_t> from) {
    auto done = store::roll(*acct_, *reports_, {test::berlin(), from, kGoldenDay + 100'000});
    EXPECT_TRUE(done) << done.error().text;
    return *done;
  }
  report::Facts gather(const std::string& about) {
    auto period = report::period_at(report::Kind::Day, test::berlin(), kGoldenDay);
    auto facts = store::gather(*acct_, *reports_,
                               {"clusterA", period, test::berlin(), about, kGoldenDay + 100'000});
    EXPECT_TRUE(facts) << facts.error().text;
    return *facts;
  }
  static std::int64_t slot_s(const Amounts& a) { return a.slot_ms / 1000; }
  static std::int64_t gpu_s(const Amounts& a) { return a.gpu_mms / 1'000'000; }

  static inline test::ScratchDir* dir_ = nullptr;
  std::unique_ptr<store::AcctScan> acct_;
  std::unique_ptr<store::ReportDb> reports_;
};

TEST_F(golden_day, slots_and_gpus_add_up_to_what_there_was) {
  auto total = *reports_->totals(kFrom, kTo);
  EXPECT_EQ(slot_s(total.allocated()), 63'060);
  EXPECT_EQ(gpu_s(total.allocated()), 55'860);
  EXPECT_EQ(slot_s(total.capacity()), 720'000);
  EXPECT_EQ(gpu_s(total.capacity()), 540'000);
  EXPECT_EQ(slot_s(total[Use::Down]), 46'000);
  EXPECT_EQ(slot_s(total[Use::Drained]), 40'000);
  EXPECT_EQ(slot_s(total[Use::Idle]), 570'940);
  EXPECT_EQ(gpu_s(total[Use::Down]), 21'200);
  EXPECT_EQ(gpu_s(total[Use::Drained]), 40'000);
  EXPECT_EQ(gpu_s(total[Use::Aside]), 3'600);
  EXPECT_EQ(gpu_s(total[Use::Idle]), 419'340);
  EXPECT_EQ(total[Use::Over], Amounts{});
}

TEST_F(golden_day, what_was_held_is_told_by_its_class) {
  auto total = *reports_->totals(kFrom, kTo);
  EXPECT_EQ(slot_s(total[Use::Held]), 58'200);
  EXPECT_EQ(slot_s(total[Use::Leaving]), 60);
  EXPECT_EQ(slot_s(total[Use::Suspended]), 1'200);
  EXPECT_EQ(slot_s(total[Use::Unknown]), 3'600);
}

TEST_F(golden_day, hosts_add_up_to_the_same) {
  auto hosts = *reports_->hosts(kFrom, kTo);
  EXPECT_EQ(slot_s(hosts["h1"].allocated()), 46'860);
  EXPECT_EQ(gpu_s(hosts["h1"].allocated()), 45'060);
  EXPECT_EQ(slot_s(hosts["h2"].allocated()), 16'200);
  EXPECT_EQ(gpu_s(hosts["h2"].allocated()), 10'800);
}

TEST_F(golden_day, hours_are_those_of_the_place) {
  auto hours = *reports_->hours(kFrom, kTo);
  ASSERT_EQ(hours.size(), 25u);
  std::vector<std::int64_t> used;
  for (const auto& hour : hours) used.push_back(slot_s(hour.uses.allocated()));
  std::vector<std::int64_t> wanted = {5400, 14400, 14400, 14460, 0, 1600, 3600, 3600, 2000};
  wanted.resize(25);
  wanted[24] = 3600;
  EXPECT_EQ(used, wanted);
  EXPECT_TRUE(hours.back().final);
}

TEST_F(golden_day, attempts_that_the_system_ended_are_refunded) {
  auto refunds = *reports_->refunds(kFrom, kTo);
  ASSERT_EQ(refunds.size(), 2u);
  if (refunds[0].kind == store::Refund::Late) std::swap(refunds[0], refunds[1]);
  EXPECT_EQ(refunds[0].kind, store::Refund::HostLost);
  EXPECT_EQ(slot_s(refunds[0].amounts), 7'200);
  EXPECT_EQ(gpu_s(refunds[0].amounts), 7'200);
  EXPECT_EQ(refunds[0].attempt, Attempt{1});
}

TEST_F(golden_day, ends_that_were_heard_late_are_credited_from_then_on) {
  auto refunds = *reports_->refunds(kFrom, kTo);
  ASSERT_EQ(refunds.size(), 2u);
  if (refunds[1].kind == store::Refund::Late) std::swap(refunds[0], refunds[1]);
  EXPECT_EQ(refunds[0].kind, store::Refund::Late);
  EXPECT_EQ(slot_s(refunds[0].amounts), 10);
  auto facts = gather("");
  EXPECT_EQ(slot_s(facts.total.allocated()) - slot_s(facts.refunded), 55'850);
  EXPECT_EQ(gpu_s(facts.total.allocated()) - gpu_s(facts.refunded), 48'660);
}

// The whole course, of which the day is a part: seven jobs, from an hour before it to some after.
TEST_F(golden_day, budgets_were_charged_what_the_reports_charge) {
  test::GoldenDay day;
  auto from = kFrom - 10'800'000, to = kTo + 10'800'000;
  roll(from / 1000);
  auto total = *reports_->totals(from, to);
  Amounts credited;
  for (const auto& refund : *reports_->refunds(from, to)) credited += refund.amounts;
  const auto& account = *find_budget(day.state, "/");
  EXPECT_EQ(account.rate, Drawn{});
  EXPECT_EQ(account.used().cpu, total.allocated().cpu_mms - credited.cpu_mms);
  EXPECT_EQ(account.used().gpu, total.allocated().gpueq_mms - credited.gpueq_mms);
  EXPECT_EQ(account.used().gpu / 1'000'000, 48'660 + 6'600 / 2 - 1'800);
  EXPECT_LT(find_budget(day.state, "user:bob")->used().gpu, account.used().gpu);
}

TEST_F(golden_day, plans_borrow_what_others_lend) {
  auto plans = *reports_->plans(kFrom, kTo);
  EXPECT_EQ(plans["/a"].borrowed / 1000, 10'860);
  EXPECT_EQ(plans["/b"].lent / 1000, 10'860);
  EXPECT_EQ(plans["/a"].owned / 1000, 180'000);
  EXPECT_EQ(plans["/a"].used / 1000, 36'060);
}

TEST_F(golden_day, waits_in_the_queue_leave_out_what_the_user_chose) {
  std::vector<std::int64_t> queue, own;
  auto read = acct_->dispatched({kFrom * 1000, kTo * 1000}, [&](const store::AttemptRow& row) {
    if (row.attempt.value != 1) return;
    queue.push_back(row.queue_wait.count() / 1'000'000);
    own.push_back(row.own_wait.count() / 1'000'000);
  });
  ASSERT_TRUE(read);
  EXPECT_THAT(queue, ::testing::ElementsAre(0, 0, 0, 60, 30, 10, 5));
  EXPECT_THAT(own, ::testing::ElementsAre(100, 100, 700, 0, 0, 0, 0));
}

TEST_F(golden_day, the_report_says_what_is_known_of_the_day) {
  auto facts = gather("");
  EXPECT_TRUE(facts.final);
  EXPECT_EQ(facts.counts.ended, 7);
  EXPECT_EQ(facts.counts.failed, 0);
  EXPECT_EQ(facts.counts.lost, 1);
  ASSERT_FALSE(facts.waits.empty());
  EXPECT_EQ(facts.waits[0].n, 7u);
  EXPECT_EQ(facts.waits[0].p50, 5);
  EXPECT_EQ(facts.waits[0].p90, 60);
  EXPECT_EQ(slot_s(facts.refunds["host_lost"]), 7'200);
  auto line = report::summary_of(facts, {});
  EXPECT_NE(line.find("jobs=7 failed=0 slots=8.8% gpus=10.3% gpus_avail=11.8% gpus_down=3.9%"
                      " wait_p50=5s wait_p90=60s"),
            line.npos)
      << line;
}

TEST_F(golden_day, resizes_cost_what_they_cost) {
  auto facts = gather("");
  ASSERT_EQ(facts.elastic.size(), 1u);
  EXPECT_NEAR(facts.elastic[0].mean, 3.006, 0.0005);
  EXPECT_NEAR(facts.elastic[0].cost, 72.6, 1e-6);
  EXPECT_NEAR(100 * facts.elastic[0].cost_part, 0.22, 0.005);
  EXPECT_EQ(facts.elastic[0].resizes.size(), 2u);
}

TEST_F(golden_day, troubles_that_follow_one_another_are_told_as_one) {
  std::vector<std::string> notes;
  for (const auto& note : gather("").notes) notes.push_back(note.text);
  EXPECT_THAT(notes,
              ::testing::ElementsAre("h1 closed 12:53, back 15:40: kernel (root)",
                                     "h2 silent 05:33, dead 06:33, back 09:00: power supply (root)",
                                     "h1 GPU 3 sick 18:26, back 19:26: XID 79"));
}

TEST_F(golden_day, a_plans_and_a_users_report_are_parts_of_the_whole) {
  auto a = gather("/a"), b = gather("/b"), ann = gather("ann"), bob = gather("bob");
  EXPECT_EQ(slot_s(a.plans.at(0).allocated), 36'060);
  EXPECT_EQ(slot_s(a.plans.at(0).allocated) + slot_s(b.plans.at(0).allocated), 63'060);
  EXPECT_EQ(slot_s(ann.users.at(0).allocated) + slot_s(bob.users.at(0).allocated), 63'060);
  EXPECT_EQ(ann.jobs.size(), 2u);
  EXPECT_EQ(bob.counts.ended, 5);
  EXPECT_EQ(a.plan_days.size(), 1u);
}

TEST_F(golden_day, done_twice_or_in_pieces_it_is_the_same) {
  auto before = *reports_->totals(kFrom, kTo);
  EXPECT_EQ(roll(kGoldenDay).restated, 0u);
  EXPECT_EQ(roll(kGoldenDay + 40'000).restated, 0u);
  auto after = *reports_->totals(kFrom, kTo);
  for (std::size_t i = 0; i < report::kUses; ++i) EXPECT_EQ(after.of[i], before.of[i]);
}

}  // namespace
}  // namespace wm::master
