// job_sum: whatever is written of jobs, and how often, its rows are the sums of those that ended.
#include "libwm/store/acct/acct_sums.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "libwm/store/acct/acct_db.h"
#include "test/support/store_files.h"

namespace wm::store {
namespace {

using test::at_second;
using Sums = std::map<SumKey, AcctSum>;

constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

/// Jobs of a few users over three days, written as they go on, end, end otherwise and begin again.
class Course {
 public:
  explicit Course(unsigned seed) : random_(seed) {}

  AcctRows step() {
    AcctRows rows;
    rows.seq = Seq{++seq_};
    for (int i = 0; i < 20; ++i) rows.jobs.push_back(job(rows));
    return rows;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  JobRow job(AcctRows& rows) {
    JobRow row;
    row.id = {1 + below(60), 0};
    row.user = row.id.job % 3 ? "ada" : "bob";
    row.plan = below(2) ? "/a" : "/b", row.queue = "normal", row.project = "p";
    row.submitted = at_second(below(80'000));
    if (below(3)) row.dispatched = row.submitted + std::chrono::seconds(below(900));
    if (row.dispatched != WallTime{}) row.started = row.dispatched + Duration(below(5'000'000));
    row.state = "running";
    row.cpu = Duration(below(1'000'000)), row.slot_time = Duration(below(1'000'000));
    row.gpu_energy_mj = below(1'000'000);
    if (below(4) == 0) return row;
    row.state = below(2) ? "finished" : "failed";
    row.ended = row.submitted + std::chrono::seconds(1000 + below(100'000));
    if (below(3) == 0)
      rows.events.push_back({row.id, rows.seq, static_cast<std::uint32_t>(rows.events.size()),
                             row.ended, "PROMISE_ERROR", 0, below(9000), "", Duration{-1}, -1});
    return row;
  }
  std::mt19937 random_;
  std::uint64_t seq_ = 0;
};

class acct_sums : public ::testing::Test {
 protected:
  void SetUp() override { open(); }
  void open() {
    db_ = std::move(*AcctDb::open(files()));
    reader_ = std::move(*AcctReader::open(files()));
  }
  StoreFiles files() const { return {dir_.path(), ""}; }
  Sums kept(const std::string& user = "") {
    Sums sums;
    EXPECT_TRUE(reader_->sums(user, 0, kAll, [&](const SumRow& row) { sums[row.key] = row.sum; }));
    return sums;
  }
  Sums added_up(const std::string& user = "") {
    Sums sums;
    EXPECT_TRUE(reader_->ended(
        user, 0, kAll, [&](const SumKey& key, const AcctFigures& job) { add(sums[key], job); }));
    return sums;
  }
  test::ScratchDir dir_;
  std::unique_ptr<AcctDb> db_;
  std::unique_ptr<AcctReader> reader_;
};

TEST_F(acct_sums, are_those_of_the_jobs_that_ended_however_often_they_were_written) {  // STORE-18
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Course course(seed);
    ASSERT_TRUE(db_->clear());
    EXPECT_TRUE(kept().empty());
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(db_->apply(course.step()));
      ASSERT_EQ(kept(), added_up()) << "seed " << seed << " step " << i;
    }
    EXPECT_EQ(kept("ada"), added_up("ada"));
    EXPECT_GT(kept().size(), kept("ada").size());
  }
}

TEST_F(acct_sums, joined_in_one_transaction_they_are_the_same) {
  Course one(7), other(7);
  AcctRows all;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(db_->apply(one.step()));
    join(all, other.step());
  }
  auto single = kept();
  ASSERT_TRUE(db_->clear());
  ASSERT_TRUE(db_->apply(all));
  EXPECT_EQ(kept(), single);
}

// As version 4 left it: without the table, its index and its mark.
TEST_F(acct_sums, a_file_that_had_none_gets_them_when_it_is_opened) {
  Course course(3);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(db_->apply(course.step()));
  auto before = kept();
  for (auto& [key, sum] : before) sum.gpu_energy_mj = 0;  // version 4 knew of none
  reader_.reset(), db_.reset();
  {
    auto old = std::move(*Connection::open({.path = dir_.path() + "/acct.db"}));
    ASSERT_TRUE(
        old->exec("DROP TABLE job_sum; DROP INDEX job_ended_by_user;"
                  "ALTER TABLE mark DROP COLUMN sums;"
                  "ALTER TABLE job DROP COLUMN service_class;"
                  "ALTER TABLE job DROP COLUMN gpu_energy_mj;"
                  "ALTER TABLE job DROP COLUMN reservation; PRAGMA user_version = 4"));
  }
  open();
  EXPECT_FALSE(before.empty());
  EXPECT_EQ(kept(), before);
}

TEST_F(acct_sums, of_days_that_are_dropped_none_is_left) {
  Course course(4);
  ASSERT_TRUE(db_->apply(course.step()));
  AcctRows rows;
  rows.forget = at_second(400'000);
  ASSERT_TRUE(db_->apply(rows));
  EXPECT_TRUE(kept().empty());
}

}  // namespace
}  // namespace wm::store
