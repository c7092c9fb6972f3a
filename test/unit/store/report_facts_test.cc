// Role: the figures of a report, from rows that were written as the master writes them.
#include "libwm/store/report/report_facts.h"

#include <gtest/gtest.h>

#include <utility>

#include "libwm/store/acct/acct_db.h"
#include "libwm/store/acct/acct_scan.h"
#include "test/support/folder.h"
#include "test/support/store_files.h"

namespace wm::store {
namespace {

using test::at_second;

constexpr std::int64_t kFrom = 1793923200, kTo = kFrom + 86400;  // the day of at_second(0)

class report_facts : public ::testing::Test {
 protected:
  AttemptRow attempt(std::uint32_t job, const std::string& user, const std::string& outcome,
                     int queue_wait_s, unsigned number = 1) {
    AttemptRow row;
    row.job = {job, 0}, row.attempt = Attempt{number};
    row.user = user, row.plan = "/research", row.queue = "normal", row.tasks = 1;
    row.dispatched = row.started = at_second(100 + job);
    row.ended = at_second(200 + job), row.outcome = outcome, row.host = "h" + std::to_string(job);
    row.queue_wait = std::chrono::seconds(queue_wait_s);
    return row;
  }
  JobRow job(std::uint32_t number, int slot_s, const std::string& plan = "/research") {
    JobRow row;
    row.id = {number, 0}, row.user = "ada", row.plan = plan, row.name = "n", row.queue = "normal";
    row.submitted = row.dispatched = row.started = at_second(10), row.ended = at_second(20);
    row.slot_time = std::chrono::seconds(slot_s);
    return row;
  }
  void resized(std::uint32_t number) {
    rows.events.push_back({{number, 0},
                           Seq{number},
                           0,
                           at_second(15),
                           "RESIZE",
                           4,
                           2,
                           "fair share",
                           Duration{-1},
                           -1});
  }
  report::Facts facts(const std::string& about = "") {
    rows.seq = Seq{1000}, rows.horizon = WallTime(std::chrono::seconds(kTo));
    auto db = std::move(AcctDb::open({folder.path(), ""}).value());
    auto done = std::exchange(written, true) ? Result<void>() : db->apply(rows);
    EXPECT_TRUE(done);
    auto acct = std::move(AcctScan::open({folder.path(), ""}).value());
    auto reports = std::move(ReportDb::open(folder.path(), "UTC").value());
    FactsWish wish;
    wish.period = {report::Kind::Day, "2026-11-06", kFrom, kTo};
    wish.about = about, wish.now = kTo;
    auto made = gather(*acct, *reports, wish);
    EXPECT_TRUE(made) << made.error().text;
    return std::move(*made);
  }

  test::OwnFolder folder;
  AcctRows rows;
  bool written = false;
};

TEST_F(report_facts, waits_are_of_first_attempts_and_of_whom_the_report_is_about) {
  rows.attempts = {attempt(1, "ada", "finished", 10), attempt(2, "ada", "finished", 30),
                   attempt(2, "ada", "finished", 500, 2), attempt(3, "bob", "finished", 70)};
  auto all = facts();
  EXPECT_EQ(all.counts.dispatched, 4);
  ASSERT_FALSE(all.waits.empty());
  EXPECT_EQ(all.waits[0].n, 3u);
  EXPECT_EQ(all.waits[0].most, 70);
  auto ada = facts("ada");
  EXPECT_EQ(ada.counts.dispatched, 3);
  EXPECT_EQ(ada.waits[0].n, 2u);
  EXPECT_EQ(ada.waits[0].most, 30);
}

TEST_F(report_facts, failures_are_of_jobs_that_failed_or_were_lost) {
  rows.attempts = {attempt(1, "ada", "failed", 0), attempt(2, "ada", "lost", 0),
                   attempt(3, "ada", "killed", 0), attempt(4, "ada", "finished", 0),
                   attempt(5, "bob", "failed", 0)};
  auto hosts = [](const report::Facts& made) {
    std::string text;
    for (const auto& one : made.failures) text += one.host + " ";
    return text;
  };
  EXPECT_EQ(hosts(facts()), "h1 h2 h5 ");
  EXPECT_EQ(hosts(facts("ada")), "h1 h2 ");
}

TEST_F(report_facts, elastic_jobs_are_told_the_largest_first_and_of_their_plan_alone) {
  rows.jobs = {job(1, 10), job(2, 90), job(3, 50), job(4, 70, "/researchers")};
  for (std::uint32_t number : {1u, 2u, 3u, 4u}) resized(number);
  auto ids = [](const report::Facts& made) {
    std::string text;
    for (const auto& one : made.elastic) text += one.id + " ";
    return text;
  };
  EXPECT_EQ(ids(facts()), "2 4 3 1 ");
  EXPECT_EQ(ids(facts("/research")), "2 3 1 ");
}

}  // namespace
}  // namespace wm::store
